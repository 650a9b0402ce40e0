package crash

import (
	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// undo accepts a change and takes it back; late, after somebody changed the slide
// again, which must not be overwritten.
func (a *actor) undo(late bool) act {
	w := a.wish(a.pick(1)[0])
	words, text := a.words(), a.prose(4)
	last, follow := a.followUp()
	return act{rounds: append(a.proposals(words, text, w), last...), play: func() {
		r := a.begin("", words, 1, agent.TurnComplete)
		p, _ := a.shown(r, w)
		before := a.world.file(w.slide.Path)
		a.accept(r, p, w)
		a.reads(r.completed(), text)
		if late {
			a.rewrites(w.slide.Path)
		}
		thread := r.stream.Events[0].Thread
		back := a.follow(a.rng, a.client.undo(p.CallID, thread))
		a.world.turn(back.turn, expected{thread: thread, states: []agent.TurnState{agent.TurnComplete}, reader: back})
		started := harness.Decode[agent.CapabilityStarted](a.t, back.until(agent.EventCapabilityStarted))
		if started.Parent != p.CallID {
			a.t.Fatalf("the undo takes back %s, want %s", started.Parent, p.CallID)
		}
		done := back.effect(started.CallID)
		switch {
		case !late && done.OK && done.State == agent.EffectUndone:
			a.world.undone(back.turn, started.CallID, w.slide.Path, before)
		case late && done.State == agent.EffectFailed && done.Error != nil && done.Error.Code == agent.CodeStaleUndo:
			a.world.settled(back.turn, started.CallID, agent.PhaseUndo)
		default:
			a.t.Fatalf("an undo ended as %+v; the slide had moved: %v", done, late)
		}
		back.completed()
		follow(r)
	}}
}

// stopParked stops a turn that waits for its user: the preview is discarded.
func (a *actor) stopParked() act {
	return a.leaves(func(r *reader, p agent.PreviewShown, follow func(*reader)) {
		a.stop(r.turn)
		a.gaveUp(r, p, "stopped")
		follow(r)
	})
}

// typing writes the next message instead of deciding: the preview is discarded, its
// turn ends, and the message is answered.
func (a *actor) typing() act {
	return a.leaves(func(r *reader, p agent.PreviewShown, follow func(*reader)) {
		follow(r)
		a.gaveUp(r, p, "superseded")
	})
}

// leaves lets a change be previewed that is never decided.
func (a *actor) leaves(then func(r *reader, p agent.PreviewShown, follow func(*reader))) act {
	w := a.wish(a.pick(1)[0])
	words := a.words()
	last, follow := a.followUp()
	return act{rounds: append(a.proposals(words, a.prose(2), w), last...), play: func() {
		r := a.begin("", words, 1, agent.TurnCanceled)
		p, _ := a.shown(r, w)
		a.settledTurn(r)
		then(r, p, follow)
	}}
}

// settledTurn waits until the turn is parked: its preview is told a moment before.
func (a *actor) settledTurn(r *reader) {
	if now := a.settled(r.turn); now.State != agent.TurnAwaiting {
		a.t.Fatalf("a turn with an open preview is %s", now.State)
	}
}

// gaveUp reads that a preview was discarded by the way and its turn ended.
func (a *actor) gaveUp(r *reader, p agent.PreviewShown, reason string) {
	a.world.settled(r.turn, p.CallID, agent.PhaseDiscard)
	if done := r.effect(p.CallID); done.State != agent.EffectDiscarded {
		a.t.Fatalf("a preview that was given up ended as %+v", done)
	}
	end := r.until(agent.EventTurnCanceled, agent.EventTurnCompleted)
	if got := harness.Decode[agent.TurnCanceledData](a.t, end).Reason; end.Kind != agent.EventTurnCanceled || got != reason {
		a.t.Errorf("the turn ended with %s %q, want canceled %q", end.Kind, got, reason)
	}
}
