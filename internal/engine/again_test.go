package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// edit answers the newest preview with other arguments.
func (w *world) edit(events []agent.Event, input string) ([]agent.Outcome, error) {
	w.t.Helper()
	p := last[agent.PreviewShown](w.t, events, agent.EventPreview)
	return w.engine.Decide(me(), agent.DecisionRequest{TurnID: events[0].Turn,
		Decisions: []agent.Decision{{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: agent.AnswerEdit, Input: []byte(input)}}})
}

// acceptOpen accepts the one preview of a turn that waits.
func (w *world) acceptOpen(id agent.TurnID) {
	w.t.Helper()
	open := w.turn(id).Open
	if len(open) != 1 {
		w.t.Fatalf("open %+v", open)
	}
	_, err := w.engine.Decide(me(), agent.DecisionRequest{TurnID: id, Decisions: []agent.Decision{{CallID: open[0].CallID, ReceiptID: open[0].ReceiptID, Decision: agent.AnswerAccept}}})
	must(w.t, err)
}

// move changes a note behind the agent's back.
func (n *notebook) move(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.version[id]++
}

func TestAnAcceptOfWhatMovedIsRefusedAndPreviewedAgain(t *testing.T) {
	for name, how := range map[string]func(w *world){
		"seen before it is taken": func(w *world) { w.notes.move("a") },
		"seen by Apply itself": func(w *world) {
			w.notes.onEnter(func(_ context.Context, what string) error {
				if what == "apply" {
					w.notes.onEnter(nil)
					w.notes.move("a")
				}
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
			turn := w.say("", "Change a")
			first := w.read(turn.ID, agent.EventPreview)
			old := last[agent.PreviewShown](t, first, agent.EventPreview)
			how(w)
			out, err := w.decide(first, agent.AnswerAccept)
			must(t, err)
			var events []agent.Event
			for ev, err := range w.engine.Events(me(), turn.ID, agent.Position{}) {
				must(t, err)
				events = append(events, ev)
				var p agent.PreviewShown
				if ev.Kind == agent.EventPreview && ev.Decode(&p) == nil && p.Replaces == old.ReceiptID {
					break
				}
			}
			if name == "seen before it is taken" && out[0].Outcome != agent.OutcomeStale {
				t.Fatalf("outcome %+v", out)
			}
			if d := last[agent.Decided](t, events, agent.EventDecision); d.Decision != agent.VerdictStale || d.ReceiptID != old.ReceiptID {
				t.Fatalf("decision %+v", d)
			}
			if w.notes.count() != 0 {
				t.Fatal("something was applied")
			}
			<-w.engine.Idle(turn.ID)
			// The old preview answers with what replaced it, whatever is said.
			for _, answer := range []string{agent.AnswerAccept, agent.AnswerDiscard} {
				out, err = w.decide(first, answer)
				must(t, err)
				if out[0].Outcome != agent.OutcomeStale || out[0].NewReceiptID == "" {
					t.Fatalf("outcome %+v", out)
				}
			}
			_, err = w.decide(events, agent.AnswerAccept)
			must(t, err)
			events = w.end(turn.ID)
			gapless(t, events)
			if w.notes.get("a") != "new" || w.notes.count() != 1 || text(events) != "Done." {
				t.Fatalf("note %q, %d effects, %q", w.notes.get("a"), w.notes.count(), text(events))
			}
		})
	}
}

func TestEditedArgumentsAreAnotherCallWithAPreviewOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
	turn := w.say("", "Change a")
	first := w.read(turn.ID, agent.EventPreview)
	out, err := w.edit(first, `{"id":"a","text":"mine"}`)
	must(t, err)
	if out[0].Decision != agent.VerdictEdited || out[0].State != agent.EffectDiscarded {
		t.Fatalf("outcome %+v", out)
	}
	<-w.engine.Idle(turn.ID)
	if again, err := w.edit(first, `{"text":"mine","id":"a"}`); err != nil || again[0].Decision != agent.VerdictEdited {
		t.Fatalf("the same edit again: %+v, %v", again, err)
	}
	for name, other := range map[string]func() ([]agent.Outcome, error){
		"another edit": func() ([]agent.Outcome, error) { return w.edit(first, `{"id":"a","text":"other"}`) },
		"an accept":    func() ([]agent.Outcome, error) { return w.decide(first, agent.AnswerAccept) },
	} {
		if _, err := other(); agent.ErrorCode(err) != agent.CodeConflict {
			t.Fatalf("%s after the edit: %v", name, err)
		}
	}
	w.restart()
	w.acceptOpen(turn.ID)
	events := w.end(turn.ID)
	gapless(t, events)
	started := last[agent.CapabilityStarted](t, events, agent.EventCapabilityStarted)
	if w.notes.get("a") != "mine" || w.notes.cleaned != 1 || started.Parent == "" || string(started.Input) != `{"id":"a","text":"mine"}` {
		t.Fatalf("note %q, cleaned %d, started %+v", w.notes.get("a"), w.notes.cleaned, started)
	}
	msgs := w.model.seen()[1].Messages
	results := msgs[len(msgs)-1].Blocks
	if len(results) != 1 || !strings.Contains(results[0].Text, `"text":"mine"`) || !strings.Contains(results[0].Text, "editedByThePerson") {
		t.Fatalf("the model reads %+v", results)
	}
}

func count(told []agent.EventKind, kind agent.EventKind) int {
	return len(told) - len(slices.DeleteFunc(slices.Clone(told), func(k agent.EventKind) bool { return k == kind }))
}

func TestAnEditOfWhichNoPreviewCanBeMadeLeavesTheChangeAsItWas(t *testing.T) {
	for name, c := range map[string]struct {
		fails     func(preview int32) bool
		proposals int // previews that are told
	}{
		"it fails once":             {func(n int32) bool { return n == 2 }, 2},
		"it fails from the edit on": {func(n int32) bool { return n >= 2 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var previews atomic.Int32
			w.notes.onEnter(func(_ context.Context, what string) error {
				if what == "preview" && c.fails(previews.Add(1)) {
					return &agent.Error{Code: agent.CodeNotFound, Message: "There is no such note."}
				}
				return nil
			})
			w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
			turn := w.say("", "Change a")
			first := w.read(turn.ID, agent.EventPreview)
			_, err := w.edit(first, `{"id":"a","text":"mine"}`)
			must(t, err)
			if c.proposals == 2 {
				<-w.engine.Idle(turn.ID)
				w.restart()
				w.acceptOpen(turn.ID)
			}
			events := w.end(turn.ID)
			gapless(t, events)
			if told := kinds(events); count(told, agent.EventPreview) != c.proposals || count(told, agent.EventCapabilityStarted) != 3 {
				t.Fatalf("told: %v", told)
			}
			msgs := w.model.seen()[1].Messages
			read := msgs[len(msgs)-1].Blocks[0].Text
			if c.proposals == 1 {
				if w.notes.count() != 0 || !strings.Contains(read, "There is no such note.") {
					t.Fatalf("%d effects; the model reads %q", w.notes.count(), read)
				}
				return
			}
			// What was accepted is the change as it was proposed, and the model reads no other.
			if w.notes.get("a") != "new" || w.notes.count() != 1 || w.notes.cleaned != 1 || strings.Contains(read, "mine") || !strings.Contains(read, "accepted") {
				t.Fatalf("note %q, %d effects, cleaned %d; the model reads %q", w.notes.get("a"), w.notes.count(), w.notes.cleaned, read)
			}
		})
	}
}

func TestAnAppliedChangeIsTakenBackOnce(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
	turn := w.say("", "Change a")
	_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
	must(t, err)
	events := w.end(turn.ID)
	done := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
	if done.UndoUntil != w.clock.Now().Add(time.Hour).UnixMilli() {
		t.Fatalf("undo until %d", done.UndoUntil)
	}
	for name, ctx := range map[string]context.Context{"another user": as("user_2", orgID), "another org": as(userID, "org_2")} {
		if _, err := w.engine.Undo(ctx, done.CallID); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Fatalf("%s: %v", name, err)
		}
	}
	<-w.engine.Idle(turn.ID)
	hand, err := w.engine.Undo(me(), done.CallID)
	must(t, err)
	undone := w.end(hand.ID)
	gapless(t, undone)
	d := last[agent.CapabilityDone](t, undone, agent.EventCapabilityDone)
	if d.Phase != agent.PhaseUndo || d.State != agent.EffectUndone || w.notes.get("a") != "alpha" || w.notes.count() != 2 || len(w.model.seen()) != 2 {
		t.Fatalf("%+v %+v, note %q, %d effects, %d model calls", d, d.Error, w.notes.get("a"), w.notes.count(), len(w.model.seen()))
	}
	<-w.engine.Idle(hand.ID)
	if _, err := w.engine.Undo(me(), done.CallID); agent.ErrorCode(err) != agent.CodeConflict {
		t.Fatalf("a second time: %v", err)
	}
	w.end(w.say(turn.ThreadID, "And now?").ID)
	seen := w.model.seen()
	msgs := seen[len(seen)-1].Messages
	if text := msgs[len(msgs)-2].Blocks[0].Text; !strings.Contains(text, "Undo: Change a") || !strings.Contains(text, "It happened") {
		t.Fatalf("the model reads %q", text)
	}
}

func TestWhenAChangeCannotBeTakenBack(t *testing.T) {
	apply := func(t *testing.T) (*world, agent.Turn, agent.CallID) {
		w := newWorld(t)
		w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
		turn := w.say("", "Change a")
		_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
		must(t, err)
		events := w.end(turn.ID)
		<-w.engine.Idle(turn.ID)
		return w, turn, last[agent.CapabilityDone](t, events, agent.EventCapabilityDone).CallID
	}
	t.Run("the resource changed since", func(t *testing.T) {
		w, _, call := apply(t)
		w.notes.move("a")
		hand, err := w.engine.Undo(me(), call)
		must(t, err)
		d := last[agent.CapabilityDone](t, w.end(hand.ID), agent.EventCapabilityDone)
		if d.State != agent.EffectFailed || d.Error.Code != agent.CodeStaleUndo || w.notes.get("a") != "new" {
			t.Fatalf("%+v %+v, note %q", d, d.Error, w.notes.get("a"))
		}
	})
	t.Run("the window is over", func(t *testing.T) {
		w, _, call := apply(t)
		w.clock.add(time.Hour)
		if _, err := w.engine.Undo(me(), call); agent.ErrorCode(err) != agent.CodeGone {
			t.Fatalf("%v", err)
		}
	})
	t.Run("it was never applied", func(t *testing.T) {
		w := newWorld(t)
		w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
		turn := w.say("", "Change a")
		p := last[agent.PreviewShown](t, w.read(turn.ID, agent.EventPreview), agent.EventPreview)
		if _, err := w.engine.Undo(me(), p.CallID); agent.ErrorCode(err) != agent.CodeConflict {
			t.Fatalf("%v", err)
		}
		if _, err := w.engine.Undo(me(), "call_x"); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Fatalf("%v", err)
		}
	})
}

func TestAfterACrashTakingBackHasHappenedExactlyOnce(t *testing.T) {
	var call agent.CallID
	var thread agent.ThreadID
	w := frozen(t, "undo", func(w *world) {
		w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
		turn := w.say("", "Change a")
		thread = turn.ThreadID
		_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
		must(t, err)
		call = last[agent.CapabilityDone](t, w.end(turn.ID), agent.EventCapabilityDone).CallID
		<-w.engine.Idle(turn.ID)
		_, err = w.engine.Undo(me(), call)
		must(t, err)
	})
	th, err := w.store.ThreadRow(me(), thread)
	must(t, err)
	events := w.end(th.Head)
	gapless(t, events)
	d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
	if d.State != agent.EffectUndone || w.notes.get("a") != "alpha" || w.notes.count() != 2 {
		t.Fatalf("%+v %+v, note %q, %d effects", d, d.Error, w.notes.get("a"), w.notes.count())
	}
}
