package server

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// ThreadCache is what the cache doctor found in one thread.
type ThreadCache struct {
	OrgID  string
	UserID string
	agent.CacheReport
}

// doctorThreads and doctorTurns bound what a look at a data folder reads.
const (
	doctorThreads = 20
	doctorTurns   = 100
)

// CacheReports looks at one thread, or with "" at the newest ones, of a data folder;
// a server may run beside it. It reads hashes and counts, no text. Errors: not_found
// (no such thread, no database), unavailable.
func CacheReports(ctx context.Context, at Databases, thread agent.ThreadID) (found []ThreadCache, err error) {
	store, err := openBeside(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	threads, err := store.AnyThreads(ctx, thread, doctorThreads)
	if err != nil {
		return nil, err
	}
	for _, th := range threads {
		as := agent.WithPrincipal(ctx, agent.Principal{OrgID: th.OrgID, UserID: th.UserID})
		steps, turns, err := store.StepTraces(as, th.ID, "", doctorTurns+prompt.LeadTurns)
		if err != nil {
			return nil, err
		}
		found = append(found, ThreadCache{OrgID: th.OrgID, UserID: th.UserID, CacheReport: prompt.Report(th.ID, steps, turns, doctorTurns)})
	}
	return found, nil
}
