package account

import (
	"context"
	"fmt"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// Usage gives what the caller's model calls of a month used.
func (a *Account) Usage(ctx context.Context, month string) (agent.UsageReport, error) {
	month, renews, err := a.month(month)
	if err != nil {
		return agent.UsageReport{}, err
	}
	r, err := a.Config.Usage.UsageOf(ctx, month)
	return reported(r, renews), err
}

// OrgUsage gives what the org's model calls of a month used.
func (a *Account) OrgUsage(ctx context.Context, month string) (agent.UsageReport, error) {
	if err := admin(ctx); err != nil {
		return agent.UsageReport{}, err
	}
	month, renews, err := a.month(month)
	if err != nil {
		return agent.UsageReport{}, err
	}
	r, err := a.Config.Usage.UsageOfOrg(ctx, month)
	return reported(r, renews), err
}

func reported(r agent.UsageReport, renews int64) agent.UsageReport {
	r.RenewsAt = renews
	if r.Models == nil {
		r.Models = []agent.UsageLine{}
	}
	if r.Budgets == nil {
		r.Budgets = []agent.BudgetStanding{}
	}
	return r
}

// month reads a month, "" being this one, and gives when it ends.
func (a *Account) month(s string) (month string, renews int64, err error) {
	if s == "" {
		s = agent.BudgetMonth(a.now())
	}
	t, err := time.Parse("2006-01", s)
	if err != nil || t.Format("2006-01") != s {
		return "", 0, invalid("/month", "The month must look like 2026-01.")
	}
	return s, policy.MonthEnd(t.UnixMilli()), nil
}

// admin refuses whoever does not decide for the org.
func admin(ctx context.Context) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	if !p.Tier.Covers(agent.TierAdmin) || !p.Has(agent.ScopeAdmin) {
		return &agent.Error{Code: agent.CodeForbidden, Message: "Only an admin of the organization may do that.",
			Hint: "Ask one of its admins."}
	}
	return nil
}

// OrgBudgets gives the budgets of the caller's org.
func (a *Account) OrgBudgets(ctx context.Context) (agent.BudgetList, error) {
	if err := admin(ctx); err != nil {
		return agent.BudgetList{}, err
	}
	rows, err := a.Config.Usage.BudgetRows(ctx)
	if rows == nil {
		rows = []agent.Budget{}
	}
	return agent.BudgetList{Items: rows}, err
}

// PutOrgBudgets replaces them.
func (a *Account) PutOrgBudgets(ctx context.Context, list agent.BudgetList) (agent.BudgetList, error) {
	if err := admin(ctx); err != nil {
		return agent.BudgetList{}, err
	}
	if err := checkBudgets(list.Items); err != nil {
		return agent.BudgetList{}, err
	}
	if err := a.Config.Usage.PutBudgetRows(ctx, list.Items, a.now()); err != nil {
		return agent.BudgetList{}, err
	}
	return a.OrgBudgets(ctx)
}

func checkBudgets(list []agent.Budget) error {
	if len(list) > agent.MaxBudgets {
		return invalid("/items", fmt.Sprintf("An organization has at most %d budgets.", agent.MaxBudgets))
	}
	type key struct {
		scope   agent.BudgetScope
		subject string
	}
	seen := map[key]bool{}
	for i, b := range list {
		at := fmt.Sprintf("/items/%d", i)
		if err := checkBudget(b, at); err != nil {
			return err
		}
		if seen[key{b.Scope, b.Subject}] {
			return invalid(at+"/subject", "This budget stands twice in the list.")
		}
		seen[key{b.Scope, b.Subject}] = true
	}
	return nil
}

func checkBudget(b agent.Budget, at string) error {
	switch b.Scope {
	case agent.BudgetOrg:
		if b.Subject != "" {
			return invalid(at+"/subject", "The budget of the organization has no subject.")
		}
	case agent.BudgetUser, agent.BudgetThread, agent.BudgetCapability:
		if b.Subject == "" || len(b.Subject) > agent.MaxBudgetSubject {
			return invalid(at+"/subject", "Name a user, a conversation or a capability, or \"*\" for each of them.")
		}
	default:
		return invalid(at+"/scope", "The scope is org, user, thread or capability.")
	}
	if b.SoftCost == nil && b.HardCost == nil && b.SoftTokens == nil && b.HardTokens == nil {
		return invalid(at, "A budget needs a cap.")
	}
	for name, limit := range map[string]*int64{"softNanoUsd": (*int64)(b.SoftCost), "hardNanoUsd": (*int64)(b.HardCost),
		"softTokens": b.SoftTokens, "hardTokens": b.HardTokens} {
		if limit != nil && (*limit < 0 || *limit > agent.MaxBudgetCap) {
			return invalid(at+"/"+name, fmt.Sprintf("A cap is a whole number from 0 to %d.", agent.MaxBudgetCap))
		}
	}
	return nil
}

// Transparency gives what left for a thread of the caller.
func (a *Account) Transparency(ctx context.Context, id agent.ThreadID) (agent.Transparency, error) {
	if _, err := a.readable(ctx, id); err != nil {
		return agent.Transparency{}, err
	}
	lines, err := a.Config.Egress.EgressOf(ctx, id)
	if lines == nil {
		lines = []agent.EgressLine{}
	}
	return agent.Transparency{ThreadID: id, Items: lines}, err
}
