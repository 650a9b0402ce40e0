package away

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	testHost = "agent.example"
	linkID   = "link_1"
)

var (
	alice = agent.Principal{UserID: "alice", OrgID: "acme", SessionID: "ses_a", Tier: agent.TierUser, Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}}
	bob   = agent.Principal{UserID: "bob", OrgID: "acme", SessionID: "ses_b", Tier: agent.TierUser, Scopes: alice.Scopes}
	evil  = agent.Principal{UserID: "alice", OrgID: "evil", SessionID: "ses_e", Tier: agent.TierAdmin, Scopes: alice.Scopes}
)

// gate is an away over fakes: one link of alice to one preview.
type gate struct {
	agent.Agent // what a test does not expect panics
	*Away
	t       *testing.T
	mu      sync.Mutex
	clock   time.Time
	link    agent.ApprovalLink
	view    agent.ApprovalView
	touched int // how often anything was looked up or changed
	decided []agent.DecisionRequest
	outcome []agent.Outcome
	fails   error
	due     []agent.ApprovalNotice
	noted   []string
	blob    agent.Blob
}

func newGate(t *testing.T, change ...func(*Config)) *gate {
	t.Helper()
	g := &gate{t: t, clock: time.UnixMilli(1_800_000_000_000)}
	at := g.clock.UnixMilli()
	g.link = agent.ApprovalLink{ID: linkID, ReceiptID: "rc1", CreatedAt: at, ExpiresAt: at + DefaultLife.Milliseconds()}
	g.view = agent.ApprovalView{State: agent.ReceiptOpen, Approval: agent.Approval{TurnID: "tn1", ThreadID: "th1", ThreadTitle: "A deck", CallID: "cl1",
		ReceiptID: "rc1", Capability: "slide.edit", Title: "Edit a slide", Summary: "Change slide 4", CreatedAt: at},
		Preview: agent.Preview{Artifacts: []agent.Artifact{{Kind: agent.ArtifactDiff, Title: "Diff", Path: "4.html", Text: "-a\n+<script>b</script>"}}}}
	c := Config{
		App: "Decks", Agent: g, Approvals: g, Artifacts: g, Links: g, Title: func(string) string { return "Edit a slide" },
		Hosts: []string{testHost}, BaseURL: "https://" + testHost, Key: []byte(strings.Repeat("k", 32)),
		Now: func() time.Time { g.mu.Lock(); defer g.mu.Unlock(); return g.clock },
		Authenticate: func(r *http.Request) (agent.Principal, error) {
			p, ok := map[string]agent.Principal{"alice": alice, "bob": bob, "evil": evil}[r.Header.Get("X-Test-User")]
			if !ok {
				return p, errors.New("nobody")
			}
			return p, nil
		},
	}
	for _, f := range change {
		f(&c)
	}
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	g.Away = a
	return g
}

func (g *gate) mine(ctx context.Context, what string) error {
	g.touched++
	p, err := agent.PrincipalFrom(ctx)
	if err == nil && (p.UserID != alice.UserID || p.OrgID != alice.OrgID) {
		err = agent.NotFound(what)
	}
	return err
}

func (g *gate) ApprovalLink(ctx context.Context, id string) (agent.ApprovalLink, error) {
	if id != g.link.ID {
		return agent.ApprovalLink{}, agent.NotFound("link")
	}
	return g.link, g.mine(ctx, "link")
}

func (g *gate) Approvals(context.Context, agent.ApprovalQuery) (agent.Page[agent.Approval], error) {
	panic("not asked")
}

func (g *gate) Approval(ctx context.Context, _ agent.ReceiptID) (agent.ApprovalView, error) {
	return g.view, g.mine(ctx, "preview")
}

func (g *gate) SpendLink(ctx context.Context, _ string, at int64) error {
	if g.link.SpentAt != 0 {
		return agent.Errorf(agent.CodeConflict, "used")
	}
	g.link.SpentAt = at
	return g.mine(ctx, "link")
}

func (g *gate) FreeLink(ctx context.Context, _ string) error {
	g.link.SpentAt = 0
	return g.mine(ctx, "link")
}

func (g *gate) Decide(ctx context.Context, d agent.DecisionRequest) ([]agent.Outcome, error) {
	g.decided = append(g.decided, d)
	if err := g.mine(ctx, "turn"); err != nil {
		return nil, err
	}
	return g.outcome, g.fails
}

func (g *gate) Artifact(context.Context, agent.CallID, string) (agent.Blob, error) {
	return g.blob, nil
}

func (g *gate) DueNotices(context.Context, agent.NoticeQuery) ([]agent.ApprovalNotice, error) {
	return g.due, nil
}

func (g *gate) NoteNotice(_ context.Context, link string, at, next int64, sent bool) error {
	word := "tried"
	if sent {
		word = "sent"
	}
	if next > 0 {
		word += " again in " + (time.Duration(next-at) * time.Millisecond).String()
	}
	g.noted = append(g.noted, link+" "+word)
	return nil
}

func (g *gate) Contact(_ context.Context, user, org string) (agent.User, error) {
	if user != "alice" || org != "acme" {
		return agent.User{}, agent.NotFound("member")
	}
	return agent.User{ID: user, Name: "Alice", Email: "alice@example.org"}, nil
}

func (g *gate) path() string { return strings.TrimPrefix(g.url(g.link), "https://"+testHost) }

// get opens a link as somebody.
func (g *gate) get(who, path string) *httptest.ResponseRecorder {
	return g.do(who, httptest.NewRequest(http.MethodGet, "https://"+testHost+path, nil))
}

func (g *gate) do(who string, r *http.Request) *httptest.ResponseRecorder {
	g.t.Helper()
	r.Header.Set("X-Test-User", who)
	rec := httptest.NewRecorder()
	g.Handler().ServeHTTP(rec, r)
	return rec
}

// form is the form of the page that alice was shown, as her browser sends it.
func (g *gate) form(who, decision, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "https://"+testHost+g.path(), strings.NewReader(url.Values{"decision": {decision}, "form": {token}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://"+testHost)
	return g.do(who, r)
}

// token takes the form's token from the page.
func (g *gate) token() string {
	g.t.Helper()
	_, rest, ok := strings.Cut(g.get("alice", g.path()).Body.String(), `name="form" value="`)
	if !ok {
		g.t.Fatal("the page has no form")
	}
	token, _, _ := strings.Cut(rest, `"`)
	return token
}
