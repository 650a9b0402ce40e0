package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectUnnoticed = `SELECT id, org_id, user_id, expires_at_ms FROM receipts
		WHERE state = 'open' AND noticed_at_ms IS NULL AND created_at_ms <= ? ORDER BY created_at_ms LIMIT ?`

	markNoticed = `UPDATE receipts SET noticed_at_ms = ? WHERE id = ?`

	insertLink = `INSERT INTO approval_links (id, receipt_id, org_id, user_id, created_at_ms, expires_at_ms, next_try_at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?)`

	// Of those whose preview was answered meanwhile nobody is told any more.
	selectDueNotices = `SELECT l.id, l.created_at_ms, l.expires_at_ms, l.tries, r.state, l.org_id, l.user_id, r.turn_id, r.thread_id, h.title,
		r.project_id, r.project_kind, r.call_id, r.id, r.capability, r.summary, r.created_at_ms, r.expires_at_ms, r.replaces, r.artifacts
		FROM approval_links l JOIN receipts r ON r.id = l.receipt_id JOIN threads h ON h.id = r.thread_id
		WHERE l.next_try_at_ms <= ? ORDER BY l.next_try_at_ms LIMIT ?`

	noteNotice = `UPDATE approval_links SET tries = tries + ?1, next_try_at_ms = ?2, sent_at_ms = coalesce(?3, sent_at_ms) WHERE id = ?4`

	selectLink = `SELECT id, receipt_id, created_at_ms, expires_at_ms, spent_at_ms FROM approval_links WHERE id = ? AND org_id = ? AND user_id = ?`

	spendLink = `UPDATE approval_links SET spent_at_ms = ? WHERE id = ? AND org_id = ? AND user_id = ? AND spent_at_ms IS NULL`

	freeLink = `UPDATE approval_links SET spent_at_ms = NULL WHERE id = ? AND org_id = ? AND user_id = ?`

	selectContact = `SELECT u.id, u.name, u.email FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.id = ? AND m.org_id = ?`
)

type unnoticed struct {
	id        agent.ReceiptID
	org, user string
	expires   int64
}

func scanUnnoticed(s scanner) (u unnoticed, err error) {
	return u, s.Scan(&u.id, &u.org, &u.user, &u.expires)
}

// dueNotice is a notice with the state of its receipt.
type dueNotice struct {
	agent.ApprovalNotice
	state agent.ReceiptState
}

func scanNotice(s scanner) (n dueNotice, err error) {
	l := &n.Link
	n.Approval, err = scanApproval(prefixed{s, []any{&l.ID, &l.CreatedAt, &l.ExpiresAt, &n.Tries, &n.state, &n.OrgID, &n.UserID}})
	l.ReceiptID = n.Approval.ReceiptID
	return n, err
}

// prefixed scans some columns of its own before those of another scan.
type prefixed struct {
	scanner
	first []any
}

func (p prefixed) Scan(dest ...any) error { return p.scanner.Scan(append(p.first, dest...)...) }

// DueNotices makes links for open previews that have none and gives those that are
// to be sent now. A usual look, which finds nothing, writes nothing.
func (s *Store) DueNotices(ctx context.Context, q agent.NoticeQuery) ([]agent.ApprovalNotice, error) {
	var fresh []unnoticed
	var due []dueNotice
	if err := s.app.read(ctx, func(t *tx) (err error) {
		if fresh, err = all(t, scanUnnoticed, selectUnnoticed, q.Before, max(q.Limit, 0)); err != nil || len(fresh) > 0 {
			return err
		}
		due, err = all(t, scanNotice, selectDueNotices, q.Now, max(q.Limit, 0))
		return err
	}); err != nil {
		return nil, err
	}
	if len(fresh) > 0 {
		if err := s.app.write(ctx, false, func(t *tx) (err error) {
			if err = s.makeLinks(t, fresh, q); err == nil {
				due, err = all(t, scanNotice, selectDueNotices, q.Now, max(q.Limit, 0))
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	var out []agent.ApprovalNotice
	for _, n := range due {
		if n.state == agent.ReceiptOpen && q.Now < n.Link.ExpiresAt {
			out = append(out, n.ApprovalNotice)
			continue
		}
		if err := s.NoteNotice(ctx, n.Link.ID, q.Now, 0, false); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) makeLinks(t *tx, fresh []unnoticed, q agent.NoticeQuery) error {
	for _, r := range fresh {
		n, err := t.exec(markNoticed, q.Now, r.id)
		if err != nil {
			return err
		}
		if n == 0 {
			continue // its thread was deleted meanwhile
		}
		expires := q.Now + q.Life
		if r.expires != 0 {
			expires = min(expires, r.expires)
		}
		if _, err := t.exec(insertLink, s.ids("link"), r.id, r.org, r.user, q.Now, expires, q.Now); err != nil {
			return err
		}
	}
	return nil
}

// NoteNotice notes how sending a notice went.
func (s *Store) NoteNotice(ctx context.Context, link string, at, next int64, sent bool) error {
	if !sent {
		at = 0
	}
	return s.app.write(ctx, false, func(t *tx) error {
		_, err := t.exec(noteNotice, 1, maybe(next), maybe(at), link)
		return err
	})
}

// Contact gives a member's name and address. Errors: not_found.
func (s *Store) Contact(ctx context.Context, userID, orgID string) (u agent.User, err error) {
	err = s.auth.read(ctx, func(t *tx) error {
		found, ok, err := one(t, func(s scanner) (u agent.User, err error) { return u, s.Scan(&u.ID, &u.Name, &u.Email) }, selectContact, userID, orgID)
		if err == nil && !ok {
			err = agent.NotFound("member")
		}
		u = found
		return err
	})
	return u, err
}

func scanLink(s scanner) (l agent.ApprovalLink, err error) {
	var spent *int64
	err = s.Scan(&l.ID, &l.ReceiptID, &l.CreatedAt, &l.ExpiresAt, &spent)
	l.SpentAt = value(spent)
	return l, err
}

func findLink(t *tx, who tenant, id string) (agent.ApprovalLink, error) {
	l, ok, err := one(t, scanLink, selectLink, id, who.org, who.user)
	if err == nil && !ok {
		err = agent.NotFound("link")
	}
	return l, err
}

// ApprovalLink gives a link of the caller. Errors: not_found.
func (s *Store) ApprovalLink(ctx context.Context, id string) (l agent.ApprovalLink, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		l, err = findLink(t, who, id)
		return err
	})
	return l, err
}

// SpendLink spends a link of the caller, once. Errors: not_found, conflict, gone.
func (s *Store) SpendLink(ctx context.Context, id string, at int64) error {
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		l, err := findLink(t, who, id)
		switch {
		case err != nil:
			return err
		case l.SpentAt != 0:
			return agent.Errorf(agent.CodeConflict, "This link was used already.")
		case at >= l.ExpiresAt:
			return agent.Errorf(agent.CodeGone, "This link is too old.")
		}
		_, err = t.exec(spendLink, at, id, who.org, who.user)
		return err
	})
}

// FreeLink takes a spending back whose decision could not be taken. Errors: not_found.
func (s *Store) FreeLink(ctx context.Context, id string) error {
	return s.writeAs(ctx, false, func(t *tx, who tenant) error {
		n, err := t.exec(freeLink, id, who.org, who.user)
		if err == nil && n == 0 {
			err = agent.NotFound("link")
		}
		return err
	})
}
