package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const receiptColumns = `id, call_id, turn_id, thread_id, org_id, user_id, project_id, project_kind, project_title, capability,
	input_digest, policy_version, state, decided_by, decided_at_ms, reason, created_at_ms, expires_at_ms, replaces, cleaned_at_ms,
	applied_at_ms, undone_at_ms, permission_id, grants_id, summary, resources, input, preview_state, artifacts`

const (
	insertReceipt = `INSERT INTO receipts (` + receiptColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', '', NULL, '', ?, ?, ?, NULL, NULL, NULL, '', '', ?, ?, ?, ?, ?)`

	selectReceipts = `SELECT ` + receiptColumns + ` FROM receipts
		WHERE turn_id IN (SELECT value FROM json_each(?)) AND org_id = ? AND user_id = ? ORDER BY rowid`

	// Each half has an index of its own and stops early.
	selectDue = `SELECT ` + receiptColumns + ` FROM (
		SELECT * FROM (SELECT * FROM receipts WHERE state = 'open' AND expires_at_ms <> 0 AND expires_at_ms <= ?1
			ORDER BY expires_at_ms LIMIT ?2)
		UNION ALL
		SELECT * FROM (SELECT * FROM receipts WHERE state IN ('discarded', 'expired') AND cleaned_at_ms IS NULL
			ORDER BY decided_at_ms LIMIT ?2)
		) LIMIT ?2`

	// Of this turn, or of an earlier one of its thread, whose change is taken back.
	updateRestated = `UPDATE receipts SET state = CASE WHEN ?1 = '' THEN state ELSE ?1 END,
		reason = CASE WHEN ?2 = '' THEN reason ELSE ?2 END,
		applied_at_ms = coalesce(?3, applied_at_ms), undone_at_ms = coalesce(?4, undone_at_ms)
		WHERE id = ?5 AND thread_id = ?6 AND org_id = ?7 AND user_id = ?8`

	updateCleaned = `UPDATE receipts SET cleaned_at_ms = ? WHERE id = ?`
)

// putReceipt stores a new preview; whatever it says of its state, it is open.
func putReceipt(t *tx, id agent.TurnID, h head, r agent.Receipt) error {
	resources, err := encode(r.Resources)
	if err != nil {
		return err
	}
	artifacts, err := encode(r.Preview.Artifacts)
	if err != nil {
		return err
	}
	_, err = t.exec(insertReceipt, r.ID, r.CallID, id, h.thread, h.who.org, h.who.user, r.Project.ID, r.Project.Kind, r.Project.Title,
		r.Capability, r.InputDigest, r.PolicyVersion, r.CreatedAt, r.ExpiresAt, r.Replaces,
		r.Preview.Summary, resources, text(r.Input), text(r.Preview.State), artifacts)
	return err
}

// restate moves a receipt on.
func restate(t *tx, h head, r agent.Restate) error {
	n, err := t.exec(updateRestated, r.State, r.Reason, maybe(r.AppliedAt), maybe(r.UndoneAt), r.ID, h.thread, h.who.org, h.who.user)
	if err == nil && n != 1 {
		err = internal(fmt.Errorf("receipt %s is not of this thread", r.ID))
	}
	return err
}

func scanReceipt(s scanner) (r agent.Receipt, err error) {
	var decided, cleaned, applied, undone *int64
	var input, state *string
	var resources, artifacts string
	if err = s.Scan(&r.ID, &r.CallID, &r.TurnID, &r.ThreadID, &r.OrgID, &r.UserID, &r.Project.ID, &r.Project.Kind, &r.Project.Title,
		&r.Capability, &r.InputDigest, &r.PolicyVersion, &r.State, &r.DecidedBy, &decided, &r.Reason, &r.CreatedAt, &r.ExpiresAt,
		&r.Replaces, &cleaned, &applied, &undone, &r.PermissionID, &r.RememberedID, &r.Preview.Summary, &resources, &input, &state, &artifacts); err != nil {
		return r, err
	}
	r.DecidedAt, r.CleanedAt, r.AppliedAt, r.UndoneAt = value(decided), value(cleaned), value(applied), value(undone)
	r.Input, r.Preview.State = raw(input), raw(state)
	if r.Resources, err = decode[[]agent.Resource](resources); err != nil {
		return r, err
	}
	r.Preview.Artifacts, err = decode[[]agent.Artifact](artifacts)
	return r, err
}

// Expired gives open receipts past their time and given-up ones that were not
// cleaned up yet, of all tenants.
func (s *Store) Expired(ctx context.Context, now int64, limit int) (list []agent.Receipt, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		list, err = all(t, scanReceipt, selectDue, now, max(limit, 0))
		return err
	})
	return list, err
}

// MarkCleaned notes that the clean-up of a receipt ran. Errors: not_found.
func (s *Store) MarkCleaned(ctx context.Context, id agent.ReceiptID, at int64) error {
	return s.app.write(ctx, false, func(t *tx) error {
		n, err := t.exec(updateCleaned, at, id)
		if err == nil && n == 0 {
			err = agent.NotFound("preview")
		}
		return err
	})
}
