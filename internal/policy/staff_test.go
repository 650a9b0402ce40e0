package policy

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestWhatIsForStaffIsForNobodyElseAndIsNeverRemembered(t *testing.T) {
	c := agent.Capability{Name: "corpus.across", Kind: agent.KindRead, RequiredTier: agent.TierAdmin, StaffOnly: true}
	for name, tt := range map[string]struct {
		p  agent.Principal
		ok bool
	}{
		"staff":                      {agent.Principal{OrgID: "o", Tier: agent.TierAdmin, Staff: true}, true},
		"a client's admin":           {agent.Principal{OrgID: "o", Tier: agent.TierAdmin}, false},
		"the role without the field": {agent.Principal{OrgID: "o", Tier: agent.TierAdmin, Role: agent.RoleSuperuser}, false},
		"staff without the tier":     {agent.Principal{OrgID: "o", Tier: agent.TierUser, Staff: true}, false},
	} {
		refused := Allowed(c, tt.p, agent.OrgPolicy{OrgID: "o"})
		if (refused == nil) != tt.ok || (refused != nil && refused.Code != agent.CodeForbidden) {
			t.Errorf("%s: %+v", name, refused)
		}
		if got := Offer([]agent.Capability{c}, tt.p, agent.OrgPolicy{OrgID: "o"}); (len(got) == 1) != tt.ok {
			t.Errorf("%s is offered %v", name, got)
		}
	}
	pol := agent.OrgPolicy{Remember: agent.RememberMutate, RememberDays: 30}
	r := agent.Receipt{Capability: c.Name, Input: []byte(`{}`), Resources: []agent.Resource{{ID: "clients", Version: "1"}}}
	if _, err := Remember(c, pol, r, 1); agent.ErrorCode(err) != agent.CodePolicyDenied {
		t.Errorf("it is remembered: %v", err)
	}
	c.StaffOnly = false
	if _, err := Remember(c, pol, r, 1); err != nil {
		t.Errorf("one for everybody is not: %v", err)
	}
}
