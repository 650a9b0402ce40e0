package main

import (
	"strings"
	"testing"
)

func TestTheRemindersVerbReadsWritesAndComparesFiles(t *testing.T) {
	data := filled(t)
	at := func(args ...string) []string {
		return append([]string{"reminders"}, append(args, "--org", "paying-client", "--data", data)...)
	}
	for _, c := range []struct {
		name, stdin string
		args        []string
		says        string
	}{
		{"the seed", "", at("get", "our_decisions"), "# Our decisions\n\nWhat was decided"},
		{"a new text", "# Ours\r\n", at("put", "our_decisions.md"), "stored reminders/our_decisions.md of paying-client as version 2\n"},
		{"the same text", "# Ours\n\n", at("put", "our_decisions"), "is as it was, at version 2"},
		{"the new text", "", at("get", "our_decisions"), "# Ours\n"},
		{"the old text", "", at("get", "our_decisions", "--version", "1"), "# Our decisions\n"},
		{"a text made from a version", "# Ours too\n", at("put", "our_decisions", "--version", "2"), "as version 3\n"},
		{"the history", "", at("history", "our_decisions"), "operator  hand  11\n"},
		{"a difference", "", at("history", "our_decisions", "--from", "2", "--to", "3"), "--- a/reminders/our_decisions.md\n+++ b/reminders/our_decisions.md\n@@ -1 +1 @@\n-# Ours\n+# Ours too\n"},
		{"what one changed", "", at("history", "our_decisions", "--to", "1"), "+# Our decisions\n"},
		{"another org", "", []string{"reminders", "get", "our_decisions", "--org", "demo", "--data", data}, "# Our decisions\n"},
		{"the limits of notes", "", []string{"orgs", "notes", "paying-client", "--data", data}, "paying-client: 0 notes; a note lives 30 days, and there are at most 200\n"},
		{"other limits of notes", "", []string{"orgs", "notes", "paying-client", "--days", "7", "--max", "50", "--data", data}, "lives 7 days, and there are at most 50\n"},
		{"one of them again", "", []string{"orgs", "notes", "paying-client", "--max", "0", "--data", data}, "lives 7 days, and there are at most 0\n"},
	} {
		if code, stdout, stderr := out(t, c.stdin, c.args...); code != exitOK || !strings.Contains(stdout, c.says) {
			t.Errorf("%s: exit %d %s%s", c.name, code, stdout, stderr)
		}
	}
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		says        string
	}{
		{"another file", "", at("get", "secrets"), exitUsage, "client_profile, our_decisions and gotchas"},
		{"a path", "", at("get", "../gotchas"), exitUsage, "client_profile"},
		{"a version that is not there", "", at("get", "gotchas", "--version", "9"), exitFailed, "reminders history"},
		{"a text made from an older version", "late\n", at("put", "our_decisions", "--version", "1"), exitFailed, "was changed since"},
		{"too long a text", strings.Repeat("x", 17<<10), at("put", "gotchas"), exitFailed, "16 KiB"},
		{"a much longer one", strings.Repeat("x", 1<<20), at("put", "gotchas"), exitFailed, "16 KiB"},
		{"what nobody sees", "a\u202eb", at("put", "gotchas"), exitFailed, "nobody can see"},
		{"an unknown org", "", []string{"reminders", "get", "gotchas", "--org", "nobody", "--data", data}, exitFailed, "demo, lingering-client, paying-client"},
		{"no org", "", []string{"reminders", "get", "gotchas", "--data", data}, exitUsage, "--org"},
		{"no database", "", []string{"reminders", "get", "gotchas", "--org", "demo", "--data", data + "/none"}, exitFailed, "--data"},
		{"too long a life of notes", "", []string{"orgs", "notes", "demo", "--days", "366", "--data", data}, exitUsage, "365"},
		{"too many notes", "", []string{"orgs", "notes", "demo", "--max", "2001", "--data", data}, exitUsage, "2,000"},
	} {
		if code, stdout, stderr := out(t, c.stdin, c.args...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d %s%s", c.name, code, stdout, stderr)
		}
	}
}
