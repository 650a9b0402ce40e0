package crash

import (
	"math/rand/v2"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// reader follows one turn from its first event to its last over every break: those
// of the server, and those that it makes itself.
type reader struct {
	c      client
	rng    *rand.Rand
	turn   agent.TurnID
	stream *harness.Stream
	open   bool
	gen    int
}

// breakEvery is after how many events, on average, a reader lets go and comes back.
const breakEvery = 15

func (c client) follow(rng *rand.Rand, turn agent.TurnID) *reader {
	return &reader{c: c, rng: rng, turn: turn}
}

// next gives the next event.
func (r *reader) next() agent.Event {
	for {
		if !r.open {
			r.attach()
		}
		ev, more := r.stream.Next()
		if more {
			if !ev.Kind.Terminal() && r.rng.IntN(breakEvery) == 0 {
				r.stream.Close()
				r.open = false
			}
			return ev
		}
		r.open = false
		if r.ended() {
			r.c.t.Fatalf("the turn %s is over; nothing follows", r.turn)
		}
		r.c.life.died(r.gen, errEnded)
	}
}

func (r *reader) attach() {
	for {
		r.gen = r.c.life.reader()
		s, err := r.c.user.Resume(r.turn, r.stream)
		if err == nil {
			r.stream, r.open = s, true
			return
		}
		r.c.life.died(r.gen, err)
	}
}

type endedEarly struct{}

func (endedEarly) Error() string { return "the stream ended before its turn" }

var errEnded error = endedEarly{}

// ended tells whether the last event ends the turn.
func (r *reader) ended() bool {
	return r.stream != nil && len(r.stream.Events) > 0 && r.stream.Events[len(r.stream.Events)-1].Kind.Terminal()
}

// until reads to an event of one of the kinds; another end of the turn ends the trial.
func (r *reader) until(kinds ...agent.EventKind) agent.Event {
	for {
		ev := r.next()
		if slices.Contains(kinds, ev.Kind) {
			return ev
		}
		if ev.Kind.Terminal() {
			r.c.t.Fatalf("the turn %s ended with %s %s instead of %v", r.turn, ev.Kind, ev.Data, kinds)
		}
	}
}

// finish reads to the end.
func (r *reader) finish() agent.Event {
	return r.until(agent.EventTurnCompleted, agent.EventTurnFailed, agent.EventTurnCanceled)
}

// completed reads to an end that must be a good one.
func (r *reader) completed() agent.TurnCompleted {
	return harness.Decode[agent.TurnCompleted](r.c.t, r.until(agent.EventTurnCompleted))
}

// preview reads to the next preview.
func (r *reader) preview() agent.PreviewShown {
	return harness.Decode[agent.PreviewShown](r.c.t, r.until(agent.EventPreview))
}

// effect reads to the word on what became of a decision on a call. Its preview does
// not come again: it was decided.
func (r *reader) effect(call agent.CallID) agent.CapabilityDone {
	for {
		ev := r.until(agent.EventCapabilityDone, agent.EventPreview)
		if ev.Kind == agent.EventPreview {
			if p := harness.Decode[agent.PreviewShown](r.c.t, ev); p.CallID == call {
				r.c.t.Fatalf("the change %s was decided and is previewed again", call)
			}
			continue
		}
		done := harness.Decode[agent.CapabilityDone](r.c.t, ev)
		if done.CallID == call && done.Phase != agent.PhaseHandler {
			return done
		}
	}
}

// seen gives the turn as the reader's screen has it in the end: what a later run told
// again replaces what an earlier one had told and lost. Only text may be lost so.
func (r *reader) seen() (screen harness.Events) {
	for _, ev := range r.stream.Events {
		from := harness.First(ev)
		for len(screen) > 0 && screen[len(screen)-1].Seq >= from {
			lost := screen[len(screen)-1]
			if !lost.Kind.Live() {
				r.c.t.Errorf("turn %s: %s %d of run %d was told and taken back: %s", r.turn, lost.Kind, lost.Seq, lost.Run, lost.Data)
			}
			screen = screen[:len(screen)-1]
		}
		screen = append(screen, ev)
	}
	return screen
}
