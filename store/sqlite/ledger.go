package sqlite

import (
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	insertClaim = `INSERT INTO ledger (turn_id, call_id, phase, org_id, user_id, input_digest, state, run, claimed_at_ms)
		VALUES (?, ?, ?, ?, ?, ?, 'claimed', ?, ?)`

	updateSettled = `UPDATE ledger SET state = ?, result = ?, settled_at_ms = ?
		WHERE turn_id = ? AND call_id = ? AND phase = ? AND org_id = ? AND user_id = ?
		AND (state = 'claimed' OR (state = 'settled' AND result IS NULL))`

	deleteClaimed = `DELETE FROM ledger
		WHERE turn_id = ? AND call_id = ? AND phase = ? AND org_id = ? AND user_id = ? AND state = 'claimed'`

	selectLedger = `SELECT turn_id, call_id, phase, input_digest, state, run, claimed_at_ms, settled_at_ms, result FROM ledger
		WHERE turn_id IN (SELECT value FROM json_each(?)) AND org_id = ? AND user_id = ? ORDER BY rowid`
)

// claim writes a ledger row before its effect runs. Errors: conflict (it exists).
func claim(t *tx, id agent.TurnID, h head, e agent.LedgerEntry) error {
	_, err := t.exec(insertClaim, id, e.CallID, e.Phase, h.who.org, h.who.user, e.InputDigest, h.run, e.ClaimedAt)
	if isUnique(err) {
		return agent.Wrap(agent.CodeConflict, err, "This change was begun before.")
	}
	return err
}

// settle writes the outcome of a claimed row, once. A row that a host's transaction
// settled gets its result later.
func settle(t *tx, id agent.TurnID, h head, e agent.LedgerEntry) error {
	if e.State != agent.LedgerSettled && e.State != agent.LedgerUnknown {
		return internal(fmt.Errorf("ledger row %s cannot be settled as %q", e.Key(), e.State))
	}
	result, err := encodeResult(e.Result)
	if err != nil {
		return err
	}
	n, err := t.exec(updateSettled, e.State, result, maybe(e.SettledAt), id, e.CallID, e.Phase, h.who.org, h.who.user)
	if err == nil && n != 1 {
		err = internal(fmt.Errorf("ledger row %s is not claimed", agent.LedgerKey(id, e.CallID, e.Phase)))
	}
	return err
}

// release takes a claimed row back whose effect did not happen.
func release(t *tx, id agent.TurnID, h head, e agent.LedgerEntry) error {
	n, err := t.exec(deleteClaimed, id, e.CallID, e.Phase, h.who.org, h.who.user)
	if err == nil && n != 1 {
		err = internal(fmt.Errorf("ledger row %s is not claimed", agent.LedgerKey(id, e.CallID, e.Phase)))
	}
	return err
}

func scanLedger(s scanner) (e agent.LedgerEntry, err error) {
	var settled *int64
	var result *string
	if err = s.Scan(&e.TurnID, &e.CallID, &e.Phase, &e.InputDigest, &e.State, &e.Run, &e.ClaimedAt, &settled, &result); err != nil {
		return e, err
	}
	e.SettledAt = value(settled)
	e.Result, err = decodeResult(result)
	return e, err
}
