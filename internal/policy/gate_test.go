package policy_test

import (
	"slices"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

func TestAllowed(t *testing.T) {
	export := agent.Capability{Name: "deck.export", RequiredTier: agent.TierUser}
	for name, tt := range map[string]struct {
		tier     agent.Tier
		required agent.Tier
		pol      agent.OrgPolicy
		want     agent.Code
	}{
		"the same tier is enough":               {tier: agent.TierUser, required: agent.TierUser},
		"a higher tier is enough":               {tier: agent.TierAdmin, required: agent.TierUser},
		"a lower tier is not":                   {tier: agent.TierViewer, required: agent.TierUser, want: agent.CodeForbidden},
		"an unknown tier covers nothing":        {tier: "root", required: agent.TierViewer, want: agent.CodeForbidden},
		"an unknown need is covered by nobody":  {tier: agent.TierAdmin, required: "", want: agent.CodeForbidden},
		"a disabled capability is denied":       {tier: agent.TierAdmin, required: agent.TierUser, pol: agent.OrgPolicy{DisabledCapabilities: []string{"x.y", "deck.export"}}, want: agent.CodePolicyDenied},
		"a prefix of a name disables nothing":   {tier: agent.TierUser, required: agent.TierUser, pol: agent.OrgPolicy{DisabledCapabilities: []string{"deck.exp", "deck.*", "Deck.export"}}},
		"the policy of the own org counts":      {tier: agent.TierUser, required: agent.TierUser, pol: agent.OrgPolicy{OrgID: "org1"}},
		"the policy of another org allows none": {tier: agent.TierUser, required: agent.TierUser, pol: agent.OrgPolicy{OrgID: "org2"}, want: agent.CodePolicyDenied},
		"the tier is told before the policy":    {tier: agent.TierViewer, required: agent.TierUser, pol: agent.OrgPolicy{DisabledCapabilities: []string{"deck.export"}}, want: agent.CodeForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			c := export
			c.RequiredTier = tt.required
			got := policy.Allowed(c, agent.Principal{UserID: "u", OrgID: "org1", Tier: tt.tier}, tt.pol)
			switch {
			case tt.want == "" && got != nil:
				t.Fatalf("refused: %v", got)
			case tt.want != "" && (got == nil || got.Code != tt.want):
				t.Fatalf("got %v, want %s", got, tt.want)
			case got != nil && (got.Message == "" || got.Recoverable):
				t.Fatalf("the model should read a final refusal, got %+v", got)
			}
		})
	}
}

func TestOfferKeepsOrderAndLeavesOutWhatIsRefused(t *testing.T) {
	caps := []agent.Capability{
		{Name: "a.admin", RequiredTier: agent.TierAdmin}, {Name: "b.user", RequiredTier: agent.TierUser},
		{Name: "c.off", RequiredTier: agent.TierViewer}, {Name: "d.viewer", RequiredTier: agent.TierViewer},
	}
	pol := agent.OrgPolicy{DisabledCapabilities: []string{"c.off"}}
	got := policy.Offer(caps, agent.Principal{OrgID: "o", Tier: agent.TierUser}, pol)
	if want := []string{"b.user", "d.viewer"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}
