package engine_test

import (
	"context"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// patient is a client that sends again what was not answered and comes back where
// its stream broke, as a panel does.
type patient struct {
	w *world
	t *testing.T
}

// patience bounds what a test waits for; nothing of it takes so long.
const patience = 10 * time.Second

// try repeats until f is content. It gives up with the last error.
func (p *patient) try(what string, f func(ctx context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(me(), patience)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		err := f(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("%s: %v", what, err)
		case <-tick.C:
		}
	}
}

func (p *patient) say(text string) (turn agent.Turn) {
	p.t.Helper()
	p.try("say", func(ctx context.Context) (err error) {
		turn, err = p.w.engine.StartTurn(ctx, agent.TurnRequest{ProjectID: "book", MessageID: "msg-" + text, Message: agent.Message{Text: text}})
		return err
	})
	return turn
}

// until reads a turn's stream to an event of the kind, or to the turn's failure,
// reconnecting after the last event that it has.
func (p *patient) until(id agent.TurnID, kind agent.EventKind) (events []agent.Event) {
	p.t.Helper()
	p.try("read until "+string(kind), func(ctx context.Context) error {
		at := agent.Position{}
		if n := len(events); n > 0 {
			at = agent.Position{Run: events[n-1].Run, Seq: events[n-1].Seq}
		}
		for ev, err := range p.w.engine.Events(ctx, id, at) {
			if err != nil {
				return err
			}
			events = append(events, ev)
			if ev.Kind == kind || ev.Kind == agent.EventTurnFailed {
				return nil
			}
			if ev.Kind.Terminal() {
				p.t.Fatalf("the turn ended with %s %s instead of %s", ev.Kind, ev.Data, kind)
			}
		}
		return context.Canceled // the stream ended early: come back
	})
	return events
}

func (p *patient) accept(turn agent.TurnID, shown agent.PreviewShown) {
	p.t.Helper()
	p.try("accept", func(ctx context.Context) error {
		out, err := p.w.engine.Decide(ctx, agent.DecisionRequest{TurnID: turn,
			Decisions: []agent.Decision{{CallID: shown.CallID, ReceiptID: shown.ReceiptID, Decision: agent.AnswerAccept}}})
		if err == nil && out[0].Decision != agent.VerdictAccepted {
			p.t.Fatalf("the accept became %+v", out[0])
		}
		return err
	})
}

// undo takes a change back, and waits until that is done.
func (p *patient) undo(thread agent.ThreadID, call agent.CallID) {
	p.t.Helper()
	p.try("undo", func(ctx context.Context) error {
		if _, err := p.w.engine.Undo(ctx, call); err != nil && agent.ErrorCode(err) != agent.CodeTurnInProgress {
			if agent.ErrorMessage(err) != "This change was taken back already." {
				return err
			}
		}
		page, err := p.w.engine.Store.TurnList(ctx, agent.TurnQuery{ThreadID: thread})
		if err != nil {
			return err
		}
		newest := page.Items[0]
		if newest.By != "hand" {
			return context.Canceled
		}
		p.until(newest.ID, agent.EventTurnCompleted)
		<-p.w.engine.Idle(newest.ID)
		return nil
	})
}
