package httpapi

import (
	"context"
	"encoding/json"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func (f *fakePorts) Permissions(ctx context.Context, q agent.PermissionQuery) (agent.Page[agent.Permission], error) {
	f.rulesQuery = q
	if err := f.mine(ctx, "", "", ""); agent.ErrorCode(err) == agent.CodeNotFound {
		return agent.Page[agent.Permission]{}, nil
	} else if err != nil {
		return agent.Page[agent.Permission]{}, err
	}
	four := int64(4)
	return agent.Page[agent.Permission]{Next: "n", Items: []agent.Permission{{
		ID: "pm1", ReceiptID: "rc1", Summary: "Changes slide 4", Capability: "slide.edit", Title: "Edit a slide", ProjectID: "p1", ProjectKind: "deck",
		Resources: []string{"slide/4"}, CreatedAt: 1, Until: 2, Uses: 3, UsedAt: 2, InForce: true, OrgID: "hidden", UserID: "hidden",
		Limits: []agent.ArgumentLimit{{Argument: "n", Max: &four}, {Argument: "s", Equal: json.RawMessage(`"x"`)}, {Argument: "t", Any: true}},
	}}}, nil
}

func (f *fakePorts) RevokePermission(ctx context.Context, id string) error {
	f.revoked = id
	return f.mine(ctx, "permission", id, "pm1")
}

func TestPermissionsAreListedInFullAndRevoked(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("GET", "/permissions?cursor=c&limit=7", ""))
	const want = `{"items":[{"id":"pm1","receiptId":"rc1","summary":"Changes slide 4","capability":"slide.edit","title":"Edit a slide",` +
		`"projectId":"p1","projectKind":"deck","resources":["slide/4"],"limits":[{"argument":"n","max":4},{"argument":"s","equal":"x"},` +
		`{"argument":"t","any":true}],"createdAt":1,"until":2,"uses":3,"usedAt":2,"inForce":true}],"next":"n"}` + "\n"
	if rec.Code != 200 || rec.Body.String() != want || d.ports.rulesQuery != (agent.PermissionQuery{Cursor: "c", Limit: 7}) {
		t.Errorf("asked %+v\ngot  %s\nwant %s", d.ports.rulesQuery, rec.Body, want)
	}
	if rec := d.do(as("bob", request("GET", "/permissions", ""))); rec.Body.String() != `{"items":[]}`+"\n" {
		t.Errorf("bob sees %s", rec.Body)
	}
	if rec := d.do(request("DELETE", "/permissions/pm1", "")); rec.Code != 204 || d.ports.revoked != "pm1" {
		t.Errorf("%d, revoked %q", rec.Code, d.ports.revoked)
	}
	if p := problem(t, d.do(request("GET", "/permissions?limit=-1", ""))); p.Pointer != "/limit" {
		t.Errorf("%+v", p)
	}
}

func TestOnlyTheWordIsTakenOfAClientThatWantsToBeRemembered(t *testing.T) {
	d := newDesk(t)
	d.agent.put("tn1", agent.TurnAwaiting)
	var asked []agent.Decision
	d.agent.decide = func(r agent.DecisionRequest) ([]agent.Outcome, error) {
		asked = r.Decisions
		return []agent.Outcome{{CallID: "c", ReceiptID: "r", Outcome: agent.OutcomeTaken, PermissionID: "pm1"}}, nil
	}
	const head = `{"turnId":"tn1","decisions":[{"callId":"c","receiptId":"r","decision":"accept"`
	rec := d.do(request("POST", "/confirm", head+`,"remember":true}]}`))
	if want := `{"turnId":"tn1","results":[{"callId":"c","receiptId":"r","outcome":"taken","permissionId":"pm1"}]}` + "\n"; rec.Body.String() != want || !asked[0].Remember {
		t.Errorf("asked %+v, answered %s", asked, rec.Body)
	}
	for scope, pointer := range map[string]string{
		`,"remember":"always"}]}`: "/decisions/0/remember", `,"remember":{"resources":["*"]}}]}`: "/decisions/0/remember",
		`,"remember":true,"resources":["*"]}]}`: "/decisions/0/resources", `,"remember":true,"limits":[]}]}`: "/decisions/0/limits",
		`,"remember":true,"until":9999999999999}]}`: "/decisions/0/until", `,"permissionId":"pm1"}]}`: "/decisions/0/permissionId",
	} {
		asked = nil
		if p := problem(t, d.do(request("POST", "/confirm", head+scope))); p.Code != agent.CodeInvalidRequest || p.Pointer != pointer || asked != nil {
			t.Errorf("%s: %+v, asked %+v", scope, p, asked)
		}
	}
}
