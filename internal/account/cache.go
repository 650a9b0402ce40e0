package account

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// CacheReport says which part of the prompt changed between the model calls of a
// thread's turns, and what it cost. One turn more is read than is reported, so that
// the first call of a page is compared as well.
func (a *Account) CacheReport(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) (agent.CacheReport, error) {
	if limit < 0 || limit > maxTurns {
		return agent.CacheReport{}, invalid("/limit", "The limit must be from 1 to 100.")
	}
	if limit == 0 {
		limit = defaultTurns
	}
	if _, err := a.readable(ctx, id); err != nil {
		return agent.CacheReport{}, err
	}
	steps, turns, err := a.Traces.StepTraces(ctx, id, before, limit+prompt.LeadTurns)
	if err != nil {
		return agent.CacheReport{}, err
	}
	return prompt.Report(id, steps, turns, limit), nil
}
