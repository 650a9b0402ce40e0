package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// said makes a request in which the user has just spoken.
func said(text string, tools ...string) agent.ModelRequest {
	req := agent.ModelRequest{Model: "scripted", Purpose: "step", Messages: []agent.ModelMessage{user(text)}}
	for _, t := range tools {
		req.Tools = append(req.Tools, agent.ToolSchema{Name: t})
	}
	return req
}

func user(text string) agent.ModelMessage {
	return agent.ModelMessage{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}}}
}

// answered adds a call and its result to a request.
func answered(req agent.ModelRequest, name, id, result string) agent.ModelRequest {
	req.Messages = append(req.Messages,
		agent.ModelMessage{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockCall, WireID: id, Name: name, Input: json.RawMessage("{}")}}},
		agent.ModelMessage{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockResult, WireID: id, Text: result}}})
	return req
}

func mustParse(tb testing.TB, text string) *scripted.Script {
	tb.Helper()
	s, err := scripted.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func mustRound(tb testing.TB, b scripted.Brain, req agent.ModelRequest) scripted.Round {
	tb.Helper()
	r, err := b.Round(req)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestTheFirstRoundWhoseConditionHoldsAnswers(t *testing.T) {
	s := mustParse(t, `{"rounds": [
		{"when": {"purpose": "slide.edit"}, "text": "exact purpose"},
		{"when": {"purpose": "generate"}, "text": "one shot"},
		{"when": {"resultOf": "slide.read", "lastResult": "broken"}, "text": "read broken"},
		{"when": {"resultOf": "slide.read"}, "text": "read"},
		{"when": {"lastUser": "^export", "tool": "deck.export"}, "text": "export"},
		{"when": {"lastUser": "hello", "step": 2}, "text": "second step"},
		{"when": {"purpose": "step", "lastUser": "hello"}, "text": "hello"},
		{"text": "else"}
	]}`)
	generate := said("hello")
	generate.Purpose = "slide.edit"
	other := said("hello")
	other.Purpose = "memo.write"
	context := said("Date: today\nexport nothing")
	context.Messages[0].Blocks = append(context.Messages[0].Blocks, agent.Block{Kind: agent.BlockText, Text: "Hello there"})
	for _, c := range []struct {
		name, want string
		req        agent.ModelRequest
	}{
		{"an exact purpose", "exact purpose", generate},
		{"any one-shot request", "one shot", other},
		{"a result by capability", "read", answered(said("hello", "slide_read"), "slide_read", "c1", `{"ok":true}`)},
		{"a result by words", "read broken", answered(said("hello"), "slide_read", "c1", "it is BROKEN")},
		{"the user's words and a tool", "export", said("Export the deck", "deck_export")},
		{"a tool that is not offered", "else", said("export the deck", "slide_read")},
		{"case does not matter", "hello", said("HELLO")},
		{"the second step", "second step", answered(said("hello"), "deck_export", "c1", "done")},
		{"the last block is the user's words", "hello", context},
		{"nothing said at all", "else", agent.ModelRequest{}},
	} {
		if got := mustRound(t, s, c.req).Text.String(); got != c.want {
			t.Errorf("%s: answered %q, want %q", c.name, got, c.want)
		}
	}
}

func TestARoundIsUsedUpAfterItsTimes(t *testing.T) {
	s := scripted.NewScript(
		scripted.Round{Times: 2, Text: scripted.Text{"twice"}},
		scripted.Round{Times: 1, Text: scripted.Text{"once"}})
	for _, want := range []string{"twice", "twice", "once"} {
		if got := mustRound(t, s, said("x")).Text.String(); got != want {
			t.Errorf("answered %q, want %q", got, want)
		}
	}
	_, err := s.Round(said("x"))
	if agent.ErrorCode(err) != agent.CodeProviderError {
		t.Errorf("a script that is used up gave %v, want provider_error", err)
	}
	if used := s.Used(); used[0] != 2 || used[1] != 1 {
		t.Errorf("used %v, want [2 1]", used)
	}
}

func TestASequenceServesSeveralThreadsInOrder(t *testing.T) {
	s := scripted.Sequence(scripted.Round{Text: scripted.Text{"a"}}, scripted.Round{Text: scripted.Text{"b"}})
	if got := mustRound(t, s, said("one")).Text.String() + mustRound(t, s, said("two")).Text.String(); got != "ab" {
		t.Errorf("played %q, want ab", got)
	}
}

func TestReferencesAreFilledFromWordsAndResults(t *testing.T) {
	const result = `{"id": 7, "big": 12345678901234567890, "items": [{"name": "Intro \"one\""}], "none": null}`
	for _, c := range []struct{ name, in, want string }{
		{"a group", `"slide ${1}"`, `"slide 4"`},
		{"a named group", `"${look}"`, `"chroma"`},
		{"a group as a number", `"${1:int}"`, `4`},
		{"words that are no number stay words", `"${look:int}"`, `"chroma"`},
		{"the user's whole words", `"${user}"`, `"slide 4 like chroma"`},
		{"a value of the result keeps its type", `"${result.id}"`, `7`},
		{"a large number keeps its digits", `"${result.big}"`, `12345678901234567890`},
		{"a value inside words", `"id ${result.id}."`, `"id 7."`},
		{"a path through a list", `"${result.items.0.name}"`, `"Intro \"one\""`},
		{"a whole object", `"${result.items.0}"`, `{"name":"Intro \"one\""}`},
		{"null is nothing", `"${result.none}"`, `""`},
		{"a path that leads nowhere", `"${result.items.9.name}"`, `""`},
		{"a doubled dollar is plain", `"$${1} and ${1}"`, `"${1} and 4"`},
		{"inside lists and objects", `{"a": ["${1:int}", {"b": "${look}"}]}`, `{"a":[4,{"b":"chroma"}]}`},
		{"what holds no reference is left alone", `{"z": 1,  "a": "$5"}`, `{"z": 1,  "a": "$5"}`},
	} {
		s := mustParse(t, `{"rounds": [{"when": {"lastUser": "slide (\\d+) like (?P<look>\\w+)"}, "calls": [{"name": "x", "input": `+c.in+`}]}]}`)
		got := mustRound(t, s, answered(said("slide 4 like chroma"), "slide_read", "c1", result)).Calls[0].Input
		if string(got) != c.want {
			t.Errorf("%s: %s became %s, want %s", c.name, c.in, got, c.want)
		}
	}
}

func TestWordsOfAUserCannotBreakOutOfTheirString(t *testing.T) {
	s := mustParse(t, `{"rounds": [{"when": {"lastUser": "(.*)"}, "text": "${1}", "calls": [{"name": "x", "input": {"note": "${1}"}}]}]}`)
	evil := `","admin":true,"x":"${result} \`
	r := mustRound(t, s, said(evil))
	var input map[string]any
	if err := json.Unmarshal(r.Calls[0].Input, &input); err != nil {
		t.Fatalf("the input is no JSON: %v", err)
	}
	if len(input) != 1 || input["note"] != evil {
		t.Errorf("the input became %v", input)
	}
	if r.Text.String() != evil {
		t.Errorf("the words became %q: a reference in them was followed", r.Text.String())
	}
}

func TestABadScriptIsRefusedWithItsReason(t *testing.T) {
	for _, c := range []struct{ name, script, reason string }{
		{"no JSON", `{`, "reading"},
		{"text after the end", `{"rounds":[]} {}`, "after its end"},
		{"an unknown member", `{"rounds":[{"txt":"x"}]}`, "txt"},
		{"a text of another type", `{"rounds":[{"text":4}]}`, "string or a list"},
		{"a bad expression", `{"rounds":[{"text":"a"},{"when":{"lastUser":"("}}]}`, "round 1: lastUser"},
		{"a bad result expression", `{"rounds":[{"when":{"lastResult":"("}}]}`, "lastResult"},
		{"a group without an expression", `{"rounds":[{"text":"${1}"}]}`, "needs a lastUser"},
		{"a group that is not there", `{"rounds":[{"when":{"lastUser":"a"},"text":"${1}"}]}`, "no group"},
		{"a name that is not there", `{"rounds":[{"when":{"lastUser":"(a)"},"calls":[{"name":"x","input":{"a":"${b}"}}]}]}`, "no group"},
		{"a call without a name", `{"rounds":[{"calls":[{}]}]}`, "needs a name"},
		{"an unknown fault", `{"rounds":[{"fault":{"kind":"flood"}}]}`, "flood"},
		{"a status that is none", `{"rounds":[{"fault":{"kind":"status","status":200}}]}`, "400 to 599"},
		{"an unknown stop", `{"rounds":[{"stop":"never"}]}`, "never"},
		{"negative times", `{"rounds":[{"times":-1}]}`, "negative"},
	} {
		_, err := scripted.Parse([]byte(c.script))
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: gave %v, want a reason with %q", c.name, err, c.reason)
		}
	}
}

func TestRoundsSurviveTheirJSON(t *testing.T) {
	text := `{"reasoning":"hm","text":["a","b"],"calls":[{"name":"x","input":{"a":1}}],"stop":"calls","usage":{"tokensIn":3,"tokensOut":null,"cacheReadTokens":null,"cacheCreationTokens":null},"fault":{"kind":"slow","ms":5}}`
	var r scripted.Round
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(r)
	if err != nil || string(out) != text {
		t.Errorf("became %s, %v", out, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"rounds":[{"when":{"lastUser":"(a)"},"text":"${1} ${result.x}","calls":[{"name":"x","input":{"a":"${1:int}"}}]}]}`), "a 1")
	f.Add([]byte(`{"rounds":[{"blocks":[{"text":["",""]},{"html":{"seed":1}}]}]}`), "")
	f.Fuzz(func(t *testing.T, data []byte, words string) {
		s, err := scripted.Parse(data)
		if err != nil {
			return
		}
		r, err := s.Round(answered(said(words), "x", "c", words))
		if err != nil {
			return
		}
		for _, p := range r.Parts() {
			if p.Call != nil && len(p.Call.Input) > 0 && !json.Valid(p.Call.Input) {
				t.Errorf("the input %q is no JSON", p.Call.Input)
			}
		}
	})
}
