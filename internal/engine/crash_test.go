package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// crash gives a world on a copy of this one's files as they are now, with the
// same notebook: what a process that died at this moment leaves to the next one.
func (w *world) crash() *world {
	w.t.Helper()
	next := &world{t: w.t, dir: folder(w.t), notes: w.notes, model: &director{}, clock: w.clock, vault: w.vault, host: w.host, limits: w.limits, reg: w.reg}
	next.ids.Store(w.ids.Load() + 1000)
	files, err := filepath.Glob(filepath.Join(w.dir, "agent.db*"))
	must(w.t, err)
	for _, f := range files {
		if strings.HasSuffix(f, ".lock") {
			continue
		}
		data, err := os.ReadFile(f)
		must(w.t, err)
		must(w.t, os.WriteFile(filepath.Join(next.dir, filepath.Base(f)), data, 0o600))
	}
	return next
}

// frozen plays a turn until the notebook's hook freezes it, then crashes. The
// frozen process is stopped at the end of the test.
func frozen(t *testing.T, at string, play func(w *world)) *world {
	t.Helper()
	inside, goOn := make(chan struct{}), make(chan struct{})
	w := newWorld(t)
	t.Cleanup(func() { close(goOn) })
	w.notes.onEnter(func(_ context.Context, what string) error {
		if what == at {
			close(inside)
			<-goOn
		}
		return nil
	})
	play(w)
	<-inside
	next := w.crash()
	w.notes.onEnter(nil)
	next.model.play(says("After the crash."))
	next.open()
	t.Cleanup(next.close)
	return next
}

func TestAfterACrashAnAcceptedChangeHasHappenedExactlyOnce(t *testing.T) {
	for _, at := range []string{"apply", "applied"} { // before and after the effect
		t.Run(at, func(t *testing.T) {
			var turn agent.Turn
			w := frozen(t, at, func(w *world) {
				w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
				turn = w.say("", "Change a")
				_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
				must(t, err)
			})
			events := w.end(turn.ID)
			gapless(t, events)
			d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
			if d.State != agent.EffectApplied || w.notes.get("a") != "new" || w.notes.count() != 1 {
				t.Fatalf("%+v %+v, note %q, %d effects", d, d.Error, w.notes.get("a"), w.notes.count())
			}
			last[agent.TurnCompleted](t, events, agent.EventTurnCompleted)
			if got := text(events); got != "After the crash." {
				t.Fatalf("%q", got)
			}
		})
	}
}

func TestAfterACrashAMutateWithoutConfirmationHasHappenedExactlyOnce(t *testing.T) {
	for _, at := range []string{"export", "exported"} {
		t.Run(at, func(t *testing.T) {
			var turn agent.Turn
			w := frozen(t, at, func(w *world) {
				w.model.play(calls("book.export", `{}`))
				turn = w.say("", "Export")
			})
			events := w.end(turn.ID)
			gapless(t, events)
			if d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone); !d.OK || w.notes.count() != 1 {
				t.Fatalf("%+v %+v, %d effects", d, d.Error, w.notes.count())
			}
		})
	}
}

func TestAfterACrashATurnWhosePreviewWasGivenUpEndsForThatReason(t *testing.T) {
	for reason, giveUp := range map[string]func(w *world, turn agent.Turn){
		"stopped": func(w *world, turn agent.Turn) { _ = w.engine.CancelTurn(me(), turn.ID) },
		"superseded": func(w *world, turn agent.Turn) {
			_, _ = w.engine.StartTurn(me(), agent.TurnRequest{ThreadID: turn.ThreadID, ProjectID: "book", Message: agent.Message{Text: "No"}})
		},
	} {
		t.Run(reason, func(t *testing.T) {
			var turn agent.Turn
			w := frozen(t, "discard", func(w *world) {
				w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
				turn = w.say("", "Change a")
				w.read(turn.ID, agent.EventPreview)
				<-w.engine.Idle(turn.ID)
				go giveUp(w, turn)
			})
			events := w.end(turn.ID)
			gapless(t, events)
			if c := last[agent.TurnCanceledData](t, events, agent.EventTurnCanceled); c.Reason != reason || c.By != userID {
				t.Fatalf("%+v", c)
			}
			if d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone); d.State != agent.EffectDiscarded || len(w.model.seen()) != 0 {
				t.Fatalf("%+v, %d model calls", d, len(w.model.seen()))
			}
		})
	}
}

func TestAfterACrashAParkedPreviewIsStillAnswerable(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
	turn := w.say("", "Change a")
	events := w.read(turn.ID, agent.EventPreview)
	<-w.engine.Idle(turn.ID)
	next := w.crash()
	next.open()
	t.Cleanup(next.close)
	_, err := next.decide(events, agent.AnswerAccept)
	must(t, err)
	events = next.end(turn.ID)
	gapless(t, events)
	if w.notes.get("a") != "new" || len(next.model.seen()) != 1 {
		t.Fatalf("note %q, %d model calls", w.notes.get("a"), len(next.model.seen()))
	}
}

func TestAfterACrashAStepThatWasCutIsAskedAgainAndTheStreamSaysSo(t *testing.T) {
	w := newWorld(t)
	goOn := make(chan struct{})
	t.Cleanup(func() { close(goOn) })
	w.model.raw = streams(func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		yield(agent.Delta{Kind: agent.DeltaText, Text: "Lost words"}, nil)
		<-goOn
		yield(agent.Delta{}, context.Canceled)
	})
	turn := w.say("", "Hi")
	seen := w.read(turn.ID, agent.EventTextDelta)
	at := seen[len(seen)-1]
	next := w.crash() // the told text was not written yet, or was: both are allowed
	next.model.play(says("New words."))
	next.open()
	t.Cleanup(next.close)

	// A reader that had the lost text is told first that it is void.
	var events []agent.Event
	for ev, err := range next.engine.Events(me(), turn.ID, agent.Position{Run: at.Run, Seq: at.Seq}) {
		must(t, err)
		events = append(events, ev)
	}
	if events[0].Kind != agent.EventStepRestarted || events[0].Run != 2 {
		t.Fatalf("first comes %s of run %d", events[0].Kind, events[0].Run)
	}
	if r := last[agent.StepRestarted](t, events, agent.EventStepRestarted); r.From != 2 {
		t.Fatalf("void from %d", r.From)
	}
	if text(events) != "New words." || len(next.model.seen()) != 1 {
		t.Fatalf("%q, %d model calls", text(events), len(next.model.seen()))
	}
	// The same by the thread's cursor.
	for ev, err := range next.engine.ThreadEvents(me(), turn.ThreadID, agent.Cursor{Turn: turn.ID, Run: at.Run, Seq: at.Seq}) {
		must(t, err)
		if ev.Kind != agent.EventStepRestarted {
			t.Fatalf("the thread's reader gets %s first", ev.Kind)
		}
		break
	}
	gapless(t, next.end(turn.ID))
}

func TestAfterACrashAStoppedTurnEndsAsStopped(t *testing.T) {
	var turn agent.Turn
	w := frozen(t, "read", func(w *world) {
		w.model.play(calls("note.read", `{"id":"a"}`))
		turn = w.say("", "Read a")
		inside := w.notes.enter
		w.notes.onEnter(func(ctx context.Context, what string) error {
			must(t, w.engine.CancelTurn(me(), turn.ID)) // while its handler runs and does not listen
			return inside(ctx, what)
		})
	})
	events := w.end(turn.ID)
	gapless(t, events)
	if c := last[agent.TurnCanceledData](t, events, agent.EventTurnCanceled); c.By != userID || c.Reason != "stopped" {
		t.Errorf("ended as %+v", c)
	}
	if n := len(w.model.seen()); n != 0 {
		t.Errorf("%d model calls after the stop", n)
	}
	if next := w.end(w.say(turn.ThreadID, "Go on").ID); text(next) != "After the crash." {
		t.Errorf("the next message is answered %q", text(next))
	}
}

func TestAnEngineForJobsTakesUpNoTurnAndAsksNoModel(t *testing.T) {
	w := newWorld(t)
	inside := make(chan struct{})
	w.notes.onEnter(func(ctx context.Context, _ string) error { close(inside); <-ctx.Done(); return ctx.Err() })
	w.model.play(calls("note.read", `{"id":"a"}`))
	turn := w.say("", "Read")
	<-inside
	w.close()
	w.notes.onEnter(nil)
	w.jobs = true
	w.open()
	if n, err := w.engine.ExpirePreviews(context.Background()); n != 0 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if _, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}}); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Fatalf("a turn was started: %v", err)
	}
	if got := w.turn(turn.ID); got.State != agent.TurnRunning || got.Run != 1 || len(w.model.seen()) != 1 {
		t.Fatalf("%s in run %d, %d model calls", got.State, got.Run, len(w.model.seen()))
	}
	w.jobs = false
	w.restart()
	w.end(turn.ID)
}

func TestAClosingServerReleasesWhatRunsAndTheNextOneGoesOn(t *testing.T) {
	w := newWorld(t)
	inside := make(chan struct{})
	w.notes.onEnter(func(ctx context.Context, _ string) error {
		select {
		case <-inside:
		default:
			close(inside)
		}
		<-ctx.Done()
		return ctx.Err()
	})
	w.model.play(calls("note.read", `{"id":"a"}`))
	turn := w.say("", "Read")
	<-inside
	w.close()
	w.notes.onEnter(nil)
	w.model.play(says("Read it."))
	w.open()
	events := w.end(turn.ID)
	gapless(t, events)
	if d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone); !d.OK || text(events) != "Read it." || len(w.model.seen()) != 2 {
		t.Fatalf("%+v, %q, %d model calls", d, text(events), len(w.model.seen()))
	}
}
