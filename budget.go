package agent

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// NanoUSD is money in billionths of a US dollar. One USD for a million tokens is
// 1,000 NanoUSD a token, so no price needs a fraction.
type NanoUSD int64

// USD is one US dollar.
const USD NanoUSD = 1_000_000_000

// String gives the amount with at least two decimals: "1.00 USD", "0.0042 USD".
func (n NanoUSD) String() string {
	sign, v := "", uint64(n)
	if n < 0 {
		sign, v = "-", -v
	}
	fraction := strings.TrimRight(fmt.Sprintf("%09d", v%uint64(USD)), "0")
	for len(fraction) < 2 {
		fraction += "0"
	}
	return fmt.Sprintf("%s%d.%s USD", sign, v/uint64(USD), fraction)
}

// Dollars gives the amount as costUsd carries it on the wire. It is for telling
// only: nothing is added up in it.
func (n NanoUSD) Dollars() float64 { return float64(n) / float64(USD) }

// Price is what one token of a model costs.
type Price struct {
	Input, Output, CacheRead, CacheWrite NanoUSD
}

// Prices is the price table. Callers: the engine.
type Prices interface {
	// Price gives the price of a model of a provider; known is false where the table
	// does not say, which is not the same as free.
	Price(provider, model string) (p Price, known bool)
}

// BudgetScope says what a budget bounds, each for a calendar month (UTC).
type BudgetScope string

// The scopes of budgets.
const (
	BudgetOrg        BudgetScope = "org"
	BudgetUser       BudgetScope = "user"
	BudgetThread     BudgetScope = "thread"
	BudgetCapability BudgetScope = "capability" // the model calls that a capability makes
)

// EachSubject is the subject of a budget that every user, thread or capability has
// for itself; one that names its subject replaces it.
const EachSubject = "*"

// Limits of budgets.
const (
	MaxBudgets       = 500 // of an org
	MaxBudgetSubject = 200 // bytes
	// MaxBudgetCap bounds a cap, in billionths of a dollar or in tokens, so that no
	// sum of a month overflows.
	MaxBudgetCap = int64(1_000_000_000_000_000)
)

// Budget bounds what model calls of a month may take: at a soft cap the user is
// told once, a hard cap is never passed. An absent cap bounds nothing; 0 allows nothing.
type Budget struct {
	Scope BudgetScope `json:"scope"`
	// Subject is a user id, a thread id or a capability's name, or "*" for each of
	// them; it is empty for the org.
	Subject    string   `json:"subject"`
	SoftCost   *NanoUSD `json:"softNanoUsd,omitempty"` // billionths of a US dollar, at which the user is told
	HardCost   *NanoUSD `json:"hardNanoUsd,omitempty"` // billionths of a US dollar, which are never passed
	SoftTokens *int64   `json:"softTokens,omitempty"`  // tokens of input, output and cache together, at which the user is told
	HardTokens *int64   `json:"hardTokens,omitempty"`  // those which are never passed
}

// BudgetStanding is how far a budget of a month is used. Subject names the one that
// it stands for, also where the budget says "*".
type BudgetStanding struct {
	Budget
	Month       string  `json:"month"`        // such as 2026-01
	Spent       NanoUSD `json:"spentNanoUsd"` // of calls whose price is known
	Held        NanoUSD `json:"heldNanoUsd"`  // for calls that run
	SpentTokens int64   `json:"spentTokens"`  // of input, output and cache
	HeldTokens  int64   `json:"heldTokens"`   // for calls that run
}

// BudgetMonth gives the month of a time in milliseconds, such as 2026-01.
func BudgetMonth(at int64) string { return time.UnixMilli(at).UTC().Format("2006-01") }

// BudgetReservation is what one model call may take at most, before it is made.
type BudgetReservation struct {
	ID         string
	Owner      string // the process
	Turn       TurnID
	Run        int64
	Thread     ThreadID
	Capability string // that asks the model itself; "" for a step
	Provider   string
	Model      string
	KeySource  KeySource
	At         int64
	// Cost is nil where the price of the model is not known. LostCost and LostTokens
	// are what counts where nobody lives to tell how the call ended: its prompt.
	Cost       *NanoUSD
	Tokens     int64
	LostCost   *NanoUSD
	LostTokens int64
}

// BudgetSettlement replaces a reservation by what its call used.
type BudgetSettlement struct {
	ID    string
	Usage Usage
	// Cost is nil where it is not known. Estimated marks a call that ended without
	// the provider's own count.
	Cost      *NanoUSD
	Estimated bool
	At        int64
}

// BudgetAnswer tells whether a reservation was made.
type BudgetAnswer struct {
	// Refused is the budget in the way; nil means that the reservation stands.
	Refused *BudgetRefusal
	// Warned are budgets whose soft cap is reached and whose user was not told yet
	// this month; they count as told from now on.
	Warned []BudgetStanding
}

// BudgetRefusal says why a call is not made.
type BudgetRefusal struct {
	BudgetStanding
	Cost   *NanoUSD // what the call may take; nil where its price is not known
	Tokens int64
	// Renews is when the month ends.
	Renews int64
}

// BudgetLedger reserves and settles. Tenant as in Journal. Caller: the engine.
type BudgetLedger interface {
	// ReserveBudget reserves in one atomic step what every budget of the call leaves
	// room for: what is spent and reserved never passes a hard cap. A call without a
	// known price is refused by a hard cap on money. A reservation ends with its
	// settlement, in a milestone or here; one that nobody settles ends with its turn's
	// run, its thread or its process, and counts with what is known of it.
	ReserveBudget(ctx context.Context, r BudgetReservation) (BudgetAnswer, error)
	// SettleBudget settles outside of a milestone; one that was settled stays so.
	SettleBudget(ctx context.Context, list []BudgetSettlement) error
}

// UsageSum is what model calls used. Tokens that no provider reported are not in it.
type UsageSum struct {
	Calls          int64   `json:"calls"`          // model calls, failed ones too
	UnpricedCalls  int64   `json:"unpricedCalls"`  // those whose price is not known: they are missing in the cost
	EstimatedCalls int64   `json:"estimatedCalls"` // those that ended without the provider's count: they are in it with an estimate
	TokensIn       int64   `json:"tokensIn"`
	TokensOut      int64   `json:"tokensOut"`
	CacheRead      int64   `json:"cacheReadTokens"`
	CacheCreation  int64   `json:"cacheCreationTokens"`
	Cost           NanoUSD `json:"costNanoUsd"` // billionths of a US dollar
}

// UsageLine is the sum of one user, model, capability or thread.
type UsageLine struct {
	Subject string `json:"subject"` // its id or name
	UsageSum
}

// UsageReport is what a month's model calls used.
type UsageReport struct {
	Month    string           `json:"month"`    // such as 2026-01
	RenewsAt int64            `json:"renewsAt"` // when budgets begin anew
	Total    UsageSum         `json:"total"`    // of all calls
	Models   []UsageLine      `json:"models"`   // by model
	Budgets  []BudgetStanding `json:"budgets"`  // how far each is used
	// Users and Capabilities are told to admins only.
	Users        []UsageLine `json:"users,omitempty"`        // by user id, for admins
	Capabilities []UsageLine `json:"capabilities,omitempty"` // by the capability that asked the model, for admins
}

// BudgetList is the budgets of an org.
type BudgetList struct {
	Items []Budget `json:"items"`
}

// UsageReports serves what was used and the budgets. Caller: presenters.
type UsageReports interface {
	// Usage gives the caller's own calls of a month, "" being this one, with the
	// budgets that bound the caller. Errors: invalid_input.
	Usage(ctx context.Context, month string) (UsageReport, error)
	// OrgUsage gives those of the caller's org. Errors: forbidden (no admin), invalid_input.
	OrgUsage(ctx context.Context, month string) (UsageReport, error)
	// OrgBudgets gives the budgets of the caller's org. Errors: forbidden.
	OrgBudgets(ctx context.Context) (BudgetList, error)
	// PutOrgBudgets replaces them; they hold from the next model call on. Errors:
	// forbidden, invalid_input.
	PutOrgBudgets(ctx context.Context, list BudgetList) (BudgetList, error)
}

// UsageRows is the store's side of UsageReports. Tenant as in Journal; who may see
// an org is checked by account, the caller.
type UsageRows interface {
	// UsageOf gives the sums of the caller's own calls, and the budgets of caller and org.
	UsageOf(ctx context.Context, month string) (UsageReport, error)
	// UsageOfOrg gives the sums of the caller's org and the standing of every budget
	// that was used this month or names its subject.
	UsageOfOrg(ctx context.Context, month string) (UsageReport, error)
	// BudgetRows gives the budgets that were set, by scope and subject.
	BudgetRows(ctx context.Context) ([]Budget, error)
	// PutBudgetRows replaces them; users are told of soft caps anew.
	PutBudgetRows(ctx context.Context, list []Budget, at int64) error
}
