package sqlite

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	sampleUserKeys = `SELECT user_id, '', ` + keyColumns + ` FROM (
		SELECT *, row_number() OVER (PARTITION BY key_version ORDER BY created_at DESC, id) AS nth FROM user_api_keys WHERE revoked_at IS NULL)
		WHERE nth <= ? ORDER BY key_version, nth`
	sampleOrgKeys = `SELECT '', org_id, ` + keyColumns + ` FROM (
		SELECT *, row_number() OVER (PARTITION BY key_version ORDER BY created_at DESC, id) AS nth FROM org_api_keys WHERE revoked_at IS NULL)
		WHERE nth <= ? ORDER BY key_version, nth`
)

// SampleKeys gives up to n live keys of users and n of orgs for each key version,
// newest first, of every tenant.
func (s *Store) SampleKeys(ctx context.Context, n int) (keys []agent.KeyRow, err error) {
	err = s.auth.read(ctx, func(t *tx) error {
		users, err := all(t, scanKey, sampleUserKeys, n)
		if err != nil {
			return err
		}
		orgs, err := all(t, scanKey, sampleOrgKeys, n)
		keys = slices.Concat(users, orgs)
		return err
	})
	return keys, err
}
