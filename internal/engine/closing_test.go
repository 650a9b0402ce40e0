package engine_test

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestCloseWaitsForAMessageThatIsBeingAcceptedAndTheNextStartAnswersIt(t *testing.T) {
	w := newWorld(t)
	inside, goOn := make(chan struct{}), make(chan struct{})
	w.host.opening = func() { close(inside); <-goOn }
	type answer struct {
		turn agent.Turn
		err  error
	}
	accepted, closed := make(chan answer, 1), make(chan struct{})
	go func() {
		turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Hi"}})
		accepted <- answer{turn, err}
	}()
	<-inside
	go func() { w.engine.Close(context.Background()); close(closed) }()
	<-w.engine.Closing()
	select {
	case <-closed:
		t.Fatal("closed while a message was being accepted")
	default:
	}
	w.host.opening = nil
	close(goOn)
	a := <-accepted
	must(t, a.err)
	<-closed
	if n := w.engine.Live(); n != 0 {
		t.Fatalf("%d turns run behind a finished Close", n)
	}
	w.model.play(says("Hello."))
	w.restart()
	if got := text(w.end(a.turn.ID)); got != "Hello." {
		t.Fatalf("%q", got)
	}
}

func TestAfterCloseWhatMayStartARunIsRefusedAsUnavailable(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
	turn := w.say("", "Change a")
	preview := w.read(turn.ID, agent.EventPreview)
	<-w.engine.Idle(turn.ID)
	w.engine.Close(context.Background())
	for what, call := range map[string]func() error{
		"a message": func() error {
			_, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Hi"}})
			return err
		},
		"a decision": func() error { _, err := w.decide(preview, agent.AnswerAccept); return err },
		"a stop":     func() error { return w.engine.CancelTurn(me(), turn.ID) },
		"an undo":    func() error { _, err := w.engine.Undo(me(), "call"); return err },
		"expiry":     func() error { _, err := w.engine.ExpirePreviews(context.Background()); return err },
	} {
		if err := call(); agent.ErrorCode(err) != agent.CodeUnavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n := w.notes.count(); n != 0 {
		t.Fatalf("%d effects", n)
	}
}
