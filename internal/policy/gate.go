package policy

import (
	"fmt"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// Allowed says whether a principal may call a capability under the org's policy:
// nil, or a refusal that the model reads. forbidden means that the tier is not
// enough, policy_denied that an admin disabled the capability or that the policy
// is another org's. Names are compared letter by letter.
func Allowed(c agent.Capability, p agent.Principal, pol agent.OrgPolicy) *agent.ResultError {
	if !p.Tier.Covers(c.RequiredTier) {
		return &agent.ResultError{Code: agent.CodeForbidden, Message: fmt.Sprintf(
			"%s needs the tier %s, and this user's is %s. Tell the user that an org admin can help.", c.Name, c.RequiredTier, p.Tier)}
	}
	if c.StaffOnly && !p.Staff {
		return &agent.ResultError{Code: agent.CodeForbidden, Message: fmt.Sprintf("%s is for the operator's staff only.", c.Name)}
	}
	if pol.OrgID != "" && pol.OrgID != p.OrgID {
		return &agent.ResultError{Code: agent.CodePolicyDenied, Message: fmt.Sprintf(
			"%s is not allowed: the org's policy is not at hand.", c.Name)}
	}
	if slices.Contains(pol.DisabledCapabilities, c.Name) {
		return &agent.ResultError{Code: agent.CodePolicyDenied, Message: fmt.Sprintf(
			"An admin of the org has disabled %s. Do not call it again; tell the user.", c.Name)}
	}
	return nil
}

// Offer gives the names of those capabilities that a principal may call, in the
// order given: the turn's list, less what tier and policy take away.
func Offer(caps []agent.Capability, p agent.Principal, pol agent.OrgPolicy) []string {
	var names []string
	for _, c := range caps {
		if Allowed(c, p, pol) == nil {
			names = append(names, c.Name)
		}
	}
	return names
}
