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

// Approval gives one preview of the caller, in a thread that they may read.
func (a *Account) Approval(ctx context.Context, id agent.ReceiptID) (agent.ApprovalView, error) {
	r, err := a.Waiting.ReceiptRow(ctx, id)
	if err != nil {
		return agent.ApprovalView{}, err
	}
	th, err := a.readable(ctx, r.ThreadID)
	if err != nil {
		if agent.ErrorCode(err) == agent.CodeNotFound {
			err = agent.NotFound("preview")
		}
		return agent.ApprovalView{}, err
	}
	v := agent.ApprovalView{State: r.State, Preview: r.Preview, Approval: agent.Approval{
		TurnID: r.TurnID, ThreadID: r.ThreadID, ThreadTitle: th.Title, ProjectID: r.Project.ID, ProjectKind: r.Project.Kind,
		CallID: r.CallID, ReceiptID: r.ID, Capability: r.Capability, Title: a.title(r.Capability), Summary: r.Preview.Summary,
		CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, Replaces: r.Replaces,
	}}
	for _, one := range r.Preview.Artifacts {
		v.Artifacts = append(v.Artifacts, one.Outline())
	}
	if v.State == agent.ReceiptOpen && a.now() >= v.ExpiresAt && v.ExpiresAt != 0 {
		v.State = agent.ReceiptExpired // the job that says so did not run yet
	}
	return v, nil
}
