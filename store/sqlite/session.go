package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectMember = `SELECT u.id, u.name, o.id, o.slug, o.billing_status, m.role FROM memberships m
		JOIN users u ON u.id = m.user_id JOIN orgs o ON o.id = m.org_id WHERE m.user_id = ? AND m.org_id = ?`

	insertSession = `INSERT INTO sessions (id, user_id, org_id, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?)`

	selectSession = `SELECT id, user_id, org_id, created_at_ms, expires_at_ms FROM sessions WHERE id = ? AND revoked_at_ms IS NULL`

	revokeSession = `UPDATE sessions SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL`
)

func scanMember(s scanner) (p agent.Principal, err error) {
	err = s.Scan(&p.UserID, &p.UserName, &p.OrgID, &p.OrgSlug, &p.Billing, &p.Role)
	p.Tier, p.Staff = p.Role.Tier(), p.Role == agent.RoleSuperuser
	return p, err
}

func findMember(t *tx, userID, orgID string) (agent.Principal, error) {
	p, ok, err := one(t, scanMember, selectMember, userID, orgID)
	if err == nil && !ok {
		err = agent.NotFound("membership")
	}
	return p, err
}

// Member gives the principal of a user in an org as it is now, without scopes.
// Errors: not_found.
func (s *Store) Member(ctx context.Context, userID, orgID string) (p agent.Principal, err error) {
	err = s.auth.read(ctx, func(t *tx) (err error) {
		p, err = findMember(t, userID, orgID)
		return err
	})
	return p, err
}

// CreateSession writes a login session. Errors: not_found (no membership), conflict
// (the id is taken).
func (s *Store) CreateSession(ctx context.Context, session agent.Session) error {
	return s.auth.write(ctx, true, func(t *tx) error {
		if _, err := findMember(t, session.UserID, session.OrgID); err != nil {
			return err
		}
		_, err := t.exec(insertSession, session.ID, session.UserID, session.OrgID, session.CreatedAt, session.ExpiresAt)
		if isUnique(err) {
			err = agent.Wrap(agent.CodeConflict, err, "This session id is taken.")
		}
		return err
	})
}

func scanSession(s scanner) (v agent.Session, err error) {
	return v, s.Scan(&v.ID, &v.UserID, &v.OrgID, &v.CreatedAt, &v.ExpiresAt)
}

// Session gives a login session that was not revoked, with who stands behind it
// now. The caller checks ExpiresAt. Errors: not_found.
func (s *Store) Session(ctx context.Context, id string) (session agent.Session, p agent.Principal, err error) {
	err = s.auth.read(ctx, func(t *tx) error {
		found, ok, err := one(t, scanSession, selectSession, id)
		if err != nil {
			return err
		}
		if !ok {
			return agent.NotFound("session")
		}
		member, err := findMember(t, found.UserID, found.OrgID)
		if err != nil {
			return err
		}
		session, p = found, member
		p.SessionID = found.ID
		return nil
	})
	return session, p, err
}

// RevokeSession ends a login session at once; an unknown one is no error.
func (s *Store) RevokeSession(ctx context.Context, id string, at int64) error {
	return s.auth.write(ctx, true, func(t *tx) error {
		_, err := t.exec(revokeSession, at, id)
		return err
	})
}
