package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// commitment is Call.Commit of one run of a capability's function: whether the
// host's transaction was kept, and whether it is under way.
type commitment struct {
	r     *run
	entry agent.LedgerEntry

	mu     sync.Mutex
	ended  sync.Cond // signalled when a transaction has ended
	inside bool
	kept   bool
	closed bool // the function's result was taken: nothing may begin any more
}

// commits lets a call commit under a claimed row, and gives the context that its
// function runs with.
func (r *run) commits(ctx context.Context, call *agent.Call, entry agent.LedgerEntry) (*commitment, context.Context) {
	entry.Run = r.l.turn.Run
	c := &commitment{r: r, entry: entry}
	c.ended.L = &c.mu
	call.Commit = c.commit
	generate, transcript := call.Generate, call.Transcript
	call.Generate = func(ctx context.Context, req agent.GenerateRequest) (string, error) {
		if c.isInside() {
			return "", agent.ErrInsideCommit
		}
		return generate(ctx, req)
	}
	call.Transcript = func(ctx context.Context) ([]agent.TranscriptRow, error) {
		if c.isInside() {
			return nil, agent.ErrInsideCommit
		}
		return transcript(ctx)
	}
	return c, agent.WithCommitGuard(ctx, c.isInside)
}

func (c *commitment) isInside() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inside
}

func (c *commitment) commit(f func(*sql.Tx) error) error {
	if err := c.begin(); err != nil {
		return err
	}
	kept := false
	defer func() { c.end(kept) }() // also when f panics
	err := c.r.e.Store.SettleWith(context.WithoutCancel(c.r.ctx), c.entry, f)
	kept = err == nil
	return err
}

func (c *commitment) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.inside:
		return agent.ErrInsideCommit
	case c.kept:
		return agent.Errorf(agent.CodeConflict, "This change was committed already.")
	case c.closed:
		return agent.Errorf(agent.CodeConflict, "This run is over; nothing was committed.")
	}
	c.inside = true
	return nil
}

func (c *commitment) end(kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside, c.kept = false, c.kept || kept
	c.ended.Broadcast()
}

// close lets no transaction begin any more, waits for one that is under way and
// tells whether one was kept.
func (c *commitment) close() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.inside {
		c.ended.Wait()
	}
	return c.kept
}

// outcome is the result of a function when its transaction is taken into account:
// what was kept has happened, whatever the function said afterwards.
func (r *run) outcome(c *commitment, call *agent.Call, result agent.Result) agent.Result {
	kept := c.close()
	cp, _ := r.e.Registry.Get(call.Capability)
	switch {
	case kept && result.OK:
		return result
	case kept:
		r.e.Log.Warn("a change was committed, and its function failed after that", "turn", c.entry.TurnID, "call", c.entry.CallID, "code", result.Error.Code)
		return r.committedResult(call)
	case cp.Commits && result.Error != nil && result.Error.Code == agent.CodeOutcomeUnknown:
		return agent.Result{Error: &agent.ResultError{Code: agent.CodeTimeout, Message: "It did not answer in time and was stopped. Nothing was changed."}}
	case cp.Commits:
		return result
	}
	return r.resolve(call, result)
}

// committedResult stands for the result of a change that was committed and whose
// own result was lost: Verify may know it.
func (r *run) committedResult(call *agent.Call) agent.Result {
	if known, done, found := r.e.Registry.Verify(context.WithoutCancel(r.ctx), r.env, call); known && done {
		return found
	}
	return agent.Result{OK: true, Output: json.RawMessage(`{"committed":true,"message":"The change was made. What it gave was lost."}`)}
}
