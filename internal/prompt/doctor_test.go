package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func of(n int64) *int64 { return &n }

// asked is a model call of a request, after another.
func asked(before *agent.StepTrace, in Input, index int) agent.StepTrace {
	var prev *agent.PromptTrace
	if before != nil {
		prev = before.Trace
	}
	tr := Trace(Compose(in), prev, in.Base, in.Turn.Turn.CutBefore)
	return agent.StepTrace{TurnID: agent.TurnID(fmt.Sprint("t", index)), TurnIndex: index, At: int64(index) * 1000, Model: in.Model, Provider: in.Provider,
		Usage: agent.Usage{TokensIn: of(1), CacheRead: of(900), CacheCreation: of(100)}, Trace: &tr}
}

// next is the turn after, with what was said in between on the path.
func next(in Input) Input {
	in.Path = append(slices.Clone(in.Path), in.Turn)
	in.Turn = turn(len(in.Path), "and then", nil)
	return in
}

func causes(s agent.CacheStep) string {
	var out []string
	for _, f := range s.Findings {
		word := string(f.Cause)
		if f.Segment != "" {
			word += "@" + string(f.Segment)
		}
		if !f.Expected {
			word += "!"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func TestTheDoctorNamesWhatChanged(t *testing.T) {
	tools := func(names ...string) (list []agent.ToolSchema) {
		for _, n := range names {
			list = append(list, agent.ToolSchema{Name: n, Description: "d", Schema: json.RawMessage(`{"type":"object"}`)})
		}
		return list
	}
	for _, c := range []struct {
		name, want string
		change     func(*Input)
	}{
		{"nothing", "", func(*Input) {}},
		{"the model", "model_changed", func(in *Input) { in.Model = "m2" }},
		{"another provider", "model_changed history_changed@history", func(in *Input) { in.Provider, in.Model = "openai", "m2" }},
		{"a tool more", "tools_changed@tools", func(in *Input) { in.Tools = tools("a_b", "c_d", "e_f") }},
		{"a tool renamed", "tools_changed@tools", func(in *Input) { in.Tools = tools("a_b", "c_e") }},
		{"a description", "tool_edited@tools!", func(in *Input) { in.Tools[0].Description = "at 12:04" }},
		{"tools in map order", "tools_reordered@tools!", func(in *Input) { in.Tools = tools("c_d", "a_b") }},
		{"a clock in the spine", "spine_changed@spine!", func(in *Input) { in.App = "Notes at 12:04" }},
		{"a reminder", "reminders_changed@reminders", func(in *Input) { in.Reminders = []Reminder{{"gotchas", "x"}} }},
		{"an edited early message", "history_changed@history!", func(in *Input) { in.Path[0].Turn.Message.Text = "edited" }},
		{"an edited early result", "history_changed@history!", func(in *Input) {
			in.Path[1].Calls = slices.Clone(in.Path[1].Calls)
			in.Path[1].Calls[0].Result = &agent.Result{OK: true}
		}},
		{"a message gone", "history_changed@history!", func(in *Input) { in.Path = in.Path[1:] }},
		{"a compaction", "history_compacted@history", func(in *Input) { in.Base, in.Path = &agent.Compaction{ID: "c1", Text: "<earlier>"}, in.Path[2:] }},
		{"two things", "tools_changed@tools spine_changed@spine!", func(in *Input) { in.App, in.Tools = "Other", nil }},
	} {
		in := input(3)
		in.Tools = tools("a_b", "c_d")
		first := asked(nil, in, 3)
		in = next(in)
		c.change(&in)
		got := Diagnose(&first, asked(&first, in, 4))
		if causes(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, causes(got), c.want)
		}
	}
}

func TestACutWithinATurnIsExpected(t *testing.T) {
	in := input(0)
	in.Turn = loop(0, 3, 9000)
	first := asked(nil, in, 0)
	in.Turn.Turn.CutBefore = 2
	if got := Diagnose(&first, asked(&first, in, 0)); causes(got) != "history_compacted@history" {
		t.Error(causes(got))
	}
}

func TestAReleaseMayChangeTheSpine(t *testing.T) {
	in := input(2)
	first := asked(nil, in, 2)
	first.Trace.Template = "of another release"
	in.App = "Notes 2"
	if got := Diagnose(&first, asked(&first, next(in), 3)); causes(got) != "spine_changed@spine" {
		t.Error(causes(got))
	}
}

func TestALookbackIsNamedFromTheTenthCallOn(t *testing.T) {
	for n, want := range map[int]string{9: "", 10: "lookback"} {
		in := input(1)
		first := asked(nil, in, 1)
		var calls []agent.CallRecord
		for i := range n {
			calls = append(calls, agent.CallRecord{ID: agent.CallID(fmt.Sprint(i)), WireID: fmt.Sprint("w", i), Result: &agent.Result{OK: true}})
		}
		rec := turn(1, "now", calls)
		rec.Steps[0].Raw = nil
		in.Turn = rec
		if got := Diagnose(&first, asked(&first, in, 1)); causes(got) != want {
			t.Errorf("%d calls: %q with %d blocks", n, causes(got), asked(&first, in, 1).Trace.TailBlocks)
		}
	}
}

func TestWhatItCostIsCountedAndUnknownWhereItWasNotReported(t *testing.T) {
	in := input(2)
	first := asked(nil, in, 2)
	in = next(in)
	for _, c := range []struct {
		read, had *int64 // had is what the call before read
		want      *int64
		causes    string
	}{
		{of(1000), of(900), of(0), ""}, {of(400), of(900), of(600), ""}, {of(0), of(900), of(1000), "missed!"},
		{of(5000), of(900), of(0), ""}, {nil, of(900), nil, ""}, {of(0), nil, nil, ""},
	} {
		now := asked(&first, in, 3)
		now.Usage.CacheRead, first.Usage.CacheRead = c.read, c.had
		got := Diagnose(&first, now)
		if (got.RewrittenTokens == nil) != (c.want == nil) || c.want != nil && *got.RewrittenTokens != *c.want {
			t.Errorf("%+v: %v", c, got.RewrittenTokens)
		}
		if causes(got) != c.causes {
			t.Errorf("read %v: %q, want %q", c.read, causes(got), c.causes)
		}
	}
}

func TestTimeAndSizeExplainAMissWhereNothingChanged(t *testing.T) {
	in := input(2)
	first := asked(nil, in, 2)
	first.Usage.CacheRead = of(0)
	for _, c := range []struct {
		gap, made int64
		want      string
	}{{300_000, 500, "missed!"}, {300_001, 500, "expired"}, {1000, 0, "too_small"}} {
		first.Usage.CacheCreation = of(c.made)
		now := asked(&first, next(in), 3)
		now.At, now.Usage.CacheRead = first.At+c.gap, of(0)
		if got := Diagnose(&first, now); causes(got) != c.want {
			t.Errorf("%+v: %q", c, causes(got))
		}
	}
}

func TestTheFirstCallAndOneWithoutHashesAreSaidSo(t *testing.T) {
	in := input(0)
	first := asked(nil, in, 0)
	if got := Diagnose(nil, first); causes(got) != "first_call" || got.RewrittenTokens != nil || len(got.Segments) != 5 {
		t.Errorf("%+v", got)
	}
	old := first
	old.Trace = nil
	if got := Diagnose(&old, asked(&old, next(in), 1)); causes(got) != "no_trace" {
		t.Errorf("%+v", got)
	}
	if got := Diagnose(nil, old); got.Segments == nil || got.Changed == nil {
		t.Errorf("lists are null: %+v", got)
	}
}

func TestATraceHoldsNothingOfTheText(t *testing.T) {
	in := input(2)
	in.App, in.Turn.Turn.Message.Text = "canary-app", "canary-message"
	data, err := json.Marshal(Trace(Compose(in), nil, nil, 0))
	if err != nil || strings.Contains(string(data), "canary") || len(data) > 900 {
		t.Fatalf("%d bytes, %v: %s", len(data), err, data)
	}
}

func TestTheBreakpointIsNoPartOfAHash(t *testing.T) {
	req := Compose(input(2))
	first := Trace(req, nil, nil, 0)
	for i := range req.Messages {
		req.Messages[i].Cache = !req.Messages[i].Cache
	}
	if again := Trace(req, nil, nil, 0); again.Sent != first.Sent {
		t.Fatal("moving a breakpoint changed the hash")
	}
}
