package agent

import "context"

// RedactionKind is a kind of detail that a person's words may hold and that a
// provider need not see.
type RedactionKind string

// The kinds. Placeholders carry them in capitals, such as [EMAIL_1].
const (
	RedactEmail      RedactionKind = "email"
	RedactPhone      RedactionKind = "phone"
	RedactCard       RedactionKind = "card" // a payment card's number
	RedactIBAN       RedactionKind = "iban"
	RedactNationalID RedactionKind = "national_id"
	RedactSecret     RedactionKind = "secret" // a key, a token, a password
)

// RedactionKinds lists the kinds, in the order in which they are shown.
var RedactionKinds = []RedactionKind{RedactEmail, RedactPhone, RedactCard, RedactIBAN, RedactNationalID, RedactSecret}

// RedactionPattern is an org's own pattern. Its name is its kind: lower-case letters,
// digits and underscores, at most 24 of them, such as project_code.
type RedactionPattern struct {
	Name    string `json:"name"`
	Pattern string `json:"pattern"` // RE2
}

// Limits of an org's own patterns.
const (
	MaxRedactionPatterns     = 20
	MaxRedactionPatternBytes = 512
)

// RedactionPolicy says what an org keeps from providers. The zero value keeps nothing.
type RedactionPolicy struct {
	Kinds    []RedactionKind    `json:"kinds"`              // what is found and kept
	Patterns []RedactionPattern `json:"patterns,omitempty"` // the org's own, besides
}

// DefaultRedaction is the policy of an org that decided nothing: secrets are kept from
// providers, because no answer needs them; personal details are the org's to decide,
// because answers may.
func DefaultRedaction() RedactionPolicy {
	return RedactionPolicy{Kinds: []RedactionKind{RedactSecret}}
}

// RedactionEntry is one placeholder of a thread and what it stands for.
type RedactionEntry struct {
	Placeholder string
	Value       Secret
}

// MaxRedactionEntries is how many details one thread may hold back.
const MaxRedactionEntries = 10_000

// RedactionMap is what stands for what in a thread. It grows and never changes, so
// that what was sent once is sent the same again.
type RedactionMap struct {
	ThreadID ThreadID
	// Version counts the writes, 0 for a map that was never stored.
	Version int64
	Entries []RedactionEntry
}

// RedactionMaps keeps the maps of threads, sealed like keys. The principal comes from
// the context. Caller: the engine.
type RedactionMaps interface {
	// RedactionMap opens the map of a thread of the caller; one that was never stored
	// is empty. Errors: internal (it does not open), storage_busy.
	RedactionMap(ctx context.Context, thread ThreadID) (RedactionMap, error)
	// PutRedactionMap seals and stores a map; Version is the one that it was read with,
	// and the stored one is one more. It is on the disk when the method returns.
	// Errors: conflict (it was written since), not_found (the thread),
	// storage_busy, storage_full.
	PutRedactionMap(ctx context.Context, m RedactionMap) error
}

// RedactionRow is a sealed map as the store keeps it.
type RedactionRow struct {
	ThreadID   ThreadID
	OrgID      string
	UserID     string
	Version    int64
	Ciphertext []byte
	IV         []byte
	KeyVersion int
	UpdatedAt  int64
}

// RedactionRows is the store's side of the maps. Tenant as in Journal. Caller: vault.
type RedactionRows interface {
	// RedactionRow gives the row of a thread. Errors: not_found.
	RedactionRow(ctx context.Context, thread ThreadID) (RedactionRow, error)
	// PutRedactionRow stores a row in place of the one whose version is one less;
	// version 1 is a new one. Errors: conflict (it was written since), not_found (the
	// thread).
	PutRedactionRow(ctx context.Context, row RedactionRow) error
	// EachRedactionRow visits the rows of all tenants, for the rotation of the master
	// key; reseal gives the row to store instead. Caller: keys rotate-master.
	EachRedactionRow(ctx context.Context, reseal func(RedactionRow) (RedactionRow, error)) (int, error)
}

// RedactionCount is how many details of a kind were found.
type RedactionCount struct {
	Kind  string `json:"kind"`  // one of the kinds, or the name of a pattern
	Count int    `json:"count"` // how often, the same value each time
}

// RedactionPreview is what a provider would get to see of a text.
type RedactionPreview struct {
	Text  string           `json:"text"`  // with placeholders in place of what is kept
	Found []RedactionCount `json:"found"` // by kind, in the order of their names
	// PolicyVersion is the version of the org's policy that it was made under.
	PolicyVersion int64 `json:"policyVersion"`
}

// Redaction shows what is kept from providers. Caller: presenters.
type Redaction interface {
	// PreviewRedaction gives a text of at most MaxMessageBytes as it would be sent in a
	// new thread. Nothing is stored. Errors: too_large, invalid_input (no text),
	// policy_denied (the org's rules cannot be used).
	PreviewRedaction(ctx context.Context, text string) (RedactionPreview, error)
}
