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
	done, err := e.join()
	if err != nil {
		return err
	}
	defer done()
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
		held := e.stopHere(id, stop)
		// It is also written down: a process that dies now must not have forgotten it.
		if err := e.Store.StopTurn(ctx, id, p.UserID); err != nil && !held {
			return err
		}
		failpoint.Hit("stop.written")
		// A turn that is just being taken up was held before it was read, or sees it there.
		if e.stopHere(id, stop) || !held {
			return nil
		}
	}
	return nil
}

// stopHere tells a run of this process to stop.
func (e *Engine) stopHere(id agent.TurnID, stop stopped) bool {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l == nil {
		return false
	}
	l.cancel(stop)
	return true
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
