package agent

import (
	"context"
	"fmt"
	"io"
	"log/slog"
)

// Secret holds key bytes and prints as dots, whatever prints it: fmt, slog,
// JSON. Only Reveal gives the bytes, and only an adapter calls it. The bytes stand
// behind a pointer, because fmt asks no method of an unexported field: a struct
// that holds a Secret in one prints an address instead of a key.
type Secret struct{ value *string }

// NewSecret wraps key bytes.
func NewSecret(s string) Secret { return Secret{value: &s} }

// Reveal gives the bytes; call it only where they leave for their provider.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty reports whether there is nothing inside.
func (s Secret) Empty() bool { return s.Reveal() == "" }

const masked = "••••"

// String, GoString, Format, MarshalText and LogValue all print dots.
func (s Secret) String() string               { return masked }
func (s Secret) GoString() string             { return masked }
func (s Secret) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, masked) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(masked) }

// LastFour gives the last four characters for display, or dots for a short one.
func (s Secret) LastFour() string {
	v := s.Reveal()
	if len(v) < 12 {
		return masked
	}
	return v[len(v)-4:]
}

// KeyInfo is the masked metadata of a stored key. Times are milliseconds.
type KeyInfo struct {
	ID         string `json:"id"`
	Provider   string `json:"provider"`
	Label      string `json:"label"`
	Masked     string `json:"masked"` // sk-ant-…••••AB12
	LastFour   string `json:"lastFour"`
	CreatedAt  int64  `json:"createdAt"`
	LastUsedAt int64  `json:"lastUsedAt,omitempty"`
}

// KeyRef is a key that was found for a turn.
type KeyRef struct {
	ID       string
	Provider string
	Source   KeySource
	Secret   Secret
}

// KeyVault keeps keys so that only their owner's turns can open them. The
// principal comes from the context. Callers: account and the engine.
type KeyVault interface {
	// Put seals a key of the caller, opens it again to prove that it can, and
	// stores it; a key with the same provider and label is replaced. Errors:
	// storage_busy, storage_full, unavailable.
	Put(ctx context.Context, provider, label string, key Secret) (KeyInfo, error)
	// Find opens the newest live key of the caller for a provider. Errors:
	// not_found, internal (it does not open).
	Find(ctx context.Context, provider string) (KeyRef, error)
	// Open opens one key of the caller by id. Errors: not_found.
	Open(ctx context.Context, id string) (KeyRef, error)
	// FindOrg opens the org's key for a provider, else the environment's. Errors:
	// not_found.
	FindOrg(ctx context.Context, provider string) (KeyRef, error)
	// PutOrg stores the org's key. Caller: keys set --org.
	PutOrg(ctx context.Context, provider string, key Secret) error
	// List gives the caller's live keys, masked. No error but storage's.
	List(ctx context.Context) ([]KeyInfo, error)
	// Revoke ends a key at once, also for running turns. Errors: not_found.
	Revoke(ctx context.Context, id string) error
	// Touch notes that a key was used.
	Touch(ctx context.Context, id string) error
}

// KeyRow is a sealed key as the store keeps it.
type KeyRow struct {
	ID         string
	UserID     string // "" for an org's key
	OrgID      string // "" for a user's key
	Provider   string
	Ciphertext []byte
	IV         []byte
	KeyVersion int
	Label      string
	LastFour   string
	Prefix     string // shown before the dots, such as sk-ant-
	CreatedAt  int64
	LastUsedAt int64
	RevokedAt  int64
}

// KeyRows is the store's side of a vault. It takes the tenant from the context's
// principal; rows of others do not exist. Caller: vault only.
type KeyRows interface {
	// PutKey stores a user's key and revokes the live one with the same provider
	// and label, in one transaction.
	PutKey(ctx context.Context, row KeyRow) error
	// Keys gives the caller's live keys, newest first; provider "" means all.
	Keys(ctx context.Context, provider string) ([]KeyRow, error)
	// Key gives one live key of the caller. Errors: not_found.
	Key(ctx context.Context, id string) (KeyRow, error)
	// RevokeKey marks a key revoked. Errors: not_found.
	RevokeKey(ctx context.Context, id string, at int64) error
	// TouchKey notes the last use.
	TouchKey(ctx context.Context, id string, at int64) error
	// PutOrgKey stores the org's key for a provider, replacing an older one.
	PutOrgKey(ctx context.Context, row KeyRow) error
	// OrgKey gives the org's live key for a provider. Errors: not_found.
	OrgKey(ctx context.Context, provider string) (KeyRow, error)
	// OrgKeys gives the org's live keys, newest first. Caller: keys list.
	OrgKeys(ctx context.Context) ([]KeyRow, error)
	// RevokeOrgKey marks a key of the org revoked. Errors: not_found. Caller: keys remove.
	RevokeOrgKey(ctx context.Context, id string, at int64) error
	// EachKey visits every row of both tables, live or not, for master-key
	// rotation; reseal gives the row to store instead. Caller: keys rotate-master.
	EachKey(ctx context.Context, reseal func(KeyRow) (KeyRow, error)) (int, error)
	// SampleKeys gives up to n live rows of each table for each key version, newest
	// first, of every tenant: enough to prove that a master key is the right one.
	SampleKeys(ctx context.Context, n int) ([]KeyRow, error)
}

// NewKey is a key on its way in. Limits: key 8 to 512 characters without spaces or
// control characters, label at most 64 characters.
type NewKey struct {
	Provider string
	Label    string
	Key      Secret
}

// KeyTest is the outcome of one real model call with the real tool set.
type KeyTest struct {
	OK        bool   `json:"ok"`
	Model     string `json:"model"`
	LatencyMS int64  `json:"latencyMs"`
	Code      Code   `json:"code,omitempty"`
	Message   string `json:"message,omitempty"`
}

// StoredKey is a key that was stored, and how its test went.
type StoredKey struct {
	KeyInfo
	Test KeyTest `json:"test"`
}

// Keys serves the caller's own keys. Caller: presenters.
type Keys interface {
	// Keys lists, masked. No error but storage's.
	Keys(ctx context.Context) ([]KeyInfo, error)
	// AddKey tests a key with one real call and stores it. A key that the provider
	// rejects is not stored: key_invalid. A provider that does not answer does not
	// keep a key from being stored: Test.OK is false then. Errors: invalid_input
	// (provider, key or label; a key of another provider's form), key_invalid,
	// forbidden (viewer), storage_full.
	AddKey(ctx context.Context, k NewKey) (StoredKey, error)
	// RotateKey replaces the bytes of a key under the same label. Errors: as AddKey, not_found.
	RotateKey(ctx context.Context, id string, key Secret) (StoredKey, error)
	// RevokeKey ends a key at once. Errors: not_found.
	RevokeKey(ctx context.Context, id string) error
	// TestKey makes one real call with the real tool set. Errors: not_found.
	TestKey(ctx context.Context, id string) (KeyTest, error)
}
