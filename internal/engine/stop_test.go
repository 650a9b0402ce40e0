package engine_test

import (
	"context"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestStopDuringText(t *testing.T) {
	w := newWorld(t)
	closed := make(chan struct{})
	w.model.raw = streams(func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		yield(agent.Delta{Kind: agent.DeltaText, Text: "Once upon"}, nil)
		<-ctx.Done()
		close(closed)
		yield(agent.Delta{}, ctx.Err())
	})
	turn := w.say("", "Tell me")
	w.read(turn.ID, agent.EventTextDelta)
	must(t, w.engine.CancelTurn(me(), turn.ID))
	<-closed
	events := w.end(turn.ID)
	gapless(t, events)
	if c := last[agent.TurnCanceledData](t, events, agent.EventTurnCanceled); c.By != userID || c.Reason != "stopped" || text(events) != "Once upon" {
		t.Fatalf("%+v %q", c, text(events))
	}
	w.model.raw = nil
	if next := w.end(w.say(turn.ThreadID, "Again").ID); text(next) != "ok" {
		t.Fatalf("the next message gives %q", text(next))
	}
	must(t, w.engine.CancelTurn(me(), turn.ID)) // an ended one: nothing
}

func TestStopDuringAHandlerLetsNoOtherStart(t *testing.T) {
	w := newWorld(t)
	inside := make(chan struct{})
	w.notes.onEnter(func(ctx context.Context, what string) error {
		if what != "read" {
			t.Error("a handler started after the stop")
			return nil
		}
		close(inside)
		<-ctx.Done()
		return ctx.Err()
	})
	w.model.play(scripted.Round{Calls: []scripted.Call{{Name: "note.read", Input: []byte(`{"id":"a"}`)}, {Name: "book.export"}}})
	turn := w.say("", "Work")
	<-inside
	must(t, w.engine.CancelTurn(me(), turn.ID))
	events := w.end(turn.ID)
	last[agent.TurnCanceledData](t, events, agent.EventTurnCanceled)
	w.notes.onEnter(nil)
	w.end(w.say(turn.ThreadID, "Again").ID)
	history := w.model.seen()[1].Messages
	if n := len(history[2].Blocks); n != 2 { // every call has exactly one result
		t.Fatalf("%d results for 2 calls", n)
	}
}

func TestAMessageRightAfterTheStopWaitsForTheTurnsEnd(t *testing.T) {
	w := newWorld(t)
	stopped, goOn := make(chan struct{}), make(chan struct{})
	w.model.raw = streams(func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		yield(agent.Delta{Kind: agent.DeltaText, Text: "Once"}, nil)
		<-ctx.Done()
		close(stopped)
		<-goOn
		yield(agent.Delta{}, ctx.Err())
	})
	turn := w.say("", "Tell me")
	w.read(turn.ID, agent.EventTextDelta)
	must(t, w.engine.CancelTurn(me(), turn.ID))
	<-stopped
	w.model.raw = nil
	go close(goOn)
	if got := text(w.end(w.say(turn.ThreadID, "Again").ID)); got != "ok" {
		t.Fatalf("%q", got)
	}
}

func TestStopDuringARetryWait(t *testing.T) {
	w := newWorld(t)
	w.model.playFunc(failing(&agent.Error{Code: agent.CodeOverloaded, Message: "busy", Retryable: true, RetryAfter: 29 * time.Second}))
	turn := w.say("", "Hi")
	for ev, err := range w.engine.Events(me(), turn.ID, agent.Position{}) {
		must(t, err)
		var c agent.Cast
		if ev.Kind == agent.EventCast && ev.Decode(&c) == nil && c.Caption != "Thinking" {
			must(t, w.engine.CancelTurn(me(), turn.ID))
		}
	}
	last[agent.TurnCanceledData](t, w.end(turn.ID), agent.EventTurnCanceled)
	if len(w.model.seen()) != 1 {
		t.Fatal("the provider was asked again")
	}
}

func TestStopOfAParkedTurnDiscardsItsPreview(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
	turn := w.say("", "Change a")
	w.read(turn.ID, agent.EventPreview)
	<-w.engine.Idle(turn.ID)
	must(t, w.engine.CancelTurn(me(), turn.ID))
	events := w.end(turn.ID)
	gapless(t, events)
	if d := last[agent.Decided](t, events, agent.EventDecision); d.Decision != agent.VerdictDiscarded || d.Reason != "stopped" {
		t.Fatalf("%+v", d)
	}
	if w.notes.cleaned != 1 || w.turn(turn.ID).State != agent.TurnCanceled {
		t.Fatalf("cleaned %d, %s", w.notes.cleaned, w.turn(turn.ID).State)
	}
}

func TestTypingInsteadOfClickingDiscardsAndGoesOn(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Something else."))
	turn := w.say("", "Change a")
	w.read(turn.ID, agent.EventPreview)
	next := w.say(turn.ThreadID, "No, something else")
	if got := text(w.end(next.ID)); got != "Something else." {
		t.Fatalf("%q", got)
	}
	events := w.end(turn.ID)
	if c := last[agent.TurnCanceledData](t, events, agent.EventTurnCanceled); c.Reason != "superseded" {
		t.Fatalf("%+v", c)
	}
	if w.notes.get("a") != "alpha" || w.notes.cleaned != 1 || len(w.model.seen()) != 2 {
		t.Fatalf("a %q, cleaned %d, %d model calls", w.notes.get("a"), w.notes.cleaned, len(w.model.seen()))
	}
}

func TestAResendOfTheMessageThatIsParkedDoesNotDiscardItsPreview(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
	req := agent.TurnRequest{ProjectID: "book", MessageID: "m1", Message: agent.Message{Text: "Change a"}}
	turn, err := w.engine.StartTurn(me(), req)
	must(t, err)
	w.read(turn.ID, agent.EventPreview)
	again, err := w.engine.StartTurn(me(), req)
	must(t, err)
	if again.ID != turn.ID || w.notes.cleaned != 0 {
		t.Fatalf("resend gave %s, cleaned %d", again.ID, w.notes.cleaned)
	}
	req.Message.Text = "Other"
	if _, err := w.engine.StartTurn(me(), req); agent.ErrorCode(err) != agent.CodeConflict {
		t.Fatalf("other content under the same id: %v", err)
	}
}

func TestAnAcceptedChangeIsNotCutShortByAStop(t *testing.T) {
	w := newWorld(t)
	inside, goOn := make(chan struct{}), make(chan struct{})
	w.notes.onEnter(func(ctx context.Context, what string) error {
		if what == "apply" {
			close(inside)
			select {
			case <-goOn:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("never"))
	turn := w.say("", "Change a")
	_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
	must(t, err)
	<-inside
	must(t, w.engine.CancelTurn(me(), turn.ID))
	close(goOn)
	events := w.end(turn.ID)
	if d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone); d.State != agent.EffectApplied || w.notes.get("a") != "new" {
		t.Fatalf("%+v, note %q", d, w.notes.get("a"))
	}
	last[agent.TurnCanceledData](t, events, agent.EventTurnCanceled)
}

func TestOneTurnAThreadAndFourAUser(t *testing.T) {
	w := newWorld(t, func(w *world) { w.limits = engine.Limits{TurnsPerUser: 2} })
	release := make(chan struct{})
	w.model.raw = streams(func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		<-release
		yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{Blocks: []agent.Block{{Kind: agent.BlockText, Text: "ok"}}, Stop: agent.StopEnd}}, nil)
	})
	first := w.say("", "one")
	if _, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", ThreadID: first.ThreadID, Message: agent.Message{Text: "x"}}); agent.ErrorCode(err) != agent.CodeTurnInProgress {
		t.Fatalf("a second turn in the thread: %v", err)
	}
	second := w.say("", "two")
	if _, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}}); agent.ErrorCode(err) != agent.CodeRateLimited {
		t.Fatalf("one turn too many: %v", err)
	}
	close(release)
	w.end(first.ID)
	w.end(second.ID)
	<-w.engine.Idle(first.ID)
	<-w.engine.Idle(second.ID)
	w.end(w.say("", "three").ID)
	if n := w.engine.Live(); n > 1 {
		t.Fatalf("%d turns are still held", n)
	}
}
