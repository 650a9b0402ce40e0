package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

const spelling = `{"file":"our_decisions","scope":"spelling","text":"We use British spelling."}`

func TestASuggestionShowsTheFileAndAnAcceptStoresExactlyThat(t *testing.T) {
	o := newOrg("", "# Our decisions\n")
	d := newDesk(t, o)
	call, receipt := d.propose(spelling)
	p := receipt.Preview
	if len(o.writes) != 0 || len(p.Artifacts) != 1 || p.Artifacts[0].Kind != agent.ArtifactDiff || p.Artifacts[0].Path != "reminders/our_decisions.md" ||
		p.Summary != "Adds to our decisions (spelling): We use British spelling." {
		t.Errorf("%d writes, preview %+v", len(o.writes), p)
	}
	for _, line := range []string{"\n # Our decisions\n", "\n+## d-1 (spelling, 2026-12-01)\n", "\n+We use British spelling.\n"} {
		if !strings.Contains(p.Artifacts[0].Text, line) {
			t.Errorf("the difference has no %q:\n%s", line, p.Artifacts[0].Text)
		}
	}
	if fmt.Sprint(receipt.Resources) != "[{reminders/our_decisions.md 1}]" {
		t.Errorf("it rests on %v", receipt.Resources)
	}
	res := d.reg.Apply(context.Background(), d.env(), call, receipt)
	if !res.OK || string(res.Output) != `{"file":"our_decisions","id":"d-1","version":2}` {
		t.Errorf("%s %+v", res.Output, res.Error)
	}
	want := agent.ReminderWrite{File: agent.ReminderDecisions, Text: "# Our decisions\n\n## d-1 (spelling, 2026-12-01)\n\nWe use British spelling.\n",
		From: 1, Via: agent.ReminderSuggested, At: noon.UnixMilli(), Receipt: "receipt_1"}
	if len(o.writes) != 1 || o.writes[0] != want {
		t.Errorf("wrote %+v", o.writes)
	}
}

func TestAnAcceptedDecisionThatContradictsAnEarlierOneSupersedesIt(t *testing.T) {
	o := newOrg()
	d := newDesk(t, o)
	for _, what := range []string{spelling, `{"file":"our_decisions","scope":"spelling","text":"We use American spelling."}`,
		`{"file":"our_decisions","scope":"language","text":"We write German.","replaces":"d-2"}`} {
		if res := d.accept(what); !res.OK {
			t.Fatalf("%s: %+v", what, res.Error)
		}
	}
	want := lines("# Our decisions", "", "## d-1 (spelling, 2026-12-01)", "", "~~We use British spelling.~~", "",
		"Superseded on 2026-12-01 by [d-2](#d-2-spelling-2026-12-01).", "", "## d-2 (spelling, 2026-12-01)", "", "~~We use American spelling.~~", "",
		"Superseded on 2026-12-01 by [d-3](#d-3-language-2026-12-01).", "", "## d-3 (language, 2026-12-01)", "", "We write German.")
	if got := o.newest(agent.ReminderDecisions).Text; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestAnAcceptOfAFileThatMovedIsStale(t *testing.T) {
	for name, move := range map[string]func(*org, *agent.Receipt){
		"written by hand": func(o *org, _ *agent.Receipt) {
			_, _ = o.PutReminderIn(context.Background(), nil, agent.ReminderWrite{File: agent.ReminderDecisions, Text: "hand\n", From: 1})
		},
		"between the look and the preview": func(_ *org, r *agent.Receipt) { r.Resources[0].Version = "0" },
		"another resource":                 func(_ *org, r *agent.Receipt) { r.Resources[0].ID = "reminders/gotchas.md" },
		"no resource":                      func(_ *org, r *agent.Receipt) { r.Resources = nil },
	} {
		o := newOrg("", "# Our decisions\n")
		d := newDesk(t, o)
		call, receipt := d.propose(spelling)
		move(o, &receipt)
		before := o.newest(agent.ReminderDecisions)
		res := d.reg.Apply(context.Background(), d.env(), call, receipt)
		if res.OK || res.Error.Code != agent.CodeStalePreview || o.newest(agent.ReminderDecisions) != before {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

func TestAStoreThatFailsIsNotAStalePreview(t *testing.T) {
	o := newOrg("", "# Our decisions\n")
	d := newDesk(t, o)
	call, receipt := d.propose(spelling)
	o.err = &agent.Error{Code: agent.CodeStorageBusy, Message: "Busy."}
	if res := d.reg.Apply(context.Background(), d.env(), call, receipt); res.OK || res.Error.Code != agent.CodeStorageBusy {
		t.Errorf("%+v", res)
	}
	if res := d.run("reminders.read", `{}`); res.OK || res.Error.Code != agent.CodeStorageBusy {
		t.Errorf("%+v", res)
	}
	o.err = nil
	call.Commit = nil // no run that may change something
	if res := d.reg.Apply(context.Background(), d.env(), call, receipt); res.OK || len(o.writes) != 0 {
		t.Errorf("%+v", res)
	}
}

func TestAnAcceptedSuggestionIsTakenBackWhileTheFileHasNotMoved(t *testing.T) {
	for _, texts := range [][]string{{"", "# Our decisions\n"}, nil} {
		o := newOrg(texts...)
		before := o.newest(agent.ReminderDecisions)
		d := newDesk(t, o)
		call, receipt := d.propose(spelling)
		d.reg.Apply(context.Background(), d.env(), call, receipt)
		if res := d.reg.Undo(context.Background(), d.env(), call, receipt); !res.OK {
			t.Fatalf("%+v", res.Error)
		}
		now := o.newest(agent.ReminderDecisions)
		if now.Text != before.Text || now.Version != before.Version+2 || o.writes[1].Via != agent.ReminderUndone {
			t.Errorf("%+v, %+v", now, o.writes)
		}
		if res := d.reg.Undo(context.Background(), d.env(), call, receipt); res.OK || res.Error.Code != agent.CodeStaleUndo {
			t.Errorf("a second time: %+v", res)
		}
	}
	if c, ok := newDesk(t, newOrg()).reg.Get("reminders.suggest"); !ok || c.UndoFor.Hours() != 24 || !c.Commits || c.Kind != agent.KindPreview || !c.RequiresConfirmation || len(c.RememberFree) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestRemindersAreReadWholeOrOne(t *testing.T) {
	d := newDesk(t, newOrg("# P\n", "# D\n"))
	d.who.Tier = agent.TierViewer
	for input, want := range map[string]string{
		`{}`:                       `{"reminders":[{"file":"client_profile","version":1,"text":"# P\n"},{"file":"our_decisions","version":1,"text":"# D\n"},{"file":"gotchas","version":0,"text":""}]}`,
		`{"file":"our_decisions"}`: `{"reminders":[{"file":"our_decisions","version":1,"text":"# D\n"}]}`,
		`{"file":"gotchas"}`:       `{"reminders":[{"file":"gotchas","version":0,"text":""}],"note":"Nothing is recorded there yet."}`,
	} {
		if res := d.run("reminders.read", input); string(res.Output) != want {
			t.Errorf("%s gives %s %+v", input, res.Output, res.Error)
		}
	}
	for _, bad := range []string{`{"file":"secrets"}`, `{"file":"../our_decisions"}`, `{"org":"globex"}`} {
		if res := d.run("reminders.read", bad); res.OK || res.Error.Code != agent.CodeInvalidInput {
			t.Errorf("%s: %+v", bad, res)
		}
	}
	if res := d.run("reminders.suggest", spelling); res.OK || res.Error.Code != agent.CodeForbidden {
		t.Errorf("a viewer suggests: %+v", res)
	}
}

func TestANoteIsOneLineOfTheTurnThatMadeIt(t *testing.T) {
	d := newDesk(t, newOrg())
	res := d.run("cache.note", `{"text":" They like\n short decks. ","topic":" Decks "}`)
	want := agent.Note{ID: "note_call_1", Text: "They like short decks.", Topic: "decks", Thread: "thread_1", Turn: "turn_1", At: noon.UnixMilli()}
	if string(res.Output) != `{"id":"note_call_1","kept":true}` || len(d.o.notes) != 1 || d.o.notes[0] != want {
		t.Errorf("%s %+v, kept %+v", res.Output, res.Error, d.o.notes)
	}
	for name, bad := range map[string]string{"nothing": `{"text":" "}`, "too long": `{"text":"` + strings.Repeat("x", agent.MaxNoteBytes+1) + `"}`,
		"a topic too long": `{"text":"x","topic":"` + strings.Repeat("x", agent.MaxTopicBytes+1) + `"}`, "what nobody sees": `{"text":"a\u202eb"}`, "another org": `{"text":"x","org":"globex"}`} {
		if res := d.run("cache.note", bad); res.OK || res.Error.Code != agent.CodeInvalidInput {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if res := d.run("cache.note", `{"text":"`+strings.Repeat("x", agent.MaxNoteBytes)+`","topic":"`+strings.Repeat("x", agent.MaxTopicBytes)+`"}`); !res.OK {
		t.Errorf("what just fits: %+v", res.Error)
	}
	d.o.err = agent.Errorf(agent.CodeRateLimited, "Enough.")
	if res := d.run("cache.note", `{"text":"x"}`); res.OK || res.Error.Code != agent.CodeRateLimited {
		t.Errorf("%+v", res)
	}
}

func TestAtMostFiveNotesAreRecalledNearestFirst(t *testing.T) {
	o := newOrg()
	for i := range 9 {
		o.notes = append(o.notes, agent.Note{ID: fmt.Sprint("n", i), Text: fmt.Sprint("A deck is short, says ", i), At: noon.UnixMilli() - int64(i)})
	}
	o.notes = append(o.notes, agent.Note{ID: "near", Topic: "reviews", Text: "Anna reviews the deck.", At: 0}, agent.Note{ID: "far", Text: "The board meets on Mondays."})
	d := newDesk(t, o)
	got := read[struct {
		Notes []struct{ Text, Topic, Date string }
		Note  string
	}](t, d.run("cache.recall", `{"query":"who reviews the deck","topic":" Reviews"}`))
	if len(got.Notes) != 1 || got.Notes[0].Text != "Anna reviews the deck." || got.Notes[0].Date != "1970-01-01" || got.Notes[0].Topic != "reviews" || o.topic != "reviews" {
		t.Errorf("%+v, topic %q", got, o.topic)
	}
	got = read[struct {
		Notes []struct{ Text, Topic, Date string }
		Note  string
	}](t, d.run("cache.recall", `{"query":"short deck"}`))
	if len(got.Notes) != 5 || got.Notes[0].Text != "A deck is short, says 0" || strings.Join(o.touched, " ") != "n0 n1 n2 n3 n4" {
		t.Errorf("%+v, touched %v", got, o.touched)
	}
	o.touched = nil
	if res := d.run("cache.recall", `{"query":"zeppelin"}`); string(res.Output) != `{"notes":[],"note":"No note has to do with that."}` || o.touched != nil {
		t.Errorf("%s %+v", res.Output, res.Error)
	}
	for _, bad := range []string{`{"query":" "}`, `{"query":"x","topic":"a\u202eb"}`, `{"query":"x","limit":50}`} {
		if res := d.run("cache.recall", bad); res.OK || res.Error.Code != agent.CodeInvalidInput {
			t.Errorf("%s: %+v", bad, res)
		}
	}
	o.err = errors.New("broken")
	if res := d.run("cache.recall", `{"query":"deck"}`); res.OK || res.Error.Code != agent.CodeToolError {
		t.Errorf("%+v", res)
	}
}

func TestTheMemoryIsDeclaredClean(t *testing.T) {
	reg := newDesk(t, newOrg()).reg
	for _, f := range reg.Lint() {
		t.Error(f)
	}
	names, _ := reg.Match([]string{})
	if got := strings.Join(names, " "); got != "cache.note cache.recall reminders.read reminders.suggest" {
		t.Errorf("shared are %q", got)
	}
}
