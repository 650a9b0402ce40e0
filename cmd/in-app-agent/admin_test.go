package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

// exported writes the log of paying-client as the HTTP operation exports it.
func exported(t *testing.T, data string) string {
	t.Helper()
	a, err := server.OpenAdmin(t.Context(), server.Databases{Data: data}, server.KeyRules{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := json.NewEncoder(f)
	ctx := asOperator(&env{ctx: context.Background()}, agent.Org{ID: "org_paying"})
	for e, err := range a.ExportAudit(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestThePolicyOfAnOrgIsShownAndSet(t *testing.T) {
	data := filled(t)
	code, stdout, stderr := out(t, "", "orgs", "policy", "set", "paying-client", "rememberDays=14", "remember=mutate", `disabledCapabilities=["deck.export"]`, "--data", data)
	if code != exitOK || !strings.Contains(stdout, `"rememberDays": 14`) || !strings.Contains(stdout, `"mutate"`) {
		t.Fatalf("exit %d %s%s", code, stdout, stderr)
	}
	if code, shown, _ := out(t, "", "orgs", "policy", "get", "paying-client", "--data", data); code != exitOK || shown != stdout {
		t.Errorf("exit %d %s", code, shown)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no member", []string{"paying-client"}, exitUsage, "<members>"},
		{"no value", []string{"paying-client", "rememberDays"}, exitUsage, "NAME=VALUE"},
		{"a member twice", []string{"paying-client", "rememberDays=1", "rememberDays=2"}, exitUsage, "twice"},
		{"an unknown member", []string{"paying-client", "rememberdays=1"}, exitFailed, "no member"},
		{"a number over its limit", []string{"paying-client", "rememberDays=366"}, exitFailed, "1 to 365"},
		{"an unknown org", []string{"nobody", "rememberDays=1"}, exitFailed, "paying-client"},
	} {
		if code, _, stderr := out(t, "", append(append([]string{"orgs", "policy", "set"}, c.args...), "--data", data)...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d %s", c.name, code, stderr)
		}
	}
}

func TestDoctorAuditNamesTheFirstRowThatDoesNotHold(t *testing.T) {
	data := filled(t)
	for _, set := range []string{"rememberDays=14", "rememberDays=15", "rememberDays=16"} {
		if code, _, stderr := out(t, "", "orgs", "policy", "set", "paying-client", set, "--data", data); code != exitOK {
			t.Fatal(stderr)
		}
	}
	if code, stdout, stderr := out(t, "", "doctor", "audit", "--data", data); code != exitOK || !strings.Contains(stdout, "paying-client: 3 rows hold") || !strings.Contains(stdout, "demo: 0 rows hold") {
		t.Fatalf("exit %d %s%s", code, stdout, stderr)
	}
	export := exported(t, data)
	if code, stdout, stderr := out(t, "", "doctor", "audit", "--org", "paying-client", "--against", export, "--data", data); code != exitOK || !strings.Contains(stdout, "3 rows hold") {
		t.Errorf("against an export: exit %d %s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	forged := filepath.Join(t.TempDir(), "forged.jsonl")
	if err := os.WriteFile(forged, []byte(strings.Replace(string(text), `"from":14`, `"from":41`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := out(t, "", "doctor", "audit", "--org", "paying-client", "--against", forged, "--data", data); code != exitFailed || !strings.Contains(stdout, "line 2") {
		t.Errorf("against a forged export: exit %d %s", code, stdout)
	}
	// The same export is of no other org, and of no other data folder.
	if code, stdout, _ := out(t, "", "doctor", "audit", "--org", "demo", "--against", export, "--data", data); code != exitFailed || !strings.Contains(stdout, "line 1") {
		t.Errorf("against another org's export: exit %d %s", code, stdout)
	}
	if code, stdout, _ := out(t, "", "doctor", "audit", "--org", "paying-client", "--against", export, "--data", filled(t)); code != exitFailed || !strings.Contains(stdout, "BROKEN at row 1") {
		t.Errorf("a folder without the rows: exit %d %s", code, stdout)
	}
	if err := os.Remove(filepath.Join(data, "audit.key")); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := out(t, "", "doctor", "audit", "--data", data); code != exitFailed || !strings.Contains(stdout, "paying-client: BROKEN at row 1") || !strings.Contains(stderr, "1 of 3") {
		t.Errorf("with another key: exit %d %s%s", code, stdout, stderr)
	}
	if code, _, stderr := out(t, "", "doctor", "audit", "--against", export, "--data", data); code != exitUsage || !strings.Contains(stderr, "--org") {
		t.Errorf("an export of no org: exit %d %s", code, stderr)
	}
}
