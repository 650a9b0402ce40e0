package account

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// office is an account over fakes, with a clock that a test turns.
type office struct {
	*Account
	store   *fakeStore
	host    *fakeHost
	engine  *fakeEngine
	vault   *fakeVault
	model   *fakeModel
	files   *fakeFiles
	now     time.Time
	log     bytes.Buffer
	done    []string
	changes []agent.ThreadChangedData
}

func newOffice(tb testing.TB) *office {
	tb.Helper()
	o := &office{now: time.UnixMilli(1_800_000_000_000)}
	o.store = &fakeStore{log: &o.done, events: make(map[agent.TurnID][]agent.Event),
		threads: map[agent.ThreadID]agent.Thread{"th1": {ID: "th1", UserID: "alice", OrgID: "acme", ProjectID: "p1", ProjectKind: "deck",
			Title: "A deck", CreatedAt: o.now.UnixMilli()}}}
	o.host = &fakeHost{open: map[string]bool{"p1": true}}
	o.engine = &fakeEngine{log: &o.done}
	o.vault = &fakeVault{labels: make(map[string]string), org: make(map[string]agent.KeyRef)}
	o.model = &fakeModel{}
	o.files = &fakeFiles{versions: map[agent.ReminderFile][]agent.Reminder{}}
	o.Account = New(Config{
		Agent: o.engine, Threads: o.store, Traces: o.store, Events: o.store, Receipts: o.store, Waiting: o.store, Vault: o.vault, Models: fakeModels{o.model},
		Settings: o.store, Feedback: o.store, Policies: o.store, Host: o.host,
		Tools:       func() []agent.ToolSchema { return []agent.ToolSchema{{Name: "slide_edit"}} },
		Permissions: o.store, Reminders: o.files,
		Usage: o.store, Egress: o.store,
		Diff: func(path, before, after string) string { return path + "|" + before + "|" + after },
		Capability: func(name string) (agent.Capability, bool) {
			c, ok := map[string]agent.Capability{
				"slide.edit":  {Name: "slide.edit", Title: "Edit a slide", Kind: agent.KindMutate, RequiredTier: agent.TierUser},
				"slide.draft": {Name: "slide.draft", Title: "Draft", Kind: agent.KindPreview, RequiredTier: agent.TierUser},
			}[name]
			return c, ok
		},
		Changed: func(_ context.Context, _ agent.ThreadID, c agent.ThreadChangedData) { o.changes = append(o.changes, c) },
		Now:     func() time.Time { return o.now }, Log: slog.New(slog.NewTextHandler(&o.log, nil)),
	})
	return o
}

func signed(user, org string, tier agent.Tier) context.Context {
	return agent.WithPrincipal(context.Background(), agent.Principal{UserID: user, OrgID: org, Tier: tier, Billing: agent.BillingLingering})
}

var (
	alice  = signed("alice", "acme", agent.TierUser)
	bob    = signed("bob", "acme", agent.TierUser)
	viewer = signed("vera", "acme", agent.TierViewer)
)

// refused fails the test unless the error has the code and the pointer.
func refused(tb testing.TB, what string, err error, code agent.Code, pointer string) {
	tb.Helper()
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != code || e.Pointer != pointer {
		tb.Errorf("%s: %v", what, err)
	}
}

func TestAnAccountWithoutAPortDoesNotStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it started")
		}
	}()
	New(Config{})
}

func TestWithoutAHostEveryProjectIsRefused(t *testing.T) {
	o := newOffice(t)
	o.Host = nil
	_, err := o.Thread(alice, "th1", "", 0)
	refused(t, "thread", err, agent.CodeNotFound, "")
}

func asError(err error, e **agent.Error) bool { return errors.As(err, e) }
