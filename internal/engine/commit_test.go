package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// shop is a host whose orders stand in the agent's own database.
type shop struct {
	mu     sync.Mutex
	inside func(tx *sql.Tx) error                            // more inside the transaction
	after  func(ctx context.Context, call *agent.Call) error // after it
	around func(ctx context.Context, call *agent.Call) error // instead of it
	calls  []*agent.Call
	verify bool // it knows what it did
}

type orderIn struct {
	Item string `json:"item"`
}

func (s *shop) buy(ctx context.Context, call *agent.Call, in orderIn) (string, error) {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	inside, after, around := s.inside, s.after, s.around
	s.mu.Unlock()
	if around != nil {
		return "", around(ctx, call)
	}
	err := call.Commit(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO orders (item) VALUES (?)`, in.Item); err != nil {
			return err
		}
		if inside != nil {
			return inside(tx)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if after != nil {
		err = after(ctx, call)
	}
	return "bought " + in.Item, err
}

func (s *shop) capabilities() []agent.Capability {
	now := capability.Func(capability.Spec{Name: "shop.buy_now", Title: "Buy", Description: "Buys at once.", Kind: agent.KindMutate,
		Tier: agent.TierUser, Commits: true}, s.buy)
	asked := capability.Confirming(capability.Spec{Name: "shop.buy", Title: "Buy", Description: "Buys.", Kind: agent.KindMutate,
		Tier: agent.TierUser, Commits: true}, capability.Confirm[orderIn, string]{
		Resources: func(context.Context, *agent.Call, orderIn) ([]agent.Resource, error) {
			return []agent.Resource{{ID: "shop", Version: "1"}}, nil
		},
		Preview: func(_ context.Context, call *agent.Call, in orderIn) (agent.Preview, error) {
			return agent.Preview{Summary: "Buy " + in.Item}, nil
		},
		Apply: func(ctx context.Context, call *agent.Call, in orderIn, _ agent.Receipt) (string, error) {
			return s.buy(ctx, call, in)
		},
		Undo: func(ctx context.Context, call *agent.Call, in orderIn, _ agent.Receipt) (string, error) {
			return s.buy(ctx, call, orderIn{"refund of " + in.Item})
		},
		UndoFor: time.Hour,
	})
	if s.verify {
		now.Verify = func(context.Context, *agent.Call) (bool, agent.Result, error) {
			return true, agent.Result{OK: true, Output: []byte(`"bought lamp"`)}, nil
		}
		asked.Verify = now.Verify
	}
	return []agent.Capability{now, asked}
}

// newShop is a world whose app is a shop.
func newShop(t *testing.T, change ...func(*shop)) (*world, *shop) {
	s := &shop{}
	for _, f := range change {
		f(s)
	}
	w := newWorld(t)
	w.reg = capability.NewRegistry()
	w.reg.Add(s.capabilities()...)
	w.restart()
	w.behind(`CREATE TABLE orders (item TEXT NOT NULL)`)
	return w, s
}

func (w *world) behind(query string) {
	w.t.Helper()
	db := w.database()
	defer db.Close()
	_, err := db.Exec(query)
	must(w.t, err)
}

func (w *world) database() *sql.DB {
	w.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "agent.db")+"?_pragma=busy_timeout(5000)")
	must(w.t, err)
	return db
}

func (w *world) orders() string {
	w.t.Helper()
	db := w.database()
	defer db.Close()
	var all sql.NullString
	must(w.t, db.QueryRow(`SELECT group_concat(item) FROM orders`).Scan(&all))
	return all.String
}

// buys lets the model buy a lamp, with or without asking, and answers.
func (w *world) buys(name string) agent.TurnID {
	w.t.Helper()
	w.model.play(calls(name, `{"item":"lamp"}`))
	turn := w.say("", "Buy a lamp")
	if name == "shop.buy" {
		_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
		must(w.t, err)
	}
	return turn.ID
}

var bothWays = []string{"shop.buy_now", "shop.buy"}

func TestAHostsChangeAndItsLedgerRowAreOneTransaction(t *testing.T) {
	for _, name := range bothWays {
		t.Run(name, func(t *testing.T) {
			w, s := newShop(t)
			turn := w.buys(name)
			events := w.end(turn)
			gapless(t, events)
			d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
			if !d.OK || string(d.Output) != `"bought lamp"` || w.orders() != "lamp" || len(s.calls) != 1 {
				t.Fatalf("%+v, %q", d, w.orders())
			}
			rec, err := w.store.Record(me(), turn)
			must(t, err)
			if l := rec.Ledger[0]; l.State != agent.LedgerSettled || l.Result == nil || !l.Result.OK {
				t.Fatalf("%+v", l)
			}
			// The call is over: nothing may be written under it any more.
			if err := s.calls[0].Commit(func(*sql.Tx) error { return errors.New("ran") }); agent.ErrorCode(err) != agent.CodeConflict {
				t.Fatalf("a commit after the run gave %v", err)
			}
		})
	}
}

func TestAnUndoCommitsAsWell(t *testing.T) {
	w, _ := newShop(t)
	turn := w.buys("shop.buy")
	w.end(turn)
	back, err := w.engine.Undo(me(), w.calls(turn)[0].ID)
	must(t, err)
	if d := last[agent.CapabilityDone](t, w.end(back.ID), agent.EventCapabilityDone); d.State != agent.EffectUndone || w.orders() != "lamp,refund of lamp" {
		t.Fatalf("%+v, %q", d, w.orders())
	}
}

func (w *world) calls(id agent.TurnID) []agent.CallRecord {
	w.t.Helper()
	rec, err := w.store.Record(me(), id)
	must(w.t, err)
	return rec.Calls
}

func TestWhatGoesWrongInsideKeepsNothingAndIsToldAsFailed(t *testing.T) {
	for why, inside := range map[string]func(*sql.Tx) error{
		"an error":         func(*sql.Tx) error { return errors.New("sold out") },
		"a panic":          func(*sql.Tx) error { panic("no stock") },
		"a bad statement":  func(tx *sql.Tx) error { _, err := tx.Exec(`INSERT INTO nowhere VALUES (1)`); return err },
		"its own rollback": func(tx *sql.Tx) error { return tx.Rollback() },
	} {
		for _, name := range bothWays {
			t.Run(why+" in "+name, func(t *testing.T) {
				w, _ := newShop(t, func(s *shop) { s.inside = inside })
				turn := w.buys(name)
				events := w.end(turn)
				d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
				if d.OK || d.Error == nil || d.Error.Code == agent.CodeOutcomeUnknown || w.orders() != "" {
					t.Fatalf("%+v %+v, %q", d, d.Error, w.orders())
				}
				if name == "shop.buy" && d.State != agent.EffectFailed {
					t.Fatalf("the state is %s", d.State)
				}
				last[agent.TurnCompleted](t, events, agent.EventTurnCompleted)
			})
		}
	}
}

func TestWhatWasCommittedHasHappenedWhateverTheFunctionSaysAfterwards(t *testing.T) {
	for why, after := range map[string]func(context.Context, *agent.Call) error{
		"an error":   func(context.Context, *agent.Call) error { return errors.New("the mail did not go out") },
		"a panic":    func(context.Context, *agent.Call) error { panic("after all") },
		"stale":      func(context.Context, *agent.Call) error { return agent.ErrStale },
		"once more":  func(_ context.Context, c *agent.Call) error { return c.Commit(func(*sql.Tx) error { return nil }) },
		"its answer": nil,
	} {
		t.Run(why, func(t *testing.T) {
			w, _ := newShop(t, func(s *shop) { s.after = after })
			events := w.end(w.buys("shop.buy"))
			d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
			if d.State != agent.EffectApplied || !d.OK || w.orders() != "lamp" {
				t.Fatalf("%+v %+v, %q", d, d.Error, w.orders())
			}
		})
	}
}

func TestInsideACommitEveryOtherPortAnswersAtOnce(t *testing.T) {
	said := map[string]error{}
	w, s := newShop(t)
	s.around = func(ctx context.Context, call *agent.Call) error {
		return call.Commit(func(tx *sql.Tx) error {
			_, said["generate"] = call.Generate(context.Background(), agent.GenerateRequest{Purpose: "x", Prompt: "x"})
			_, said["transcript"] = call.Transcript(context.Background())
			said["commit"] = call.Commit(func(*sql.Tx) error { return nil })
			_, said["store read"] = w.store.Turn(ctx, call.Turn)
			said["store write"] = w.store.PutUserSettings(ctx, agent.UserSettings{}, 1)
			call.Progress(agent.CapabilityProgress{Message: "never blocks"})
			_, err := tx.Exec(`INSERT INTO orders (item) VALUES ('lamp')`)
			return err
		})
	}
	began := time.Now()
	d := last[agent.CapabilityDone](t, w.end(w.buys("shop.buy")), agent.EventCapabilityDone)
	if d.State != agent.EffectApplied || w.orders() != "lamp" || time.Since(began) > 5*time.Second {
		t.Fatalf("%+v %+v after %v", d, d.Error, time.Since(began))
	}
	if len(said) != 5 {
		t.Fatalf("%v", said)
	}
	for what, err := range said {
		if !errors.Is(err, agent.ErrInsideCommit) || !strings.Contains(err.Error(), "inside") {
			t.Errorf("%s inside gave %v", what, err)
		}
	}
}

func TestAReadHasNothingToCommit(t *testing.T) {
	w := newWorld(t)
	var err error
	w.reg.Add(capability.Func(capability.Spec{Name: "shop.look", Title: "Look", Description: "Looks.", Kind: agent.KindRead, Tier: agent.TierUser},
		func(_ context.Context, call *agent.Call, _ struct{}) (string, error) {
			err = call.Commit(func(*sql.Tx) error { return nil })
			return "", nil
		}))
	w.model.play(calls("shop.look", `{}`))
	w.end(w.say("", "Look").ID)
	if agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Fatalf("%v", err)
	}
}

// TestACrashAroundACommitLeavesTheChangeMadeExactlyOnce freezes the process at each
// point around the transaction and goes on from a copy of its files.
func TestACrashAroundACommitLeavesTheChangeMadeExactlyOnce(t *testing.T) {
	for _, at := range []string{"before", "inside", "after"} {
		for _, name := range bothWays {
			for _, verified := range []bool{false, true} {
				t.Run(at+" "+name+map[bool]string{true: " with Verify"}[verified], func(t *testing.T) {
					w, s := newShop(t, func(s *shop) { s.verify = verified })
					frozen, goOn := make(chan struct{}), make(chan struct{})
					t.Cleanup(func() { close(goOn) })
					freeze := func() { close(frozen); <-goOn }
					switch at {
					case "before":
						s.around = func(context.Context, *agent.Call) error { freeze(); return errors.New("dead") }
					case "inside":
						s.inside = func(*sql.Tx) error { freeze(); return errors.New("dead") }
					case "after":
						s.after = func(context.Context, *agent.Call) error { freeze(); return nil }
					}
					turn := w.buys(name)
					<-frozen
					next := w.crash()
					s.mu.Lock()
					s.inside, s.after, s.around = nil, nil, nil
					s.mu.Unlock()
					next.model.play(says("After the crash."))
					next.open()
					t.Cleanup(next.close)
					events := next.end(turn)
					gapless(t, events)
					d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
					if !d.OK || next.orders() != "lamp" || text(events) != "After the crash." {
						t.Fatalf("%+v %+v, orders %q, %q", d, d.Error, next.orders(), text(events))
					}
					if lost := at == "after" && !verified; strings.Contains(string(d.Output), "bought lamp") == lost {
						t.Fatalf("the output is %s", d.Output)
					}
					rec, err := next.store.Record(me(), turn)
					must(t, err)
					if l := rec.Ledger[0]; l.State != agent.LedgerSettled || l.Result == nil {
						t.Fatalf("%+v", l)
					}
				})
			}
		}
	}
}

func TestAnOvertakenProcessCommitsNothing(t *testing.T) {
	w, s := newShop(t)
	frozen, goOn, said := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	s.around = func(_ context.Context, call *agent.Call) error {
		close(frozen)
		<-goOn
		err := call.Commit(func(tx *sql.Tx) error { _, err := tx.Exec(`INSERT INTO orders (item) VALUES ('twice')`); return err })
		said <- err
		return err
	}
	turn := w.buys("shop.buy")
	<-frozen
	w.behind(`UPDATE turns SET run = run + 1 WHERE id = '` + string(turn) + `'`) // another process took it over
	close(goOn)
	if err := <-said; agent.ErrorCode(err) != agent.CodeConflict || w.orders() != "" {
		t.Fatalf("%v, %q", err, w.orders())
	}
}
