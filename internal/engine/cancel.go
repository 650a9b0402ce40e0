package engine

import (
	"context"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// CancelTurn stops a turn. A running one is told to stop and ends by itself; a
// parked one has its previews discarded first. Cancelling an ended turn does nothing.
func (e *Engine) CancelTurn(ctx context.Context, id agent.TurnID) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	stop := stopped{by: p.UserID, reason: reasonStopped}
	failpoint.Hit("stop.received")
	for range decideTries {
		t, err := e.Turn(ctx, id)
		if err != nil || t.State.Terminal() {
			return err
		}
		if t.State == agent.TurnAwaiting {
			err := e.supersede(ctx, id, stop)
			if errors.Is(err, errAgain) {
				continue
			}
			return err
		}
		e.mu.Lock()
		l := e.live[id]
		e.mu.Unlock()
		if l != nil {
			l.cancel(stop)
			return nil
		}
	}
	return nil
}

// supersede discards every open preview of a parked turn and ends it; it returns
// when the turn has ended.
func (e *Engine) supersede(ctx context.Context, id agent.TurnID, stop stopped) error {
	rec, err := e.Store.Record(ctx, id)
	if err != nil {
		return err
	}
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	if err := e.take(ctx, p, rec, e.openChoices(rec, stop), 0, &stop); err != nil {
		return err
	}
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l == nil {
		return nil
	}
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *Engine) openChoices(rec agent.TurnRecord, stop stopped) []choice {
	var open []choice
	for _, rc := range rec.Receipts {
		if rc.State != agent.ReceiptOpen {
			continue
		}
		c := choice{receipt: rc, verdict: agent.VerdictDiscarded, reason: stop.reason}
		if e.at() >= rc.ExpiresAt {
			c.verdict = agent.VerdictExpired
		}
		open = append(open, c)
	}
	return open
}
