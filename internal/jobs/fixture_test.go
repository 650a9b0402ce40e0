package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/internal/jobs"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

// clock is set by the test and moves by itself never.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// world is a store with two orgs and a corpus.
type world struct {
	*testing.T
	dir    string
	store  *sqlite.Store
	corpus *embedded.Corpus
	clock  *clock
	n      int
}

var (
	ann = agent.WithPrincipal(context.Background(), agent.Principal{UserID: "ann", OrgID: "o1"})
	ben = agent.WithPrincipal(context.Background(), agent.Principal{UserID: "ben", OrgID: "o2"})
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// migrated gives a migrated database with the two orgs: migrating takes longer than
// most tests.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Config{App: filepath.Join(dir, "agent.db")})
	if err != nil {
		return nil, err
	}
	for org, user := range map[string]string{"o1": "ann", "o2": "ben"} {
		err = errors.Join(err, s.PutUser(ctx, agent.User{ID: user, Name: user}), s.PutOrg(ctx, agent.Org{ID: org, Slug: "org-" + org[1:]}),
			s.PutMembership(ctx, agent.Membership{UserID: user, OrgID: org, Role: agent.RoleEditor}))
	}
	if err := errors.Join(err, s.RefreshPolicies(ctx), s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "agent.db"))
})

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), clock: &clock{at: noon}}
	data, err := migrated()
	must(t, err)
	must(t, os.WriteFile(w.file(), data, 0o600))
	w.store, err = sqlite.Open(t.Context(), sqlite.Config{App: w.file(), Clock: w.clock.Now})
	must(t, err)
	t.Cleanup(func() { _ = w.store.Close() })
	w.corpus, err = embedded.Open(filepath.Join(w.dir, "corpus"))
	must(t, err)
	t.Cleanup(func() { _ = w.corpus.Close() })
	return w
}

func (w *world) file() string { return filepath.Join(w.dir, "agent.db") }

// beside opens the store a second time, as another process does.
func (w *world) beside() *sqlite.Store {
	w.Helper()
	s, err := sqlite.Open(w.Context(), sqlite.Config{App: w.file(), Beside: true, Clock: w.clock.Now})
	must(w, err)
	w.Cleanup(func() { _ = s.Close() })
	return s
}

// turn tells one turn in a new thread, or in the given one, and ends it.
func (w *world) turn(who context.Context, thread agent.ThreadID, asked, answered, results string) agent.Turn {
	w.Helper()
	w.n++
	id := fmt.Sprint("turn_", w.n)
	start := agent.TurnStart{
		Turn: agent.Turn{ID: agent.TurnID(id), MessageID: id, By: "user", Message: agent.Message{Text: asked}, Model: "m", Provider: "p",
			KeySource: agent.KeySourceOrg, ProjectID: "deck", ProjectKind: "slides", Owner: "me", Run: 1, CreatedAt: noon.UnixMilli(), ThreadID: thread},
		ContentDigest: id, Events: []agent.Event{{Seq: 1, At: 1, Kind: agent.EventTurnStarted, Data: []byte(`{}`)}},
		Transcript: agent.TranscriptRow{ID: id, UserMessage: asked, Model: "m", KeySource: agent.KeySourceOrg, CreatedAt: noon.UnixMilli()},
	}
	if thread == "" {
		start.Thread = agent.Thread{ID: agent.ThreadID("thread_" + id), ProjectID: "deck", ProjectKind: "slides", Title: "Talk " + id, CreatedAt: 1}
	}
	turn, _, err := w.store.StartTurn(who, start)
	must(w, err)
	latency := int64(7)
	row := start.Transcript
	row.ModelMessage, row.LatencyMS = answered, &latency
	if results != "" {
		row.ToolResults = []byte(results)
	}
	must(w, w.store.Commit(who, agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnComplete, Transcript: &row,
		Events: []agent.Event{{Seq: 2, At: noon.UnixMilli(), Kind: agent.EventTurnCompleted, Data: []byte(`{}`)}}}))
	return turn
}

func (w *world) ingest(corpus agent.Corpus) *jobs.Ingest {
	return &jobs.Ingest{Feed: w.store, Orgs: w.store, Corpus: corpus, Now: w.clock.Now}
}

// search looks into one org's sessions.
func (w *world) search(slug, query string) []agent.Passage {
	w.Helper()
	found, err := w.corpus.Search(w.Context(), []agent.Scope{{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionSessions}}, agent.CorpusQuery{Query: query, Results: 10})
	must(w, err)
	return found
}

// row gives the row of a job.
func (w *world) row(name string) agent.Job {
	w.Helper()
	rows, err := w.store.Jobs(w.Context())
	must(w, err)
	for _, j := range rows {
		if j.Name == name {
			return j
		}
	}
	w.Fatalf("there is no row of %s", name)
	return agent.Job{}
}
