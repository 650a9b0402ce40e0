package account

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const maxApprovals = 200

// Approvals lists what waits for the caller, newest first, in every thread whose
// project they may still open.
func (a *Account) Approvals(ctx context.Context, q agent.ApprovalQuery) (agent.Page[agent.Approval], error) {
	if _, err := agent.PrincipalFrom(ctx); err != nil {
		return agent.Page[agent.Approval]{}, err
	}
	if q.Limit < 0 || q.Limit > maxApprovals {
		return agent.Page[agent.Approval]{}, invalid("/limit", "The limit must be from 1 to 200.")
	}
	page, err := a.Waiting.ApprovalList(ctx, q, a.now())
	if err != nil {
		return agent.Page[agent.Approval]{}, err
	}
	page.Items, err = opens(ctx, a, page.Items, func(w agent.Approval) project { return project{w.ProjectKind, w.ProjectID} })
	if err != nil {
		return agent.Page[agent.Approval]{}, err
	}
	for i := range page.Items {
		page.Items[i].Title = a.title(page.Items[i].Capability)
	}
	return page, nil
}
