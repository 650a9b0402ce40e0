package crash

import (
	"fmt"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// changes is a turn that proposes wishes and closes in words; decide is the user.
func (a *actor) changes(wishes []wish, decide func(r *reader), extra ...scripted.Round) act {
	words, text := a.words(), a.prose(4)
	last, follow := a.followUp()
	rounds := append(a.proposals(words, text, wishes...), last...)
	return act{rounds: append(rounds, extra...), play: func() {
		r := a.begin("", words, 1, agent.TurnComplete)
		decide(r)
		a.reads(r.completed(), text)
		follow(r)
	}}
}

// accepts accepts one preview; now and then while somebody commits other files.
func (a *actor) accepts() act {
	w := a.wish(a.pick(1)[0])
	busy := a.rng.IntN(2) == 0
	return a.changes([]wish{w}, func(r *reader) {
		p, _ := a.shown(r, w)
		if busy {
			defer a.commitsBeside()()
		}
		a.accept(r, p, w)
	})
}

// commitsBeside commits other files in a burst; wait returns after the last one.
func (a *actor) commitsBeside() (wait func()) {
	const burst = 6
	path := "notes-" + a.name + ".txt"
	var all sync.WaitGroup
	all.Go(func() {
		for i := range burst {
			text := fmt.Sprintf("note %d of %s\n", i, a.name)
			a.world.edited(a.editor.commit(path, text, i == burst-1), path, text)
		}
	})
	return all.Wait
}

// discards discards one preview.
func (a *actor) discards() act {
	w := a.wish(a.pick(1)[0])
	return a.changes([]wish{w}, func(r *reader) {
		p, _ := a.shown(r, w)
		a.discard(r, p)
	})
}

// edits gives a preview other arguments, and decides on what comes of them: now and then
// they lead nowhere first, and the change is shown as it was.
func (a *actor) edits() act {
	w := a.wish(a.pick(1)[0])
	other := a.again(w)
	keep, astray := a.rng.IntN(3) > 0, a.rng.IntN(3) == 0
	return a.changes([]wish{w}, func(r *reader) {
		p, _ := a.shown(r, w)
		if astray {
			nowhere := other
			nowhere.slide.ID = "no-such-slide"
			p = a.reshaped(r, p, nowhere, w)
		}
		next := a.reshaped(r, p, other, other)
		if keep {
			a.accept(r, next, other)
		} else {
			a.discard(r, next)
		}
	}, other.draws(), w.draws())
}

// reshaped gives a preview the arguments of another wish, and reads the one that follows.
func (a *actor) reshaped(r *reader, p agent.PreviewShown, to, shown wish) agent.PreviewShown {
	a.taken(r, p, agent.AnswerEdit, to.input())
	a.world.settled(r.turn, p.CallID, agent.PhaseDiscard)
	next, _ := a.shown(r, shown)
	if next.CallID == p.CallID {
		a.t.Errorf("the edited call has the id of the first one")
	}
	return next
}

// set proposes several changes and decides each, in any order, or all at once.
func (a *actor) set() act {
	var wishes []wish
	for _, s := range a.pick(2 + a.rng.IntN(2)) {
		wishes = append(wishes, a.wish(s))
	}
	together := a.rng.IntN(3) == 0
	return a.changes(wishes, func(r *reader) {
		type open struct {
			p agent.PreviewShown
			w wish
		}
		var list []open
		for range wishes {
			p, w := a.shown(r, wishes...)
			list = append(list, open{p, w})
		}
		if together {
			d := agent.DecisionRequest{TurnID: r.turn}
			for _, o := range list {
				d.Decisions = append(d.Decisions, harness.Decision(r.turn, agent.AnswerAccept, o.p).Decisions...)
			}
			a.decide(d)
			for _, o := range list {
				a.took(r, o.p, o.w)
			}
			return
		}
		a.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, o := range list {
			if a.rng.IntN(3) > 0 {
				a.accept(r, o.p, o.w)
			} else {
				a.discard(r, o.p)
			}
		}
	})
}

// stale accepts a preview whose slide somebody changed meanwhile: refused, and
// previewed again.
func (a *actor) stale() act {
	w := a.wish(a.pick(1)[0])
	return a.changes([]wish{w}, func(r *reader) {
		p, _ := a.shown(r, w)
		a.rewrites(w.slide.Path)
		if o := a.answer(r, p, agent.AnswerAccept, nil); o.Outcome != agent.OutcomeStale {
			a.t.Fatalf("an accept of a slide that moved was answered with %+v", o)
		}
		next, _ := a.shown(r, w)
		if next.Replaces != p.ReceiptID || next.ReceiptID == p.ReceiptID {
			a.t.Errorf("the new preview %s replaces %s, not %s", next.ReceiptID, next.Replaces, p.ReceiptID)
		}
		a.accept(r, next, w)
	})
}

// moved is an accept that is taken, and its slide is changed while the server is dead
// before it was applied: the change is not applied over it, but previewed again.
func (a *actor) moved() act {
	w := a.wish(a.pick(1)[0])
	return a.changes([]wish{w}, func(r *reader) {
		p, _ := a.shown(r, w)
		moved := make(chan struct{})
		a.life.set(func() {
			a.life.onDeath = func(point string) {
				if point == "confirm.taken" || point == "apply.due" {
					a.rewrites(w.slide.Path)
					close(moved)
				}
			}
		})
		o := a.answer(r, p, agent.AnswerAccept, nil)
		for {
			ev := r.until(agent.EventCapabilityDone, agent.EventPreview)
			if ev.Kind == agent.EventPreview {
				break
			}
			done := harness.Decode[agent.CapabilityDone](a.t, ev)
			if done.CallID != p.CallID || done.Phase != agent.PhaseApply {
				continue
			}
			select {
			case <-moved:
				a.t.Fatalf("a change was applied over an edit that came before it: %+v", done)
			default:
			}
			if done.State != agent.EffectApplied || o.Outcome != agent.OutcomeTaken {
				a.t.Fatalf("an accept that was answered %+v ended as %+v", o, done)
			}
			a.life.set(func() { a.life.onDeath = nil })
			a.world.applied(r.turn, p.CallID, w.slide.Path, w.drawn())
			return
		}
		next := harness.Decode[agent.PreviewShown](a.t, r.stream.Events[len(r.stream.Events)-1])
		a.world.may(w.token, 1)
		if next.Replaces != p.ReceiptID {
			a.t.Errorf("the new preview replaces %s, not %s", next.Replaces, p.ReceiptID)
		}
		a.accept(r, next, w)
	})
}
