package crowd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// settleWithin is how long after the last restart every turn has ended or waits.
const settleWithin = 5 * time.Second

func TestACrowdLosesNothingToAServerThatIsKilledEveryFewSeconds(t *testing.T) {
	if os.Getenv("CROWD_USERS") == "" {
		t.Skip("a crowd takes a minute; make crowd and make test run it")
	}
	rng, _ := harness.Seed(t)
	users, length := number(t, "CROWD_USERS", 40), time.Duration(number(t, "CROWD_SECONDS", 60))*time.Second
	provider := harness.StartProvider(t, programs)
	provider.Play(rounds(rng)...)
	s := harness.Start(t, harness.Options{Programs: programs, Provider: provider, Deaf: true, Env: []string{"ANTHROPIC_API_KEY=sk-ant-api03-crowd-crowd-crowd-crowd-crowd"}})
	count := &tally{accepted: map[agent.TurnID]string{}}

	ctx, cancel := context.WithTimeout(t.Context(), length+2*time.Minute)
	defer cancel()
	quit := make(chan struct{})
	var crowd sync.WaitGroup
	for _, u := range s.Guests(users) {
		m := &member{name: u.Name, user: u, tally: count, rng: rand.New(rand.NewPCG(rng.Uint64(), 0xc50))}
		crowd.Go(func() { m.work(ctx, quit) })
	}
	kills, worst, last := killEveryFewSeconds(t, s, rng, length, provider.Reset, func() { close(quit) })
	took := settle(t, s, last)
	crowd.Wait()

	for _, f := range count.faults {
		t.Error(f)
	}
	judge(t, s, count)
	r := report{users: users, length: length, kills: kills, ready: worst, settled: took, count: count, effects: effects(t, s)}
	t.Log(r.line())
	if path := os.Getenv("CROWD_REPORT"); path != "" {
		r.write(t, path)
	}
}

// rounds answer "talk" with words and "change" with a variant of some slide.
func rounds(rng *rand.Rand) []scripted.Round {
	list := []scripted.Round{
		{When: &scripted.When{LastUser: "^talk ", Purpose: "step"}, Text: scripted.Text{"So it is, ", "and so it will be, ", "said the river to the stone."},
			Fault: &scripted.Fault{Kind: scripted.FaultSlow, Ms: 20}},
		{When: &scripted.When{ResultOf: "slide.variant", Purpose: "step"}, Text: scripted.Text{"Settled."}},
	}
	for i := range looks { // each look is another slide, so that most changes change something
		name := fmt.Sprintf("look-%d", i)
		list = append(list, scripted.Round{When: &scripted.When{LastUser: "^change .* " + name + "$", Purpose: "step"},
			Calls: []scripted.Call{{Name: "slide.variant", Input: []byte(fmt.Sprintf(`{"slide_id":"%02d","style":%q}`, 1+i%6, name))}}},
			scripted.Round{When: &scripted.When{LastUser: name + `\b`, Purpose: "generate"}, HTML: &scripted.HTML{Seed: rng.Uint64()}})
	}
	return append(list, scripted.Round{Text: scripted.Text{"OK."}})
}

// killEveryFewSeconds kills and restarts the server each 1 to 5 s, and once more
// after stop was called; between is called after each restart. It gives when the last
// life was ready.
func killEveryFewSeconds(t *testing.T, s *harness.Server, rng *rand.Rand, length time.Duration, between, stop func()) (kills int, worst time.Duration, last time.Time) {
	t.Helper()
	end := time.Now().Add(length)
	for over := false; !over; kills++ {
		wait := time.Second + time.Duration(rng.Int64N(int64(4*time.Second)))
		if left := time.Until(end); left < wait {
			wait, over = max(left, 0), true
		}
		timer := time.NewTimer(wait)
		<-timer.C
		if over {
			stop()
		}
		s.Strike()
		<-s.Ended()
		begun := time.Now()
		if !s.Again() {
			t.Fatal("the server does not start again")
		}
		last = time.Now()
		worst = max(worst, last.Sub(begun))
		between()
	}
	return kills, worst, last
}

// settle waits until no turn runs and gives how long after the last restart that was.
func settle(t *testing.T, s *harness.Server, last time.Time) time.Duration {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		running := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state = 'running'`)
		took := time.Since(last)
		if running == 0 {
			return took
		}
		if took > settleWithin {
			t.Errorf("%s after the last restart %d turns run", took, running)
			return took
		}
		<-tick.C
	}
}

// judge looks at what is left.
func judge(t *testing.T, s *harness.Server, count *tally) {
	t.Helper()
	none := map[string]string{
		"turns that neither ended nor wait":       `SELECT count(*) FROM turns WHERE state NOT IN ('completed', 'canceled', 'failed', 'awaiting_confirmation')`,
		"messages that became more than a turn":   `SELECT count(*) FROM (SELECT 1 FROM turns GROUP BY org_id, user_id, message_id HAVING count(*) > 1)`,
		"transcript rows without their turn":      `SELECT count(*) FROM agent_transcripts WHERE id NOT IN (SELECT transcript_id FROM turns WHERE transcript_id IS NOT NULL)`,
		"gaps in the stored streams":              `SELECT count(*) FROM (SELECT from_seq, lag(seq, 1, 0) OVER (PARTITION BY turn_id ORDER BY seq) AS before FROM events) WHERE from_seq <> before + 1`,
		"terminal events too many":                `SELECT count(*) FROM (SELECT 1 FROM events WHERE kind IN ('turn.completed', 'turn.failed', 'turn.canceled') GROUP BY turn_id HAVING count(*) > 1)`,
		"rows of the ledger that are not settled": `SELECT count(*) FROM ledger WHERE state <> 'settled'`,
	}
	for what, query := range none {
		if n := harness.Count(t, s, query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	stored := map[agent.TurnID]string{}
	for _, row := range harness.Rows(t, s, `SELECT id, message_id FROM turns`) {
		stored[agent.TurnID(row[0])] = row[1]
	}
	for turn, message := range count.accepted {
		if stored[turn] != message {
			t.Errorf("the message %s was accepted as %s, which holds %q", message, turn, stored[turn])
		}
	}
	if merges := len(s.Repo("paying-client").Merges()); merges != effects(t, s) {
		t.Errorf("%d changes are applied in the ledger, %d in the repository", effects(t, s), merges)
	}
}

// effects counts the changes that the ledger has as applied.
func effects(t *testing.T, s *harness.Server) int {
	t.Helper()
	return harness.Count(t, s, `SELECT count(*) FROM receipts WHERE applied_at_ms IS NOT NULL`)
}

// report is what a crowd did.
type report struct {
	users          int
	length         time.Duration
	kills, effects int
	ready, settled time.Duration
	count          *tally
}

func (r report) line() string {
	waits := slices.Sorted(slices.Values(r.count.waits))
	return fmt.Sprintf("crowd: %d people for %s, %d kills, %d messages, %d changes applied, %d requests sent again, %d put off; first event after %d ms (median) and %d ms (95 of 100); up in %d ms, settled in %d ms",
		r.users, r.length, r.kills, len(r.count.accepted), r.effects, r.count.resent, r.count.shed,
		share(waits, 50).Milliseconds(), share(waits, 95).Milliseconds(), r.ready.Milliseconds(), r.settled.Milliseconds())
}

func share(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func (r report) write(t *testing.T, path string) {
	t.Helper()
	text := "# A crowd against a server that is killed: figures of the last long run\n\nWritten by `make soak` at commit " + harness.Commit(t) +
		". What is played and judged stands in `e2e/crowd`.\n\n" + r.line() + ".\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}
