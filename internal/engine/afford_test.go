package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
)

// flat is a price table with one price for every model but "unpriced".
type flat agent.Price

func (f flat) Price(_, model string) (agent.Price, bool) {
	return agent.Price(f), model != "unpriced"
}

// mils is a price at which a thousand tokens cost a cent, whatever they are.
var mils = flat{Input: 10_000, Output: 10_000, CacheRead: 10_000, CacheWrite: 10_000}

const cent = agent.USD / 100

// priced is a world with prices and little output, so that a call reserves cents.
func priced(t *testing.T, change ...func(*world)) *world {
	return newWorld(t, append([]func(*world){func(w *world) {
		w.prices, w.limits = mils, engine.Limits{StepTokens: 1000, BudgetWait: time.Nanosecond}
	}}, change...)...)
}

// answers is an answer of a model that counts a thousand tokens, for a cent.
func answers(text string) streams {
	return func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		in, out := int64(400), int64(600)
		yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{Stop: agent.StopEnd, Usage: agent.Usage{TokensIn: &in, TokensOut: &out},
			Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}}}}, nil)
	}
}

func (w *world) budgets(list ...agent.Budget) {
	w.t.Helper()
	must(w.t, w.store.PutBudgetRows(me(), list, w.clock.Now().UnixMilli()))
}

func (w *world) usage() agent.UsageReport {
	w.t.Helper()
	r, err := w.store.UsageOf(me(), agent.BudgetMonth(w.clock.Now().UnixMilli()))
	must(w.t, err)
	return r
}

// nothingHeld fails where a reservation is left.
func (w *world) nothingHeld() {
	w.t.Helper()
	if n := w.count(`SELECT count(*) FROM budget_ledger WHERE state = 'held'`); n != 0 {
		w.t.Errorf("%d reservations are left", n)
	}
	if n := w.count(`SELECT count(*) FROM budget_totals WHERE held_nano_usd <> 0 OR held_tokens <> 0`); n != 0 {
		w.t.Errorf("%d sums hold what no call holds", n)
	}
}

func hard(n agent.NanoUSD) agent.Budget {
	return agent.Budget{Scope: agent.BudgetOrg, HardCost: &n}
}

func TestATurnTellsItsCostWhereverItIsKnown(t *testing.T) {
	w := priced(t)
	w.model.raw = answers("fine")
	events := w.end(w.say("", "Hello").ID)
	done := last[agent.TurnCompleted](t, events, agent.EventTurnCompleted)
	used := last[agent.UsageReported](t, events, agent.EventUsage)
	if done.CostUSD == nil || *done.CostUSD != 0.01 || used.CostUSD == nil || *used.CostUSD != 0.01 {
		t.Errorf("the end tells %v, the call %v", done.CostUSD, used.CostUSD)
	}
	rows, err := w.store.Transcripts(me(), events[0].Thread)
	must(t, err)
	if rows[0].Cost == nil || *rows[0].Cost != cent {
		t.Errorf("the transcript holds %v", rows[0].Cost)
	}
	if sum := w.usage().Total; sum != (agent.UsageSum{Calls: 1, TokensIn: 400, TokensOut: 600, Cost: cent}) {
		t.Errorf("the month holds %+v", sum)
	}
	w.nothingHeld()
}

func TestAnUnknownPriceIsSaidAndNotZero(t *testing.T) {
	w := priced(t, func(w *world) { w.prices = nil })
	w.model.raw = answers("fine")
	events := w.end(w.say("", "Hello").ID)
	rows, err := w.store.Transcripts(me(), events[0].Thread)
	must(t, err)
	done := last[agent.TurnCompleted](t, events, agent.EventTurnCompleted)
	if sum := w.usage().Total; done.CostUSD != nil || rows[0].Cost != nil || sum.UnpricedCalls != 1 || sum.TokensIn != 400 {
		t.Errorf("the end tells %v, the transcript %v, the month %+v", done.CostUSD, rows[0].Cost, sum)
	}
	w.budgets(hard(1000 * agent.USD))
	failed := last[agent.TurnFailedData](t, w.end(w.say("", "Again").ID), agent.EventTurnFailed)
	if failed.Code != agent.CodeBudgetExceeded || len(w.model.seen()) > 0 {
		t.Errorf("a cap on money gives %+v", failed)
	}
}

func TestAHardCapRefusesBeforeTheModelIsAsked(t *testing.T) {
	w := priced(t)
	asked := 0
	w.model.raw = streams(func(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta, error) bool) {
		asked++
		answers("fine")(ctx, req, yield)
	})
	w.end(w.say("", "Hello").ID)
	reserved := agent.NanoUSD(w.count(`SELECT held_nano_usd FROM budget_ledger`))
	for _, c := range []struct {
		name string
		room agent.NanoUSD
		fits bool
	}{{"one less than it may take", reserved - 1, false}, {"as much", reserved, true}, {"more", reserved + 1, true}} {
		before := asked
		w.budgets(hard(w.usage().Total.Cost + c.room))
		events := w.end(w.say("", "Hello").ID)
		if (asked > before) != c.fits || (events[len(events)-1].Kind == agent.EventTurnCompleted) != c.fits {
			t.Errorf("%s: asked %d times, %v", c.name, asked-before, kinds(events))
		}
		if !c.fits {
			failed := last[agent.TurnFailedData](t, events, agent.EventTurnFailed)
			if failed.Code != agent.CodeBudgetExceeded || failed.Status != 429 || failed.RetryAfterMS == 0 || failed.Hint == "" || failed.Panel != "usage" || failed.Recoverable {
				t.Errorf("%s: %+v", c.name, failed)
			}
		}
	}
	w.nothingHeld()
}

func TestASoftCapIsToldOnceAndRefusesNothing(t *testing.T) {
	w := priced(t)
	w.model.raw = answers("fine")
	soft := cent
	w.budgets(agent.Budget{Scope: agent.BudgetUser, Subject: agent.EachSubject, SoftCost: &soft})
	told := 0
	for i := range 4 {
		events := w.end(w.say("", "Hello").ID)
		gapless(t, events)
		for _, ev := range events {
			if ev.Kind == agent.EventBudgetWarned {
				told++
				warned := last[agent.BudgetWarned](t, events, agent.EventBudgetWarned)
				if i != 1 || warned.Subject != userID || warned.Spent != cent || warned.Message == "" {
					t.Errorf("turn %d tells %+v", i, warned)
				}
			}
		}
		if events[len(events)-1].Kind != agent.EventTurnCompleted {
			t.Errorf("turn %d: %v", i, kinds(events))
		}
	}
	if told != 1 {
		t.Errorf("it was told %d times", told)
	}
}

func TestACallThatIsCutOrStoppedCountsWithWhatIsKnownOfIt(t *testing.T) {
	in := int64(400)
	for _, c := range []struct {
		name      string
		stream    func(w *world) streams
		cost      agent.NanoUSD
		estimated int64
	}{
		{"turned down", func(*world) streams {
			return func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
				yield(agent.Delta{}, agent.Errorf(agent.CodeKeyInvalid, "No."))
			}
		}, 0, 0},
		{"cut after it was opened", func(*world) streams {
			return func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
				yield(agent.Delta{Kind: agent.DeltaOpened, Answer: &agent.Answer{Usage: agent.Usage{TokensIn: &in}}}, nil)
				yield(agent.Delta{Kind: agent.DeltaText, Text: "eight by"}, nil)
				yield(agent.Delta{}, agent.Errorf(agent.CodeProviderError, "Cut."))
			}
		}, 402 * 10_000, 1},
		{"stopped in the middle", func(w *world) streams {
			return func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
				yield(agent.Delta{Kind: agent.DeltaOpened, Answer: &agent.Answer{Usage: agent.Usage{TokensIn: &in}}}, nil)
				yield(agent.Delta{Kind: agent.DeltaText, Text: "four"}, nil)
				page, err := w.store.TurnList(me(), agent.TurnQuery{State: agent.TurnRunning})
				must(w.t, err)
				must(w.t, w.engine.CancelTurn(me(), page.Items[0].ID))
				<-ctx.Done()
				yield(agent.Delta{}, ctx.Err())
			}
		}, 401 * 10_000, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := priced(t)
			w.model.raw = c.stream(w)
			w.end(w.say("", "Hello").ID)
			w.settledRun()
			if sum := w.usage().Total; sum.Calls != 1 || sum.Cost != c.cost || sum.EstimatedCalls != c.estimated {
				t.Errorf("the month holds %+v", sum)
			}
			w.nothingHeld()
		})
	}
}

// settledRun waits until no turn runs here.
func (w *world) settledRun() { w.engine.Close(context.Background()) }

func TestWhatAKilledProcessReservedIsReleasedAtTheNextStart(t *testing.T) {
	w := priced(t)
	begun, hang := make(chan struct{}), make(chan struct{})
	w.model.raw = streams(func(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta, error) bool) {
		close(begun)
		<-hang
	})
	turn := w.say("", "Hello")
	<-begun
	if n := w.count(`SELECT count(*) FROM budget_ledger WHERE state = 'held'`); n != 1 {
		t.Fatalf("%d reservations while it runs", n)
	}
	// Another process begins beside it, as after a kill: this one's turn is taken over.
	w.model.raw = answers("fine")
	other, err := engine.New(context.Background(), w.config())
	must(t, err)
	defer other.Close(context.Background())
	for _, err := range other.Events(me(), turn.ID, agent.Position{}) {
		must(t, err)
	}
	close(hang)
	w.settledRun()
	sum := w.usage().Total
	if sum.Calls != 2 || sum.EstimatedCalls != 1 || sum.Cost <= cent || sum.Cost >= 3*cent {
		t.Errorf("the month holds %+v", sum)
	}
	w.nothingHeld()
}

func TestManyTurnsUnderACapSpendNoMoreThanIt(t *testing.T) {
	w := priced(t, func(w *world) {
		w.limits = engine.Limits{StepTokens: 1000, TurnsPerUser: 100, Turns: 100, Starts: 100, BudgetWait: 10 * time.Second}
	})
	w.model.raw = answers("fine")
	const most = 40 * cent
	w.budgets(hard(most))
	var wg sync.WaitGroup
	ids := make([]agent.TurnID, 60)
	for i := range ids {
		wg.Go(func() {
			turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: fmt.Sprint("Hello ", i)}})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = turn.ID
			for _, err := range w.engine.Events(me(), turn.ID, agent.Position{}) {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	states := map[agent.TurnState]int{}
	for _, id := range ids {
		turn, err := w.engine.Turn(me(), id)
		must(t, err)
		states[turn.State]++
	}
	sum := w.usage().Total
	if sum.Cost > most || int(sum.Calls) != states[agent.TurnComplete] || states[agent.TurnComplete]+states[agent.TurnFailed] != len(ids) {
		t.Errorf("%+v, turns %v", sum, states)
	}
	// Only what a call may take more than it does is left over: waiting lets the rest in.
	if states[agent.TurnComplete] < 37 {
		t.Errorf("%d of 40 turns fit", states[agent.TurnComplete])
	}
	w.nothingHeld()
}

func TestWhatLeavesOnBehalfOfATurnIsKeptWithIt(t *testing.T) {
	w := priced(t)
	w.model.raw = streams(func(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta, error) bool) {
		for range 2 {
			agent.RecordEgress(agent.WithRedactions(ctx, 3), agent.EgressLine{Host: "api.test", Purpose: "step", Requests: 1, BytesOut: 10, BytesIn: 20, FirstAt: 1, At: 2})
		}
		answers("fine")(ctx, req, yield)
	})
	turn := w.say("", "Hello")
	w.end(turn.ID)
	lines, err := w.store.EgressOf(me(), turn.ThreadID)
	must(t, err)
	want := []agent.EgressLine{{TurnID: turn.ID, Host: "api.test", Purpose: "step", Requests: 2, BytesOut: 20, BytesIn: 40, Redactions: 6, FirstAt: 1, At: 2}}
	if !slices.Equal(lines, want) {
		t.Errorf("%+v", lines)
	}
	agent.RecordEgress(context.Background(), agent.EgressLine{Host: "nobody.test"}) // on nobody's behalf
}

// count gives the one number that a query finds.
func (w *world) count(query string) (n int64) {
	w.t.Helper()
	db := w.database()
	defer db.Close()
	must(w.t, db.QueryRow(query).Scan(&n))
	return n
}
