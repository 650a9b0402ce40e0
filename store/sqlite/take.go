package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectAnswerable = `SELECT call_id, state, expires_at_ms FROM receipts WHERE id = ? AND turn_id = ? AND org_id = ? AND user_id = ?`

	updateDecided = `UPDATE receipts SET state = ?, decided_by = ?, decided_at_ms = ?, reason = ?, permission_id = ?, grants_id = ?
		WHERE id = ? AND turn_id = ? AND org_id = ? AND user_id = ? AND state = 'open'`

	updateTaken = `UPDATE turns SET state = 'running', owner = ?, run = ? WHERE id = ? AND org_id = ? AND user_id = ? AND run = ?`
)

// Take takes decisions of one turn, all or none: receipts, decision events, ledger
// claims and the turn's owner in one transaction. Errors: see agent.Journal; an
// expired verdict before its time is a conflict, too.
func (s *Store) Take(ctx context.Context, take agent.Take) (turn agent.Turn, err error) {
	if take.Owner == "" || len(take.Decisions) == 0 {
		return turn, internal(fmt.Errorf("take of turn %s without an owner or without decisions", take.Turn))
	}
	err = s.writeAs(ctx, true, func(t *tx, who tenant) error {
		h, err := findHead(t, who, take.Turn)
		if err != nil {
			return err
		}
		for _, d := range take.Decisions {
			if err := answer(t, who, take.Turn, d); err != nil {
				return err
			}
		}
		if err := checkPolicy(t, who, take); err != nil {
			return err
		}
		if err := holdTurn(t, take, &h); err != nil {
			return err
		}
		if err := recordDecisions(t, take, h); err != nil {
			return err
		}
		if err := s.auditTake(t, who, take); err != nil {
			return err
		}
		turn, err = findTurn(t, who, take.Turn)
		return err
	})
	if err != nil {
		return agent.Turn{}, err
	}
	return turn, nil
}

type answerable struct {
	call    agent.CallID
	state   agent.ReceiptState
	expires int64
}

func scanAnswerable(s scanner) (a answerable, err error) {
	return a, s.Scan(&a.call, &a.state, &a.expires)
}

// answer closes one receipt, once.
func answer(t *tx, who tenant, turn agent.TurnID, d agent.TakeDecision) error {
	a, ok, err := one(t, scanAnswerable, selectAnswerable, d.ReceiptID, turn, who.org, who.user)
	if err != nil {
		return err
	}
	if !ok || a.call != d.CallID {
		return agent.NotFound("preview")
	}
	if a.state != agent.ReceiptOpen {
		return agent.Errorf(agent.CodeConflict, "This preview was answered before.")
	}
	state, ok := stateAfter[d.Verdict]
	if !ok {
		return internal(fmt.Errorf("receipt %s: unknown verdict %q", d.ReceiptID, d.Verdict))
	}
	over := a.expires != 0 && d.At >= a.expires
	switch {
	case state == agent.ReceiptExpired && !over:
		return agent.Errorf(agent.CodeConflict, "This preview can still be answered.")
	case state != agent.ReceiptExpired && over:
		return &agent.Error{Code: agent.CodeGone, Message: "This preview has expired.", Hint: "Ask for the change again."}
	}
	remembered, err := permit(t, who, d)
	if err != nil {
		return err
	}
	n, err := t.exec(updateDecided, state, d.By, maybe(d.At), d.Reason, d.PermissionID, remembered, d.ReceiptID, turn, who.org, who.user)
	if err == nil && n != 1 {
		err = internal(fmt.Errorf("receipt %s moved inside a transaction", d.ReceiptID))
	}
	return err
}

// stateAfter gives the state that a verdict leaves a receipt in. One whose
// arguments were edited is given up: the edited call makes its own.
var stateAfter = map[agent.Verdict]agent.ReceiptState{
	agent.VerdictAccepted:  agent.ReceiptAccepted,
	agent.VerdictDiscarded: agent.ReceiptDiscarded,
	agent.VerdictEdited:    agent.ReceiptDiscarded,
	agent.VerdictExpired:   agent.ReceiptExpired,
	agent.VerdictStale:     agent.ReceiptStale,
}

const selectPolicyVersion = `SELECT version FROM org_state WHERE org_id = ?`

// checkPolicy refuses a decision that was checked against a policy which is not the
// org's any more.
func checkPolicy(t *tx, who tenant, take agent.Take) error {
	if take.PolicyVersion == 0 {
		return nil
	}
	version, ok, err := one(t, plain[int64], selectPolicyVersion, who.org)
	if err != nil {
		return err
	}
	if !ok || version != take.PolicyVersion {
		return &agent.Error{Code: agent.CodeConflict, Message: "The rules of your organization changed in this moment.", Hint: "Try again."}
	}
	return nil
}

// holdTurn makes the taker the turn's owner: a parked turn gets a new run, a
// running one must be the taker's own.
func holdTurn(t *tx, take agent.Take, h *head) error {
	switch {
	case h.state == agent.TurnAwaiting && take.Run == 0:
		h.run++
		n, err := t.exec(updateTaken, take.Owner, h.run, take.Turn, h.who.org, h.who.user, h.run-1)
		if err == nil && n != 1 {
			err = runIsOver()
		}
		return err
	case h.state == agent.TurnRunning && h.owner == take.Owner && h.run == take.Run:
		return nil
	default:
		return runIsOver()
	}
}

func recordDecisions(t *tx, take agent.Take, h head) error {
	var events []agent.Event
	for _, d := range take.Decisions {
		events = append(events, d.Event)
	}
	// Somebody who decided on an older view of the turn was not wrong, only late.
	if events[0].Seq <= h.lastSeq {
		return agent.Errorf(agent.CodeConflict, "The turn went on in this moment. Try again.")
	}
	if err := appendEvents(t, take.Turn, h, events); err != nil {
		return err
	}
	for _, d := range take.Decisions {
		if d.Claim != nil {
			if err := claim(t, take.Turn, h, *d.Claim); err != nil {
				return err
			}
		}
		for _, c := range d.Calls {
			if err := putCall(t, take.Turn, h, c); err != nil {
				return err
			}
		}
	}
	return nil
}
