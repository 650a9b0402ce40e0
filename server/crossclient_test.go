//go:build !selfhosted

package server

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

const acrossName = "corpus.search_cross_client"

// house is an operated server with staff in the demo org and sessions of each client.
func house(t *testing.T, change ...func(*Config)) *Server {
	t.Helper()
	c := config(t.TempDir())
	c.Deployment = agent.DeploymentOperated
	c.Scripted = scripted.New(scripted.NewScript(
		scripted.Round{When: &scripted.When{ResultOf: acrossName}, Text: scripted.Text{"Here it is."}},
		scripted.Round{Calls: []scripted.Call{{Name: acrossName, Input: []byte(`{"query":"ferry timetable of lingering-client"}`)}}},
	), scripted.Options{})
	for _, f := range change {
		f(&c)
	}
	s := open(t, c)
	if err := s.store.PutMembership(t.Context(), agent.Membership{UserID: "user_demo", OrgID: "org_demo", Role: agent.RoleSuperuser}); err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"demo", "lingering-client", "paying-client"} {
		p := agent.Passage{Text: "The ferry timetable of " + slug, Title: slug, SourcePath: "session.md", Collection: agent.CollectionSessions}
		if _, err := s.corpus.Put(t.Context(), agent.Scope{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionSessions}, "session.md",
			[]agent.Section{{Passage: p, Hash: slug}}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestStaffSearchAcrossClientsAndEachClientIsTold(t *testing.T) {
	receiver, told := hook(t)
	s := house(t, func(c *Config) {
		c.Away = &Away{BaseURL: "http://example.test", Webhook: &AwayWebhook{URL: receiver.URL, Secret: agent.NewSecret("0123456789abcdef"), Private: true}}
	})
	demo, adm := signIn(t, s, "demo"), signIn(t, s, "adm")
	turn := waiting(t, s, demo, "user_demo", "org_demo")
	if sum := turn.Open[0].Summary; !strings.Contains(sum, "2 clients") || !strings.Contains(sum, "1 are skipped") {
		t.Fatalf("the preview says %q", sum)
	}
	if page := answered[agent.Page[agent.AuditEntry]](t, over(s, adm, "GET", "/admin/audit", ""), 200); len(page.Items) != 0 {
		t.Fatalf("recorded before the accept: %+v", page.Items)
	}
	accept := `{"turnId":"` + string(turn.ID) + `","decisions":[{"callId":"` + string(turn.Open[0].CallID) + `","receiptId":"` + string(turn.Open[0].ReceiptID) + `","decision":"accept"}]}`
	if w := over(s, demo, "POST", "/confirm", strings.Replace(accept, `"accept"`, `"accept","remember":true`, 1)); w.Code != 403 {
		t.Fatalf("it can be remembered: %d %s", w.Code, w.Body)
	}
	if w := over(s, demo, "POST", "/confirm", accept); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	events := over(s, demo, "GET", "/turns/"+string(turn.ID)+"/events", "").Body.String()
	if !strings.Contains(events, "The ferry timetable of paying-client") || strings.Contains(events, "The ferry timetable of lingering-client") {
		t.Errorf("found %s", events)
	}
	page := answered[agent.Page[agent.AuditEntry]](t, over(s, adm, "GET", "/admin/audit", ""), 200)
	if len(page.Items) != 1 {
		t.Fatalf("the searched org reads %+v", page.Items)
	}
	row := page.Items[0]
	if row.Action != agent.AuditSessionsSearched || row.Actor != "user_demo" || row.ReceiptID != turn.Open[0].ReceiptID ||
		strings.Contains(string(row.Detail), "lingering-client") || !strings.Contains(string(row.Detail), `"results":1`) {
		t.Errorf("the searched org reads %+v %s", row, row.Detail)
	}
	var p map[string]any
	for p == nil || p["event"] != "sessions.searched" || p["orgId"] != "org_paying" {
		select {
		case p = <-told:
		case <-time.After(20 * time.Second):
			t.Fatalf("the searched org's admins were not told, but %v", p)
		}
	}
	if p["userId"] != "user_adm" {
		t.Errorf("told %v", p)
	}
	own, err := s.store.AuditAfter(agent.WithPrincipal(t.Context(), agent.Principal{UserID: "user_demo", OrgID: "org_demo"}), 0, 10)
	if err != nil || len(own) != 2 || !strings.Contains(string(own[0].Detail), `"optedOut":["lingering-client"]`) {
		t.Errorf("the searcher's org keeps %+v, %v", own, err)
	}
}

func TestTheRecordedQueryIsRedactedByTheSearchersPolicy(t *testing.T) {
	s := house(t)
	demo, adm := signIn(t, s, "demo"), signIn(t, s, "adm")
	now := answered[agent.OrgPolicy](t, over(s, demo, "GET", "/admin/policy", ""), 200)
	change, _ := json.Marshal(agent.PolicyChange{Version: now.Version, Set: json.RawMessage(`{"redaction":{"kinds":["secret"],"patterns":[{"name":"vessel","pattern":"ferry"}]}}`)})
	answered[agent.OrgPolicy](t, over(s, demo, "PUT", "/admin/policy", string(change)), 200)
	turn := waiting(t, s, demo, "user_demo", "org_demo")
	accept := `{"turnId":"` + string(turn.ID) + `","decisions":[{"callId":"` + string(turn.Open[0].CallID) + `","receiptId":"` + string(turn.Open[0].ReceiptID) + `","decision":"accept"}]}`
	if w := over(s, demo, "POST", "/confirm", accept); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	over(s, demo, "GET", "/turns/"+string(turn.ID)+"/events", "")
	page := answered[agent.Page[agent.AuditEntry]](t, over(s, adm, "GET", "/admin/audit", ""), 200)
	if len(page.Items) != 1 || strings.Contains(string(page.Items[0].Detail), "ferry") || !strings.Contains(string(page.Items[0].Detail), "[VESSEL_1] timetable") {
		t.Errorf("the searched org reads %+v", page.Items)
	}
}

func TestStaffWhoAreNoStaffAnyMoreCannotAcceptTheSearch(t *testing.T) {
	s := house(t)
	demo := signIn(t, s, "demo")
	turn := waiting(t, s, demo, "user_demo", "org_demo")
	if err := s.store.PutMembership(t.Context(), agent.Membership{UserID: "user_demo", OrgID: "org_demo", Role: agent.RoleOrgOwner}); err != nil {
		t.Fatal(err)
	}
	accept := `{"turnId":"` + string(turn.ID) + `","decisions":[{"callId":"` + string(turn.Open[0].CallID) + `","receiptId":"` + string(turn.Open[0].ReceiptID) + `","decision":"accept"}]}`
	if w := over(s, demo, "POST", "/confirm", accept); w.Code != 403 {
		t.Errorf("the accept: %d %s", w.Code, w.Body)
	}
	if page := answered[agent.Page[agent.AuditEntry]](t, over(s, signIn(t, s, "adm"), "GET", "/admin/audit", ""), 200); len(page.Items) != 0 {
		t.Errorf("it was searched: %+v", page.Items)
	}
}

func TestAClientThatOptsOutAfterThePreviewMakesItStale(t *testing.T) {
	s := house(t)
	demo, adm := signIn(t, s, "demo"), signIn(t, s, "adm")
	turn := waiting(t, s, demo, "user_demo", "org_demo")
	policy := answered[agent.OrgPolicy](t, over(s, adm, "GET", "/admin/policy", ""), 200)
	change, _ := json.Marshal(agent.PolicyChange{Version: policy.Version, Set: json.RawMessage(`{"crossClientSearch":"refused"}`)})
	answered[agent.OrgPolicy](t, over(s, adm, "PUT", "/admin/policy", string(change)), 200)
	accept := `{"turnId":"` + string(turn.ID) + `","decisions":[{"callId":"` + string(turn.Open[0].CallID) + `","receiptId":"` + string(turn.Open[0].ReceiptID) + `","decision":"accept"}]}`
	if w := over(s, demo, "POST", "/confirm", accept); w.Code != 200 || !strings.Contains(w.Body.String(), `"outcome":"stale"`) {
		t.Errorf("the accept: %d %s", w.Code, w.Body)
	}
	for _, e := range answered[agent.Page[agent.AuditEntry]](t, over(s, adm, "GET", "/admin/audit", ""), 200).Items {
		if e.Action == agent.AuditSessionsSearched {
			t.Errorf("it was searched: %+v", e)
		}
	}
}

func TestAClientsAdminHasNoSearchAcrossClients(t *testing.T) {
	s := house(t)
	for _, user := range []string{"adm", "pay", "lin"} {
		cookie := signIn(t, s, user)
		if w := over(s, cookie, "GET", "/capabilities", ""); w.Code != 200 || strings.Contains(w.Body.String(), acrossName) {
			t.Errorf("%s is offered it: %d %s", user, w.Code, w.Body)
		}
	}
	adm := signIn(t, s, "adm")
	began := answered[struct{ Turn agent.Turn }](t, over(s, adm, "POST", "/chat", `{"projectId":"p","text":"Search"}`), 202)
	events := over(s, adm, "GET", "/turns/"+string(began.Turn.ID)+"/events", "").Body.String()
	if strings.Contains(events, "event: preview") || strings.Contains(events, "ferry timetable of") && strings.Contains(events, `"passages"`) {
		t.Errorf("a client's admin searched: %s", events)
	}
}

func TestADeploymentIsSelfHostedUnlessItSaysOtherwise(t *testing.T) {
	for _, d := range []agent.Deployment{"", agent.DeploymentSelfHosted} {
		c := config(t.TempDir())
		c.Deployment = d
		open(t, c)
		if _, there := c.Registry.Get(acrossName); there {
			t.Errorf("deployment %q registers it", d)
		}
	}
	c := config(t.TempDir())
	c.Deployment = "operate"
	s, err := New(context.Background(), c)
	if agent.ErrorCode(err) != agent.CodeInvalidInput || s != nil {
		t.Errorf("a misspelt deployment: %v", err)
	}
}

// TestABuildForSelfHostingDoesNotHoldIt builds the program both ways and looks into
// the binaries for the capability's name, its words to the model and its functions.
func TestABuildForSelfHostingDoesNotHoldIt(t *testing.T) {
	if testing.Short() {
		t.Skip("it links the program twice")
	}
	words, err := os.ReadFile("../capability/builtin/search_across_clients.md")
	if err != nil {
		t.Fatal(err)
	}
	sentence, _, _ := strings.Cut(string(words), ".")
	marks := []string{acrossName, sentence, "builtin.CrossClientSearch", "builtin.Across"}
	dir := t.TempDir()
	for _, c := range []struct {
		name, tags string
		holds      bool
	}{{"operated", "", true}, {"selfhosted", "selfhosted", false}} {
		program := filepath.Join(dir, c.name)
		build := exec.CommandContext(t.Context(), "go", "build", "-tags", c.tags, "-o", program, "../cmd/in-app-agent")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		binary, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range marks {
			if strings.Contains(string(binary), mark) != c.holds {
				t.Errorf("the %s binary: %q is there is %v", c.name, mark, !c.holds)
			}
		}
		if c.holds {
			continue
		}
		file := filepath.Join(dir, "operated.yaml")
		if err := os.WriteFile(file, []byte("deployment: operated\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run := exec.CommandContext(t.Context(), program, "demo", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--config", file)
		if out, err := run.CombinedOutput(); err == nil || !strings.Contains(string(out), "built for self-hosting") {
			t.Errorf("it starts as an operated one: %v %s", err, out)
		}
	}
}

func TestTheSearchersRowIsOneJSONObject(t *testing.T) {
	s := house(t)
	ctx := agent.WithPrincipal(t.Context(), agent.Principal{UserID: "user_demo", OrgID: "org_demo", Staff: true})
	clients, err := s.store.Clients(ctx)
	if err != nil || len(clients) != 3 {
		t.Fatalf("%+v, %v", clients, err)
	}
	var allowed []agent.ClientResults
	for _, c := range clients {
		if !c.OptedOut {
			allowed = append(allowed, agent.ClientResults{Client: c, Query: `"quoted" <b>`})
		}
	}
	if err := s.store.RecordSearch(ctx, agent.ClientSearch{ID: "k", Query: `"quoted" <b>`, Searched: allowed}); err != nil {
		t.Fatal(err)
	}
	rows, err := s.store.AuditAfter(ctx, 0, 10)
	var detail struct{ Query string }
	if err != nil || len(rows) != 2 || json.Unmarshal(rows[0].Detail, &detail) != nil || detail.Query != `"quoted" <b>` {
		t.Errorf("%+v, %v", rows, err)
	}
}
