package agent

import "context"

// OrgPolicy is what an org's admin decided, as the engine reads it: a copy with
// a version. A decision is conditional on the version it was shown under.
type OrgPolicy struct {
	OrgID                string   `json:"-"`
	Version              int64    `json:"version"`              // number of the policy; it moves with every change
	DisabledCapabilities []string `json:"disabledCapabilities"` // names of those that nobody in the org may use
	DefaultModel         string   `json:"defaultModel"`         // "" means model.default
	AllowModelChoice     bool     `json:"allowModelChoice"`     // whether members may choose another model
	Billing              Billing  `json:"billing"`
	// Remember is the ceiling on "always allow", RememberDays how long one lasts at
	// most, counted from when it was given.
	Remember     RememberMode `json:"remember"`
	RememberDays int          `json:"rememberDays"` // 1 to 365
	// ResponseMode is the mode of members who chose none; "" is concise.
	ResponseMode string `json:"responseMode"`
	// Redaction says what is kept from providers.
	Redaction RedactionPolicy `json:"redaction"`
	// CrossClientSearch says whether staff may search the org's own sessions together
	// with those of other clients; "" leaves it to Billing.
	CrossClientSearch CrossClientChoice `json:"crossClientSearch"`
}

// CrossClientChoice is an org's word on being searched across clients.
type CrossClientChoice string

// The choices. Any other word counts as refused.
const (
	CrossClientByBilling CrossClientChoice = "" // a paying org allows it, a lingering one does not
	CrossClientAllowed   CrossClientChoice = "allowed"
	CrossClientRefused   CrossClientChoice = "refused"
)

// CrossClient tells whether the org may be searched across clients.
func (p OrgPolicy) CrossClient() bool {
	if p.CrossClientSearch == CrossClientByBilling {
		return p.Billing == BillingPaying
	}
	return p.CrossClientSearch == CrossClientAllowed
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
