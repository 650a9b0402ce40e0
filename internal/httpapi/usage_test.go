package httpapi

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func (f *fakePorts) report(ctx context.Context, month string) (agent.UsageReport, error) {
	f.month = month
	if _, err := agent.PrincipalFrom(ctx); err != nil || f.err != nil {
		return agent.UsageReport{}, f.err
	}
	hard := agent.USD
	return agent.UsageReport{Month: "2026-01", RenewsAt: 5, Total: agent.UsageSum{Calls: 1, TokensIn: 2, Cost: 3}, Models: []agent.UsageLine{},
		Budgets: []agent.BudgetStanding{{Budget: agent.Budget{Scope: agent.BudgetOrg, HardCost: &hard}, Month: "2026-01", Spent: 3}}}, nil
}

func (f *fakePorts) Usage(ctx context.Context, month string) (agent.UsageReport, error) {
	return f.report(ctx, month)
}

func (f *fakePorts) OrgUsage(ctx context.Context, month string) (agent.UsageReport, error) {
	return f.report(ctx, month)
}

func (f *fakePorts) OrgBudgets(context.Context) (agent.BudgetList, error) {
	return agent.BudgetList{Items: []agent.Budget{}}, f.err
}

func (f *fakePorts) PutOrgBudgets(_ context.Context, list agent.BudgetList) (agent.BudgetList, error) {
	f.budgets = &list
	return list, f.err
}

func (f *fakePorts) Transparency(ctx context.Context, id agent.ThreadID) (agent.Transparency, error) {
	return agent.Transparency{ThreadID: id, Items: []agent.EgressLine{{TurnID: "tn1", Host: "a.test", Purpose: "step", Requests: 1, BytesOut: 2, At: 3}}},
		f.mine(ctx, "thread", string(id), "th1")
}

func TestUsageIsToldInWholeNumbers(t *testing.T) {
	for _, path := range []string{"/usage", "/admin/usage"} {
		d := newDesk(t)
		rec := d.do(request("GET", path+"?month=2026-01", ""))
		const want = `{"month":"2026-01","renewsAt":5,"total":{"calls":1,"unpricedCalls":0,"estimatedCalls":0,"tokensIn":2,"tokensOut":0,` +
			`"cacheReadTokens":0,"cacheCreationTokens":0,"costNanoUsd":3},"models":[],"budgets":[{"scope":"org","subject":"","hardNanoUsd":1000000000,` +
			`"month":"2026-01","spentNanoUsd":3,"heldNanoUsd":0,"spentTokens":0,"heldTokens":0}]}` + "\n"
		if rec.Code != 200 || rec.Body.String() != want || d.ports.month != "2026-01" {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
		d.ports.err = &agent.Error{Code: agent.CodeForbidden, Message: "Only an admin."}
		if p := problem(t, d.do(request("GET", path, ""))); p.Status != 403 {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

func TestBudgetsAreReplacedByWhatIsSentAndNothingElse(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("PUT", "/admin/budgets", `{"items":[{"scope":"user","subject":"*","softNanoUsd":1,"hardTokens":0}]}`))
	if want := `{"items":[{"scope":"user","subject":"*","softNanoUsd":1,"hardTokens":0}]}` + "\n"; rec.Code != 200 || rec.Body.String() != want {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := d.do(request("PUT", "/admin/budgets", `{"items":[]}`)); rec.Code != 200 || len(d.ports.budgets.Items) != 0 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	for body, pointer := range map[string]string{
		`{}`: "/items", `{"items":null}`: "/items", `{"items":[{}]}`: "/items/0/scope", `{"items":{}}`: "/items", `{"items":[],"orgId":"x"}`: "/orgId",
		`{"items":[{"scope":"org","hardNanoUsd":1.5}]}`: "/items/0/hardNanoUsd", `{"items":[{"scope":"org","hardTokens":"1"}]}`: "/items/0/hardTokens",
		`{"items":[{"scope":"org","spentNanoUsd":0}]}`: "/items/0/spentNanoUsd", `{"items":[{"scope":"org","hardTokens":99999999999999999999}]}`: "/items/0/hardTokens",
	} {
		d.ports.budgets = nil
		if p := problem(t, d.do(request("PUT", "/admin/budgets", body))); p.Status >= 500 || p.Pointer != pointer || d.ports.budgets != nil {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

func TestWhatLeftIsToldForAThreadOfTheCaller(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("GET", "/transparency?threadId=th1", ""))
	const want = `{"threadId":"th1","items":[{"turnId":"tn1","host":"a.test","purpose":"step","requests":1,"failures":0,"bytesOut":2,"bytesIn":0,` +
		`"redactions":0,"firstAt":0,"at":3}]}` + "\n"
	if rec.Code != 200 || rec.Body.String() != want {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if p := problem(t, d.do(request("GET", "/transparency", ""))); p.Code != agent.CodeInvalidInput || p.Pointer != "/threadId" {
		t.Errorf("%+v", p)
	}
	for _, id := range []string{"none", "..%2Fth1", "th1%00"} {
		if p := problem(t, d.do(request("GET", "/transparency?threadId="+id, ""))); p.Status != 404 {
			t.Errorf("%s: %+v", id, p)
		}
	}
}

func TestATurnWhoseBudgetIsUsedUpIsA429WithItsTime(t *testing.T) {
	event := agent.Event{Turn: "tn1", Kind: agent.EventTurnFailed, Data: []byte(`{"code":"budget_exceeded","message":"Used up.","hint":"Ask.","retryAfterMs":5000}`)}
	p := problemOf(t.Context(), refuseFirst(event))
	if p.Status != 429 || p.TurnID != "tn1" || p.Message != "Used up." || p.Hint != "Ask." || p.Panel != "" {
		t.Errorf("%+v", p)
	}
	event.Data = []byte(`{"code":"provider_error","message":"x"}`)
	if err := refuseFirst(event); err != nil {
		t.Errorf("another failure: %v", err)
	}
}
