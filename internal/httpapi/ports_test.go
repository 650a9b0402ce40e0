package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestDecisionsAreTakenAndTold(t *testing.T) {
	d := newDesk(t)
	d.agent.put("tn1", agent.TurnAwaiting)
	var asked agent.DecisionRequest
	d.agent.decide = func(r agent.DecisionRequest) ([]agent.Outcome, error) {
		asked = r
		return []agent.Outcome{{CallID: "cl1", ReceiptID: "rc1", Outcome: agent.OutcomeTaken}}, nil
	}
	rec := d.do(request("POST", "/confirm", bases["POST /confirm"]))
	if want := `{"turnId":"tn1","results":[{"callId":"cl1","receiptId":"rc1","outcome":"taken"}]}` + "\n"; rec.Code != 200 || rec.Body.String() != want {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	want := agent.DecisionRequest{TurnID: "tn1", Decisions: []agent.Decision{
		{CallID: "cl1", ReceiptID: "rc1", Decision: "accept", Input: json.RawMessage(`{"a":[1,2]}`)}}}
	if !reflect.DeepEqual(asked, want) {
		t.Errorf("the agent was asked %+v", asked)
	}
}

func TestAnotherAnswerIsAConflictThatTellsWhatWasTaken(t *testing.T) {
	d := newDesk(t)
	d.agent.put("tn1", agent.TurnAwaiting)
	taken := []agent.Outcome{{CallID: "cl1", ReceiptID: "rc1", Outcome: agent.OutcomeTaken, Decision: agent.VerdictAccepted, State: agent.EffectApplied}}
	d.agent.decide = func(agent.DecisionRequest) ([]agent.Outcome, error) {
		return taken, agent.Errorf(agent.CodeConflict, "It was accepted before.")
	}
	rec := d.do(request("POST", "/confirm", bases["POST /confirm"]))
	p := problem(t, rec)
	var body struct{ Results []agent.Outcome }
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || p.Status != 409 || p.Code != agent.CodeConflict || p.TurnID != "tn1" || !reflect.DeepEqual(body.Results, taken) {
		t.Errorf("%s, %v", rec.Body, err)
	}
	d.agent.decide = func(agent.DecisionRequest) ([]agent.Outcome, error) {
		return nil, agent.Errorf(agent.CodeGone, "It expired.")
	}
	if p := problem(t, d.do(request("POST", "/confirm", bases["POST /confirm"]))); p.Status != 410 {
		t.Errorf("%+v", p)
	}
}

func TestADecisionWithoutContentIsRefused(t *testing.T) {
	for body, pointer := range map[string]string{
		`{"decisions":[{"callId":"c","receiptId":"r","decision":"accept"}]}`: "/turnId",
		`{"turnId":"tn1"}`:                "/decisions",
		`{"turnId":"tn1","decisions":[]}`: "/decisions",
		`{"turnId":"tn1","decisions":[{"receiptId":"r","decision":"accept"}]}`:                                             "/decisions/0/callId",
		`{"turnId":"tn1","decisions":[{"callId":"c","receiptId":"r","decision":"accept"},{"callId":"c","receiptId":"r"}]}`: "/decisions/1/decision",
	} {
		p := problem(t, newDesk(t).do(request("POST", "/confirm", body)))
		if p.Code != agent.CodeInvalidInput || p.Pointer != pointer {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

func TestListsAreAskedAsTheAddressSays(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("GET", "/threads?q=deck&projectId=p&archived=true&cursor=c&limit=7", ""))
	if want := (agent.ThreadQuery{ProjectID: "p", Q: "deck", Archived: true, Cursor: "c", Limit: 7}); d.ports.query != want || rec.Code != 200 {
		t.Errorf("asked %+v", d.ports.query)
	}
	for _, bad := range []string{"limit=x", "limit=-1", "limit=1e9", "archived=maybe"} {
		if p := problem(t, d.do(request("GET", "/threads?"+bad, ""))); p.Code != agent.CodeInvalidRequest || p.Pointer == "" {
			t.Errorf("%s: %+v", bad, p)
		}
	}
	if rec := d.do(as("bob", request("GET", "/threads", ""))); rec.Body.String() != `{"items":[]}`+"\n" {
		t.Errorf("an empty list is %s", rec.Body)
	}
	if rec := d.do(request("GET", "/keys", "")); rec.Body.String() != `{"items":[]}`+"\n" {
		t.Errorf("no keys are %s", rec.Body)
	}
}

func TestAPatchSaysWhatStays(t *testing.T) {
	d := newDesk(t)
	d.do(request("PATCH", "/threads/th1", `{"archived":false,"title":null}`))
	if d.ports.patched.Title != nil || d.ports.patched.Archived == nil || *d.ports.patched.Archived {
		t.Errorf("%+v", d.ports.patched)
	}
	d.do(request("PATCH", "/threads/th1", `{"title":""}`))
	if d.ports.patched.Title == nil || *d.ports.patched.Title != "" {
		t.Errorf("an empty title is a title: %+v", d.ports.patched)
	}
}

const canary = "sk-ant-CANARY-0123456789"

func TestAKeyGoesInAndNeverComesOut(t *testing.T) {
	for _, failing := range []error{nil, errors.New("broken"), agent.Errorf(agent.CodeKeyInvalid, "No.")} {
		d := newDesk(t)
		d.ports.err = failing
		var out strings.Builder
		for _, r := range []*http.Request{
			request("POST", "/keys", `{"provider":"anthropic","label":"mine","key":"`+canary+`"}`),
			request("POST", "/keys/ky1/rotate", `{"key":"`+canary+`"}`),
			request("POST", "/keys", `{"provider":"anthropic","key":"`+canary+`","x":1}`),
			request("POST", "/keys", `{"provider":7,"key":"`+canary+`"}`),
			request("POST", "/keys", `{"provider":"a","key":"`+canary+`"`),
			request("POST", "/keys", `{"provider":"a","key":["`+canary+`"]}`),
		} {
			rec := d.do(r)
			fmt.Fprint(&out, rec.Body, rec.Header())
		}
		fmt.Fprintf(&out, "%v %+v %#v", d.ports.keys, d.ports.keys, d.ports.keys)
		if strings.Contains(out.String()+d.log.String(), "CANARY") {
			t.Errorf("the key came out: %s", out.String())
		}
		if d.ports.keys[0].Key.Reveal() != canary || d.ports.keys[0].Label != "mine" {
			t.Error("the key did not go in")
		}
	}
}

func TestADownloadCannotRunInABrowser(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	for media, want := range map[string]string{
		"image/png": "image/png", "text/html": plainText, "text/html; charset=utf-8": plainText, "image/svg+xml": someBytes,
		"application/javascript": someBytes, "text/xml": someBytes, "": someBytes, "x\r\nSet-Cookie: a=b": someBytes, "IMAGE/PNG": "image/png",
		"application/xhtml+xml": someBytes, "application/json": "application/json",
	} {
		d := newDesk(t)
		d.ports.blob = agent.Blob{MIME: media, Data: []byte("<script>")}
		h := d.do(request("GET", "/calls/cl1/artifacts/"+digest, "")).Header()
		if h.Get("Content-Type") != want || h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(h.Get("Content-Disposition"), "attachment; filename=artifact-0a0a0a0a0a0a") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%q: %v", media, h)
		}
	}
	for _, bad := range []string{"x", strings.Repeat("A", 64), strings.Repeat("a", 63), strings.Repeat("a", 65), "..%2f..%2fetc"} {
		if p := problem(t, newDesk(t).do(request("GET", "/calls/cl1/artifacts/"+bad, ""))); p.Status != 404 {
			t.Errorf("%s: %+v", bad, p)
		}
	}
}

func TestAnExportIsNamedWithoutInjection(t *testing.T) {
	rec := newDesk(t).do(request("GET", "/threads/th1/export", ""))
	cd := rec.Header().Get("Content-Disposition")
	if rec.Code != 200 || !strings.HasPrefix(cd, "attachment") || strings.ContainsAny(cd, "\r\n") || rec.Header().Get("X") != "" {
		t.Errorf("%d %q", rec.Code, cd)
	}
	if rec.Header().Get("Content-Type") != "text/markdown; charset=utf-8" || rec.Body.String() != "# A" {
		t.Errorf("%q %s", rec.Header().Get("Content-Type"), rec.Body)
	}
}
