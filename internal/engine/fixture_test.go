package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/store/sqlite"
	"github.com/lossless-group/in-app-agent/vault"
)

// world is an engine on a real store, with a notebook as its host app and a
// scripted model that a test drives round by round.
type world struct {
	t      *testing.T
	dir    string
	store  *sqlite.Store
	engine *engine.Engine
	notes  *notebook
	model  *director
	clock  *clock
	ids    atomic.Int64
	limits engine.Limits
	vault  *keyring
	reg    *capability.Registry
	host   *host
	jobs   bool
	prices agent.Prices
	wrap   func(engine.Store) engine.Store               // optional
	trap   func(agent.RedactionMaps) agent.RedactionMaps // optional
	said   engine.Reminders                              // optional
}

const (
	orgID  = "org_1"
	userID = "user_1"
)

func newWorld(t *testing.T, change ...func(*world)) *world {
	t.Helper()
	w := &world{t: t, dir: folder(t), notes: newNotebook(), model: &director{}, clock: &clock{at: time.Unix(1_800_000_000, 0)},
		vault: &keyring{}, host: &host{}}
	for _, f := range change {
		f(w)
	}
	w.reg = registry(w.notes)
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

func registry(n *notebook) *capability.Registry {
	reg := capability.NewRegistry()
	reg.Add(n.capabilities()...)
	return reg
}

func (w *world) open() {
	w.t.Helper()
	ctx := context.Background()
	file := filepath.Join(w.dir, "agent.db")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		data, err := populated()
		must(w.t, err)
		must(w.t, os.WriteFile(file, data, 0o600))
	}
	store, err := sqlite.Open(ctx, sqlite.Config{App: file, Clock: w.clock.Now, IDs: w.mint})
	must(w.t, err)
	w.store = store
	must(w.t, store.RefreshPolicies(ctx))
	w.start()
}

// populated gives a migrated database with two orgs and two people: hundreds of tests
// begin with a copy, because migrating takes longer than most of them.
var populated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, file := context.Background(), filepath.Join(dir, "agent.db")
	store, err := sqlite.Open(ctx, sqlite.Config{App: file})
	if err != nil {
		return nil, err
	}
	if err := populate(ctx, store); err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func populate(ctx context.Context, store *sqlite.Store) error {
	for _, o := range []agent.Org{{ID: orgID, Slug: "one", Billing: agent.BillingLingering}, {ID: "org_2", Slug: "two", Billing: agent.BillingLingering}} {
		if err := store.PutOrg(ctx, o); err != nil {
			return err
		}
	}
	for _, u := range []string{userID, "user_2"} {
		if err := store.PutUser(ctx, agent.User{ID: u, Name: u, Email: u + "@example.test"}); err != nil {
			return err
		}
		for _, o := range []string{orgID, "org_2"} {
			if err := store.PutMembership(ctx, agent.Membership{UserID: u, OrgID: o, Role: agent.RoleEditor}); err != nil {
				return err
			}
		}
	}
	return nil
}

// policy changes the org's row as an admin does, and lets the engine see it.
func (w *world) policy(change string) {
	w.t.Helper()
	w.behind(`UPDATE orgs SET ` + change + ` WHERE id = '` + orgID + `'`)
	must(w.t, w.store.RefreshPolicies(context.Background()))
}

func (w *world) start() {
	w.t.Helper()
	e, err := engine.New(context.Background(), w.config())
	must(w.t, err)
	w.engine = e
}

func (w *world) config() engine.Config {
	var store engine.Store = w.store
	if w.wrap != nil {
		store = w.wrap(store)
	}
	redactions := maps(w.t, w.store)
	if w.trap != nil {
		redactions = w.trap(redactions)
	}
	return engine.Config{
		App: "Notebook", Store: store, Members: w.store, Registry: w.reg, Models: models{w.model}, Vault: w.vault,
		Redactions: redactions, Host: w.host, Now: w.clock.Now, IDs: w.mint, Log: slog.New(slog.DiscardHandler), Limits: w.limits, Jobs: w.jobs, Reminders: w.said,
		Prices: w.prices,
	}
}

// maps is a real vault for what placeholders stand for.
func maps(t testing.TB, store *sqlite.Store) agent.RedactionMaps {
	t.Helper()
	master, err := vault.ParseMaster(strings.Repeat("A", 43) + "=")
	must(t, err)
	v, err := vault.New(vault.Config{Rows: store, Maps: store, Master: master})
	must(t, err)
	return v
}

func (w *world) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	w.engine.Close(ctx)
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// restart closes everything and opens it again, as a new process would.
func (w *world) restart() {
	w.t.Helper()
	w.close()
	w.open()
}

func (w *world) mint(prefix string) string { return fmt.Sprintf("%s_%04d", prefix, w.ids.Add(1)) }

// as gives the context of a user of an org.
func as(user, org string) context.Context {
	return agent.WithPrincipal(context.Background(), agent.Principal{
		UserID: user, UserName: user, OrgID: org, OrgSlug: org, Role: agent.RoleEditor, Tier: agent.TierUser,
		Billing: agent.BillingLingering, Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove},
	})
}

func me() context.Context { return as(userID, orgID) }

// say starts a turn in a thread ("" for a new one).
func (w *world) say(thread agent.ThreadID, text string) agent.Turn {
	w.t.Helper()
	t, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", ThreadID: thread, Message: agent.Message{Text: text}})
	must(w.t, err)
	return t
}

// read reads a turn until the given kind, or to its end.
func (w *world) read(id agent.TurnID, until agent.EventKind) []agent.Event {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(me(), 10*time.Second)
	defer cancel()
	var events []agent.Event
	for ev, err := range w.engine.Events(ctx, id, agent.Position{}) {
		if err != nil {
			w.t.Fatalf("after %v: %v", kinds(events), err)
		}
		events = append(events, ev)
		if ev.Kind == until {
			return events
		}
	}
	if until != "" && until != events[len(events)-1].Kind {
		w.t.Fatalf("the turn ended without %s: %v", until, kinds(events))
	}
	return events
}

func (w *world) end(id agent.TurnID) []agent.Event { w.t.Helper(); return w.read(id, "") }

// decide answers the newest preview among events.
func (w *world) decide(events []agent.Event, answer string) ([]agent.Outcome, error) {
	w.t.Helper()
	p := last[agent.PreviewShown](w.t, events, agent.EventPreview)
	return w.engine.Decide(me(), agent.DecisionRequest{TurnID: events[0].Turn,
		Decisions: []agent.Decision{{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: answer}}})
}

func last[T any](t *testing.T, events []agent.Event, kind agent.EventKind) T {
	t.Helper()
	var v T
	for _, ev := range slices.Backward(events) {
		if ev.Kind == kind {
			must(t, ev.Decode(&v))
			return v
		}
	}
	t.Fatalf("no %s in %v", kind, kinds(events))
	return v
}

func kinds(events []agent.Event) []agent.EventKind {
	var out []agent.EventKind
	for _, ev := range events {
		if ev.Kind != agent.EventCast {
			out = append(out, ev.Kind)
		}
	}
	return out
}

func text(events []agent.Event) string {
	var b strings.Builder
	for _, ev := range events {
		var d agent.TextDelta
		if ev.Kind == agent.EventTextDelta && ev.Decode(&d) == nil {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gapless fails when the seqs of a turn are not 1..n.
func gapless(t *testing.T, events []agent.Event) {
	t.Helper()
	next := agent.Seq(1)
	for _, ev := range events {
		from := ev.Seq
		if ev.From > 0 {
			from = ev.From
		}
		if from != next {
			t.Fatalf("seq %d follows %d in %v", from, next-1, kinds(events))
		}
		next = ev.Seq + 1
	}
}

// director is a model whose rounds a test gives; each request is kept.
type director struct {
	mu       sync.Mutex
	rounds   []func(agent.ModelRequest) (scripted.Round, error)
	requests []agent.ModelRequest
	raw      agent.Model // replaces the rounds where a test needs the deltas themselves
}

func (d *director) play(rounds ...scripted.Round) {
	for _, r := range rounds {
		d.playFunc(func(agent.ModelRequest) (scripted.Round, error) { return r, nil })
	}
}

func (d *director) playFunc(f func(agent.ModelRequest) (scripted.Round, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rounds = append(d.rounds, f)
}

func (d *director) Round(req agent.ModelRequest) (scripted.Round, error) {
	d.mu.Lock()
	d.requests = append(d.requests, req)
	if len(d.rounds) == 0 {
		d.mu.Unlock()
		return scripted.Round{Text: scripted.Text{"ok"}}, nil
	}
	f := d.rounds[0]
	d.rounds = d.rounds[1:]
	d.mu.Unlock()
	return f(req)
}

func (d *director) seen() []agent.ModelRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.requests)
}

func says(words ...string) scripted.Round { return scripted.Round{Text: words} }

func calls(name, input string) scripted.Round {
	return scripted.Round{Calls: []scripted.Call{{Name: name, Input: json.RawMessage(input)}}}
}

type models struct{ d *director }

func (m models) Route(name string) (agent.ModelRoute, error) {
	if name != "scripted" && name != "paid" {
		return agent.ModelRoute{}, &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/model", Message: "No provider here serves that model."}
	}
	model := m.d.raw
	if model == nil {
		model = scripted.New(m.d, scripted.Options{})
	}
	return agent.ModelRoute{ModelInfo: agent.ModelInfo{Name: name, Provider: name}, Model: model, NeedsKey: name == "paid"}, nil
}
func (m models) RouteProvider(p string) (agent.ModelRoute, error) { return m.Route(p) }
func (m models) List() []agent.ModelInfo                          { return []agent.ModelInfo{{Name: "scripted"}} }
func (m models) Default() string                                  { return "scripted" }

// keyring is a vault of one key.
type keyring struct {
	mu  sync.Mutex
	key string
	org bool  // it is the org's
	err error // instead of the key
}

func (k *keyring) find(source agent.KeySource) (agent.KeyRef, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return agent.KeyRef{}, k.err
	}
	if k.key == "" {
		return agent.KeyRef{}, agent.NotFound("key")
	}
	return agent.KeyRef{ID: "key_1", Provider: "paid", Source: source, Secret: agent.NewSecret(k.key)}, nil
}
func (k *keyring) Find(context.Context, string) (agent.KeyRef, error) {
	return k.find(agent.KeySourceUser)
}
func (k *keyring) Open(context.Context, string) (agent.KeyRef, error) {
	return k.find(agent.KeySourceUser)
}
func (k *keyring) FindOrg(context.Context, string) (agent.KeyRef, error) {
	if k.org {
		return k.find(agent.KeySourceOrg)
	}
	return agent.KeyRef{}, agent.NotFound("key")
}
func (k *keyring) Put(context.Context, string, string, agent.Secret) (agent.KeyInfo, error) {
	return agent.KeyInfo{}, errors.ErrUnsupported
}
func (k *keyring) PutOrg(context.Context, string, agent.Secret) error { return errors.ErrUnsupported }
func (k *keyring) List(context.Context) ([]agent.KeyInfo, error)      { return nil, nil }
func (k *keyring) Revoke(context.Context, string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key = ""
	return nil
}
func (k *keyring) Touch(context.Context, string) error { return nil }

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// host opens the project "book" for every org but "org_2".
type host struct {
	suggestions []agent.Suggestion
	opening     func() // called when a project is opened
}

func (h *host) OpenProject(ctx context.Context, _, id string) (agent.Project, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Project{}, err
	}
	if h.opening != nil {
		h.opening()
	}
	if id != "book" || p.OrgID != orgID {
		return agent.Project{}, agent.NotFound("project")
	}
	return agent.Project{ID: id, Kind: "notebook", Title: "Book"}, nil
}
func (h *host) ResolveNoun(_ context.Context, _ agent.Project, kind, id string) (agent.Noun, error) {
	if kind != "note" {
		return agent.Noun{}, agent.NotFound("note")
	}
	return agent.Noun{Kind: kind, ID: id, Title: "Note " + id, Version: "1", Content: "content of " + id}, nil
}
func (h *host) Facts(context.Context, agent.Project) ([]agent.Fact, error) { return nil, nil }
func (h *host) Suggestions(context.Context, agent.Project, string) ([]agent.Suggestion, error) {
	return h.suggestions, nil
}
