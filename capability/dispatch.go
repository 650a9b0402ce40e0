package capability

import (
	"context"
	"encoding/json"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Env is what a turn brings to its calls. A zero Env lets nothing through.
type Env struct {
	// Offered holds the names of this turn's list.
	Offered map[string]bool
	// Allow is the org's and the tier's word, as internal/policy gives it; nil refuses.
	Allow func(agent.Capability) *agent.ResultError
	// Counter bounds the calls of the turn; nil refuses.
	Counter *Counter
	// Timeout bounds a run whose capability sets none; 0 means DefaultTimeout.
	Timeout time.Duration
	// Deadline ends the turn's wall time; zero means none. It is compared with the
	// call's clock.
	Deadline time.Time
}

// Outcome is what became of a call. Result is always meaningful: a refusal is a
// result that the model reads.
type Outcome struct {
	Result     agent.Result
	Capability agent.Capability
	// Known says that Capability is set: the registry has the name.
	Known bool
	// Resources are what the preview rests on, at their versions before it was made.
	Resources []agent.Resource
	// Input is the canonical form of the arguments, nil when they do not parse, and
	// Digest the sha256 of it.
	Input  json.RawMessage
	Digest string
}

// Check takes a call through gates 1 to 5 and runs nothing. Result.OK tells
// whether it passed; its Input and Digest are what a ledger claim needs. A call
// with an id that was checked is not counted again by Dispatch.
func (r *Registry) Check(ctx context.Context, env *Env, call *agent.Call) Outcome {
	_, o := r.pass(ctx, env, call)
	return o
}

// Dispatch takes a call through all gates, in order. Gate 8, giving the result
// to the model, and gate 9, writing it down, are the caller's.
func (r *Registry) Dispatch(ctx context.Context, env *Env, call *agent.Call) Outcome {
	e, o := r.pass(ctx, env, call) // gates 1 to 5
	if !o.Result.OK {
		return o
	}
	run := prepare(call, o.Input)
	ctx = env.withCallable(ctx, call.Principal)
	if e.RequiresConfirmation { // versions from before the preview: what moves meanwhile makes it stale
		o.Resources, o.Result.Error = guard(ctx, env, e, run, agent.PhaseHandler, func(ctx context.Context) ([]agent.Resource, error) {
			return e.Resources(ctx, run)
		})
		if o.Result.Error != nil {
			o.Result.OK = false
			return o
		}
	}
	// Gate 6: the handler, with a deadline and a panic guard.
	o.Result = e.result(run, agent.PhaseHandler)(guard(ctx, env, e, run, agent.PhaseHandler, func(ctx context.Context) (agent.Result, error) {
		return e.Handler(ctx, run)
	}))
	// Gate 7: a confirming capability shows a preview or has failed.
	if e.RequiresConfirmation && o.Result.OK {
		if o.Result.Preview == nil {
			o.Result = refused(agent.CodePreviewMissing,
				"%s gave no preview to decide on, so nothing was done. Tell the user.", e.Name)
			return o
		}
		o.Result.Output = nil // nothing was done yet that a result could tell
	}
	return o
}

// pass is gates 1 to 5.
func (r *Registry) pass(ctx context.Context, env *Env, call *agent.Call) (*entry, Outcome) {
	e := r.find(call.Capability)
	var o Outcome
	if e != nil {
		o.Known, o.Capability = true, e.Capability
	}
	// Gate 1: known, and in this turn's list, letter by letter.
	if e == nil || !env.Offered[call.Capability] {
		o.Result = refused(agent.CodeNotExecuted,
			"There is no capability %q in this turn. Do not call it again; use one from the list, or answer in text.",
			clip(call.Capability, MaxName))
		return e, o
	}
	// Gate 2: complete, strict arguments that validate.
	if o.Result.Error = e.arguments(call.Input, &o); o.Result.Error != nil {
		return e, o
	}
	// Gates 3 and 4: the tier, then the org's policy.
	if o.Result.Error = env.allowed(e, call); o.Result.Error != nil {
		return e, o
	}
	// Gate 5: the turn still runs, and its caps are not reached.
	if o.Result.Error = env.open(ctx, call); o.Result.Error != nil {
		return e, o
	}
	if o.Result.Error = env.Counter.take(call.ID, e.Retrieval); o.Result.Error != nil {
		return e, o
	}
	o.Result.OK = true
	return e, o
}

// arguments parses and validates; it fills in the canonical form.
func (e *entry) arguments(input json.RawMessage, o *Outcome) *agent.ResultError {
	if e.schemaErr != nil {
		return refusal(agent.CodeToolError, "%s is not usable: its schema has a fault. Tell the user.", e.Name)
	}
	v, err := parseArguments(input)
	if err != nil {
		return refusal(agent.CodeInvalidInput,
			"The arguments of %s were not executed: %v. Call again with one complete JSON object.", e.Name, err)
	}
	o.Input, o.Digest = canonicalOf(v, len(input))
	if found := e.schema.check(v); len(found) > 0 {
		return misfit(e.Name, found)
	}
	return nil
}

// open refuses a call of a turn that was cancelled or has used up its time.
func (env *Env) open(ctx context.Context, call *agent.Call) *agent.ResultError {
	if ctx.Err() != nil {
		return refusal(agent.CodeNotExecuted, "The turn was stopped before this call ran; it was not executed.")
	}
	if !env.Deadline.IsZero() && !now(call).Before(env.Deadline) {
		return refusal(agent.CodeRateLimited, "This turn has used all of its time. Do not call anything more; answer with what you have.")
	}
	return nil
}
