package capability

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// Apply makes the change of an accepted preview. Tier and policy are asked
// again, as they may have changed since, and the receipt must be the one of this
// call and these arguments: else conflict, and nothing ran. A resource that
// moved is stale_preview. outcome_unknown means that the function was left
// behind after its deadline; ask Verify.
func (r *Registry) Apply(ctx context.Context, env *Env, call *agent.Call, receipt agent.Receipt) agent.Result {
	e, run, failed := r.effect(ctx, call, receipt)
	if failed == nil && e.Apply == nil {
		failed = refusal(agent.CodeNotExecuted, "%s has nothing to apply.", e.Name)
	}
	if failed == nil {
		failed = env.allowed(e, call)
	}
	if failed != nil {
		return agent.Result{Error: failed}
	}
	return e.result(run, agent.PhaseApply)(guard(ctx, env, e, run, agent.PhaseApply,
		func(ctx context.Context) (agent.Result, error) { return e.Apply(ctx, run, receipt) }))
}

// Undo takes an applied change back; call is the one whose change it was, under
// the key of the taking back. Tier and policy are asked again. A resource that
// changed since is stale_undo.
func (r *Registry) Undo(ctx context.Context, env *Env, call *agent.Call, receipt agent.Receipt) agent.Result {
	e, run, failed := r.effect(ctx, call, receipt)
	if failed == nil && e.Undo == nil {
		failed = refusal(agent.CodeNotExecuted, "%s cannot be taken back.", e.Name)
	}
	if failed == nil {
		failed = env.allowed(e, call)
	}
	if failed != nil {
		return agent.Result{Error: failed}
	}
	return e.result(run, agent.PhaseUndo)(guard(ctx, env, e, run, agent.PhaseUndo,
		func(ctx context.Context) (agent.Result, error) { return e.Undo(ctx, run, receipt) }))
}

// Discard cleans up after a preview that was not accepted. It is not kept from
// it by tier or policy. A capability without Discard has nothing to clean up.
func (r *Registry) Discard(ctx context.Context, env *Env, call *agent.Call, receipt agent.Receipt) agent.Result {
	e, run, failed := r.effect(ctx, call, receipt)
	if failed != nil {
		return agent.Result{Error: failed}
	}
	if e.Discard == nil {
		return agent.Result{OK: true}
	}
	_, failed = guard(ctx, env, e, run, agent.PhaseDiscard,
		func(ctx context.Context) (struct{}, error) { return struct{}{}, e.Discard(ctx, run, receipt) })
	return agent.Result{OK: failed == nil, Error: failed}
}

// Verify asks after a crash whether the effect with call.Key happened. known is
// false when the capability has no Verify or it failed: the outcome is unknown.
// Where done, the result is what the effect would have given.
func (r *Registry) Verify(ctx context.Context, env *Env, call *agent.Call) (known, done bool, result agent.Result) {
	e := r.find(call.Capability)
	if e == nil || e.Verify == nil {
		return false, false, refused(agent.CodeOutcomeUnknown,
			"Whether %s took effect is not known, and it cannot say. Do not call it again; tell the user.", clip(call.Capability, MaxName))
	}
	type answer struct {
		done   bool
		result agent.Result
	}
	run := prepare(call, call.Input)
	a, failed := guard(ctx, env, e, run, agent.PhaseApply, func(ctx context.Context) (answer, error) {
		done, res, err := e.Verify(ctx, run)
		return answer{done, res}, err
	})
	if failed != nil {
		return false, false, agent.Result{Error: failed}
	}
	if !a.done {
		return true, false, agent.Result{}
	}
	return true, true, e.bound(run, agent.PhaseApply, a.result)
}

// effect finds what a receipt is about and refuses a receipt of anything else.
func (r *Registry) effect(ctx context.Context, call *agent.Call, receipt agent.Receipt) (*entry, *agent.Call, *agent.ResultError) {
	e := r.find(call.Capability)
	if e == nil {
		return nil, nil, refusal(agent.CodeNotExecuted, "There is no capability %q any more; nothing was done.", clip(call.Capability, MaxName))
	}
	if ctx.Err() != nil {
		return nil, nil, refusal(agent.CodeNotExecuted, "%s was stopped before it ran; nothing was done.", e.Name)
	}
	input, digest, err := Canonical(call.Input)
	if err != nil || digest != receipt.InputDigest || receipt.Capability != call.Capability ||
		receipt.CallID != call.ID || receipt.TurnID != call.Turn {
		return nil, nil, refusal(agent.CodeConflict, "The approval is not for this call of %s; nothing was done.", e.Name)
	}
	return e, prepare(call, input), nil
}

// allowed asks tier and policy, as gates 3 and 4 do.
func (env *Env) allowed(e *entry, call *agent.Call) *agent.ResultError {
	if !call.Principal.Tier.Covers(e.RequiredTier) {
		return refusal(agent.CodeForbidden, "%s needs the tier %s. Tell the user that an org admin can help.", e.Name, e.RequiredTier)
	}
	if env.Allow == nil {
		return refusal(agent.CodePolicyDenied, "No policy allows %s here.", e.Name)
	}
	return env.Allow(e.Capability)
}
