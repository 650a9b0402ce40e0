package agent

import "context"

// MaxEgressRows is how many lines of egress a thread keeps; older ones are added up
// without their turns.
const MaxEgressRows = 1000

// MaxEgressWord bounds the host and the purpose of a line, in bytes.
const MaxEgressWord = 200

// EgressLine is what left this machine on behalf of a turn, to one host and for one
// purpose. Times are milliseconds since the Unix epoch.
type EgressLine struct {
	TurnID   TurnID `json:"turnId,omitempty"` // absent where older turns are added up
	Host     string `json:"host"`             // with its port where that is not the scheme's own
	Purpose  string `json:"purpose"`          // such as step, for a model call of the turn
	Requests int64  `json:"requests"`         // how many were sent
	// Failures are requests without an answer, or with one that says no.
	Failures int64 `json:"failures"`
	BytesOut int64 `json:"bytesOut"` // bodies of requests
	BytesIn  int64 `json:"bytesIn"`  // bodies of answers
	// Redactions is how many details were replaced before they left.
	Redactions int64 `json:"redactions"`
	FirstAt    int64 `json:"firstAt"` // of the first request
	At         int64 `json:"at"`      // of the last request
}

// Transparency is what left for a thread.
type Transparency struct {
	ThreadID ThreadID     `json:"threadId"`
	Items    []EgressLine `json:"items"` // newest first
}

// Egress serves what left. Caller: presenters.
type Egress interface {
	// Transparency gives what left for a thread of the caller. Errors: not_found.
	Transparency(ctx context.Context, id ThreadID) (Transparency, error)
}

// EgressRows is the store's side of Egress. Tenant as in Journal. Lines are written
// with milestones. Callers: account, the engine.
type EgressRows interface {
	// EgressOf gives the lines of a thread, newest first. Errors: not_found.
	EgressOf(ctx context.Context, id ThreadID) ([]EgressLine, error)
	// AddEgress adds lines of a turn outside of its milestones. Errors: not_found.
	AddEgress(ctx context.Context, id TurnID, lines []EgressLine) error
}

type (
	egressKey     struct{}
	redactionsKey struct{}
)

// WithEgress names who is told of what leaves on behalf of a context. Caller: the
// engine, for what a turn asks of others.
func WithEgress(ctx context.Context, told func(EgressLine)) context.Context {
	return context.WithValue(ctx, egressKey{}, told)
}

// WithRedactions says how many details were replaced in what is sent next with the
// context. Caller: whoever redacts a request.
func WithRedactions(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, redactionsKey{}, n)
}

// RecordEgress tells of one request that left on behalf of a context; one without a
// turn is told to nobody. Caller: what assembles the outbound clients.
func RecordEgress(ctx context.Context, line EgressLine) {
	told, ok := ctx.Value(egressKey{}).(func(EgressLine))
	if !ok || told == nil {
		return
	}
	if n, ok := ctx.Value(redactionsKey{}).(int); ok {
		line.Redactions += int64(n)
	}
	told(line)
}
