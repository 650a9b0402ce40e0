package api

import (
	"net/http"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// promptly bounds the time from a stop to the end of the provider's connection.
const promptly = 250 * time.Millisecond

// stop cancels a turn, reads its stream to the end and gives the moment before.
func stop(t *testing.T, u *harness.User, stream *harness.Stream) time.Time {
	t.Helper()
	before := time.Now()
	u.Must(http.StatusAccepted, "POST /turns/"+string(stream.Turn())+"/cancel", nil)
	end := stream.Finish()
	if took := time.Since(before); end.Kind != agent.EventTurnCanceled || took > onceMore {
		t.Errorf("after %s the turn ended with %s %s", took, end.Kind, end.Data)
	}
	if c := harness.Decode[agent.TurnCanceledData](t, end); c.By != "user_lin" || c.Reason != "stopped" {
		t.Errorf("it was ended by %+v", c)
	}
	return before
}

// closed looks at the model call that the stop met.
func closed(t *testing.T, p *harness.Provider, n int, stopped time.Time) {
	t.Helper()
	seen := p.Await("the model call is over", func(seen []fake.Seen) bool { return len(seen) == n && seen[n-1].EndMs != nil })
	at, _ := harness.Ended(seen[n-1])
	t.Logf("the provider saw the end %s after the stop", at.Sub(stopped))
	if took := at.Sub(stopped); !seen[n-1].ClosedEarly || took > promptly {
		t.Errorf("the provider saw the connection closed %s after the stop (early: %v)", took, seen[n-1].ClosedEarly)
	}
}

func TestAStopInTheMiddleOfAnAnswerClosesTheProvidersConnectionAtOnce(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	endless := says("go on", longText(rng, 200))
	endless.Fault = &scripted.Fault{Kind: scripted.FaultSilence, After: 20}
	s := start(t, rng, endless)
	stream := s.lin.Chat(harness.Say("go on"))
	stream.Until(agent.EventTextDelta)
	closed(t, s.provider, 1, stop(t, s.lin, stream))
	row := s.Transcript(stream.Turn())
	if row.ModelMessage == "" || row.ModelMessage != stream.Events.Spoken(t) {
		t.Errorf("kept is %q, told was %q", row.ModelMessage, stream.Events.Spoken(t))
	}
	usable(t, s.lin, stream.Thread())
}

func TestAStopWhileACapabilityWritesASlideStartsNothingMore(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	silent := draws(rng.Uint64())
	silent.Fault = &scripted.Fault{Kind: scripted.FaultSilence, After: 2}
	two := []scripted.Call{call("slide.variant", variant{Slide: "02", Style: "bold"}), call("slide.variant", variant{Slide: "03", Style: "bold"}),
		call("deck.export", map[string]any{"format": "md"})}
	s := start(t, rng, calls("two variants", two...), silent)
	stream := s.lin.Chat(harness.Say("two variants"))
	s.provider.Await("the slide is being written", func(seen []fake.Seen) bool { return len(seen) == 2 && seen[1].Bytes > 0 })
	stopped := stop(t, s.lin, stream)
	closed(t, s.provider, 2, stopped)
	for _, d := range harness.Of[agent.CapabilityDone](t, stream.Events) {
		if d.OK || d.Error == nil {
			t.Errorf("a stopped call is told as %+v", d)
		}
	}
	if n := len(harness.Of[agent.CapabilityDone](t, stream.Events)); n != 3 {
		t.Errorf("%d of 3 calls have a result", n)
	}
	if repo := s.Repo("lingering-client"); len(repo.Branches("chat/")) != 0 || len(repo.Merges()) != 0 {
		t.Error("a stopped turn left something in the deck")
	}
	usable(t, s.lin, stream.Thread())
	if n := len(s.provider.Requests("")); n != 3 {
		t.Errorf("%d model calls, want 3: no handler may start after a stop", n)
	}
}

func TestAStopWhileItWaitsForABusyProviderEndsTheWaiting(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	busy := says("busy?", "not reached")
	busy.Fault = &scripted.Fault{Kind: scripted.FaultStatus, Status: 529, RetryAfter: "20"}
	s := start(t, rng, busy)
	stream := s.lin.Chat(harness.Say("busy?"))
	s.provider.Await("the provider was asked", func(seen []fake.Seen) bool { return len(seen) == 1 && seen[0].EndMs != nil })
	for waiting := false; !waiting; {
		waiting = len(harness.Decode[agent.Cast](t, stream.Until(agent.EventCast)).Caption) > len("Thinking")
	}
	before := stop(t, s.lin, stream)
	if took := time.Since(before); took > time.Second {
		t.Errorf("the stop took %s", took)
	}
	usable(t, s.lin, stream.Thread())
	if n := len(s.provider.Requests("")); n != 2 {
		t.Errorf("%d model calls, want 2: the one that was refused and the next message's", n)
	}
}

func TestAStopOfATurnThatWaitsForItsUserDiscardsThePreview(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, variants("a variant", "02", "bold", rng.Uint64())...)
	stream := s.lin.Chat(harness.Say("a variant"))
	preview := stream.Preview()
	stop(t, s.lin, stream)
	if got := s.Repo("lingering-client").Branches("chat/"); len(got) != 0 {
		t.Errorf("the side branch stayed: %v", got)
	}
	refuses(t, s.lin, "an accept after the stop", bad{what: "POST /confirm", status: 409, code: agent.CodeConflict,
		body: harness.Decision(stream.Turn(), agent.AnswerAccept, preview)})
	s.lin.Must(http.StatusAccepted, "POST /turns/"+string(stream.Turn())+"/cancel", nil) // an ended turn: nothing happens
	usable(t, s.lin, stream.Thread())
}
