package providertest

import (
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// calls gives the call blocks of an answer and requires their number.
func calls(tb TB, a *agent.Answer, want int) []agent.Block {
	tb.Helper()
	var out []agent.Block
	for _, b := range a.Blocks {
		if b.Kind == agent.BlockCall {
			out = append(out, b)
		}
	}
	if len(out) != want {
		tb.Fatalf("the answer has %d calls, want %d: %+v", len(out), want, a.Blocks)
	}
	return out
}

var callCases = []Case{
	{"arguments may be split at every byte", func(tb TB, h Harness) {
		const args = `{"title":"Grüße \"x\" \u00e9","n":-1.5e3,"list":[1,{"a":null}]}`
		m, _ := h.Play(tb, Limits{}, splits(args)...)
		for i := 1; i < len(args); i++ {
			if !boundary(args, i) {
				continue
			}
			o := ended(tb, collect(tb.Context(), tb, m, request("hello")))
			got := calls(tb, answer(tb, o), 1)[0]
			if string(got.Input) != args || got.Name != "note_write" || got.WireID != "call_1" {
				tb.Fatalf("split at %d the call is %s %s %s", i, got.WireID, got.Name, got.Input)
			}
		}
	}},
	{"a call is announced by its name and never by its arguments", func(tb TB, h Harness) {
		o := play(tb, h, Script{Steps: []Step{Text("so"), Call("call_1", "note_write", `{"a"`, `:1}`)}, Stop: agent.StopCalls})
		answer(tb, o)
		for _, d := range o.Deltas {
			if d.Kind == agent.DeltaCall && (d.Name != "note_write" || d.Index != 1 || d.Text != "") {
				tb.Errorf("the announcement is %+v", d)
			}
		}
		if o.Text(agent.DeltaText) != "so" {
			tb.Errorf("the text is %q, want so", o.Text(agent.DeltaText))
		}
	}},
	{"parallel calls keep their order, names, ids and arguments", func(tb TB, h Harness) {
		var steps []Step
		for i := range 12 {
			steps = append(steps, Call(fmt.Sprintf("call_%d", i), fmt.Sprintf("tool_%d", i%3), `{"n":`, fmt.Sprint(i), `}`))
		}
		o := play(tb, h, Script{Steps: steps, Stop: agent.StopCalls})
		for i, c := range calls(tb, answer(tb, o), 12) {
			if c.WireID != fmt.Sprintf("call_%d", i) || c.Name != fmt.Sprintf("tool_%d", i%3) || string(c.Input) != fmt.Sprintf(`{"n":%d}`, i) {
				tb.Errorf("call %d is %s %s %s", i, c.WireID, c.Name, c.Input)
			}
		}
	}},
	{"no arguments are an empty object", func(tb TB, h Harness) {
		for _, step := range []Step{Call("call_1", "now"), Call("call_1", "now", "")} {
			o := play(tb, h, Script{Steps: []Step{step}, Stop: agent.StopCalls})
			if got := calls(tb, answer(tb, o), 1)[0]; string(got.Input) != "{}" {
				tb.Errorf("the arguments are %q, want {}", got.Input)
			}
		}
	}},
	{"arguments that do not parse are kept as text, and nothing raw", func(tb TB, h Harness) {
		for _, args := range []string{`{"a":`, `not json`, `{"a":1}}`} {
			got := answer(tb, play(tb, h, Script{Steps: []Step{Call("call_1", "note_write", args)}, Stop: agent.StopCalls}))
			if c := calls(tb, got, 1)[0]; string(c.Input) != args {
				tb.Errorf("the arguments are %q, want %q", c.Input, args)
			}
			if got.Raw != nil {
				tb.Errorf("an answer that cannot be replayed keeps raw bytes: %s", got.Raw)
			}
		}
	}},
	{"arguments cut by the token limit are kept as text", func(tb TB, h Harness) {
		got := answer(tb, play(tb, h, Script{Steps: []Step{Call("call_1", "note_write", `{"text":"half`)}, Stop: agent.StopMaxTokens}))
		if c := calls(tb, got, 1)[0]; string(c.Input) != `{"text":"half` || got.Stop != agent.StopMaxTokens {
			tb.Errorf("the arguments are %q", c.Input)
		}
	}},
	{"calls that share an id get their own, and nothing raw is kept", func(tb TB, h Harness) {
		got := answer(tb, play(tb, h, Script{Steps: []Step{
			Call("same", "first", `{"n":1}`), Call("same", "second", `{"n":2}`), Call("same", "third", `{"n":3}`),
		}, Stop: agent.StopCalls}))
		seen := map[string]bool{}
		for i, c := range calls(tb, got, 3) {
			if seen[c.WireID] || c.WireID == "" {
				tb.Errorf("the id %q is not its own", c.WireID)
			}
			seen[c.WireID] = true
			if string(c.Input) != fmt.Sprintf(`{"n":%d}`, i+1) {
				tb.Errorf("call %d has the arguments %s", i, c.Input)
			}
		}
		if got.Raw != nil {
			tb.Errorf("a repaired answer keeps raw bytes: %s", got.Raw)
		}
	}},
}

// splits gives one script for each place where the arguments can be split.
func splits(args string) []Script {
	var out []Script
	for i := 1; i < len(args); i++ {
		if boundary(args, i) {
			out = append(out, Script{Steps: []Step{Call("call_1", "note_write", args[:i], args[i:])}, Stop: agent.StopCalls})
		}
	}
	return out
}

// boundary reports whether a text can be cut before byte i and stay UTF-8, which
// JSON events demand of every fragment.
func boundary(s string, i int) bool { return s[i]&0xc0 != 0x80 }
