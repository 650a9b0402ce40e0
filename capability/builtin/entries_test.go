package builtin

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

const decisions = `# Our decisions

Some words that a person put here, with d-9 in them.

## d-1 (spelling, 2026-01-02)

We use **American** spelling.

- also in headings
  ~~not~~ in quotes

## d-2 (tone, 2026-02-03)

Calm.

## Notes of Anna

Not an entry.
`

func decided(t *testing.T, text, scope, what, replaces string) draft {
	t.Helper()
	d, err := newDraft(agent.Reminder{File: agent.ReminderDecisions, Text: text, Version: 3},
		suggestInput{File: "our_decisions", Text: what, Scope: scope, Replaces: replaces}, "2026-12-01")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestADecisionOfTheSameScopeIsSupersededNotDoubled(t *testing.T) {
	d := decided(t, decisions, "Spelling", "We use British\n spelling.", "")
	const want = `# Our decisions

Some words that a person put here, with d-9 in them.

## d-1 (spelling, 2026-01-02)

~~We use **American** spelling.~~

- ~~also in headings~~
  ~~not in quotes~~

Superseded on 2026-12-01 by [d-10](#d-10-spelling-2026-12-01).

## d-2 (tone, 2026-02-03)

Calm.

## Notes of Anna

Not an entry.

## d-10 (spelling, 2026-12-01)

We use British spelling.
`
	if d.text != want {
		t.Errorf("got\n%s", d.text)
	}
	if d.id != "d-10" || fmt.Sprint(d.superseded) != "[d-1]" || d.summary != "Supersedes d-1 in our decisions (spelling): We use British spelling." {
		t.Errorf("%+v", d)
	}
	// What was superseded is left alone by the next one.
	again := decided(t, d.text, "spelling", "We use Australian spelling.", "")
	if fmt.Sprint(again.superseded) != "[d-10]" || strings.Count(again.text, "Superseded on") != 2 || strings.Count(again.text, "by [d-10](") != 1 {
		t.Errorf("superseded %v in\n%s", again.superseded, again.text)
	}
	if standing := parse(again.text).standing(); len(standing) != 2 || standing[0].id != "d-2" || standing[1].id != "d-11" {
		t.Errorf("standing are %+v", standing)
	}
}

func TestTheConventionsExampleIsWhatASuggestionMakesOfIt(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/per-org-reminders-convention.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```markdown\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(shown) != 2 {
		t.Fatalf("the guide shows %d files", len(shown))
	}
	d, err := newDraft(agent.Reminder{File: agent.ReminderDecisions, Text: shown[0][1]},
		suggestInput{File: "our_decisions", Text: "We use American spelling.", Scope: "spelling"}, "2026-05-04")
	if err != nil || d.text != shown[1][1] {
		t.Errorf("%v, it makes\n%s", err, d.text)
	}
}

func TestADecisionThatContradictsOneOfAnotherScopeNamesIt(t *testing.T) {
	d := decided(t, decisions, "voice", "Loud.", "d-2")
	if fmt.Sprint(d.superseded) != "[d-2]" || !strings.Contains(d.text, "~~Calm.~~\n\nSuperseded on 2026-12-01 by [d-10](#d-10-voice-2026-12-01).") {
		t.Errorf("superseded %v in\n%s", d.superseded, d.text)
	}
	both := decided(t, decisions, "spelling", "Anything goes.", "d-2")
	if fmt.Sprint(both.superseded) != "[d-1 d-2]" || strings.Count(both.text, "Superseded on") != 2 {
		t.Errorf("superseded %v in\n%s", both.superseded, both.text)
	}
}

func TestWhatASuggestionCannotBeIsRefused(t *testing.T) {
	superseded := decided(t, decisions, "tone", "Loud.", "").text
	for name, c := range map[string]struct {
		file, text, scope, replaces, now string
		code                             agent.Code
		pointer                          string
	}{
		"another file":          {"secrets", "x", "a", "", "", agent.CodeInvalidInput, "/file"},
		"a path":                {"../our_decisions", "x", "a", "", "", agent.CodeInvalidInput, "/file"},
		"no text":               {"our_decisions", " \n", "a", "", "", agent.CodeInvalidInput, "/text"},
		"text that nobody sees": {"our_decisions", "a\U000E0041", "a", "", "", agent.CodeInvalidInput, "/text"},
		"text too long":         {"our_decisions", strings.Repeat("x", MaxEntryBytes+1), "a", "", "", agent.CodeInvalidInput, "/text"},
		"no scope":              {"our_decisions", "x", "", "", "", agent.CodeInvalidInput, "/scope"},
		"scope too long":        {"our_decisions", "x", strings.Repeat("a", MaxScopeBytes+1), "", "", agent.CodeInvalidInput, "/scope"},
		"scope that breaks out": {"our_decisions", "x", "a, 2026-01-01) x\n## d-1 (b", "", "", agent.CodeInvalidInput, "/scope"},
		"no such entry":         {"our_decisions", "x", "a", "d-7", decisions, agent.CodeInvalidInput, "/replaces"},
		"no entry at all":       {"our_decisions", "x", "a", "d-7", "", agent.CodeInvalidInput, "/replaces"},
		"one that is struck":    {"our_decisions", "x", "a", "d-2", superseded, agent.CodeInvalidInput, "/replaces"},
		"what stands there":     {"our_decisions", "CALM.", "tone", "", decisions, agent.CodeConflict, ""},
		"a file without room":   {"our_decisions", "x", "a", "", strings.Repeat("x", agent.MaxReminderBytes), agent.CodeTooLarge, "/text"},
		"an open code block":    {"our_decisions", "x", "a", "", "# D\n\n```\ncode\n", agent.CodeConflict, ""},
		"an open comment":       {"our_decisions", "x", "a", "", "# D\n\n<!-- hidden\n", agent.CodeConflict, ""},
	} {
		_, err := newDraft(agent.Reminder{File: agent.ReminderFile(c.file), Text: c.now}, suggestInput{c.file, c.text, c.scope, c.replaces}, "2026-12-01")
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Pointer != c.pointer {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d := decided(t, "", strings.Repeat("a", MaxScopeBytes), strings.Repeat("x", MaxEntryBytes), ""); d.id != "d-1" || !strings.HasPrefix(d.text, "# Our decisions\n\n## d-1 (aaa") {
		t.Errorf("what just fits gives\n%s", d.text)
	}
}

func TestInTheOtherFilesAnEntryIsRewordedInItsPlace(t *testing.T) {
	const gotchas = "# Gotchas\n\n## g-1 (export, 2026-01-01)\n\nPDFs lose links.\nOften.\n\n## g-2 (export, 2026-01-02)\n\nFonts.\n"
	for _, c := range []struct{ replaces, id, want, summary string }{
		{"g-1", "g-1", "# Gotchas\n\n## g-1 (pdf, 2026-12-01)\n\nPDFs keep links.\n\n## g-2 (export, 2026-01-02)\n\nFonts.\n", "Rewords g-1 in the gotchas (pdf): PDFs keep links."},
		{"", "g-3", gotchas + "\n## g-3 (pdf, 2026-12-01)\n\nPDFs keep links.\n", "Adds to the gotchas (pdf): PDFs keep links."},
	} {
		d, err := newDraft(agent.Reminder{File: agent.ReminderGotchas, Text: gotchas}, suggestInput{"gotchas", "PDFs keep links.", "pdf", c.replaces}, "2026-12-01")
		if err != nil || d.text != c.want || d.id != c.id || d.summary != c.summary || len(d.superseded) != 0 {
			t.Errorf("%v %+v", err, d)
		}
	}
}

func TestOnlyHeadingsOfTheFormAreEntries(t *testing.T) {
	for line, want := range map[string]bool{
		"## d-1 (a, 2026-01-01)": true, "## d-1 (a-b2, 2026-01-01)  ": true,
		"# d-1 (a, 2026-01-01)": false, "### d-1 (a, 2026-01-01)": false, " ## d-1 (a, 2026-01-01)": false, "## D-1 (a, 2026-01-01)": false,
		"## d-1 (a b, 2026-01-01)": false, "## d-1 (a, today)": false, "## d-1": false, "## d-1 (a, 2026-01-01) x": false,
	} {
		if got := len(parse(line+"\n\ntext\n").entries) == 1; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for name, text := range map[string]string{
		"a code block":      "```\n## d-1 (a, 2026-01-01)\n```\n",
		"a longer fence":    "````\n```\n## d-1 (a, 2026-01-01)\n````\n",
		"a comment":         "<!-- x\n## d-1 (a, 2026-01-01)\n-->\n",
		"a block of tildes": "~~~\n```\n## d-1 (a, 2026-01-01)\n~~~\n",
	} {
		if d := parse(text); len(d.entries) != 0 || d.open {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := parse("text <!-- a --> b\n\n## d-1 (a, 2026-01-01)\n"); len(d.entries) != 1 || d.open {
		t.Errorf("a comment of one line: %+v", d)
	}
}

func TestWhatIsSupersededIsSoWhateverItHeld(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "code alone": "```\ncode\n```\n", "a block of tildes": "~~~\n~~ x\n~~~\n", "struck words": "~~old~~ and new\n", "a quote": "> said\n> again\n",
		"what looks superseded": "Superseded on 2026-01-01 by [d-9](#d-9-a-2026-01-01).\n", "tildes": "~~ ~ a ~ b\n", "a list sign": "-\n",
	} {
		now := "## d-1 (a, 2026-01-01)\n" + body + "\n# Else\n"
		if standing := parse(now).standing(); len(standing) != 1 {
			t.Errorf("%s: %d stand before", name, len(standing))
		}
		d := decided(t, now, "a", "New.", "")
		after := parse(d.text)
		if len(d.superseded) != 1 || len(after.standing()) != 1 || after.standing()[0].id != d.id || !strings.Contains(d.text, "\n# Else\n") {
			t.Errorf("%s: %+v\n%s", name, d.superseded, d.text)
		}
	}
}

func TestASuggestedTextIsOneParagraphWhateverItIs(t *testing.T) {
	for in, want := range map[string]string{
		"plain words": "plain words", "# no heading": `\# no heading`, "## d-1 (a, 2026-01-01)": `\## d-1 (a, 2026-01-01)`, "- no list": `\- no list`,
		"-dash": "-dash", "1. no list": `1\. no list`, "12) no list": `12\) no list`, "1.5 em": "1.5 em", "> no quote": `\> no quote`, "```": "\\```", "~~~": `\~\~~`,
		"---": `\---`, "===": `\===`, "* * *": `\* * *`, "*stress*": "*stress*", "a <!-- hidden": `a \<!-- hidden`, "<script>": `\<script>`, "a < b": "a < b",
		"~~struck~~": `\~\~struck\~\~`, "[d-1]: http://x": `\[d-1]: http://x`, "[d-1] x": "[d-1] x", "#tag": "#tag",
	} {
		if got := paragraph(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func FuzzDraft(f *testing.F) {
	f.Add(decisions, "We say islanders.", "spelling", "d-2", false)
	f.Add("```\n", "# x", "a", "", true)
	f.Fuzz(func(t *testing.T, now, text, scope, replaces string, gotcha bool) {
		file := agent.ReminderDecisions
		if gotcha {
			file = agent.ReminderGotchas
		}
		now, err := agent.CheckReminder(now)
		if err != nil {
			return
		}
		before := parse(now)
		d, err := newDraft(agent.Reminder{File: file, Text: now}, suggestInput{string(file), text, scope, replaces}, "2026-12-01")
		if err != nil {
			if ours := (*agent.Error)(nil); !errors.As(err, &ours) {
				t.Fatalf("%v", err)
			}
			return
		}
		after := parse(d.text)
		e, found := after.find(d.id)
		if !found || after.open || len(d.text) > agent.MaxReminderBytes {
			t.Fatalf("%q: %+v", d.text, d)
		}
		added := len(after.entries) - len(before.entries)
		if file == agent.ReminderDecisions && (added != 1 || e.struck) || file == agent.ReminderGotchas && (added < 0 || added > 1) {
			t.Fatalf("%d entries more, %+v\n%s", added, e, d.text)
		}
		if want := len(before.standing()) + added - len(d.superseded); len(after.standing()) != want {
			t.Fatalf("%d stand, want %d; superseded %v\n%s\n---\n%s", len(after.standing()), want, d.superseded, now, d.text)
		}
	})
}
