package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const keyColumns = `id, provider, ciphertext, iv, key_version, coalesce(label, ''), last_four, prefix, created_at, last_used_at, revoked_at`

const (
	replaceKey = `UPDATE user_api_keys SET revoked_at = ? WHERE user_id = ? AND provider = ? AND coalesce(label, '') = ? AND revoked_at IS NULL`

	insertKey = `INSERT INTO user_api_keys (id, user_id, provider, ciphertext, iv, key_version, label, last_four, prefix, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectKeys = `SELECT user_id, '', ` + keyColumns + ` FROM user_api_keys
		WHERE user_id = ?1 AND revoked_at IS NULL AND (?2 = '' OR provider = ?2) ORDER BY created_at DESC, rowid DESC`

	selectKey = `SELECT user_id, '', ` + keyColumns + ` FROM user_api_keys WHERE id = ? AND user_id = ? AND revoked_at IS NULL`

	revokeKey = `UPDATE user_api_keys SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL`

	touchKey = `UPDATE user_api_keys SET last_used_at = ? WHERE id = ? AND user_id = ?`
)

func scanKey(s scanner) (k agent.KeyRow, err error) {
	var used, revoked *int64
	err = s.Scan(&k.UserID, &k.OrgID, &k.ID, &k.Provider, &k.Ciphertext, &k.IV, &k.KeyVersion, &k.Label, &k.LastFour, &k.Prefix,
		&k.CreatedAt, &used, &revoked)
	k.LastUsedAt, k.RevokedAt = value(used), value(revoked)
	return k, err
}

// asUser runs f on the auth database for the caller. A user's keys are the
// person's own: they follow the user into every org.
func (s *Store) asUser(ctx context.Context, write bool, f func(*tx, tenant) error) error {
	who, err := tenantOf(ctx)
	if err != nil {
		return err
	}
	if write {
		return s.auth.write(ctx, true, func(t *tx) error { return f(t, who) })
	}
	return s.auth.read(ctx, func(t *tx) error { return f(t, who) })
}

// PutKey stores a sealed key of the caller and revokes the live one with the same
// provider and label. Errors: not_found (there is no such user), conflict (the id
// is taken).
func (s *Store) PutKey(ctx context.Context, row agent.KeyRow) error {
	return s.keyed(ctx, s.asUser(ctx, true, func(t *tx, who tenant) error {
		replaced, err := t.exec(replaceKey, row.CreatedAt, who.user, row.Provider, row.Label)
		if err != nil {
			return err
		}
		if _, err := t.exec(insertKey, row.ID, who.user, row.Provider, row.Ciphertext, row.IV, row.KeyVersion, row.Label,
			row.LastFour, row.Prefix, row.CreatedAt); err != nil {
			return keyFault(err, "user")
		}
		return s.noteKey(t, who, agent.AuditKeyAdded, row.ID, row.CreatedAt, keyFact{row.Provider, "user", replaced > 0})
	}))
}

func keyFault(err error, whose string) error {
	switch {
	case isOrphan(err):
		return agent.NotFound(whose)
	case isUnique(err):
		return agent.Wrap(agent.CodeConflict, err, "This key id is taken.")
	default:
		return err
	}
}

// Keys gives the caller's live keys, newest first; provider "" means all.
func (s *Store) Keys(ctx context.Context, provider string) (keys []agent.KeyRow, err error) {
	err = s.asUser(ctx, false, func(t *tx, who tenant) (err error) {
		keys, err = all(t, scanKey, selectKeys, who.user, provider)
		return err
	})
	return keys, err
}

// Key gives one live key of the caller. Errors: not_found.
func (s *Store) Key(ctx context.Context, id string) (key agent.KeyRow, err error) {
	err = s.asUser(ctx, false, func(t *tx, who tenant) error {
		row, ok, err := one(t, scanKey, selectKey, id, who.user)
		if err == nil && !ok {
			err = agent.NotFound("key")
		}
		key = row
		return err
	})
	return key, err
}

// RevokeKey ends a key of the caller at once. Errors: not_found.
func (s *Store) RevokeKey(ctx context.Context, id string, at int64) error {
	return s.keyed(ctx, s.asUser(ctx, true, func(t *tx, who tenant) error {
		n, err := t.exec(revokeKey, at, id, who.user)
		if err == nil && n == 0 {
			err = agent.NotFound("key")
		}
		if err != nil {
			return err
		}
		return s.noteKey(t, who, agent.AuditKeyRevoked, id, at, keyFact{Owner: "user"})
	}))
}

// TouchKey notes the last use of a key; one that is gone is no error.
func (s *Store) TouchKey(ctx context.Context, id string, at int64) error {
	who, err := tenantOf(ctx)
	if err != nil {
		return err
	}
	return s.auth.write(ctx, false, func(t *tx) error {
		_, err := t.exec(touchKey, at, id, who.user)
		return err
	})
}
