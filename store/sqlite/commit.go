package sqlite

import (
	"context"
	"fmt"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	updateParked = `UPDATE turns SET state = ?, owner = '' WHERE id = ? AND org_id = ? AND user_id = ? AND run = ?`

	updateEnded = `UPDATE turns SET state = ?, owner = '', ended_at_ms = ?, error_code = ? WHERE id = ? AND org_id = ? AND user_id = ? AND run = ?`

	touchThread = `UPDATE threads SET updated_at_ms = max(updated_at_ms, ?) WHERE id = ? AND org_id = ? AND user_id = ?`

	closeReceipts = `UPDATE receipts SET state = 'discarded', decided_by = 'system', decided_at_ms = ?, reason = 'the turn ended'
		WHERE turn_id = ? AND org_id = ? AND user_id = ? AND state = 'open'`
)

// Commit writes a milestone: all of it or nothing. A turn that parks or ends loses
// its owner; one that ends leaves no receipt open, because nobody could answer it.
// Errors: not_found, conflict (the run is over, or a claim exists), internal (seqs
// with a gap, a settle without its claim).
func (s *Store) Commit(ctx context.Context, m agent.Milestone) error {
	if m.State != "" && !slices.Contains(turnStates, m.State) {
		return internal(fmt.Errorf("turn %s: unknown state %q", m.Turn, m.State))
	}
	return s.writeAs(ctx, mustLast(m), func(t *tx, who tenant) error {
		h, err := findHead(t, who, m.Turn)
		if err != nil {
			return err
		}
		if h.run != m.Run || h.state != agent.TurnRunning {
			return runIsOver()
		}
		if err := appendEvents(t, m.Turn, h, m.Events); err != nil {
			return err
		}
		if err := putParts(t, m, h); err != nil {
			return err
		}
		return s.moveTurn(t, m, h)
	})
}

// mustLast tells which milestones have to survive a loss of power at once.
func mustLast(m agent.Milestone) bool {
	return len(m.Receipts)+len(m.Claims)+len(m.Settles)+len(m.Releases)+len(m.Restates) > 0 || m.State.Terminal() || m.State == agent.TurnAwaiting
}

func runIsOver() error {
	return agent.Errorf(agent.CodeConflict, "This run of the turn is over: another one has it, or the turn ended.")
}

func putParts(t *tx, m agent.Milestone, h head) error {
	if m.Step != nil {
		if err := putStep(t, m.Turn, h, *m.Step); err != nil {
			return err
		}
	}
	if err := putCompaction(t, m, h); err != nil {
		return err
	}
	for _, c := range m.Calls {
		if err := putCall(t, m.Turn, h, c); err != nil {
			return err
		}
	}
	for _, b := range m.Blobs {
		if err := putBlob(t, h, b); err != nil {
			return err
		}
	}
	for _, r := range m.Receipts {
		if err := putReceipt(t, m.Turn, h, r); err != nil {
			return err
		}
	}
	for _, r := range m.Restates {
		if err := restate(t, h, r); err != nil {
			return err
		}
	}
	for _, e := range m.Releases {
		if err := release(t, m.Turn, h, e); err != nil {
			return err
		}
	}
	for _, e := range m.Claims {
		if err := claim(t, m.Turn, h, e); err != nil {
			return err
		}
	}
	for _, e := range m.Settles {
		if err := settle(t, m.Turn, h, e); err != nil {
			return err
		}
	}
	if err := settleBudget(t, h.who, m.Spends); err != nil {
		return err
	}
	if err := putEgress(t, m.Turn, h, m.Egress); err != nil {
		return err
	}
	if m.Transcript != nil {
		return changeTranscript(t, h, *m.Transcript)
	}
	return nil
}

// moveTurn brings the turn into its new state. Its time is that of the last event,
// so that a row and its stream agree.
func (s *Store) moveTurn(t *tx, m agent.Milestone, h head) (err error) {
	at := s.now()
	if len(m.Events) > 0 {
		at = m.Events[len(m.Events)-1].At
	}
	switch {
	case m.State.Terminal():
		if _, err = t.exec(updateEnded, m.State, at, m.ErrorCode, m.Turn, h.who.org, h.who.user, m.Run); err != nil {
			return err
		}
		if _, err = t.exec(closeReceipts, at, m.Turn, h.who.org, h.who.user); err != nil {
			return err
		}
	case m.State == agent.TurnAwaiting:
		if _, err = t.exec(updateParked, m.State, m.Turn, h.who.org, h.who.user, m.Run); err != nil {
			return err
		}
	default:
		return nil
	}
	if err = loseHeld(t, at, selectHeldOfTurn, m.Turn, h.who.org, h.who.user); err != nil {
		return err
	}
	_, err = t.exec(touchThread, at, h.thread, h.who.org, h.who.user)
	return err
}
