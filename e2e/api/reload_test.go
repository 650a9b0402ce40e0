package api

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// longText makes an answer of many words, some of them of several bytes.
func longText(rng *rand.Rand, words int) string {
	list := strings.Fields("margin 東京 naïve \"quoted\" orchard 🦊 & <b> retention éclair line\\n")
	var b strings.Builder
	for range words {
		b.WriteString(harness.Pick(rng, list) + " ")
	}
	return b.String() + "end"
}

// slowly streams a text a chunk each few milliseconds.
func slowly(words, text string, ms int) scripted.Round {
	r := says(words, text)
	r.Fault = &scripted.Fault{Kind: scripted.FaultSlow, Ms: ms}
	return r
}

func TestAReloadInTheMiddleOfAnAnswerLosesNothing(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	text := longText(rng, 150)
	s := start(t, rng, slowly("at length", text, 3))
	first := s.lin.Chat(harness.Say("at length"))
	for range 5 {
		first.Until(agent.EventTextDelta)
	}
	turn := first.Turn()
	first.Close()

	again := s.lin.Attach(turn, first.LastID)
	done := again.Completed()
	if done.Text != text {
		t.Errorf("the answer is %q, want %q", done.Text, text)
	}
	if got := again.Events[0].Seq; got != first.Events[len(first.Events)-1].Seq+1 {
		t.Errorf("the second stream begins at %d", got)
	}
	whole := append(first.Events, again.Events...)
	if whole.Spoken(t) != text {
		t.Errorf("the deltas of both streams are %q", whole.Spoken(t))
	}
	if n := len(s.provider.Requests("")); n != 1 {
		t.Errorf("%d model calls were made for one answer", n)
	}
	if a := s.lin.Do("GET /turns/"+string(turn)+"/events", nil, harness.Set("Last-Event-ID", again.LastID)); a.Status != 204 {
		t.Errorf("attaching behind the end answered %s", a)
	}
}

func TestDisconnectsAtManyPlacesLeaveNoGapAndNoDouble(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	const turns = 4
	var rounds []scripted.Round
	texts := make([]string, turns)
	for n := range texts {
		texts[n] = longText(rng, 120)
		rounds = append(rounds, slowly(fmt.Sprintf("text %d", n), texts[n], 4))
	}
	s := start(t, rng, rounds...)
	all := 0
	for n, text := range texts {
		turn := s.lin.Begin(harness.Say(fmt.Sprintf("text %d", n)))
		var whole harness.Events
		last, drops, next := "", 0, agent.Seq(1)
		for len(whole) == 0 || !whole[len(whole)-1].Kind.Terminal() {
			stream := s.lin.Attach(turn.ID, last)
			for range 1 + rng.IntN(3) {
				ev, more := stream.Next()
				if !more {
					break
				}
				whole = append(whole, ev)
				if from := harness.First(ev); from != next {
					t.Fatalf("after %d drops came event %d..%d, want %d", drops, ev.From, ev.Seq, next)
				}
				next = ev.Seq + 1
			}
			last = stream.LastID
			stream.Close()
			drops++
		}
		if whole.Spoken(t) != text {
			t.Errorf("with %d drops the text is %q, want %q", drops, whole.Spoken(t), text)
		}
		all += drops
	}
	if all < 4*turns {
		t.Errorf("only %d drops in %d turns", all, turns)
	}
	if n := len(s.provider.Requests("")); n != turns {
		t.Errorf("%d model calls were made for %d answers", n, turns)
	}
}

func TestAThreadsStreamTellsATurnThatAnotherTabStarted(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, says("one", "First."), says("two", "Second."))
	one := s.lin.Chat(harness.Say("one"))
	one.Completed()
	thread := one.Thread()
	tab := s.lin.Watch(thread, string(one.Turn())+":"+one.LastID)
	two := s.lin.Chat(harness.Say("two").In(thread))
	two.Completed()
	started := tab.Until(agent.EventTurnStarted)
	if got := harness.Decode[agent.TurnStarted](t, started).Message.Text; got != "two" || started.Turn != two.Turn() {
		t.Errorf("the other tab was told %q", got)
	}
	if end := tab.Until(agent.EventTurnCompleted); harness.Decode[agent.TurnCompleted](t, end).Text != "Second." {
		t.Errorf("and %s", end.Data)
	}
}

func TestAMessageThatIsSentTwiceIsOneTurn(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, says("once", "Once."))
	message := harness.Say("once")
	message.MessageID = "msg-of-the-client"
	one, two := s.lin.Begin(message), s.lin.Begin(message)
	if one.ID != two.ID {
		t.Errorf("two turns: %s and %s", one.ID, two.ID)
	}
	s.lin.Attach(one.ID, "").Completed()
	if again := s.lin.Chat(message); again.Completed().Text != "Once." {
		t.Error("a resend after the end did not give the turn")
	}
	other := message
	other.Text = "twice"
	refuses(t, s.lin, "other words under the same id", bad{what: "POST /chat", body: other, status: 409, code: agent.CodeConflict})
	if n := len(s.provider.Requests("")); n != 1 {
		t.Errorf("%d model calls were made", n)
	}
}
