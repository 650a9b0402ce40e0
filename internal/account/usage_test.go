package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func (f *fakeStore) UsageOf(_ context.Context, month string) (agent.UsageReport, error) {
	f.month = month
	return agent.UsageReport{Month: month, Total: agent.UsageSum{Calls: 1}}, f.err
}

func (f *fakeStore) UsageOfOrg(_ context.Context, month string) (agent.UsageReport, error) {
	f.month = month
	return agent.UsageReport{Month: month, Total: agent.UsageSum{Calls: 7}}, f.err
}

func (f *fakeStore) BudgetRows(context.Context) ([]agent.Budget, error) { return f.budgets, f.err }

func (f *fakeStore) PutBudgetRows(_ context.Context, list []agent.Budget, _ int64) error {
	f.budgets = list
	return f.err
}

func (f *fakeStore) EgressOf(context.Context, agent.ThreadID) ([]agent.EgressLine, error) {
	return nil, f.err
}

func (f *fakeStore) AddEgress(context.Context, agent.TurnID, []agent.EgressLine) error { return f.err }

// theAdmin is an org admin with the scope of one.
func theAdmin() context.Context {
	return agent.WithPrincipal(context.Background(), agent.Principal{UserID: "adm", OrgID: "acme", Tier: agent.TierAdmin,
		Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeAdmin}})
}

func TestUsageIsOfThisMonthUnlessAnotherIsNamed(t *testing.T) {
	o := newOffice(t)
	r, err := o.Usage(signed("alice", "acme", agent.TierUser), "")
	if err != nil || r.Month != "2027-01" || r.RenewsAt != 1_801_440_000_000 || r.Models == nil || r.Budgets == nil || r.Total.Calls != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = o.OrgUsage(theAdmin(), "2026-12"); err != nil || o.store.month != "2026-12" || r.RenewsAt != 1_798_761_600_000 || r.Total.Calls != 7 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, month := range []string{"2026", "2026-1", "2026-13", "01-2026", "2026-01-01", "x", "2026-01' --"} {
		if _, err := o.Usage(signed("alice", "acme", agent.TierUser), month); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%q: %v", month, err)
		}
	}
}

func TestOnlyAnAdminWithTheScopeOfOneSeesTheOrgAndSetsItsBudgets(t *testing.T) {
	o := newOffice(t)
	unscoped := agent.WithPrincipal(context.Background(), agent.Principal{UserID: "adm", OrgID: "acme", Tier: agent.TierAdmin,
		Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}})
	for who, ctx := range map[string]context.Context{"a user": signed("alice", "acme", agent.TierUser), "a panel of an admin": unscoped} {
		_, usage := o.OrgUsage(ctx, "")
		_, list := o.OrgBudgets(ctx)
		_, put := o.PutOrgBudgets(ctx, agent.BudgetList{})
		for _, err := range []error{usage, list, put} {
			if agent.ErrorCode(err) != agent.CodeForbidden {
				t.Errorf("%s: %v", who, err)
			}
		}
	}
	n := agent.USD
	list, err := o.PutOrgBudgets(theAdmin(), agent.BudgetList{Items: []agent.Budget{{Scope: agent.BudgetOrg, HardCost: &n}}})
	if err != nil || len(list.Items) != 1 || len(o.store.budgets) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestABudgetThatMakesNoSenseIsRefusedWhereItStands(t *testing.T) {
	o := newOffice(t)
	number := func(n int64) *int64 { return &n }
	ok := agent.Budget{Scope: agent.BudgetUser, Subject: "*", HardTokens: number(0)}
	for _, c := range []struct {
		pointer string
		list    []agent.Budget
	}{
		{"", []agent.Budget{ok, {Scope: agent.BudgetOrg, SoftTokens: number(agent.MaxBudgetCap)}}},
		{"", []agent.Budget{{Scope: agent.BudgetCapability, Subject: strings.Repeat("x", agent.MaxBudgetSubject), SoftTokens: number(1)}}},
		{"/items/0/scope", []agent.Budget{{Scope: "team", Subject: "x", HardTokens: number(1)}}},
		{"/items/0/subject", []agent.Budget{{Scope: agent.BudgetOrg, Subject: "acme", HardTokens: number(1)}}},
		{"/items/0/subject", []agent.Budget{{Scope: agent.BudgetThread, HardTokens: number(1)}}},
		{"/items/0/subject", []agent.Budget{{Scope: agent.BudgetThread, Subject: strings.Repeat("x", agent.MaxBudgetSubject+1), HardTokens: number(1)}}},
		{"/items/1/subject", []agent.Budget{ok, ok}},
		{"/items/0", []agent.Budget{{Scope: agent.BudgetOrg}}},
		{"/items/0/hardTokens", []agent.Budget{{Scope: agent.BudgetOrg, HardTokens: number(-1)}}},
		{"/items/0/softTokens", []agent.Budget{{Scope: agent.BudgetOrg, SoftTokens: number(agent.MaxBudgetCap + 1)}}},
	} {
		_, err := o.PutOrgBudgets(theAdmin(), agent.BudgetList{Items: c.list})
		var ours *agent.Error
		if c.pointer == "" && err != nil || c.pointer != "" && (!errors.As(err, &ours) || ours.Code != agent.CodeInvalidInput || ours.Pointer != c.pointer) {
			t.Errorf("%+v: %v", c.list, err)
		}
	}
	many := make([]agent.Budget, 0, agent.MaxBudgets+1)
	for i := range agent.MaxBudgets + 1 {
		many = append(many, agent.Budget{Scope: agent.BudgetUser, Subject: fmt.Sprint(i), HardTokens: number(1)})
	}
	if _, err := o.PutOrgBudgets(theAdmin(), agent.BudgetList{Items: many[:agent.MaxBudgets]}); err != nil {
		t.Errorf("as many as may be: %v", err)
	}
	if _, err := o.PutOrgBudgets(theAdmin(), agent.BudgetList{Items: many}); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("one too many: %v", err)
	}
}

func TestWhatLeftIsToldOfAThreadWhoseProjectOpens(t *testing.T) {
	o := newOffice(t)
	if r, err := o.Transparency(signed("alice", "acme", agent.TierUser), "th1"); err != nil || r.Items == nil || r.ThreadID != "th1" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := o.Transparency(signed("bob", "acme", agent.TierUser), "th1"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("another's: %v", err)
	}
	o.host.open = nil
	if _, err := o.Transparency(signed("alice", "acme", agent.TierUser), "th1"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("of a closed project: %v", err)
	}
}
