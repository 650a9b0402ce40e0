package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The people of the tests. Their bearer is their name.
var (
	alice   = agent.Principal{UserID: "alice", OrgID: "acme", OrgSlug: "acme", Tier: agent.TierUser}
	bob     = agent.Principal{UserID: "bob", OrgID: "acme", OrgSlug: "acme", Tier: agent.TierUser}
	mallory = agent.Principal{UserID: "alice", OrgID: "evil", OrgSlug: "evil", Tier: agent.TierAdmin} // another org's user with the same id
)

const host = "agent.example"

// desk is a presenter over fakes.
type desk struct {
	tb      testing.TB
	agent   *fakeAgent
	ports   *fakePorts
	handler http.Handler
	log     *lockedBuffer
	mu      sync.Mutex
	check   func(agent.Principal) (agent.Principal, error) // applied to whoever signed in
}

func newDesk(tb testing.TB, change ...func(*Config)) *desk {
	tb.Helper()
	d := &desk{tb: tb, agent: newFakeAgent(), ports: &fakePorts{}, log: &lockedBuffer{}}
	c := Config{
		Agent: d.agent, Threads: d.ports, Approvals: d.ports, Permissions: d.ports, Keys: d.ports, Settings: d.ports, Feedback: d.ports,
		CacheDoctor:  d.ports,
		Admin:        d.ports,
		Reminders:    d.ports,
		Redaction:    d.ports,
		UsageReports: d.ports,
		Egress:       d.ports,
		Authenticate: d.authenticate, Hosts: []string{host}, Log: slog.New(slog.NewTextHandler(d.log, nil)),
		IDs: func(prefix string) string { return prefix + "_1" },
	}
	for _, f := range change {
		f(&c)
	}
	d.handler = New(c)
	return d
}

func (d *desk) authenticate(r *http.Request) (agent.Principal, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if c, err := r.Cookie("session"); err == nil && token == "" {
		token = c.Value
	}
	p, ok := map[string]agent.Principal{"alice": alice, "bob": bob, "mallory": mallory}[token]
	if !ok {
		return agent.Principal{}, errors.New("no such token")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.check != nil {
		return d.check(p)
	}
	return p, nil
}

// rule changes what the credential check says from now on.
func (d *desk) rule(check func(agent.Principal) (agent.Principal, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.check = check
}

// request makes a request of alice's; body "" is none.
func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, "http://"+host+Base+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer alice")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func as(who string, r *http.Request) *http.Request {
	r.Header.Set("Authorization", "Bearer "+who)
	if who == "" {
		r.Header.Del("Authorization")
	}
	return r
}

// do serves a request that ends by itself.
func (d *desk) do(r *http.Request) *httptest.ResponseRecorder {
	d.tb.Helper()
	rec := httptest.NewRecorder()
	d.handler.ServeHTTP(rec, r)
	return rec
}

// problem reads the problem of an answer and holds its form against the standard.
func problem(tb testing.TB, rec *httptest.ResponseRecorder) Problem {
	tb.Helper()
	if media := rec.Header().Get("Content-Type"); media != "application/problem+json" {
		tb.Fatalf("%d is a %q: %s", rec.Code, media, rec.Body)
	}
	var p Problem
	if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil {
		tb.Fatal(err)
	}
	if p.Status != rec.Code || p.Title != http.StatusText(rec.Code) || p.Type != "about:blank" || p.Message == "" || p.RequestID != "req_1" {
		tb.Fatalf("status %d, problem %+v", rec.Code, p)
	}
	return p
}

// wire is a response that a test can look at while it grows.
type wire struct {
	mu      sync.Mutex
	header  http.Header
	status  int
	body    bytes.Buffer
	flushed int
	fail    error
}

func newWire() *wire { return &wire{header: make(http.Header)} }

func (w *wire) Header() http.Header { return w.header }

func (w *wire) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.status = status
	}
}

func (w *wire) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return 0, w.fail
	}
	return w.body.Write(p)
}

func (w *wire) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushed++
}

func (w *wire) break_(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = err
}

// now gives status and body so far, without the first comment's padding.
func (w *wire) now() (int, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, strings.TrimLeft(strings.TrimPrefix(w.body.String(), ":"), " \n")
}

// open serves a stream in the background; done is closed when it has ended.
func (d *desk) open(r *http.Request) (w *wire, leave func(), done chan struct{}) {
	w, done = newWire(), make(chan struct{})
	ctx, leave := context.WithCancel(r.Context())
	go func() {
		defer close(done)
		d.handler.ServeHTTP(w, r.WithContext(ctx))
	}()
	return w, leave, done
}

// pass lets time go by in a bubble.
func pass(d time.Duration) { <-time.After(d) }

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (d *desk) discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
