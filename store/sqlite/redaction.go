package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const redactionColumns = `thread_id, org_id, user_id, version, ciphertext, iv, key_version, updated_at_ms`

const (
	selectRedaction = `SELECT ` + redactionColumns + ` FROM redaction_maps WHERE thread_id = ? AND org_id = ? AND user_id = ?`

	insertRedaction = `INSERT INTO redaction_maps (` + redactionColumns + `) VALUES (?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT (thread_id) DO NOTHING`

	updateRedaction = `UPDATE redaction_maps SET version = ?1, ciphertext = ?2, iv = ?3, key_version = ?4, updated_at_ms = ?5
		WHERE thread_id = ?6 AND org_id = ?7 AND user_id = ?8 AND version = ?1 - 1`

	// The rows are visited one by one, each in a transaction of its own, so that turns
	// can go on meanwhile.
	nextRedaction   = `SELECT ` + redactionColumns + ` FROM redaction_maps WHERE thread_id > ? ORDER BY thread_id LIMIT 1`
	resealRedaction = `UPDATE redaction_maps SET ciphertext = ?, iv = ?, key_version = ? WHERE thread_id = ?`

	putOrgRedaction = `UPDATE orgs SET redaction = ? WHERE id = ?`
)

func scanRedaction(s scanner) (r agent.RedactionRow, err error) {
	return r, s.Scan(&r.ThreadID, &r.OrgID, &r.UserID, &r.Version, &r.Ciphertext, &r.IV, &r.KeyVersion, &r.UpdatedAt)
}

// RedactionRow gives the sealed map of a thread. Errors: not_found.
func (s *Store) RedactionRow(ctx context.Context, thread agent.ThreadID) (row agent.RedactionRow, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		found, ok, err := one(t, scanRedaction, selectRedaction, thread, who.org, who.user)
		if err == nil && !ok {
			err = agent.NotFound("redaction map")
		}
		row = found
		return err
	})
	return row, err
}

// PutRedactionRow stores the sealed map of a thread of the caller. Errors: conflict (it
// was written since), not_found (the thread).
func (s *Store) PutRedactionRow(ctx context.Context, r agent.RedactionRow) error {
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		if _, err := findThread(t, who, r.ThreadID); err != nil {
			return err
		}
		var n int64
		var err error
		if r.Version == 1 {
			n, err = t.exec(insertRedaction, r.ThreadID, who.org, who.user, r.Ciphertext, r.IV, r.KeyVersion, r.UpdatedAt)
		} else {
			n, err = t.exec(updateRedaction, r.Version, r.Ciphertext, r.IV, r.KeyVersion, r.UpdatedAt, r.ThreadID, who.org, who.user)
		}
		if err == nil && n == 0 {
			err = agent.Errorf(agent.CodeConflict, "The placeholders of this conversation were written by another process.")
		}
		return err
	})
}

// EachRedactionRow visits the maps of all tenants and stores what reseal makes of each:
// ciphertext, nonce and key version. An error of reseal ends the visit; rows before it
// stay resealed. It gives how many rows were visited.
func (s *Store) EachRedactionRow(ctx context.Context, reseal func(agent.RedactionRow) (agent.RedactionRow, error)) (n int, err error) {
	last, more := agent.ThreadID(""), true
	for more {
		err := s.app.write(ctx, true, func(t *tx) error {
			row, ok, err := one(t, scanRedaction, nextRedaction, last)
			if err != nil || !ok {
				more = false
				return err
			}
			sealed, err := reseal(row)
			if err != nil {
				return err
			}
			last = row.ThreadID
			_, err = t.exec(resealRedaction, sealed.Ciphertext, sealed.IV, sealed.KeyVersion, row.ThreadID)
			return err
		})
		if err != nil {
			return n, err
		}
		if more {
			n++
		}
	}
	return n, nil
}

func encodeRedaction(p agent.RedactionPolicy) (string, error) {
	if p.Kinds == nil {
		p.Kinds = []agent.RedactionKind{}
	}
	return encode(p)
}

// PutRedactionPolicy stores what the caller's org keeps from providers; whoever calls
// it has checked the rules and the caller's right. It is in force with the next
// RefreshPolicies. Errors: not_found (the org).
func (s *Store) PutRedactionPolicy(ctx context.Context, p agent.RedactionPolicy) error {
	text, err := encodeRedaction(p)
	if err != nil {
		return err
	}
	return s.asUser(ctx, true, func(t *tx, who tenant) error {
		n, err := t.exec(putOrgRedaction, text, who.org)
		if err == nil && n == 0 {
			err = agent.NotFound("organization")
		}
		return err
	})
}
