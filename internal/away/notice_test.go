package away

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// notice is one of alice's link.
func (g *gate) notice() agent.ApprovalNotice {
	return agent.ApprovalNotice{Link: g.link, Approval: g.view.Approval, OrgID: "acme", UserID: "alice"}
}

func mailer(p *postOffice) *Mail {
	return &Mail{Addr: p.Addr().String(), From: "Decks <agent@decks.example>", User: "postman", Password: agent.NewSecret("s3cret-canary"), RootTLS: p.roots,
		Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) }}
}

func TestAWaitingPreviewIsToldByMailWithALinkThatOpens(t *testing.T) {
	p := newPostOffice(t, false)
	g := newGate(t, func(c *Config) { c.Channels = []Channel{mailer(p)} })
	n := g.notice()
	n.Approval.Summary = "Change slide 4\r\nBcc: all@evil.example\r\n\r\nPay at https://evil.example or www.evil.example, mailto:x@evil.example"
	n.Approval.ThreadTitle = "Präsentation"
	g.due = []agent.ApprovalNotice{n}
	if sent, err := g.Deliver(t.Context()); sent != 1 || err != nil {
		t.Fatalf("%d, %v", sent, err)
	}
	mails, _, private := p.got()
	if len(mails) != 1 || !reflect.DeepEqual(g.noted, []string{linkID + " sent"}) {
		t.Fatalf("%d mails, noted %v", len(mails), g.noted)
	}
	m, err := mail.ReadMessage(strings.NewReader(mails[0]))
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	for name, want := range map[string]string{"From": `"Decks" <agent@decks.example>`, "To": "<alice@example.org>", "Message-ID": "<link_1@decks.example>",
		"Auto-Submitted": "auto-generated", "Bcc": "", "Date": "Fri, 15 Jan 2027 08:00:00 +0000"} {
		if got := m.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if subject != "Decks: Edit a slide waits for your approval" {
		t.Errorf("subject %q", subject)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	if strings.Count(text, "://") != 1 || !strings.Contains(text, "\r\n"+g.url(g.link)+"\r\n") || strings.Contains(text, "mailto:") || !strings.Contains(text, "Präsentation") {
		t.Errorf("the mail says %q", text)
	}
	if strings.Contains(mails[0], "<script>") || strings.Contains(text, "-a") {
		t.Errorf("the mail has content of the preview: %q", text)
	}
	for _, line := range private {
		if strings.HasPrefix(line, "RCPT") && line != "RCPT TO:<alice@example.org>" {
			t.Errorf("told to %s", line)
		}
	}
	if rec := g.get("alice", g.path()); rec.Code != http.StatusOK {
		t.Errorf("the link opens with %d", rec.Code)
	}
}

func TestThePasswordOfTheMailServerGoesOverTLSOnly(t *testing.T) {
	for name, c := range map[string]struct {
		wrap, offer bool
		security    string
		sent        bool
	}{
		"starttls": {false, true, "", true}, "tls from the start": {true, false, ImplicitTLS, true},
		"no starttls offered": {false, false, StartTLS, false}, "plain, to this machine": {false, false, PlainText, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPostOffice(t, c.wrap)
			p.offer = c.offer
			m := mailer(p)
			m.Security = c.security
			err := m.Send(t.Context(), Notice{ID: linkID, App: "Decks", User: agent.User{Email: "alice@example.org"}})
			mails, said, private := p.got()
			if (err == nil) != c.sent || (len(mails) == 1) != c.sent {
				t.Fatalf("%v, %d mails", err, len(mails))
			}
			for _, line := range said {
				if strings.HasPrefix(line, "AUTH") && !strings.Contains(strings.Join(private, "\n"), line) && c.security != PlainText {
					t.Errorf("in the clear: %s", line)
				}
			}
		})
	}
	// A server whose certificate nobody vouches for is refused.
	p := newPostOffice(t, false)
	m := mailer(p)
	m.RootTLS = nil
	if err := m.Send(t.Context(), Notice{User: agent.User{Email: "alice@example.org"}}); err == nil {
		t.Error("an unknown certificate was taken")
	}
}

func TestAMailServerThatRefusesIsAnErrorWithoutThePassword(t *testing.T) {
	for _, verb := range []string{"AUTH", "MAIL", "RCPT", "DATA"} {
		p := newPostOffice(t, false)
		p.refuse = verb
		err := mailer(p).Send(t.Context(), Notice{User: agent.User{Email: "alice@example.org"}})
		if mails, _, _ := p.got(); err == nil || len(mails) != 0 || strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%s: %v, %d mails", verb, err, len(mails))
		}
	}
	p := newPostOffice(t, false)
	m := mailer(p)
	m.Password = agent.NewSecret("wrong-canary")
	if err := m.Send(t.Context(), Notice{User: agent.User{Email: "alice@example.org"}}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a wrong password: %v", err)
	}
	for _, address := range []string{"", "nobody", "a@b\r\nBcc: c@d", "a@b, c@d"} {
		if err := mailer(p).Send(t.Context(), Notice{User: agent.User{Email: address}}); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAMailThatCannotBeConfiguredSo(t *testing.T) {
	good := Mail{Addr: "mail.example:587", From: "a@b.example"}
	for name, c := range map[string]struct {
		change func(*Mail)
		ok     bool
	}{
		"good": {func(*Mail) {}, true}, "no port": {func(m *Mail) { m.Addr = "mail.example" }, false}, "no host": {func(m *Mail) { m.Addr = ":25" }, false},
		"no sender": {func(m *Mail) { m.From = "" }, false}, "two senders": {func(m *Mail) { m.From = "a@b, c@d" }, false},
		"plain to elsewhere": {func(m *Mail) { m.Security = PlainText }, false}, "another word": {func(m *Mail) { m.Security = "ssl" }, false},
		"plain to this machine": {func(m *Mail) { m.Security, m.Addr = PlainText, "127.0.0.1:25" }, true},
	} {
		m := good
		c.change(&m)
		if err := m.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// receiver is the other end of a webhook, on a real socket.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
	heads  []http.Header
	status int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies, r.heads = append(r.bodies, body), append(r.heads, req.Header)
		if r.status == http.StatusFound {
			http.Redirect(w, req, "http://elsewhere.example/", http.StatusFound)
			return
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

var hookSecret = agent.NewSecret("0123456789abcdef")

func TestAWaitingPreviewIsToldByASignedWebhook(t *testing.T) {
	r := newReceiver(t)
	at := time.Unix(1_800_000_000, 0)
	var egress []outbound.Egress
	h, err := NewWebhook(r.URL+"/hook", hookSecret, true, func(_ context.Context, e outbound.Egress) { egress = append(egress, e) }, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(t, func(c *Config) { c.Channels = []Channel{h} })
	g.due = []agent.ApprovalNotice{g.notice()}
	if sent, err := g.Deliver(t.Context()); sent != 1 || err != nil {
		t.Fatalf("%d, %v", sent, err)
	}
	if got := r.heads[0].Get(SignatureHeader); got != Sign(hookSecret, at, r.bodies[0]) || !strings.HasPrefix(got, "t=1800000000,v1=") {
		t.Errorf("signed %q", got)
	}
	if Sign(hookSecret, at, r.bodies[0]) == Sign(hookSecret, at.Add(time.Second), r.bodies[0]) || Sign(hookSecret, at, r.bodies[0]) == Sign(hookSecret, at, append(r.bodies[0], ' ')) {
		t.Error("the signature holds neither time nor body")
	}
	var p map[string]any
	if err := json.Unmarshal(r.bodies[0], &p); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"event": "approval.waiting", "id": linkID, "app": "Decks", "orgId": "acme", "userId": "alice", "userName": "Alice", "threadId": "th1",
		"threadTitle": "A deck", "turnId": "tn1", "receiptId": "rc1", "capability": "slide.edit", "title": "Edit a slide", "summary": "Change slide 4",
		"url": g.url(g.link), "createdAt": 1.8e12, "expiresAt": float64(g.link.ExpiresAt)}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("told %v", p)
	}
	if len(egress) != 1 || egress[0].Purpose != "approval notice" || egress[0].Status != 204 {
		t.Errorf("egress %+v", egress)
	}
}

func TestAWebhookGoesNowhereThatTheOperatorDidNotName(t *testing.T) {
	r := newReceiver(t)
	h, err := NewWebhook(r.URL, hookSecret, false, nil, nil) // loopback, without being allowed to be private
	if err != nil {
		t.Fatal(err)
	}
	var refused *outbound.RefusedError
	if err := h.Send(t.Context(), Notice{}); !errors.As(err, &refused) || len(r.bodies) != 0 {
		t.Errorf("a private address: %v", err)
	}
	h, _ = NewWebhook(r.URL, hookSecret, true, nil, nil)
	r.status = http.StatusFound
	if err := h.Send(t.Context(), Notice{}); !errors.As(err, &refused) || len(r.bodies) != 1 {
		t.Errorf("a redirect elsewhere: %v after %d requests", err, len(r.bodies))
	}
	r.status = http.StatusInternalServerError
	if err := h.Send(t.Context(), Notice{}); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("an answer that is no success: %v", err)
	}
	for _, bad := range []string{"", "ftp://x.example", "https://u:p@x.example", "https://0x7f.1/"} {
		if _, err := NewWebhook(bad, hookSecret, true, nil, nil); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for n, ok := range map[int]bool{0: false, 15: false, 16: true, 17: true} {
		if _, err := NewWebhook("https://x.example/", agent.NewSecret(strings.Repeat("s", n)), false, nil, nil); (err == nil) != ok {
			t.Errorf("a secret of %d bytes: %v", n, err)
		}
	}
}

// channel says what it is told to say.
type channel struct {
	err  error
	told []Notice
}

func (c *channel) Name() string { return "fake" }
func (c *channel) Send(_ context.Context, n Notice) error {
	c.told = append(c.told, n)
	return c.err
}

func TestANoticeIsTriedAgainLaterAndGivenUpAtLast(t *testing.T) {
	down := &channel{err: errors.New("down")}
	var log bytes.Buffer
	g := newGate(t, func(c *Config) { c.Channels = []Channel{down}; c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for tries := range len(backOff) + 1 {
		n := g.notice()
		n.Tries = tries
		g.due = []agent.ApprovalNotice{n}
		if sent, err := g.Deliver(t.Context()); sent != 0 || err != nil {
			t.Fatalf("%d, %v", sent, err)
		}
	}
	want := []string{"link_1 tried again in 30s", "link_1 tried again in 2m0s", "link_1 tried again in 10m0s", "link_1 tried again in 1h0m0s", "link_1 tried"}
	if !reflect.DeepEqual(g.noted, want) || down.told[0].URL != down.told[4].URL {
		t.Errorf("noted %v", g.noted)
	}
	if strings.Contains(log.String(), Path) {
		t.Error("the log has the link")
	}
}

func TestOneChannelThatGetsThroughIsEnough(t *testing.T) {
	up, down := &channel{}, &channel{err: errors.New("down")}
	g := newGate(t, func(c *Config) { c.Channels = []Channel{down, up} })
	gone := g.notice()
	gone.UserID = "left"
	g.due = []agent.ApprovalNotice{gone, g.notice()}
	if sent, err := g.Deliver(t.Context()); sent != 1 || err != nil || len(up.told) != 1 {
		t.Fatalf("%d, %v; told %d", sent, err, len(up.told))
	}
	if want := []string{"link_1 tried", "link_1 sent"}; !reflect.DeepEqual(g.noted, want) {
		t.Errorf("noted %v", g.noted)
	}
}

func TestAnAddressThatCannotBeUsedIsRefusedAtTheStart(t *testing.T) {
	for base, ok := range map[string]bool{"https://a.example": true, "https://a.example/": true, "http://127.0.0.1:8787": true, "": false, "a.example": false,
		"ftp://a.example": false, "https://a.example/path": false, "https://a.example?x": false, "https://u@a.example": false} {
		if _, err := New(Config{BaseURL: base, Key: make([]byte, 32)}); (err == nil) != ok {
			t.Errorf("%q: %v", base, err)
		}
	}
	for n, ok := range map[int]bool{31: false, 32: true, 33: true} {
		if _, err := New(Config{BaseURL: "https://a.example", Key: make([]byte, n)}); (err == nil) != ok {
			t.Errorf("a key of %d bytes: %v", n, err)
		}
	}
}
