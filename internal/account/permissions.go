package account

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

const maxPermissions = 200

// Permissions lists what the caller had remembered and may still act, newest first,
// and tells of each whether it does under the policy as it is now.
func (a *Account) Permissions(ctx context.Context, q agent.PermissionQuery) (agent.Page[agent.Permission], error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Page[agent.Permission]{}, err
	}
	if q.Limit < 0 || q.Limit > maxPermissions {
		return agent.Page[agent.Permission]{}, invalid("/limit", "The limit must be from 1 to 200.")
	}
	page, err := a.Config.Permissions.PermissionList(ctx, q, a.now())
	if err != nil {
		return agent.Page[agent.Permission]{}, err
	}
	pol, err := a.Policies.Policy(ctx)
	if err != nil {
		return agent.Page[agent.Permission]{}, err
	}
	for i := range page.Items {
		r := &page.Items[i]
		c, ok := a.Capability(r.Capability)
		r.Title = a.title(r.Capability)
		r.InForce = ok && policy.Allowed(c, p, pol) == nil && policy.InForce(*r, c, pol, a.now())
	}
	return page, nil
}

// RevokePermission ends a permission of the caller at once.
func (a *Account) RevokePermission(ctx context.Context, id string) error {
	return a.Config.Permissions.RevokePermission(ctx, id, a.now())
}
