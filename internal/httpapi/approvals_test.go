package httpapi

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheInboxIsAskedAsTheAddressSaysAndAnsweredInFull(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("GET", "/approvals?cursor=c&limit=7", ""))
	if want := (agent.ApprovalQuery{Cursor: "c", Limit: 7}); d.ports.inboxQuery != want || rec.Code != 200 {
		t.Errorf("%d, asked %+v", rec.Code, d.ports.inboxQuery)
	}
	const want = `{"items":[{"turnId":"tn1","threadId":"th1","threadTitle":"A","projectId":"p1","projectKind":"deck",` +
		`"callId":"cl1","receiptId":"rc1","capability":"slide.edit","title":"Edit a slide","summary":"Changes slide 4",` +
		`"artifacts":[{"kind":"diff","title":"Diff","path":"4.html","bytes":5}],"createdAt":1,"expiresAt":2}],"next":"n"}` + "\n"
	if rec.Body.String() != want {
		t.Errorf("got  %s\nwant %s", rec.Body, want)
	}
	for _, who := range []string{"bob", "mallory"} {
		if rec := d.do(as(who, request("GET", "/approvals", ""))); rec.Code != 200 || rec.Body.String() != `{"items":[]}`+"\n" {
			t.Errorf("%s sees %d %s", who, rec.Code, rec.Body)
		}
	}
	for _, bad := range []string{"limit=x", "limit=-1"} {
		if p := problem(t, d.do(request("GET", "/approvals?"+bad, ""))); p.Code != agent.CodeInvalidRequest || p.Pointer != "/limit" {
			t.Errorf("%s: %+v", bad, p)
		}
	}
}
