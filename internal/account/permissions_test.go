package account

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func (f *fakeStore) PermissionList(_ context.Context, q agent.PermissionQuery, now int64) (agent.Page[agent.Permission], error) {
	f.rulesOf, f.askedAt = q, now
	return f.rules, f.err
}

func (f *fakeStore) PermissionsFor(context.Context, string, agent.Project, int64) ([]agent.Permission, error) {
	return nil, f.err
}

func (f *fakeStore) RevokePermission(_ context.Context, id string, at int64) error {
	f.revoked, f.askedAt = id, at
	return f.err
}

func TestAPermissionTellsWhetherItActsUnderThePolicyOfNow(t *testing.T) {
	o := newOffice(t)
	at := o.now.UnixMilli()
	rule := func(name string) agent.Permission {
		return agent.Permission{ID: "pm1", Capability: name, CreatedAt: at - 1000, Until: at + 1000}
	}
	for name, c := range map[string]struct {
		rule  agent.Permission
		pol   agent.OrgPolicy
		ctx   context.Context
		want  bool
		title string
	}{
		"a preview by default":      {rule("slide.draft"), agent.OrgPolicy{Remember: agent.RememberPreview, RememberDays: 30}, alice, true, "Draft"},
		"a change by default":       {rule("slide.edit"), agent.OrgPolicy{Remember: agent.RememberPreview, RememberDays: 30}, alice, false, "Edit a slide"},
		"a change that may be":      {rule("slide.edit"), agent.OrgPolicy{Remember: agent.RememberMutate, RememberDays: 30}, alice, true, "Edit a slide"},
		"a capability that is off":  {rule("slide.edit"), agent.OrgPolicy{Remember: agent.RememberMutate, RememberDays: 30, DisabledCapabilities: []string{"slide.edit"}}, alice, false, "Edit a slide"},
		"a capability that is gone": {rule("slide.gone"), agent.OrgPolicy{Remember: agent.RememberMutate, RememberDays: 30}, alice, false, "slide.gone"},
		"a tier that is too low":    {rule("slide.draft"), agent.OrgPolicy{Remember: agent.RememberPreview, RememberDays: 30}, viewer, false, "Draft"},
	} {
		o.store.rules.Items, o.store.policy = []agent.Permission{c.rule}, c.pol
		page, err := o.Permissions(c.ctx, agent.PermissionQuery{Limit: 7})
		if err != nil || page.Items[0].InForce != c.want || page.Items[0].Title != c.title {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
	if o.store.rulesOf.Limit != 7 || o.store.askedAt != at {
		t.Errorf("the store was asked %+v at %d", o.store.rulesOf, o.store.askedAt)
	}
}

func TestPermissionsAreRevokedNowAndListedByThePage(t *testing.T) {
	o := newOffice(t)
	if err := o.RevokePermission(alice, "pm1"); err != nil || o.store.revoked != "pm1" || o.store.askedAt != o.now.UnixMilli() {
		t.Errorf("%v, %q at %d", err, o.store.revoked, o.store.askedAt)
	}
	for limit, ok := range map[int]bool{-1: false, 0: true, 1: true, maxPermissions: true, maxPermissions + 1: false} {
		if _, err := o.Permissions(alice, agent.PermissionQuery{Limit: limit}); (err == nil) != ok {
			t.Errorf("%d: %v", limit, err)
		}
	}
	_, err := o.Permissions(context.Background(), agent.PermissionQuery{})
	refused(t, "nobody", err, agent.CodeUnauthenticated, "")
}
