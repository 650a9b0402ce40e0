// Package vault keeps model keys, and what redacted threads hold back, at rest: sealed with AES-256-GCM under a master
// key, bound to their row and their owner, and opened for nobody else.
package vault

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Config says where rows are kept and what seals them.
type Config struct {
	Rows agent.KeyRows
	// Maps is where the maps of redacted threads are kept; nil where no turns run.
	Maps   agent.RedactionRows
	Master MasterKeys
	// Env holds the keys of the server's environment by provider: the fallback of
	// paying orgs.
	Env map[string]agent.Secret
	// Reload reads the master keys again when a row turns up that was sealed with a
	// newer one: the keys were rotated beside this server. nil means never.
	Reload func() (MasterKeys, error)
	// Now and IDs replace the clock and the source of row ids.
	Now func() time.Time
	IDs agent.IDSource
}

// Vault is the sealed key store. It prints as dots.
type Vault struct {
	rows   agent.KeyRows
	maps   agent.RedactionRows
	master *ring
	env    func(provider string) (agent.Secret, bool)
	now    func() time.Time
	ids    agent.IDSource
}

var (
	_ agent.KeyVault      = (*Vault)(nil)
	_ agent.RedactionMaps = (*Vault)(nil)
)

// New makes a vault. Errors: invalid_input (no rows, no master key), with what to do.
func New(c Config) (*Vault, error) {
	if c.Rows == nil {
		return nil, agent.Errorf(agent.CodeInvalidInput, "The vault needs the store of the key rows.")
	}
	if c.Master.Current() == 0 {
		return nil, malformed("There is no master key, so keys cannot be kept.")
	}
	env := make(map[string]agent.Secret, len(c.Env))
	for provider, key := range c.Env {
		if !key.Empty() {
			env[provider] = key
		}
	}
	v := &Vault{rows: c.Rows, maps: c.Maps, master: &ring{keys: c.Master, reload: c.Reload}, now: c.Now, ids: c.IDs}
	// A closure instead of a map: nothing that prints a Vault can reach the keys.
	v.env = func(provider string) (agent.Secret, bool) { key, ok := env[provider]; return key, ok }
	if v.now == nil {
		v.now = time.Now
	}
	if v.ids == nil {
		v.ids = randomID
	}
	return v, nil
}

// Format prints dots, whatever the verb.
func (v *Vault) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "vault ••••") }

// Put seals and stores a key of the caller. It proves twice that the key opens
// again: before it is stored, and from the row that was stored.
func (v *Vault) Put(ctx context.Context, provider, label string, key agent.Secret) (agent.KeyInfo, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.KeyInfo{}, err
	}
	row, err := v.sealed(agent.KeyRow{UserID: p.UserID, Provider: provider, Label: label}, key)
	if err != nil {
		return agent.KeyInfo{}, err
	}
	if err := v.rows.PutKey(ctx, row); err != nil {
		return agent.KeyInfo{}, err
	}
	stored, err := v.rows.Key(ctx, row.ID)
	if err == nil {
		err = v.opensAs(stored, key)
	}
	if err != nil {
		revoked := v.rows.RevokeKey(ctx, row.ID, v.now().UnixMilli())
		return agent.KeyInfo{}, doesNotOpen(errors.Join(err, revoked))
	}
	return info(row), nil
}

// PutOrg seals and stores the key of the caller's org.
func (v *Vault) PutOrg(ctx context.Context, provider string, key agent.Secret) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	row, err := v.sealed(agent.KeyRow{OrgID: p.OrgID, Provider: provider, Label: "org"}, key)
	if err != nil {
		return err
	}
	if err := v.rows.PutOrgKey(ctx, row); err != nil {
		return err
	}
	stored, err := v.rows.OrgKey(ctx, provider)
	if err == nil {
		err = v.opensAs(stored, key)
	}
	if err != nil {
		return doesNotOpen(err)
	}
	return nil
}

// sealed completes a new row and seals the key into it, unless it does not open again.
func (v *Vault) sealed(row agent.KeyRow, key agent.Secret) (agent.KeyRow, error) {
	row.ID = v.ids("key")
	row.LastFour, row.Prefix = key.LastFour(), prefix(key)
	row.CreatedAt = v.now().UnixMilli()
	row, err := v.master.seal(row, key)
	if err == nil {
		err = v.opensAs(row, key)
	}
	if err != nil {
		return agent.KeyRow{}, doesNotOpen(err)
	}
	return row, nil
}

func (v *Vault) opensAs(row agent.KeyRow, key agent.Secret) error {
	got, err := v.master.open(row)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(got.Reveal()), []byte(key.Reveal())) != 1 {
		return fmt.Errorf("key row %s opens to something else", row.ID)
	}
	return nil
}

// doesNotOpen is what becomes of a row that was changed, moved, or sealed with a
// master key that is gone. People are told what to do; the reason is for the log.
func doesNotOpen(cause error) error {
	e := agent.Wrap(agent.CodeInternal, cause, "The stored key cannot be opened.")
	e.Hint = "Enter the key again. If it happens to every key, the server's master key is not the one they were stored with."
	return e
}

func randomID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process instead
	return prefix + "_" + hex.EncodeToString(b[:])
}
