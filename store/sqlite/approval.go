package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const selectReceipt = `SELECT ` + receiptColumns + ` FROM receipts WHERE id = ? AND org_id = ? AND user_id = ?`

const selectApprovals = `SELECT r.turn_id, r.thread_id, h.title, r.project_id, r.project_kind, r.call_id, r.id, r.capability,
	r.summary, r.created_at_ms, r.expires_at_ms, r.replaces, r.artifacts
	FROM receipts r JOIN threads h ON h.id = r.thread_id
	WHERE r.org_id = ?1 AND r.user_id = ?2 AND r.state = 'open' AND (r.created_at_ms, r.id) < (?3, ?4)
	AND (r.expires_at_ms = 0 OR r.expires_at_ms > ?5)
	ORDER BY r.created_at_ms DESC, r.id DESC LIMIT ?6`

func scanApproval(s scanner) (a agent.Approval, err error) {
	var stored string
	if err = s.Scan(&a.TurnID, &a.ThreadID, &a.ThreadTitle, &a.ProjectID, &a.ProjectKind, &a.CallID, &a.ReceiptID, &a.Capability,
		&a.Summary, &a.CreatedAt, &a.ExpiresAt, &a.Replaces, &stored); err != nil {
		return a, err
	}
	artifacts, err := decode[[]agent.Artifact](stored)
	a.Artifacts = make([]agent.ArtifactOutline, 0, len(artifacts))
	for _, one := range artifacts {
		a.Artifacts = append(a.Artifacts, one.Outline())
	}
	return a, err
}

// ApprovalList lists the caller's previews that can still be answered at the time
// now, newest first. Errors: invalid_input (a cursor that is none of ours).
func (s *Store) ApprovalList(ctx context.Context, q agent.ApprovalQuery, now int64) (page agent.Page[agent.Approval], err error) {
	from, err := parseListCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	limit := pageSize(q.Limit)
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		list, err := all(t, scanApproval, selectApprovals, who.org, who.user, from.at, from.id, now, limit+1)
		if err != nil {
			return err
		}
		if len(list) > limit {
			list = list[:limit]
			page.Next = listCursor{list[limit-1].CreatedAt, string(list[limit-1].ReceiptID)}.String()
		}
		page.Items = append([]agent.Approval{}, list...) // an empty page is a list, too
		return nil
	})
	return page, err
}

// ReceiptRow gives one receipt of the caller. Errors: not_found.
func (s *Store) ReceiptRow(ctx context.Context, id agent.ReceiptID) (r agent.Receipt, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		found, ok, err := one(t, scanReceipt, selectReceipt, id, who.org, who.user)
		if err == nil && !ok {
			err = agent.NotFound("preview")
		}
		r = found
		return err
	})
	return r, err
}
