package account

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// stopTimeout bounds how long a delete waits for a running turn to stop.
const stopTimeout = 10 * time.Second

// DeleteThread cancels what runs or waits and removes the thread. The host is not
// asked: whoever lost a project must still be able to take their words back.
func (a *Account) DeleteThread(ctx context.Context, id agent.ThreadID) error {
	if _, err := a.Config.Threads.ThreadRow(ctx, id); err != nil {
		return err
	}
	for _, state := range []agent.TurnState{agent.TurnAwaiting, agent.TurnRunning} {
		page, err := a.Agent.Turns(ctx, agent.TurnQuery{ThreadID: id, State: state})
		if err != nil {
			return err
		}
		for _, t := range page.Items {
			if err := a.stop(ctx, t); err != nil {
				return err
			}
		}
	}
	if err := a.Config.Threads.DeleteThreadRows(ctx, id); err != nil {
		return err
	}
	a.Changed(ctx, id, agent.ThreadChangedData{Deleted: true})
	return nil
}

// stop cancels a turn and waits for its terminal event: rows must not be taken
// away from under a handler.
func (a *Account) stop(ctx context.Context, t agent.Turn) error {
	if err := a.Agent.CancelTurn(ctx, t.ID); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, stopTimeout)
	defer stop()
	for e, err := range a.Agent.Events(ctx, t.ID, agent.Position{Run: t.Run, Seq: t.LastSeq}) {
		if err != nil {
			return stillRunning(err)
		}
		if e.Kind.Terminal() {
			return nil
		}
	}
	now, err := a.Agent.Turn(context.WithoutCancel(ctx), t.ID)
	if err == nil && now.State.Terminal() {
		return nil
	}
	return stillRunning(err)
}

func stillRunning(cause error) error {
	e := agent.Wrap(agent.CodeUnavailable, cause, "A turn of this conversation is still stopping.")
	e.Hint = "Delete it again in a moment."
	e.RetryAfter = 2 * time.Second
	return e
}
