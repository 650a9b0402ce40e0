package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const selectSettled = `SELECT state FROM ledger WHERE turn_id = ? AND call_id = ? AND phase = ? AND org_id = ? AND user_id = ?`

// SettleWith runs a host's change and the settling of its ledger row in one
// transaction. See agent.Committer.
func (s *Store) SettleWith(ctx context.Context, e agent.LedgerEntry, f func(*sql.Tx) error) error {
	if agent.InsideCommit(ctx) {
		return agent.ErrInsideCommit
	}
	who, err := tenantOf(ctx)
	if err != nil {
		return err
	}
	ht := hostTx{who: who, entry: e, at: s.now(), f: f}
	var host *hostError
	switch err := s.app.writer.lend(ctx, ht.run); {
	case errors.As(err, &host):
		if host.panicked != nil {
			panic(host.panicked)
		}
		return host.err
	default:
		return fault(ctx, err)
	}
}

// lend gives the writer's connection to f, which leaves no transaction open on it.
func (w *writer) lend(ctx context.Context, f func(context.Context, *link) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.take(ctx); err != nil {
		return err
	}
	defer func() { <-w.turn }()
	ctx = context.WithoutCancel(ctx)
	if err := w.connect(ctx); err != nil {
		return err
	}
	if err := w.setSync(ctx, true); err != nil {
		w.link.drop()
		return err
	}
	return f(ctx, &w.link)
}

// hostError is what the host's function itself said, which is passed on as it is.
type hostError struct {
	err      error
	panicked any
}

func (e *hostError) Error() string {
	return fmt.Sprint("the host's function failed: ", e.err, e.panicked)
}

// hostTx is a transaction that the host writes in.
type hostTx struct {
	who   tenant
	entry agent.LedgerEntry
	at    int64
	f     func(*sql.Tx) error
}

func (h hostTx) run(ctx context.Context, l *link) error {
	// The driver begins it immediate, as dsn says. It has no context of its own: an
	// end in the background could come after the connection went to somebody else.
	host, err := l.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended {
			h.rollback(host, l)
		}
	}()
	// The row is settled first, so that it rides along even where the host ends the
	// transaction itself.
	if err := h.settle(&tx{ctx: ctx, link: l}); err != nil {
		return err
	}
	if err := h.call(host); err != nil {
		return err
	}
	if state, _, err := h.stateOf(&tx{ctx: ctx, link: l}); err != nil || state != agent.LedgerSettled {
		return errors.Join(err, endedInside(nil)) // the host ended it and began another
	}
	ended = true
	if err := host.Commit(); err != nil {
		h.rollback(host, l)
		return h.afterDoubt(ctx, l, err)
	}
	return nil
}

// settle moves the claimed row of the turn's own run.
func (h hostTx) settle(t *tx) error {
	head, err := findHead(t, h.who, h.entry.TurnID)
	if err != nil {
		return err
	}
	if head.run != h.entry.Run || head.state != agent.TurnRunning {
		return runIsOver()
	}
	state, ok, err := h.stateOf(t)
	if err != nil {
		return err
	}
	if !ok || state != agent.LedgerClaimed {
		return agent.Errorf(agent.CodeConflict, "This change is not waiting to be made: it was made before, or never begun.")
	}
	e := h.entry
	e.State, e.Result, e.SettledAt = agent.LedgerSettled, nil, h.at
	return settle(t, e.TurnID, head, e)
}

func (h hostTx) stateOf(t *tx) (agent.LedgerState, bool, error) {
	return one(t, plain[agent.LedgerState], selectSettled, h.entry.TurnID, h.entry.CallID, h.entry.Phase, h.who.org, h.who.user)
}

// call runs the host's function, no longer than it may take. One that goes on after
// that finds its transaction ended.
func (h hostTx) call(host *sql.Tx) error {
	said := make(chan *hostError, 1)
	go func() {
		failed := &hostError{err: errors.New("the function left without returning")}
		defer func() {
			if p := recover(); p != nil {
				failed = &hostError{panicked: fmt.Sprintf("%v\n%s", p, debug.Stack())}
			}
			said <- failed
		}()
		if err := h.f(host); err != nil {
			failed = &hostError{err: err}
		} else {
			failed = nil
		}
	}()
	limit := time.NewTimer(agent.MaxCommit)
	defer limit.Stop()
	select {
	case failed := <-said:
		if failed != nil {
			return failed
		}
		return nil
	case <-limit.C:
		return &agent.Error{Code: agent.CodeTimeout, Message: "The change took too long to write and was not made.",
			Cause: fmt.Errorf("the function of Commit took longer than %v", agent.MaxCommit)}
	}
}

// rollback ends the transaction whoever began to end it; a connection in doubt is
// given up.
func (h hostTx) rollback(host *sql.Tx, l *link) {
	if err := host.Rollback(); err != nil {
		l.drop()
	}
}

// afterDoubt looks whether a commit that gave an error was kept after all, as it is
// where the host ended the transaction itself.
func (h hostTx) afterDoubt(ctx context.Context, l *link, doubt error) error {
	if err := l.connect(ctx); err != nil {
		return errors.Join(doubt, err)
	}
	state, _, err := h.stateOf(&tx{ctx: ctx, link: l})
	switch {
	case err != nil:
		return errors.Join(doubt, err)
	case state == agent.LedgerSettled:
		return nil
	case errors.Is(doubt, sql.ErrTxDone):
		return endedInside(doubt)
	}
	return doubt
}

func endedInside(cause error) error {
	return agent.Wrap(agent.CodeConflict, cause, "The transaction was ended before its change was complete; nothing was kept.")
}
