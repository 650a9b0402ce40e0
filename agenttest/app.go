package agenttest

import (
	"context"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/server"
)

// patience bounds how long the kit waits for a turn.
const patience = 30 * time.Second

// Parts is what an app brings. It is made anew whenever the server starts, as it is
// in the app's own main.
type Parts struct {
	// App is the name of the app; "" is "Test".
	App          string
	Capabilities []agent.Capability
	// Host is the app's own; nil opens every project.
	Host agent.Host
	// Project is the id of the project that messages are about; "" is "test".
	Project string
	// Brain answers in place of a model; nil answers every message with "OK.".
	Brain scripted.Brain
	// Providers and Model, where both are set, ask a real wire instead, such as a fake
	// provider's. Keys are the server's own, by provider id.
	Providers []server.Provider
	Model     string
	Keys      map[string]agent.Secret
}

// App is a running server with one person signed in.
type App struct {
	tb   testing.TB
	open func() Parts
	data string
	now  *clock

	parts  Parts
	server *server.Server
}

// New starts a server on a temporary store; it ends with the test. Any failure ends
// the test.
func New(tb testing.TB, open func() Parts) *App {
	tb.Helper()
	a := &App{tb: tb, open: open, data: tb.TempDir(), now: &clock{at: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}}
	a.start()
	tb.Cleanup(a.stop)
	return a
}

func (a *App) start() {
	a.tb.Helper()
	a.parts = a.open()
	if a.parts.App == "" {
		a.parts.App = "Test"
	}
	if a.parts.Project == "" {
		a.parts.Project = "test"
	}
	if a.parts.Host == nil {
		a.parts.Host = anyProject{}
	}
	if a.parts.Brain == nil {
		a.parts.Brain = scripted.BrainFunc(func(agent.ModelRequest) (scripted.Round, error) {
			return scripted.Round{Text: scripted.Text{"OK."}}, nil
		})
	}
	reg := capability.NewRegistry()
	reg.Add(a.parts.Capabilities...)
	srv, err := server.New(context.Background(), server.Config{
		App: a.parts.App, Data: a.data, Registry: reg, Host: a.parts.Host, Providers: a.parts.Providers, DefaultModel: scripted.Provider,
		Scripted: scripted.New(a.parts.Brain, scripted.Options{}), OrgKeys: a.parts.Keys, Dev: true, Now: a.now.Now,
	})
	if err != nil {
		a.tb.Fatalf("the server does not start: %v", err)
	}
	a.server = srv
}

func (a *App) stop() {
	if a.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := a.server.Close(ctx); err != nil {
		a.tb.Errorf("the server does not end: %v", err)
	}
	a.server = nil
}

// Restart ends the server and starts it again on the same store, with parts that are
// made anew.
func (a *App) Restart() {
	a.tb.Helper()
	a.stop()
	a.start()
}

// Wait turns the server's clock on. Nothing sleeps.
func (a *App) Wait(d time.Duration) { a.now.add(d) }

// Server is the server of now; a restart replaces it.
func (a *App) Server() *server.Server { return a.server }

// Data is the folder with the server's database.
func (a *App) Data() string { return a.data }

// Context is that of the person who is signed in: an editor of the org "demo".
func (a *App) Context() context.Context {
	return agent.WithPrincipal(context.Background(), agent.Principal{
		UserID: "user_demo", UserName: "demo", OrgID: "org_demo", OrgSlug: "demo", Role: agent.RoleEditor, Tier: agent.TierUser,
		Billing: agent.BillingPaying, Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove},
	})
}

// Cache gives what the cache doctor says of a thread.
func (a *App) Cache(thread agent.ThreadID) agent.CacheReport {
	a.tb.Helper()
	found, err := server.CacheReports(a.Context(), server.Databases{Data: a.data}, thread)
	if err != nil {
		a.tb.Fatalf("the cache doctor: %v", err)
	}
	return found[0].CacheReport
}

// clock is turned by hand, and a little by whoever asks, so that no two things have
// the same time.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// anyProject is a host that knows nothing and opens everything.
type anyProject struct{}

func (anyProject) OpenProject(_ context.Context, kind, id string) (agent.Project, error) {
	if kind == "" {
		kind = "test"
	}
	return agent.Project{ID: id, Kind: kind, Title: id}, nil
}

func (anyProject) ResolveNoun(context.Context, agent.Project, string, string) (agent.Noun, error) {
	return agent.Noun{}, agent.NotFound("noun")
}

func (anyProject) Facts(context.Context, agent.Project) ([]agent.Fact, error) { return nil, nil }

func (anyProject) Suggestions(context.Context, agent.Project, string) ([]agent.Suggestion, error) {
	return nil, nil
}
