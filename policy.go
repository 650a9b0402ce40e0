package agent

import "context"

// OrgPolicy is what an org's admin decided, as the engine reads it: a copy with
// a version. A decision is conditional on the version it was shown under.
type OrgPolicy struct {
	OrgID                string
	Version              int64
	DisabledCapabilities []string
	DefaultModel         string // "" means model.default
	AllowModelChoice     bool
	Billing              Billing
	// Remember is the ceiling on "always allow", RememberDays how long one lasts at
	// most, counted from when it was given.
	Remember     RememberMode
	RememberDays int
}

// Policies reads org policy. The tenant comes from the context's principal.
type Policies interface {
	// Policy gives the current policy of the caller's org, from the copy in the
	// app database. Callers: the engine, account. Errors: not_found, storage_busy.
	Policy(ctx context.Context) (OrgPolicy, error)
}

// IDSource mints ids with a short prefix such as "turn". Like the clock it is
// injected, so that tests need no waiting and no luck.
type IDSource func(prefix string) string
