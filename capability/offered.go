package capability

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

type callableKey struct{}

// Callable tells inside a running capability whether another one could be called
// in the same turn by the same person: it is in the turn's list, and tier and
// policy allow it. Outside of a dispatch nothing is callable.
func Callable(ctx context.Context, c agent.Capability) bool {
	callable, ok := ctx.Value(callableKey{}).(func(agent.Capability) bool)
	return ok && callable(c)
}

// withCallable lets the functions of a call ask Callable.
func (env *Env) withCallable(ctx context.Context, p agent.Principal) context.Context {
	return context.WithValue(ctx, callableKey{}, func(c agent.Capability) bool {
		return env.Offered[c.Name] && p.Tier.Covers(c.RequiredTier) && env.Allow != nil && env.Allow(c) == nil
	})
}
