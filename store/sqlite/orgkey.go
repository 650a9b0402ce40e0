package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	replaceOrgKey = `UPDATE org_api_keys SET revoked_at = ? WHERE org_id = ? AND provider = ? AND revoked_at IS NULL`

	insertOrgKey = `INSERT INTO org_api_keys (id, org_id, provider, ciphertext, iv, key_version, label, last_four, prefix, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectOrgKey = `SELECT '', org_id, ` + keyColumns + ` FROM org_api_keys WHERE org_id = ? AND provider = ? AND revoked_at IS NULL`

	selectOrgKeys = `SELECT '', org_id, ` + keyColumns + ` FROM org_api_keys
		WHERE org_id = ? AND revoked_at IS NULL ORDER BY created_at DESC, rowid DESC`

	revokeOrgKey = `UPDATE org_api_keys SET revoked_at = ? WHERE id = ? AND org_id = ? AND revoked_at IS NULL`

	// The rows are visited one by one, each in a transaction of its own, so that
	// keys can be stored and used meanwhile.
	nextUserKey = `SELECT user_id, '', ` + keyColumns + ` FROM user_api_keys WHERE id > ? ORDER BY id LIMIT 1`
	nextOrgKey  = `SELECT '', org_id, ` + keyColumns + ` FROM org_api_keys WHERE id > ? ORDER BY id LIMIT 1`

	resealUserKey = `UPDATE user_api_keys SET ciphertext = ?, iv = ?, key_version = ? WHERE id = ?`
	resealOrgKey  = `UPDATE org_api_keys SET ciphertext = ?, iv = ?, key_version = ? WHERE id = ?`
)

// PutOrgKey stores the sealed key of the caller's org for a provider and revokes
// the one before. Errors: not_found (there is no such org), conflict (the id is taken).
func (s *Store) PutOrgKey(ctx context.Context, row agent.KeyRow) error {
	return s.keyed(ctx, s.asUser(ctx, true, func(t *tx, who tenant) error {
		replaced, err := t.exec(replaceOrgKey, row.CreatedAt, who.org, row.Provider)
		if err != nil {
			return err
		}
		if _, err := t.exec(insertOrgKey, row.ID, who.org, row.Provider, row.Ciphertext, row.IV, row.KeyVersion, row.Label,
			row.LastFour, row.Prefix, row.CreatedAt); err != nil {
			return keyFault(err, "organization")
		}
		return s.noteKey(t, who, agent.AuditKeyAdded, row.ID, row.CreatedAt, keyFact{row.Provider, "org", replaced > 0})
	}))
}

// OrgKey gives the live key of the caller's org for a provider. Errors: not_found.
func (s *Store) OrgKey(ctx context.Context, provider string) (key agent.KeyRow, err error) {
	err = s.asUser(ctx, false, func(t *tx, who tenant) error {
		row, ok, err := one(t, scanKey, selectOrgKey, who.org, provider)
		if err == nil && !ok {
			err = agent.NotFound("key")
		}
		key = row
		return err
	})
	return key, err
}

// OrgKeys gives the live keys of the caller's org, newest first.
func (s *Store) OrgKeys(ctx context.Context) (keys []agent.KeyRow, err error) {
	err = s.asUser(ctx, false, func(t *tx, who tenant) (err error) {
		keys, err = all(t, scanKey, selectOrgKeys, who.org)
		return err
	})
	return keys, err
}

// RevokeOrgKey ends a key of the caller's org at once. Errors: not_found.
func (s *Store) RevokeOrgKey(ctx context.Context, id string, at int64) error {
	return s.keyed(ctx, s.asUser(ctx, true, func(t *tx, who tenant) error {
		n, err := t.exec(revokeOrgKey, at, id, who.org)
		if err == nil && n == 0 {
			err = agent.NotFound("key")
		}
		if err != nil {
			return err
		}
		return s.noteKey(t, who, agent.AuditKeyRevoked, id, at, keyFact{Owner: "org"})
	}))
}

// EachKey visits every key of all users and orgs, revoked ones too, and stores what
// reseal makes of it: ciphertext, nonce and key version; the rest of a row stays.
// An error of reseal ends the visit; rows before it stay resealed. It gives how many
// rows were visited.
func (s *Store) EachKey(ctx context.Context, reseal func(agent.KeyRow) (agent.KeyRow, error)) (int, error) {
	users, err := s.resealAll(ctx, nextUserKey, resealUserKey, reseal)
	if err != nil {
		return users, err
	}
	orgs, err := s.resealAll(ctx, nextOrgKey, resealOrgKey, reseal)
	return users + orgs, err
}

func (s *Store) resealAll(ctx context.Context, next, update string, reseal func(agent.KeyRow) (agent.KeyRow, error)) (n int, err error) {
	last, more := "", true
	for more {
		err := s.auth.write(ctx, true, func(t *tx) error {
			row, ok, err := one(t, scanKey, next, last)
			if err != nil || !ok {
				more = false
				return err
			}
			sealed, err := reseal(row)
			if err != nil {
				return err
			}
			last = row.ID
			_, err = t.exec(update, sealed.Ciphertext, sealed.IV, sealed.KeyVersion, row.ID)
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
