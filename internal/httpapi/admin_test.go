package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeAdmin keeps a policy and a log.
type fakeAdmin struct {
	change     agent.PolicyChange
	auditQuery agent.AuditQuery
	logRows    int
	breakAfter int
	adminErr   error
}

func (f *fakeAdmin) OrgPolicy(ctx context.Context) (agent.OrgPolicy, error) {
	return agent.OrgPolicy{Version: 3, RememberDays: 30, Remember: agent.RememberPreview}, f.adminErr
}

func (f *fakeAdmin) PutOrgPolicy(_ context.Context, c agent.PolicyChange) (agent.OrgPolicy, error) {
	f.change = c
	return agent.OrgPolicy{Version: c.Version + 1}, f.adminErr
}

func (f *fakeAdmin) AuditLog(_ context.Context, q agent.AuditQuery) (agent.Page[agent.AuditEntry], error) {
	f.auditQuery = q
	return agent.Page[agent.AuditEntry]{}, f.adminErr
}

func (f *fakeAdmin) ExportAudit(context.Context) iter.Seq2[agent.AuditEntry, error] {
	return func(yield func(agent.AuditEntry, error) bool) {
		if f.adminErr != nil {
			yield(agent.AuditEntry{}, f.adminErr)
			return
		}
		for i := range f.logRows {
			if f.breakAfter > 0 && i == f.breakAfter {
				yield(agent.AuditEntry{}, agent.Errorf(agent.CodeStorageBusy, "busy"))
				return
			}
			if !yield(agent.AuditEntry{Seq: int64(i + 1), ID: fmt.Sprint("a", i), Detail: json.RawMessage(`{"a":"\u003c"}`), Hash: "h"}, nil) {
				return
			}
		}
	}
}

func TestAPolicyIsGivenWithItsVersionAndChangedByMembers(t *testing.T) {
	d := newDesk(t)
	if rec := d.do(request("GET", "/admin/policy", "")); rec.Code != 200 || rec.Body.String() != `{"version":3,"disabledCapabilities":[],"defaultModel":"","allowModelChoice":false,"billing":"","remember":"preview","rememberDays":30,"responseMode":"","redaction":{"kinds":null},"crossClientSearch":""}`+"\n" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := d.do(request("PUT", "/admin/policy", `{"version":3,"set":{"anything":[1]}}`)); rec.Code != 200 || !strings.Contains(rec.Body.String(), `"version":4`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if d.ports.change.Version != 3 || string(d.ports.change.Set) != `{"anything":[1]}` {
		t.Errorf("asked %+v", d.ports.change)
	}
	for body, pointer := range map[string]string{
		`{"set":{}}`: "/version", `{"version":1}`: "/set", `{"version":"1","set":{}}`: "/version", `{"version":1.5,"set":{}}`: "/version",
		`{"version":null,"set":{}}`: "/version", `{"version":1,"set":{},"more":1}`: "/more", `{"version":1,"set":{"a":1,"a":2}}`: "/set/a",
	} {
		if p := problem(t, newDesk(t).do(request("PUT", "/admin/policy", body))); p.Pointer != pointer || p.Status >= 500 {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

func TestTheAuditLogIsAskedAsTheAddressSays(t *testing.T) {
	d := newDesk(t)
	if rec := d.do(request("GET", "/admin/audit?cursor=c&limit=7", "")); rec.Code != 200 || rec.Body.String() != `{"items":[]}`+"\n" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if want := (agent.AuditQuery{Cursor: "c", Limit: 7}); d.ports.auditQuery != want {
		t.Errorf("asked %+v", d.ports.auditQuery)
	}
	if p := problem(t, d.do(request("GET", "/admin/audit?limit=x", ""))); p.Code != agent.CodeInvalidRequest {
		t.Errorf("%+v", p)
	}
}

func TestAnExportOfTheAuditLogIsOneRowALineAndWholeOrCutOff(t *testing.T) {
	d := newDesk(t)
	if rec := d.do(request("GET", "/admin/audit/export", "")); rec.Code != 200 || rec.Body.Len() != 0 {
		t.Errorf("an empty log is %d %q", rec.Code, rec.Body)
	}
	d.ports.logRows = 3
	rec := d.do(request("GET", "/admin/audit/export", ""))
	lines := strings.Split(strings.TrimSuffix(rec.Body.String(), "\n"), "\n")
	if len(lines) != 3 || lines[2] != `{"seq":3,"id":"a2","at":0,"actor":"","action":"","object":"","detail":{"a":"\u003c"},"hash":"h"}` {
		t.Errorf("%q", lines)
	}
	if h := rec.Header(); h.Get("Content-Type") != jsonLines || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", h)
	}
	d.ports.breakAfter = 2
	func() {
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				t.Errorf("a log that broke off ended with %v", err)
			}
		}()
		d.do(request("GET", "/admin/audit/export", ""))
	}()
	d.ports.adminErr = agent.Errorf(agent.CodeForbidden, "No.")
	for _, path := range []string{"/admin/audit/export", "/admin/audit", "/admin/policy"} {
		if p := problem(t, d.do(request("GET", path, ""))); p.Status != 403 {
			t.Errorf("%s: %+v", path, p)
		}
	}
}
