package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// adminStore holds a policy and a log in memory.
type adminStore struct {
	policy agent.OrgPolicy
	put    []agent.OrgPolicy
	log    []agent.AuditEntry
	err    error
	logErr error
}

func (s *adminStore) Policy(context.Context) (agent.OrgPolicy, error) { return s.policy, s.err }

func (s *adminStore) PutPolicy(_ context.Context, p agent.OrgPolicy) (agent.OrgPolicy, error) {
	s.put = append(s.put, p)
	p.Version++
	s.policy = p
	return p, s.err
}

func (s *adminStore) AppendAudit(_ context.Context, e agent.AuditEntry) (agent.AuditEntry, error) {
	if s.logErr != nil {
		return e, s.logErr
	}
	e.Seq = int64(len(s.log) + 1)
	s.log = append(s.log, e)
	return e, nil
}

func (s *adminStore) AuditList(context.Context, agent.AuditQuery) (agent.Page[agent.AuditEntry], error) {
	return agent.Page[agent.AuditEntry]{Items: s.log}, s.logErr
}

func (s *adminStore) AuditAfter(_ context.Context, seq int64, limit int) ([]agent.AuditEntry, error) {
	rest := s.log[min(seq, int64(len(s.log))):]
	return slices.Clone(rest[:min(limit, len(rest))]), s.logErr
}

func (s *adminStore) VerifyAudit(context.Context, agent.AuditHead) (agent.AuditReport, error) {
	return agent.AuditReport{}, nil
}

func adminOf(t *testing.T) (*Admin, *adminStore) {
	t.Helper()
	s := &adminStore{policy: agent.OrgPolicy{OrgID: "acme", Version: 3, DisabledCapabilities: []string{"gone.long_ago"}, DefaultModel: "m-old",
		AllowModelChoice: true, Billing: agent.BillingPaying, Remember: agent.RememberPreview, RememberDays: 30}}
	models := &fakeModels{}
	return NewAdmin(AdminConfig{Policies: s, Rows: s, Audit: s, Models: models,
		Known: func(name string) bool { return strings.HasPrefix(name, "deck.") }}), s
}

func adminCtx(change ...func(*agent.Principal)) context.Context {
	p := agent.Principal{UserID: "ada", OrgID: "acme", Role: agent.RoleOrgAdmin, Tier: agent.TierAdmin, Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeAdmin}}
	for _, f := range change {
		f(&p)
	}
	return agent.WithPrincipal(context.Background(), p)
}

func TestOnlyAnAdminsOwnCredentialAdministers(t *testing.T) {
	for name, ctx := range map[string]context.Context{
		"a user":                             adminCtx(func(p *agent.Principal) { p.Tier = agent.TierUser }),
		"a viewer":                           adminCtx(func(p *agent.Principal) { p.Tier = agent.TierViewer }),
		"an admin's credential for chatting": adminCtx(func(p *agent.Principal) { p.Scopes = p.Scopes[:1] }),
		"a made-up tier":                     adminCtx(func(p *agent.Principal) { p.Tier = "root" }),
		"nobody":                             context.Background(),
	} {
		want := agent.CodeForbidden
		if name == "nobody" {
			want = agent.CodeUnauthenticated
		}
		a, s := adminOf(t)
		_, get := a.OrgPolicy(ctx)
		_, put := a.PutOrgPolicy(ctx, agent.PolicyChange{Version: 3, Set: json.RawMessage(`{"rememberDays":1}`)})
		_, list := a.AuditLog(ctx, agent.AuditQuery{})
		var export error
		for _, err := range a.ExportAudit(ctx) {
			export = err
		}
		for what, err := range map[string]error{"get": get, "put": put, "list": list, "export": export} {
			if agent.ErrorCode(err) != want {
				t.Errorf("%s may %s: %v", name, what, err)
			}
		}
		if len(s.put)+len(s.log) != 0 {
			t.Errorf("%s changed something", name)
		}
	}
}

func TestAPolicyIsChangedByTheMembersThatAreSet(t *testing.T) {
	a, s := adminOf(t)
	got, err := a.PutOrgPolicy(adminCtx(), agent.PolicyChange{Version: 3, Set: json.RawMessage(
		`{"disabledCapabilities":["gone.long_ago","deck.export"],"rememberDays":365,"remember":"off","responseMode":"thorough","crossClientSearch":"refused","allowModelChoice":false}`)})
	want := agent.OrgPolicy{OrgID: "acme", Version: 4, DisabledCapabilities: []string{"gone.long_ago", "deck.export"}, DefaultModel: "m-old",
		Billing: agent.BillingPaying, Remember: agent.RememberOff, RememberDays: 365, ResponseMode: "thorough", CrossClientSearch: agent.CrossClientRefused}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || len(s.put) != 1 || s.put[0].Version != 3 {
		t.Errorf("%+v, %v, put %+v", got, err, s.put)
	}
	if _, err := a.PutOrgPolicy(adminCtx(), agent.PolicyChange{Version: 4, Set: json.RawMessage(`{"rememberDays":365}`)}); err != nil || len(s.put) != 1 {
		t.Errorf("what changes nothing was put: %v, %+v", err, s.put)
	}
}

func TestAPolicyThatCannotBeMeantIsRefusedWithItsMember(t *testing.T) {
	many := make([]string, agent.MaxCapabilities+1)
	for i := range many {
		many[i] = fmt.Sprintf("deck.a%d", i)
	}
	list := func(n int) string {
		text, _ := json.Marshal(many[:n])
		return `{"disabledCapabilities":` + string(text) + `}`
	}
	for set, want := range map[string]struct {
		code    agent.Code
		pointer string
	}{
		`{"rememberDays":0}`:                                                    {agent.CodeInvalidInput, "/set/rememberDays"},
		`{"rememberDays":1}`:                                                    {"", ""},
		`{"redaction":{"kinds":["email"]}}`:                                     {"", ""},
		`{"redaction":{"kinds":["email","shoe_size"]}}`:                         {agent.CodeInvalidInput, "/set/redaction/kinds/1"},
		`{"redaction":{"kinds":[],"patterns":[{"name":"code","pattern":"("}]}}`: {agent.CodeInvalidInput, "/set/redaction/patterns/0/pattern"},
		`{"rememberDays":366}`:                                                  {agent.CodeInvalidInput, "/set/rememberDays"},
		`{"rememberDays":1.5}`:                                                  {agent.CodeInvalidRequest, "/set/rememberDays"},
		`{"rememberDays":"7"}`:                                                  {agent.CodeInvalidRequest, "/set/rememberDays"},
		`{"rememberDays":null}`:                                                 {agent.CodeInvalidRequest, "/set/rememberDays"},
		`{"RememberDays":7}`:                                                    {agent.CodeInvalidRequest, "/set"},
		`{"unheard":7}`:                                                         {agent.CodeInvalidRequest, "/set"},
		`{"orgId":"other"}`:                                                     {agent.CodeInvalidRequest, "/set"},
		`{"OrgID":"other"}`:                                                     {agent.CodeInvalidRequest, "/set"},
		`[]`:                                                                    {agent.CodeInvalidRequest, "/set"},
		`null`:                                                                  {agent.CodeInvalidRequest, "/set"},
		``:                                                                      {agent.CodeInvalidRequest, "/set"},
		`{"remember":"always"}`:                                                 {agent.CodeInvalidInput, "/set/remember"},
		`{"responseMode":"chatty"}`:                                             {agent.CodeInvalidInput, "/set/responseMode"},
		`{"crossClientSearch":"yes"}`:                                           {agent.CodeInvalidInput, "/set/crossClientSearch"},
		`{"billing":"lingering"}`:                                               {agent.CodeInvalidInput, "/set/billing"},
		`{"version":9}`:                                                         {agent.CodeInvalidInput, "/set/version"},
		`{"defaultModel":"m-none"}`:                                             {agent.CodeInvalidInput, "/set/defaultModel"},
		`{"defaultModel":""}`:                                                   {"", ""},
		`{"disabledCapabilities":["deck.export","deck.export"]}`: {agent.CodeInvalidInput, "/set/disabledCapabilities/1"},
		`{"disabledCapabilities":["slide.none"]}`:                {agent.CodeInvalidInput, "/set/disabledCapabilities/0"},
		`{"disabledCapabilities":["Deck.export"]}`:               {agent.CodeInvalidInput, "/set/disabledCapabilities/0"},
		`{"disabledCapabilities":[7]}`:                           {agent.CodeInvalidRequest, "/set/disabledCapabilities"},
		list(agent.MaxCapabilities - 1):                          {"", ""},
		list(agent.MaxCapabilities):                              {"", ""},
		list(agent.MaxCapabilities + 1):                          {agent.CodeInvalidInput, "/set/disabledCapabilities"},
	} {
		a, s := adminOf(t)
		_, err := a.PutOrgPolicy(adminCtx(), agent.PolicyChange{Version: 3, Set: json.RawMessage(set)})
		var e *agent.Error
		switch {
		case want.code == "" && (err != nil || len(s.put) != 1):
			t.Errorf("%.60s: %v", set, err)
		case want.code != "" && (!errors.As(err, &e) || e.Code != want.code || e.Pointer != want.pointer || len(s.put) != 0):
			t.Errorf("%.60s: %+v, put %d", set, err, len(s.put))
		}
	}
	a, s := adminOf(t)
	if _, err := a.PutOrgPolicy(adminCtx(), agent.PolicyChange{Version: 2, Set: json.RawMessage(`{"rememberDays":1}`)}); agent.ErrorCode(err) != agent.CodeConflict || len(s.put) != 0 {
		t.Errorf("an older version: %v", err)
	}
}

func TestWhatASuperuserLooksAtIsRecordedOrNotShown(t *testing.T) {
	a, s := adminOf(t)
	staff := adminCtx(func(p *agent.Principal) { p.Staff = true })
	look := func(ctx context.Context) (errs []error) {
		_, err := a.OrgPolicy(ctx)
		errs = append(errs, err)
		_, err = a.AuditLog(ctx, agent.AuditQuery{})
		errs = append(errs, err)
		for _, err := range a.ExportAudit(ctx) {
			if err != nil {
				errs = append(errs, err)
			}
		}
		return errs
	}
	look(adminCtx())
	if len(s.log) != 0 {
		t.Fatalf("an admin's own looking is recorded: %+v", s.log)
	}
	look(staff)
	if _, err := a.AuditLog(staff, agent.AuditQuery{Cursor: "2"}); err != nil {
		t.Fatal(err)
	}
	var objects []string
	for _, e := range s.log {
		objects = append(objects, e.Action+" "+e.Object)
	}
	if want := []string{"admin.read policy", "admin.read audit", "admin.read audit"}; !slices.Equal(objects, want) {
		t.Errorf("recorded %q", objects)
	}
	s.logErr = agent.Errorf(agent.CodeStorageBusy, "busy")
	for i, err := range look(staff) {
		if agent.ErrorCode(err) != agent.CodeStorageBusy {
			t.Errorf("look %d without a record: %v", i, err)
		}
	}
}

func TestAnExportHasEveryRowAcrossItsReads(t *testing.T) {
	for _, rows := range []int{0, 1, exportRows - 1, exportRows, exportRows + 1, 3*exportRows + 7} {
		a, s := adminOf(t)
		for range rows {
			_, _ = s.AppendAudit(t.Context(), agent.AuditEntry{Action: "a"})
		}
		n := int64(0)
		for e, err := range a.ExportAudit(adminCtx()) {
			if n++; err != nil || e.Seq != n {
				t.Fatalf("row %d is %+v, %v", n, e, err)
			}
		}
		if n != int64(rows) {
			t.Errorf("%d of %d rows", n, rows)
		}
	}
	a, _ := adminOf(t)
	for limit, ok := range map[int]bool{-1: false, 0: true, 200: true, 201: false} {
		if _, err := a.AuditLog(adminCtx(), agent.AuditQuery{Limit: limit}); (err == nil) != ok {
			t.Errorf("the limit %d: %v", limit, err)
		}
	}
}

// FuzzPolicySet checks that whatever is set, the org stays the org and a policy that
// is taken is one that can be meant.
func FuzzPolicySet(f *testing.F) {
	for _, s := range []string{`{}`, `{"rememberDays":7}`, `{"orgId":"x"}`, `{"OrgID":"x"}`, `{"disabledCapabilities":["a.b"],"DISABLEDCAPABILITIES":["c.d"]}`, `[`, `{"remember":null}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, set string) {
		was := agent.OrgPolicy{OrgID: "acme", Version: 3, Remember: agent.RememberPreview, RememberDays: 30}
		p, err := changed(was, json.RawMessage(set))
		if err != nil {
			if code := agent.ErrorCode(err); code != agent.CodeInvalidRequest {
				t.Errorf("%s: %v", set, err)
			}
			return
		}
		if p.OrgID != "acme" {
			t.Errorf("%s moves the org to %s", set, p.OrgID)
		}
		if (&Admin{}).fits(was, p) == nil && (p.Version != 3 || p.RememberDays < 1 || p.RememberDays > 365) {
			t.Errorf("%s is taken as %+v", set, p)
		}
	})
}
