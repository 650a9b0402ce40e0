package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	insertAuditNotice = `INSERT INTO audit_notices (org_id, seq, next_try_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`

	selectDueAuditNotices = `SELECT n.org_id, n.tries, e.seq, e.id, e.at_ms, e.user_id, e.action, e.object, e.detail, e.receipt_id, e.hash
		FROM audit_notices n JOIN audit_log e ON e.org_id = n.org_id AND e.seq = n.seq
		WHERE n.next_try_at_ms <= ? AND n.next_try_at_ms > ? ORDER BY n.next_try_at_ms LIMIT ?`

	noteAuditNotice = `UPDATE audit_notices SET tries = tries + 1, next_try_at_ms = ?, sent_at_ms = coalesce(?, sent_at_ms) WHERE org_id = ? AND seq = ?`

	selectOrgByID = `SELECT id, slug, name, billing_status, default_model FROM orgs WHERE id = ?`

	selectAdmins = `SELECT u.id, u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = ? AND m.role IN ('org_owner', 'org_admin') ORDER BY u.id`
)

// noticeLife is how long telling an org's admins is tried, in milliseconds.
const noticeLife = int64(7 * 24 * 60 * 60 * 1000)

func scanAuditNotice(s scanner) (n agent.AuditNotice, err error) {
	n.Entry, err = scanAudit(prefixed{s, []any{&n.Org.ID, &n.Tries}})
	return n, err
}

// DueAuditNotices gives the rows that admins are to be told of now, with who they are.
func (s *Store) DueAuditNotices(ctx context.Context, now int64, limit int) (list []agent.AuditNotice, err error) {
	if err := s.app.read(ctx, func(t *tx) (err error) {
		list, err = all(t, scanAuditNotice, selectDueAuditNotices, now, now-noticeLife, max(limit, 0))
		return err
	}); err != nil || len(list) == 0 {
		return nil, err
	}
	err = s.auth.read(ctx, func(t *tx) error {
		for i := range list {
			n := &list[i]
			org, ok, err := one(t, scanOrg, selectOrgByID, n.Org.ID)
			if err != nil {
				return err
			}
			if ok {
				n.Org = org
			}
			if n.Admins, err = all(t, func(s scanner) (u agent.User, err error) {
				return u, s.Scan(&u.ID, &u.Name, &u.Email)
			}, selectAdmins, n.Org.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// NoteAuditNotice notes how telling an org's admins went.
func (s *Store) NoteAuditNotice(ctx context.Context, orgID string, seq, at, next int64, sent bool) error {
	if !sent {
		at = 0
	}
	return s.app.write(ctx, false, func(t *tx) error {
		_, err := t.exec(noteAuditNotice, maybe(next), maybe(at), orgID, seq)
		return err
	})
}
