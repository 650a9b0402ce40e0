package account

import (
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// conversation fills th1 with a turn that tries everything, the forging of
// headings included.
func conversation(o *office) {
	forged := "Hi.\n## You · 2020-01-01 00:00 UTC\n\n**Decision** on Delete: accepted by you\r# x\u2028# y"
	o.store.turns = []agent.Turn{{ID: "tn1", ThreadID: "th1", State: agent.TurnComplete, Model: "claude-sonnet-4-6", KeySource: agent.KeySourceUser, Run: 1,
		CreatedAt: o.now.UnixMilli(), Message: agent.Message{Text: forged, Attachments: []agent.Noun{{Kind: "slide", ID: "4", Title: "Slide *4*"}}}}}
	o.store.events["tn1"] = []agent.Event{
		event(1, agent.EventTurnStarted, agent.TurnStarted{}),
		text(2, 0, "void, never to be seen"),
		event(3, agent.EventStepRestarted, agent.StepRestarted{From: 2}),
		text(4, 0, "I will "), text(5, 0, "lo"),
		event(6, agent.EventCapabilityStarted, agent.CapabilityStarted{CallID: "cl1", Name: "slide.read", Title: "Read a slide", Input: json.RawMessage(`{"id":4}`)}),
		event(7, agent.EventCapabilityDone, agent.CapabilityDone{CallID: "cl1", Phase: agent.PhaseHandler, OK: true, Output: json.RawMessage("\"```\\n# not a heading\"")}),
		event(8, agent.EventCapabilityStarted, agent.CapabilityStarted{CallID: "cl2", Name: "slide.edit", Title: "Edit a slide", Input: json.RawMessage(`{}`)}),
		event(9, agent.EventPreview, agent.PreviewShown{CallID: "cl2", Title: "Edit a slide", Summary: "Shorter title", Artifacts: []agent.Artifact{{Kind: "diff", Title: "Diff"}}}),
		event(10, agent.EventDecision, agent.Decided{CallID: "cl2", Decision: agent.VerdictAccepted, By: "alice", RememberedID: "pm1"}),
		event(11, agent.EventCapabilityDone, agent.CapabilityDone{CallID: "cl2", Phase: agent.PhaseApply, OK: true, State: agent.EffectApplied}),
		event(12, agent.EventCapabilityDone, agent.CapabilityDone{CallID: "cl3", Phase: agent.PhaseHandler, Error: &agent.ResultError{Code: agent.CodeToolError, Message: "It broke."}}),
		event(13, agent.EventCapabilityDone, agent.CapabilityDone{CallID: "cl4", Phase: agent.PhaseApply, State: agent.EffectUnknown}),
		event(14, agent.EventDecision, agent.Decided{CallID: "cl5", Decision: agent.VerdictExpired, By: "system"}),
		event(15, agent.EventDecision, agent.Decided{CallID: "cl6", Decision: agent.VerdictAccepted, By: "rule", PermissionID: "pm2"}),
		event(16, agent.EventTurnCompleted, agent.TurnCompleted{Blocks: []agent.TextBlock{{Block: 0, Text: "I will look."}, {Block: 1, Text: "Lost in a crash, kept at the end."}}}),
	}
}

func TestAnExportSaysWhoSaidAndDidWhat(t *testing.T) {
	o := newOffice(t)
	conversation(o)
	e, err := o.ExportThread(alice, "th1", "md")
	if err != nil || e.Name != "a-deck-2027-01-15.md" || e.MIME != "text/markdown" {
		t.Fatalf("%s %s, %v", e.Name, e.MIME, err)
	}
	md := string(e.Data)
	at := 0
	for _, want := range []string{ // in this order
		"# A deck", "- Project: p1", "## You · 2027-01-15 08:00 UTC", "> Hi.", "- Attached: Slide \\*4\\* (slide)",
		"### Agent · claude-sonnet-4-6 · paid with your own key", "> I will look.\n", "**Used** Read a slide (`slide.read`)", "\"id\": 4",
		"````json\n\"```\\n# not a heading\"\n````", "**Used** Edit a slide", "**Proposed** Edit a slide", "> Shorter title", "- Diff (diff)",
		"**Decision** on Edit a slide: accepted by you, and remembered (pm1), ", "**Applied**: Edit a slide", "**Did not work**: cl3 (tool\\_error)", "> It broke.",
		"**Outcome unknown** of cl4", "**Decision** on cl5: expired by the system",
		"**Decision** on cl6: accepted by what you had remembered (pm2), ", "> Lost in a crash, kept at the end.",
	} {
		i := strings.Index(md[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing after byte %d in:\n%s", want, at, md)
		}
		at += i
	}
	if strings.Contains(md, "void") || strings.Contains(md, "I will lo\n") {
		t.Errorf("text that does not count is told:\n%s", md)
	}
}

func TestNoTextCanPoseAsOurs(t *testing.T) {
	o := newOffice(t)
	conversation(o)
	o.store.events["tn1"] = append(o.store.events["tn1"][:5:5],
		event(6, agent.EventPreview, agent.PreviewShown{CallID: "x", Title: "T\n## You · now", Summary: "a\n**Decision** on all: accepted by you"}),
		event(7, agent.EventCapabilityStarted, agent.CapabilityStarted{CallID: "y", Title: "`*_#[<b>", Name: "n\n# x", Input: json.RawMessage("{\"a\":\"````\",\"b\":1}")}),
		event(8, agent.EventTurnFailed, agent.TurnFailedData{Code: "x", Message: "m\n## You · now"}))
	th := o.store.threads["th1"]
	th.Title = "T\n# You"
	o.store.threads["th1"] = th
	e, err := o.ExportThread(alice, "th1", "md")
	if err != nil {
		t.Fatal(err)
	}
	fence, headings := "", 0
	for line := range strings.SplitSeq(lines(string(e.Data)), "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = strings.TrimSuffix(line, "json")
		case fence != "" && line == fence:
			fence = ""
		case fence != "" || strings.HasPrefix(line, ">"):
		case strings.HasPrefix(line, "#"):
			headings++
		case strings.HasPrefix(line, "**Decision"):
			t.Errorf("a decision that nobody took: %s", line)
		}
	}
	if headings != 3 || fence != "" {
		t.Errorf("%d headings, fence %q open in:\n%s", headings, fence, e.Data)
	}
}

func TestAnExportAsJSONHoldsEventsAndTranscript(t *testing.T) {
	o := newOffice(t)
	conversation(o)
	e, err := o.ExportThread(alice, "th1", "json")
	var got struct {
		Protocol   int
		Thread     agent.Thread
		Turns      []agent.TurnView
		Transcript []agent.TranscriptRow
	}
	if err != nil || json.Unmarshal(e.Data, &got) != nil || e.MIME != "application/json" || !strings.HasSuffix(e.Name, ".json") {
		t.Fatalf("%s, %v", e.Data, err)
	}
	if got.Protocol != 1 || got.Thread.ID != "th1" || len(got.Turns) != 1 || len(got.Turns[0].Events) != 15 || len(got.Transcript) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestAnExportHoldsTheWholePath(t *testing.T) {
	o := newOffice(t)
	for i := range 2*maxTurns + 5 {
		turn := agent.Turn{ID: agent.TurnID(rune('a' + i)), ThreadID: "th1", State: agent.TurnComplete}
		if i > 0 {
			turn.Parent = o.store.turns[i-1].ID
		}
		o.store.turns = append(o.store.turns, turn)
	}
	turns, err := o.wholePath(alice, "th1")
	if err != nil || len(turns) != len(o.store.turns) || turns[0].ID != "a" || turns[len(turns)-1].ID != o.store.turns[len(turns)-1].ID {
		t.Errorf("%d turns, %v", len(turns), err)
	}
}

func TestATurnThatHasNotEndedSaysSo(t *testing.T) {
	o := newOffice(t)
	o.store.turns = []agent.Turn{{ID: "tn1", ThreadID: "th1", State: agent.TurnAwaiting, By: "hand"}}
	o.engine.active = o.store.turns
	e, err := o.ExportThread(alice, "th1", "md")
	if err != nil || !strings.Contains(string(e.Data), "_This turn has not ended: awaiting confirmation._") || !strings.Contains(string(e.Data), "You, by hand") {
		t.Errorf("%s, %v", e.Data, err)
	}
}

func TestAnExportHasAFormatANameAndALimit(t *testing.T) {
	o := newOffice(t)
	for _, format := range []string{"", "pdf", "MD", "../md"} {
		_, err := o.ExportThread(alice, "th1", format)
		refused(t, format, err, agent.CodeInvalidInput, "/format")
	}
	for title, want := range map[string]string{
		"Über die Größe!": "ber-die-gr-e", "../../etc/passwd": "etc-passwd", "": "conversation", "…": "conversation",
		strings.Repeat("x", 100): strings.Repeat("x", 48), "con\r\nX: y": "con-x-y",
	} {
		if got := fileName(agent.Thread{Title: title}); got != want+"-1970-01-01" {
			t.Errorf("%q: %s", title, got)
		}
	}
}

func TestAnExportAtTheLimitIsMadeAndOneOverItIsNot(t *testing.T) {
	o := newOffice(t)
	o.maxExport = 1 << 16
	o.store.turns = []agent.Turn{{ID: "tn1", State: agent.TurnComplete}}
	export := func(format string, size int) (int, error) {
		said := strings.Repeat("x", size)
		o.store.turns[0].Message.Text = said
		if format == "json" {
			o.store.turns[0].Message.Text = ""
			o.store.events["tn1"] = []agent.Event{{Seq: 1, Kind: agent.EventUsage, Data: json.RawMessage(`"` + said + `"`)}}
		}
		e, err := o.ExportThread(alice, "th1", format)
		return len(e.Data), err
	}
	for _, format := range []string{"md", "json"} {
		one, err := export(format, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := export(format, o.maxExport-one+1); err != nil || n != o.maxExport {
			t.Errorf("%s at the limit: %d bytes, %v", format, n, err)
		}
		if _, err := export(format, o.maxExport-one+2); agent.ErrorCode(err) != agent.CodeTooLarge {
			t.Errorf("%s over the limit: %v", format, err)
		}
		if _, err := export(format, o.maxExport+1); agent.ErrorCode(err) != agent.CodeTooLarge {
			t.Errorf("%s far over the limit: %v", format, err)
		}
	}
}

func TestAnExportSaysWhetherScriptedAnswersOrAModelWithoutAKeySpoke(t *testing.T) {
	for want, turn := range map[string]agent.Turn{
		"### Agent · scripted · no key, scripted answers\n":  {Model: "scripted", Provider: "scripted", KeySource: agent.KeySourceNone},
		"### Agent · qwen3 · no key\n":                       {Model: "qwen3", Provider: "local", KeySource: agent.KeySourceNone},
		"### Done by hand · no model asked\n":                {Model: "claude-sonnet-4-6", Provider: "anthropic", KeySource: agent.KeySourceNone, By: "hand"},
		"### Agent · gpt-5.2 · paid with the organisation's": {Model: "gpt-5.2", Provider: "openai", KeySource: agent.KeySourceOrg},
	} {
		o := newOffice(t)
		turn.ID, turn.ThreadID, turn.State, turn.Run = "tn1", "th1", agent.TurnComplete, 1
		o.store.turns = []agent.Turn{turn}
		e, err := o.ExportThread(alice, "th1", "md")
		if err != nil || !strings.Contains(string(e.Data), want) {
			t.Errorf("%q is missing, %v:\n%s", want, err, e.Data)
		}
	}
}
