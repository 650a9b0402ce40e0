package agenttest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// Turn is a turn as far as it went: to its end, or to a preview that waits.
type Turn struct {
	ID     agent.TurnID
	Thread agent.ThreadID
	Events []agent.Event
	// Previews are those that wait for an answer.
	Previews []agent.PreviewShown
	// Text is the answer; "" where the turn waits or failed.
	Text string
	// Failed is set on a turn that failed.
	Failed *agent.TurnFailedData
}

// Say sends a message in a thread, "" for a new one, and gives the turn once it has
// ended or waits.
func (a *App) Say(thread agent.ThreadID, text string) Turn {
	a.tb.Helper()
	t, err := a.server.Agent().StartTurn(a.Context(), agent.TurnRequest{
		ProjectID: a.parts.Project, ThreadID: thread, Model: a.parts.Model, Message: agent.Message{Text: text}})
	if err != nil {
		a.tb.Fatalf("the message %q was not accepted: %v", text, err)
	}
	return a.follow(t.ID, t.ThreadID)
}

// Decide answers the previews of a turn that waits, all alike, with "accept" or
// "discard", and gives the turn as far as it went from there.
func (a *App) Decide(t Turn, decision string) Turn {
	a.tb.Helper()
	req := agent.DecisionRequest{TurnID: t.ID}
	for _, p := range t.Previews {
		req.Decisions = append(req.Decisions, agent.Decision{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: decision})
	}
	if _, err := a.server.Agent().Decide(a.Context(), req); err != nil {
		a.tb.Fatalf("the decision was not taken: %v", err)
	}
	return a.follow(t.ID, t.Thread)
}

// follow reads a turn from its beginning until it ends or waits.
func (a *App) follow(id agent.TurnID, thread agent.ThreadID) Turn {
	a.tb.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), patience)
	defer cancel()
	t := Turn{ID: id, Thread: thread}
	for ev, err := range a.server.Agent().Events(ctx, id, agent.Position{}) {
		if err != nil {
			a.tb.Fatalf("the turn cannot be followed: %v", err)
		}
		t.Events = append(t.Events, ev)
		if t.take(a, ev); len(t.Previews) > 0 && a.waits(ctx, id, ev.Seq) {
			break
		}
	}
	return t
}

// waits tells whether a turn is parked and the event is its last, so that nothing more
// comes by itself.
func (a *App) waits(ctx context.Context, id agent.TurnID, at agent.Seq) bool {
	t, err := a.server.Agent().Turn(ctx, id)
	return err == nil && t.State == agent.TurnAwaiting && at >= t.LastSeq
}

func (t *Turn) take(a *App, ev agent.Event) {
	a.tb.Helper()
	decode := func(into any) {
		if err := ev.Decode(into); err != nil {
			a.tb.Fatal(err)
		}
	}
	switch ev.Kind {
	case agent.EventPreview:
		var p agent.PreviewShown
		decode(&p)
		t.Previews = append(t.Previews, p)
	case agent.EventDecision:
		var d agent.Decided
		decode(&d)
		for i, p := range t.Previews {
			if p.ReceiptID == d.ReceiptID {
				t.Previews = append(t.Previews[:i], t.Previews[i+1:]...)
				break
			}
		}
	case agent.EventTurnCompleted:
		var done agent.TurnCompleted
		decode(&done)
		t.Text = done.Text
	case agent.EventTurnFailed:
		t.Failed = &agent.TurnFailedData{}
		decode(t.Failed)
	}
}
