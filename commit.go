package agent

import (
	"context"
	"database/sql"
	"time"
)

// MaxCommit is how long the function of a Call.Commit may take. One that takes
// longer is rolled back; a single statement that runs is not cut short.
const MaxCommit = time.Second

// ErrInsideCommit is what every port, and Commit itself, answers inside the function
// of a Call.Commit: it would wait for the transaction that it is called in.
var ErrInsideCommit = &Error{Code: CodeConflict, Message: "This cannot be used inside the transaction of a change.",
	Hint: "Do it before or after call.Commit, with the transaction's own statements inside."}

// Committer is the store's side of Call.Commit. Tenant as in Journal. Caller: the
// engine.
type Committer interface {
	// SettleWith runs f in one transaction of the app database that also settles the
	// claimed row e, without a result yet; e.Run must be the turn's. Whatever fails,
	// neither is kept. A panic of f is passed on after the rollback. Errors: what f
	// says, as it is; conflict (the run is over, the row is not claimed), timeout (f
	// took longer than MaxCommit), storage_busy, storage_full.
	SettleWith(ctx context.Context, e LedgerEntry, f func(*sql.Tx) error) error
}

type insideCommitKey struct{}

// WithCommitGuard marks the context of a run whose Commit may be under way: inside
// tells whether it is. Caller: the engine.
func WithCommitGuard(ctx context.Context, inside func() bool) context.Context {
	return context.WithValue(ctx, insideCommitKey{}, inside)
}

// InsideCommit reports whether the context's run is inside its Commit right now.
// Every port that could wait for the app database asks it first.
func InsideCommit(ctx context.Context) bool {
	inside, ok := ctx.Value(insideCommitKey{}).(func() bool)
	return ok && inside()
}
