package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// filled gives a data folder as a demo leaves it.
func filled(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	d, err := openDeck(t.Context(), common{Data: data}, "", nil, common{}.logger(&env{stderr: os.Stderr}))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return data
}

const orgKey = "sk-ant-api03-0123456789abcdef"

func TestTheKeysVerbTakesWhatTheHTTPOperationTakes(t *testing.T) {
	data := filled(t)
	for _, c := range []struct{ name, provider, key, says string }{
		{"an unknown provider", "foo", orgKey, "anthropic, openai, groq"},
		{"a keyless model", "scripted", orgKey, "anthropic, openai, groq"},
		{"another provider's key", "anthropic", "sk-proj-0123456789", "This looks like a key of OpenAI"},
		{"a key that is too short", "anthropic", "1234567", "too short"},
		{"two words", "anthropic", "sk-ant 0123456789", "no spaces"},
	} {
		code, stdout, stderr := out(t, c.key+"\n", "keys", "set", "--org", "paying-client", "--provider", c.provider, "--data", data)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.says) || strings.Contains(stderr, c.key) {
			t.Errorf("%s: exit %d %s%s", c.name, code, stdout, stderr)
		}
	}
	if _, stdout, _ := out(t, "", "keys", "list", "--org", "paying-client", "--data", data); !strings.Contains(stdout, "no stored key") {
		t.Errorf("something was stored: %s", stdout)
	}
}

func TestTheKeysOfAnOrgAreListedMaskedAndRemoved(t *testing.T) {
	data := filled(t)
	if code, stdout, stderr := out(t, orgKey, "keys", "set", "--org", "paying-client", "--provider", "anthropic", "--data", data); code != exitOK || !strings.Contains(stdout, "until the demo starts again") {
		t.Fatalf("set: exit %d %s%s", code, stdout, stderr)
	}
	code, stdout, stderr := out(t, "", "keys", "list", "--org", "paying-client", "--data", data)
	id := regexp.MustCompile(`(?m)^(key_\S+) +anthropic +org +sk-ant-…••••cdef +2`).FindStringSubmatch(stdout)
	if code != exitOK || id == nil || strings.Contains(stdout, "0123456789") {
		t.Fatalf("list: exit %d %s%s", code, stdout, stderr)
	}
	if code, _, stderr := out(t, "", "keys", "remove", "--org", "demo", id[1], "--data", data); code != exitFailed || !strings.Contains(stderr, "keys list --org demo") {
		t.Errorf("removed by another org: exit %d %s", code, stderr)
	}
	if code, stdout, stderr := out(t, "", "keys", "remove", "--org", "paying-client", id[1], "--data", data); code != exitOK || !strings.Contains(stdout, "removed the key "+id[1]+" of paying-client") {
		t.Errorf("remove: exit %d %s%s", code, stdout, stderr)
	}
	if code, stdout, _ := out(t, "", "keys", "list", "--org", "paying-client", "--data", data); code != exitOK || strings.Contains(stdout, id[1]) {
		t.Errorf("it is still there: %s", stdout)
	}
}

func TestAnUnknownOwnerOfKeysIsToldWhatThereIs(t *testing.T) {
	data := filled(t)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"an unknown org", []string{"keys", "list", "--org", "nobody"}, exitFailed, "demo, lingering-client, paying-client"},
		{"an unknown user", []string{"keys", "list", "--user", "nobody"}, exitFailed, "orgs members"},
		{"the members of an unknown org", []string{"orgs", "members", "nobody"}, exitFailed, "orgs list"},
		{"nobody named", []string{"keys", "list"}, exitUsage, "--org"},
		{"both named", []string{"keys", "list", "--org", "demo", "--user", "user_lin"}, exitUsage, "--user"},
	} {
		if code, stdout, stderr := out(t, "", append(c.args, "--data", data)...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d %s%s", c.name, code, stdout, stderr)
		}
	}
	for want, args := range map[string][]string{
		"paying-client":            {"orgs", "list"},
		"user_lin  lin   editor":   {"orgs", "members", "lingering-client"},
		"user_lin has no stored":   {"keys", "list", "--user", "user_lin"},
		"lingering-client is ling": {"keys", "set", "--org", "lingering-client", "--provider", "anthropic"},
	} {
		if code, stdout, stderr := out(t, orgKey, append(args, "--data", data)...); code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("%v: exit %d %s%s", args, code, stdout, stderr)
		}
	}
}
