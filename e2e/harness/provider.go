package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// pollEvery is how often a process is asked whether something has happened, where
// it cannot tell by itself.
const pollEvery = 5 * time.Millisecond

// Provider is a running fake provider.
type Provider struct {
	URL string
	tb  testing.TB
}

// StartProvider starts a fake provider; it ends with the test.
func StartProvider(tb testing.TB, p Programs, args ...string) *Provider {
	tb.Helper()
	log := &journal{}
	proc := launch(tb, log, environment(), p.Provider, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	tb.Cleanup(proc.kill)
	return &Provider{URL: proc.url, tb: tb}
}

// Play replaces the rounds that are answered. See scripted.Script.
func (p *Provider) Play(rounds ...scripted.Round) {
	p.tb.Helper()
	p.post("/_fake/script", map[string]any{"rounds": rounds})
}

// Break breaks the next requests, one after the other.
func (p *Provider) Break(faults ...scripted.Fault) {
	p.tb.Helper()
	p.post("/_fake/faults", faults)
}

// Reset forgets requests, faults and the prompt cache.
func (p *Provider) Reset() {
	p.tb.Helper()
	p.post("/_fake/reset", nil)
}

// Requests gives every model call so far, oldest first. key, where it is not "",
// fills Key.Equals.
func (p *Provider) Requests(key string) []fake.Seen {
	p.tb.Helper()
	req, err := http.NewRequestWithContext(p.tb.Context(), http.MethodGet, p.URL+"/_fake/requests", nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	q := req.URL.Query()
	q.Set("key", key)
	req.URL.RawQuery = q.Encode()
	var list struct{ Requests []fake.Seen }
	p.do(req, &list)
	return list.Requests
}

// Await waits until the model calls so far are as they should be, and gives them.
func (p *Provider) Await(what string, ok func([]fake.Seen) bool) []fake.Seen {
	p.tb.Helper()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	late := time.After(patience)
	for {
		if seen := p.Requests(""); ok(seen) {
			return seen
		}
		select {
		case <-tick.C:
		case <-late:
			p.tb.Fatalf("after %s it still is not so that %s; seen: %s", patience, what, summary(p.Requests("")))
		}
	}
}

func summary(seen []fake.Seen) string {
	var b bytes.Buffer
	for _, s := range seen {
		b.WriteString(s.Path + " ")
		_ = json.NewEncoder(&b).Encode([]any{s.Status, s.Fault, s.Refused, s.Bytes, s.EndMs, s.ClosedEarly})
	}
	return b.String()
}

// Ended is the moment at which a model call was over; ok is false while it runs.
func Ended(s fake.Seen) (at time.Time, ok bool) {
	if s.EndMs == nil {
		return at, false
	}
	return s.At.Add(time.Duration(*s.EndMs) * time.Millisecond), true
}

func (p *Provider) post(path string, body any) {
	p.tb.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		p.tb.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.tb.Context(), http.MethodPost, p.URL+path, bytes.NewReader(data))
	if err != nil {
		p.tb.Fatal(err)
	}
	p.do(req, nil)
}

func (p *Provider) do(req *http.Request, into any) {
	p.tb.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.tb.Fatalf("the fake provider: %v", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		p.tb.Fatalf("the fake provider answered %d: %s", res.StatusCode, data)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		p.tb.Fatalf("the fake provider: %v", err)
	}
}
