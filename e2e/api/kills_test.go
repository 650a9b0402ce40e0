package api

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// defaultKills is how often the server is killed at a random moment; E2E_KILLS asks
// for more.
const defaultKills = 30

func howManyKills(t *testing.T) int {
	t.Helper()
	v := os.Getenv("E2E_KILLS")
	if v == "" {
		return defaultKills
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("E2E_KILLS must be a number from 1: %q", v)
	}
	return n
}

// told is what a client knows of a turn whose server may die at any moment.
type told struct {
	turn  agent.TurnID // "" when not even the first event came
	taken bool         // an accept was answered
	ended bool
}

// ride starts a turn and accepts its preview, as far as the server lives.
func ride(t *testing.T, u *harness.User, message harness.Chat) (know told) {
	t.Helper()
	stream, err := u.TryChat(message)
	if err != nil {
		return know
	}
	defer stream.Close()
	for {
		ev, more := stream.Next()
		if !more {
			return know
		}
		know.turn, know.ended = ev.Turn, ev.Kind.Terminal()
		if ev.Kind != agent.EventPreview {
			continue
		}
		a, err := u.Send(t.Context(), "POST /confirm", harness.Decision(ev.Turn, agent.AnswerAccept, harness.Decode[agent.PreviewShown](t, ev)))
		if err != nil {
			return know
		}
		if a.Status != http.StatusOK {
			t.Errorf("accepting answered %s", a)
		}
		know.taken = true
	}
}

// course are the rounds of one ride: talk, a search, the variant, the close, all of
// it slow enough to be hit in every part.
func course(rng *rand.Rand, words string, seed uint64) []scripted.Round {
	slow := &scripted.Fault{Kind: scripted.FaultSlow, Ms: 2}
	first := calls(words, call("corpus.search", map[string]any{"query": "bold"}))
	first.Text, first.Fault = scripted.Text{longText(rng, 20)}, slow
	second := scripted.Round{When: &scripted.When{ResultOf: "corpus.search", Purpose: "step"}, Calls: []scripted.Call{call("slide.variant", variant{Slide: "03", Style: "bold"})}}
	third := draws(seed)
	third.Fault = slow
	last := after("slide.variant", longText(rng, 20))
	last.Fault = slow
	return []scripted.Round{first, second, third, last, ok()}
}

func TestKillsAtRandomMomentsLeaveEveryTurnWholeAndEveryThreadUsable(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	s.provider.Play(course(rng, "undisturbed", rng.Uint64())...)
	begun := time.Now()
	if know := ride(t, s.lin, harness.Say("undisturbed")); !know.ended || !applied(t, s.Server, know.turn) {
		t.Fatalf("without a kill the ride ended as %+v", know)
	}
	whole := time.Since(begun)
	kills := howManyKills(t)
	early, hit := 0, 0
	for n := range kills {
		words := fmt.Sprintf("ride %d", n)
		s.provider.Play(course(rng, words, rng.Uint64())...)
		message := harness.Say(words)
		message.MessageID = fmt.Sprintf("kill-%d", n)
		delay := time.Duration(rng.Int64N(int64(whole)))
		wait := s.KillAfter(delay)
		know := ride(t, s.lin, message)
		wait()
		s.Restart()
		where := fmt.Sprintf("kill %d, after %s of about %s", n, delay, whole)
		switch {
		case know.turn == "":
			early++
		case !know.ended:
			hit++
		}
		survive(t, s, message, know, where)
	}
	t.Logf("%d kills: %d before the first event, %d in the middle of a turn of about %s", kills, early, hit, whole)
	if hit < kills/3 {
		t.Errorf("only %d of %d kills met a running turn", hit, kills)
	}
}

// survive looks at a turn after its server died and came back.
func survive(t *testing.T, s stack, message harness.Chat, know told, where string) {
	t.Helper()
	// A client that does not know whether its message arrived sends it again.
	turn := s.lin.Begin(message)
	if know.turn != "" && know.turn != turn.ID {
		t.Errorf("%s: the message was accepted twice", where)
	}
	now, took := settled(t, s.lin, turn.ID)
	if took > onceMore {
		t.Errorf("%s: it took the turn %s to stand again", where, took)
	}
	if now.State == agent.TurnAwaiting {
		stream := s.lin.Attach(turn.ID, "")
		preview := stream.Preview()
		if know.taken {
			t.Errorf("%s: an accept that was answered is forgotten", where)
		}
		s.lin.Accept(turn.ID, preview)
		stream.Completed()
	}
	stream := s.lin.Attach(turn.ID, "") // checks that no seq is missing or doubled
	end := stream.Finish()
	if end.Kind != agent.EventTurnCompleted {
		t.Errorf("%s: the turn ended with %s %s", where, end.Kind, end.Data)
	}
	if !applied(t, s.Server, turn.ID) {
		t.Errorf("%s: the change that was accepted is not applied", where)
	}
	if n := harness.Count(t, s.Server, `SELECT count(*) FROM turns WHERE message_id = ?`, message.MessageID); n != 1 {
		t.Errorf("%s: %d turns hold the message", where, n)
	}
	if n := harness.Count(t, s.Server, `SELECT count(*) FROM ledger WHERE turn_id = ? AND state <> 'settled'`, turn.ID); n != 0 {
		t.Errorf("%s: %d rows of the ledger are open", where, n)
	}
	usable(t, s.lin, turn.ThreadID)
}
