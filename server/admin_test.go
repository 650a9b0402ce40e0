package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// over asks as somebody who is signed in, with a JSON body.
func over(s *Server, cookie, method, path, body string) *httptest.ResponseRecorder {
	return ask(s, method, "/api/agent"+path, body, "Content-Type", "application/json", "Cookie", cookie, "Origin", "http://example.test", "Accept", "application/json")
}

func answered[T any](t *testing.T, w *httptest.ResponseRecorder, status int) (v T) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// waiting starts a turn and gives it once it waits for its user.
func waiting(t *testing.T, s *Server, cookie, user, org string) agent.Turn {
	t.Helper()
	began := answered[struct{ Turn agent.Turn }](t, over(s, cookie, "POST", "/chat", `{"projectId":"p","text":"Write a poem"}`), http.StatusAccepted)
	who, err := s.store.Member(t.Context(), user, org)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(agent.WithPrincipal(t.Context(), who), 20*time.Second)
	defer stop()
	for e, err := range s.Agent().Events(ctx, began.Turn.ID, agent.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == agent.EventPreview {
			break // it was written together with the turn's parking
		}
	}
	return answered[agent.Turn](t, over(s, cookie, "GET", "/turns/"+string(began.Turn.ID), ""), http.StatusOK)
}

func TestACapabilityThatIsDisabledBetweenPreviewAndAcceptIsRefused(t *testing.T) {
	s, written := asking(t, nil)
	pay, adm := signIn(t, s, "pay"), signIn(t, s, "adm")
	turn := waiting(t, s, pay, "user_pay", "org_paying")
	policy := answered[agent.OrgPolicy](t, over(s, adm, "GET", "/admin/policy", ""), 200)
	change, _ := json.Marshal(agent.PolicyChange{Version: policy.Version, Set: json.RawMessage(`{"disabledCapabilities":["note.write"]}`)})
	if w := over(s, pay, "PUT", "/admin/policy", string(change)); w.Code != 403 {
		t.Errorf("a member changed the policy: %d %s", w.Code, w.Body)
	}
	after := answered[agent.OrgPolicy](t, over(s, adm, "PUT", "/admin/policy", string(change)), 200)
	if after.Version != policy.Version+1 || len(after.DisabledCapabilities) != 1 {
		t.Fatalf("the policy is %+v", after)
	}
	if w := over(s, adm, "PUT", "/admin/policy", string(change)); w.Code != 409 {
		t.Errorf("the same version again: %d %s", w.Code, w.Body)
	}
	decide := func(answer string) *httptest.ResponseRecorder {
		return over(s, pay, "POST", "/confirm", `{"turnId":"`+string(turn.ID)+`","decisions":[{"callId":"`+string(turn.Open[0].CallID)+
			`","receiptId":"`+string(turn.Open[0].ReceiptID)+`","decision":"`+answer+`"}]}`)
	}
	if w := decide("accept"); w.Code != 403 || !strings.Contains(w.Body.String(), `"policy_denied"`) {
		t.Fatalf("the accept of a disabled capability: %d %s", w.Code, w.Body)
	}
	if w := decide("discard"); w.Code != 200 {
		t.Errorf("the discard: %d %s", w.Code, w.Body)
	}
	if written.Load() != 0 {
		t.Error("the change was made")
	}
	page := answered[agent.Page[agent.AuditEntry]](t, over(s, adm, "GET", "/admin/audit", ""), 200)
	if len(page.Items) != 1 || page.Items[0].Actor != "user_adm" || page.Items[0].Action != agent.AuditPolicyChanged || !strings.Contains(string(page.Items[0].Detail), `"added":["note.write"]`) {
		t.Errorf("the log is %+v", page.Items)
	}
	if w := over(s, pay, "GET", "/admin/audit", ""); w.Code != 403 || strings.Contains(w.Body.String(), "note.write") {
		t.Errorf("a member reads the log: %d %s", w.Code, w.Body)
	}
	if w := over(s, adm, "PUT", "/admin/policy", `{"version":2,"set":{"disabledCapabilities":["no.such"]}}`); w.Code != 422 && w.Code != 400 {
		t.Errorf("an unknown capability: %d %s", w.Code, w.Body)
	}
}

func TestWhatHappensInAnOrgIsExportedAsAChain(t *testing.T) {
	s, _ := asking(t, nil)
	pay, adm := signIn(t, s, "pay"), signIn(t, s, "adm")
	turn := waiting(t, s, pay, "user_pay", "org_paying")
	if w := over(s, pay, "DELETE", "/threads/"+string(turn.ThreadID), ""); w.Code != 204 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := over(s, adm, "GET", "/admin/audit/export", "")
	previous := ""
	for line := range strings.Lines(w.Body.String()) {
		var e agent.AuditEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ChainHash("org_paying", previous) != e.Hash {
			t.Errorf("the line %q does not follow: %v", line, err)
		}
		previous = e.Hash
	}
	if w.Code != 200 || previous == "" || !strings.Contains(w.Body.String(), string(turn.ThreadID)) || strings.Contains(w.Body.String(), "poem") {
		t.Errorf("the export is %d %s", w.Code, w.Body)
	}
	if other := over(s, signIn(t, s, "demo"), "GET", "/admin/audit/export", ""); other.Code != 403 {
		t.Errorf("a member of another org exports: %d %s", other.Code, other.Body)
	}
}
