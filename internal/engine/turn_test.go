package engine_test

import (
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestATextTurnIsToldInOrderAndKept(t *testing.T) {
	w := newWorld(t)
	w.model.play(says("Hello ", "there."))
	turn := w.say("", "Hi")
	events := w.end(turn.ID)
	gapless(t, events)
	want := []agent.EventKind{agent.EventTurnStarted, agent.EventTextDelta, agent.EventUsage, agent.EventTurnCompleted}
	if got := slices.Compact(kinds(events)); !slices.Equal(got, want) {
		t.Fatalf("got %v", got)
	}
	done := last[agent.TurnCompleted](t, events, agent.EventTurnCompleted)
	if text(events) != "Hello there." || done.Text != "Hello there." || len(done.Blocks) != 1 {
		t.Fatalf("text %q, completed %+v", text(events), done)
	}
	// Whoever reads it later, from the store, reads the same.
	w.restart()
	again := w.end(turn.ID)
	gapless(t, again)
	if text(again) != "Hello there." || again[len(again)-1].Seq != events[len(events)-1].Seq {
		t.Fatalf("after a restart: %q, %v", text(again), kinds(again))
	}
	rows, err := w.store.Transcripts(me(), turn.ThreadID)
	must(t, err)
	if len(rows) != 1 || rows[0].ModelMessage != "Hello there." || rows[0].UserMessage != "Hi" || rows[0].KeySource != agent.KeySourceNone ||
		rows[0].LatencyMS == nil || rows[0].TokensIn != nil {
		t.Fatalf("transcript %+v", rows)
	}
}

func TestAReadIsDispatchedAndItsResultGoesBackToTheModel(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.read", `{"id":"a"}`), says("It says alpha."))
	events := w.end(w.say("", "Read a").ID)
	gapless(t, events)
	done := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
	if !done.OK || string(done.Output) != `{"id":"a","text":"alpha"}` {
		t.Fatalf("done %+v %s", done, done.Output)
	}
	second := w.model.seen()[1].Messages
	tail := second[len(second)-1]
	if tail.Blocks[0].Kind != agent.BlockResult || !strings.Contains(tail.Blocks[0].Text, "alpha") || !tail.Cache {
		t.Fatalf("the model reads %+v", tail)
	}
}

func TestAnAcceptedPreviewIsAppliedOnceAndTheTurnGoesOn(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
	turn := w.say("", "Change a")
	events := w.read(turn.ID, agent.EventPreview)
	if w.notes.get("a") != "alpha" {
		t.Fatal("the preview changed the note")
	}
	out, err := w.decide(events, agent.AnswerAccept)
	must(t, err)
	if out[0].Outcome != agent.OutcomeTaken || out[0].State != agent.EffectApplying {
		t.Fatalf("outcome %+v", out)
	}
	events = w.end(turn.ID)
	gapless(t, events)
	if w.notes.get("a") != "new" || w.notes.count() != 1 {
		t.Fatalf("note %q, %d effects", w.notes.get("a"), w.notes.count())
	}
	want := []agent.EventKind{agent.EventTurnStarted, agent.EventUsage, agent.EventCapabilityStarted, agent.EventPreview,
		agent.EventDecision, agent.EventCapabilityDone, agent.EventTextDelta, agent.EventUsage, agent.EventTurnCompleted}
	if got := kinds(events); !slices.Equal(got, want) {
		t.Fatalf("got %v", got)
	}
	if d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone); d.State != agent.EffectApplied || d.Phase != agent.PhaseApply {
		t.Fatalf("done %+v", d)
	}
	again, err := w.decide(events, agent.AnswerAccept)
	must(t, err)
	if again[0].State != agent.EffectApplied {
		t.Fatalf("the same answer again gives %+v", again)
	}
	other, err := w.decide(events, agent.AnswerDiscard)
	if agent.ErrorCode(err) != agent.CodeConflict || other[0].State != agent.EffectApplied {
		t.Fatalf("another answer gives %+v, %v", other, err)
	}
}

func TestADiscardedPreviewChangesNothingAndIsCleanedUp(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("As you like."))
	turn := w.say("", "Change a")
	_, err := w.decide(w.read(turn.ID, agent.EventPreview), agent.AnswerDiscard)
	must(t, err)
	events := w.end(turn.ID)
	if w.notes.get("a") != "alpha" || w.notes.cleaned != 1 || text(events) != "As you like." {
		t.Fatalf("note %q, cleaned %d, text %q", w.notes.get("a"), w.notes.cleaned, text(events))
	}
	results := w.model.seen()[1].Messages
	if !strings.Contains(results[len(results)-1].Blocks[0].Text, "discarded") {
		t.Fatalf("the model reads %+v", results[len(results)-1])
	}
}

func TestSeveralPreviewsAreDecidedInAnyOrderAlsoAcrossARestart(t *testing.T) {
	w := newWorld(t)
	w.model.play(scripted.Round{Calls: []scripted.Call{
		{Name: "note.write", Input: []byte(`{"id":"a","text":"A"}`)},
		{Name: "note.write", Input: []byte(`{"id":"b","text":"B"}`)},
		{Name: "note.read", Input: []byte(`{"id":"a"}`)},
	}}, says("Both seen."))
	turn := w.say("", "Change both")
	w.awaits(turn.ID)
	open, err := w.engine.Turn(me(), turn.ID)
	must(t, err)
	if len(open.Open) != 2 {
		t.Fatalf("open %+v", open.Open)
	}
	second, first := open.Open[1], open.Open[0]
	_, err = w.engine.Decide(me(), agent.DecisionRequest{TurnID: turn.ID, Decisions: []agent.Decision{{CallID: second.CallID, ReceiptID: second.ReceiptID, Decision: agent.AnswerAccept}}})
	must(t, err)
	w.awaits(turn.ID)
	w.restart()
	_, err = w.engine.Decide(me(), agent.DecisionRequest{TurnID: turn.ID, Decisions: []agent.Decision{{CallID: first.CallID, ReceiptID: first.ReceiptID, Decision: agent.AnswerDiscard}}})
	must(t, err)
	events := w.end(turn.ID)
	gapless(t, events)
	if w.notes.get("a") != "alpha" || w.notes.get("b") != "B" || text(events) != "Both seen." {
		t.Fatalf("a %q, b %q, text %q", w.notes.get("a"), w.notes.get("b"), text(events))
	}
}

func TestAnotherFirstMessageBeginsTheThreadAnewAndKnowsWhatWasApplied(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), says("Done."))
	first := w.say("", "Change a")
	_, err := w.decide(w.read(first.ID, agent.EventPreview), agent.AnswerAccept)
	must(t, err)
	w.end(first.ID)
	<-w.engine.Idle(first.ID)
	again, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", ThreadID: first.ThreadID, Parent: agent.RootTurn, Message: agent.Message{Text: "Start over"}})
	must(t, err)
	started := last[agent.TurnStarted](t, w.end(again.ID), agent.EventTurnStarted)
	if again.Parent != "" || again.Index != 0 || started.Parent != "" || started.TurnIndex != 0 {
		t.Fatalf("%+v, %+v", again, started)
	}
	seen := w.model.seen()
	asked := seen[len(seen)-1].Messages
	if len(asked) != 1 || !strings.Contains(asked[0].Blocks[0].Text, "note.write: Change a") {
		t.Fatalf("the model reads %+v", asked)
	}
	if _, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Parent: agent.RootTurn, Message: agent.Message{Text: "New thread"}}); err != nil {
		t.Fatalf("a new thread begins at its root anyway: %v", err)
	}
}

// awaits waits until a turn is parked.
func (w *world) awaits(id agent.TurnID) {
	w.t.Helper()
	<-w.engine.Idle(id)
	if t := w.turn(id); t.State != agent.TurnAwaiting {
		w.t.Fatalf("the turn is %s", t.State)
	}
}

func (w *world) turn(id agent.TurnID) agent.Turn {
	w.t.Helper()
	t, err := w.engine.Turn(me(), id)
	must(w.t, err)
	return t
}
