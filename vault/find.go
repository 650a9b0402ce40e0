package vault

import (
	"context"
	"errors"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// envID begins the id of a key that comes from the environment and has no row.
const envID = "env:"

// Find opens the caller's newest live key for a provider.
func (v *Vault) Find(ctx context.Context, provider string) (agent.KeyRef, error) {
	rows, err := v.rows.Keys(ctx, provider)
	if err != nil {
		return agent.KeyRef{}, err
	}
	if len(rows) == 0 {
		return agent.KeyRef{}, agent.NotFound("key")
	}
	return v.ref(ctx, rows[0], agent.KeySourceUser)
}

// Open opens one key of the caller by its id.
func (v *Vault) Open(ctx context.Context, id string) (agent.KeyRef, error) {
	row, err := v.rows.Key(ctx, id)
	if err != nil {
		return agent.KeyRef{}, err
	}
	return v.ref(ctx, row, agent.KeySourceUser)
}

// FindOrg opens the key of the caller's org for a provider. A paying org without
// one gets the key of the server's environment.
func (v *Vault) FindOrg(ctx context.Context, provider string) (agent.KeyRef, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.KeyRef{}, err
	}
	row, err := v.rows.OrgKey(ctx, provider)
	if err == nil {
		return v.ref(ctx, row, agent.KeySourceOrg)
	}
	if agent.ErrorCode(err) != agent.CodeNotFound {
		return agent.KeyRef{}, err
	}
	key, ok := v.env(provider)
	if !ok || p.Billing != agent.BillingPaying {
		return agent.KeyRef{}, agent.NotFound("key")
	}
	return agent.KeyRef{ID: envID + provider, Provider: provider, Source: agent.KeySourceOrg, Secret: key}, nil
}

// ref opens a row for the caller. A row of somebody else does not exist, even if
// the store gave it.
func (v *Vault) ref(ctx context.Context, row agent.KeyRow, source agent.KeySource) (agent.KeyRef, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.KeyRef{}, err
	}
	mine := row.UserID == p.UserID && row.OrgID == ""
	if source == agent.KeySourceOrg {
		mine = row.OrgID == p.OrgID && row.UserID == ""
	}
	if !mine || row.RevokedAt != 0 {
		return agent.KeyRef{}, agent.NotFound("key")
	}
	key, err := v.master.open(row)
	if err != nil {
		return agent.KeyRef{}, doesNotOpen(err)
	}
	return agent.KeyRef{ID: row.ID, Provider: row.Provider, Source: source, Secret: key}, nil
}

// List gives the caller's live keys, masked; it opens none.
func (v *Vault) List(ctx context.Context) ([]agent.KeyInfo, error) {
	return masks(v.rows.Keys(ctx, ""))
}

// ListOrg gives the live keys of the caller's org, masked; it opens none.
func (v *Vault) ListOrg(ctx context.Context) ([]agent.KeyInfo, error) {
	return masks(v.rows.OrgKeys(ctx))
}

func masks(rows []agent.KeyRow, err error) ([]agent.KeyInfo, error) {
	if err != nil {
		return nil, err
	}
	list := make([]agent.KeyInfo, 0, len(rows))
	for _, row := range rows {
		list = append(list, info(row))
	}
	return list, nil
}

// Revoke ends a key at once.
func (v *Vault) Revoke(ctx context.Context, id string) error {
	return v.rows.RevokeKey(ctx, id, v.now().UnixMilli())
}

// RevokeOrg ends a key of the caller's org at once. Errors: not_found.
func (v *Vault) RevokeOrg(ctx context.Context, id string) error {
	return v.rows.RevokeOrgKey(ctx, id, v.now().UnixMilli())
}

// Touch notes that a key was used. A key without a row of the caller's (the
// org's, the environment's, one that was revoked meanwhile) has nothing to note.
func (v *Vault) Touch(ctx context.Context, id string) error {
	if id == "" || strings.HasPrefix(id, envID) {
		return nil
	}
	err := v.rows.TouchKey(ctx, id, v.now().UnixMilli())
	if agent.ErrorCode(err) == agent.CodeNotFound {
		return nil
	}
	return err
}

// Reseal seals every row of every tenant with the newest master key, keys first, and
// gives how many rows are sealed with it. It may be run again. Live keys that do not open
// stay as they are and are told at the end: one of them must not keep the others under the
// old key. Errors: internal (some do not open), and the store's, which end it.
func (v *Vault) Reseal(ctx context.Context) (int, error) {
	keys, left := v.resealKeys(ctx)
	if left != nil && agent.ErrorCode(left) != agent.CodeInternal {
		return keys, left
	}
	maps, err := v.resealMaps(ctx)
	return keys + maps, errors.Join(err, left)
}

func (v *Vault) resealKeys(ctx context.Context) (int, error) {
	var left []string
	skipped := 0
	n, err := v.rows.EachKey(ctx, func(row agent.KeyRow) (agent.KeyRow, error) {
		key, err := v.master.open(row)
		if err != nil {
			skipped++
			if row.RevokedAt == 0 {
				left = append(left, row.ID)
			}
			return row, nil
		}
		if row.KeyVersion == v.master.current().Current() {
			return row, nil
		}
		return v.master.seal(row, key)
	})
	if err != nil {
		return n, err
	}
	return n - skipped, unopened(left)
}
