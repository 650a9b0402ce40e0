package cache

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/agenttest"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/server"
)

type note struct {
	Note string `json:"note"`
}

// read is a capability whose description is as long as they are in life.
func read(description string) agent.Capability {
	return capability.Func(capability.Spec{Name: "note.read", Title: "Read", Description: description, Kind: agent.KindRead, Tier: agent.TierUser},
		func(_ context.Context, _ *agent.Call, in note) (string, error) { return "the text of " + in.Note, nil })
}

// rounds answer "look" with a loop of two calls and everything else in words.
func rounds() []scripted.Round {
	call := func(step int) scripted.Round {
		return scripted.Round{When: &scripted.When{LastUser: "look", Purpose: "step", Step: step},
			Calls: []scripted.Call{{Name: "note.read", Input: json.RawMessage(`{"note":"n"}`)}}}
	}
	return []scripted.Round{call(1), call(2), {Text: scripted.Text{"All is ", "well."}}}
}

// talk starts an app before a provider that simulates the prompt cache.
func talk(t *testing.T, change func(start int, p *agenttest.Parts)) *agenttest.App {
	t.Helper()
	provider := httptest.NewServer(fake.New(fake.Options{Script: scripted.NewScript(rounds()...), Keyless: true}))
	t.Cleanup(provider.Close)
	starts := 0
	return agenttest.New(t, func() agenttest.Parts {
		starts++
		p := agenttest.Parts{App: "Notes", Model: "claude-golden", Capabilities: []agent.Capability{read(strings.Repeat("Gives a note. ", 20))},
			Providers: []server.Provider{{ID: "anthropic", Kind: "anthropic", BaseURL: provider.URL + "/", Models: []string{"claude-golden"}, Keyless: true}}}
		if change != nil {
			change(starts, &p)
		}
		return p
	})
}

// hold holds a conversation of n turns; between does something before each but the first.
func hold(t *testing.T, app *agenttest.App, n int, between func(turn int)) agent.CacheReport {
	t.Helper()
	var thread agent.ThreadID
	for i := range n {
		if i > 0 && between != nil {
			between(i)
		}
		text := fmt.Sprintf("Message %d", i)
		if i%4 == 0 {
			text += ", please look"
		}
		turn := app.Say(thread, text)
		if thread = turn.Thread; turn.Text != "All is well." {
			t.Fatalf("turn %d: %q, %+v", i, turn.Text, turn.Failed)
		}
	}
	return app.Cache(thread)
}

func TestAGoldenRunReadsTheCacheFromTheSecondModelCallOn(t *testing.T) {
	report := hold(t, talk(t, nil), 20, nil)
	if len(report.Steps) != 30 {
		t.Fatalf("%d model calls in 20 turns", len(report.Steps))
	}
	slabs := map[agent.SegmentName]map[string]bool{agent.SegmentTools: {}, agent.SegmentSpine: {}, agent.SegmentReminders: {}}
	var read, created int64
	for i, s := range report.Steps {
		for _, seg := range s.Segments {
			if slabs[seg.Name] != nil {
				slabs[seg.Name][seg.Hash] = true
			}
		}
		if s.CacheRead == nil || s.CacheCreation == nil {
			t.Fatalf("model call %d: usage was not reported", i)
		}
		read, created = read+*s.CacheRead, created+*s.CacheCreation
		if i == 0 {
			continue
		}
		if *s.CacheRead == 0 || len(s.Findings) > 0 || s.RewrittenTokens == nil || *s.RewrittenTokens != 0 {
			t.Errorf("turn %d, step %d: read %d, rewritten %v, %+v", s.TurnIndex, s.Step, *s.CacheRead, s.RewrittenTokens, s.Findings)
		}
	}
	for name, hashes := range slabs {
		if len(hashes) != 1 {
			t.Errorf("%s has %d hashes", name, len(hashes))
		}
	}
	t.Logf("30 model calls read %d tokens from the cache and wrote %d", read, created)
}

func TestAFaultIsNamedWithWhatItCost(t *testing.T) {
	for name, c := range map[string]struct {
		cause   agent.CacheCause
		segment agent.SegmentName
		change  func(start int, p *agenttest.Parts)
		between func(t *testing.T, app *agenttest.App, turn int)
	}{
		"a clock in the spine": {cause: agent.CacheSpineChanged, segment: agent.SegmentSpine,
			change:  func(n int, p *agenttest.Parts) { p.App = fmt.Sprintf("Notes, since 12:%02d", n) },
			between: func(_ *testing.T, app *agenttest.App, _ int) { app.Restart() }},
		"a description that changes": {cause: agent.CacheToolEdited, segment: agent.SegmentTools,
			change: func(n int, p *agenttest.Parts) {
				p.Capabilities = []agent.Capability{read(fmt.Sprintf("Gives one of %d notes.", n))}
			},
			between: func(_ *testing.T, app *agenttest.App, _ int) { app.Restart() }},
		"an edited early message": {cause: agent.CacheHistoryChanged, segment: agent.SegmentHistory,
			between: func(t *testing.T, app *agenttest.App, turn int) {
				if turn == 10 {
					edit(t, app, `UPDATE turns SET message = 'Another message, please look' WHERE turn_index = 0`)
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			app := talk(t, c.change)
			report := hold(t, app, 20, func(turn int) { c.between(t, app, turn) })
			found, cost := 0, int64(0)
			for _, s := range report.Steps {
				for _, f := range s.Findings {
					switch {
					case f.Cause == agent.CacheFirstCall:
					case f.Cause == c.cause && f.Segment == c.segment && !f.Expected:
						found++
						cost += *s.RewrittenTokens
						if *s.RewrittenTokens == 0 || *s.CacheCreation == 0 {
							t.Errorf("turn %d cost nothing: %+v", s.TurnIndex, s.Usage)
						}
					default:
						t.Errorf("turn %d: also %+v", s.TurnIndex, f)
					}
				}
			}
			if found == 0 {
				t.Fatal("the doctor found nothing")
			}
			t.Logf("named in %d model calls, %d tokens written again", found, cost)
		})
	}
}

// edit changes the database beneath the server, as no program should.
func edit(t *testing.T, app *agenttest.App, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(app.Data(), "agent.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	res, err := db.ExecContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%d rows, %v", n, err)
	}
}

func TestAStepOfManyParallelCallsIsSaidToMiss(t *testing.T) {
	for n, want := range map[int]int{9: 0, 10: 1} {
		app := talk(t, func(_ int, p *agenttest.Parts) {
			p.Model, p.Providers = "", nil
			p.Brain = scripted.BrainFunc(func(req agent.ModelRequest) (scripted.Round, error) {
				if req.Messages[len(req.Messages)-1].Blocks[0].Kind == agent.BlockResult || len(req.Messages) == 1 {
					return scripted.Round{Text: scripted.Text{"All is well."}}, nil
				}
				r := scripted.Round{}
				for range n {
					r.Calls = append(r.Calls, scripted.Call{Name: "note.read", Input: json.RawMessage(`{"note":"n"}`)})
				}
				return r, nil
			})
		})
		lookbacks := 0
		for _, s := range hold(t, app, 2, nil).Steps {
			for _, f := range s.Findings {
				if f.Cause == agent.CacheLookback && f.Expected && strings.Contains(f.Message, "9 parallel calls") {
					lookbacks++
				}
			}
		}
		if lookbacks != want {
			t.Errorf("%d calls: %d findings", n, lookbacks)
		}
	}
}
