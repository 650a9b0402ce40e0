package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func user(blocks ...agent.Block) agent.ModelMessage {
	return agent.ModelMessage{Role: agent.RoleUser, Blocks: blocks}
}

func text(s string) agent.Block { return agent.Block{Kind: agent.BlockText, Text: s} }

func result(id, s string) agent.Block {
	return agent.Block{Kind: agent.BlockResult, WireID: id, Text: s}
}

func call(id, input string) agent.Block {
	return agent.Block{Kind: agent.BlockCall, WireID: id, Name: "f", Input: json.RawMessage(input)}
}

func assistant(blocks ...agent.Block) agent.ModelMessage {
	return agent.ModelMessage{Role: agent.RoleAssistant, Blocks: blocks}
}

func TestMessagesOnTheWire(t *testing.T) {
	failed := result("t1", "no")
	failed.Error = true
	for name, c := range map[string]struct {
		messages []agent.ModelMessage
		want     string
	}{
		"neighbours of one role are one message": {
			[]agent.ModelMessage{user(text("a")), user(text("b")), assistant(text("c"))},
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"text","text":"c"}]}]`,
		},
		"results come first": {
			[]agent.ModelMessage{user(text("and now"), result("t1", "yes"))},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"yes"},{"type":"text","text":"and now"}]}]`,
		},
		"an empty result and a failed one": {
			[]agent.ModelMessage{user(result("t0", ""), failed)},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0"},{"type":"tool_result","tool_use_id":"t1","content":"no","is_error":true}]}]`,
		},
		"arguments become an object whatever they are": {
			[]agent.ModelMessage{assistant(call("t1", ` {"a": 1} `), call("t2", ``), call("t3", `[1]`), call("t4", `{"a":`))},
			`[{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"a": 1}},{"type":"tool_use","id":"t2","name":"f","input":{}},` +
				`{"type":"tool_use","id":"t3","name":"f","input":{"INVALID_JSON":"[1]"}},{"type":"tool_use","id":"t4","name":"f","input":{"INVALID_JSON":"{\"a\":"}}]}]`,
		},
		"ids of other providers are made to fit": {
			[]agent.ModelMessage{assistant(call("functions.f:0", `{}`)), user(result("functions.f:0", "ok"))},
			`[{"role":"assistant","content":[{"type":"tool_use","id":"functions_f_0","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_f_0","content":"ok"}]}]`,
		},
		"raw blocks are replayed but for blank text": {
			[]agent.ModelMessage{{Role: agent.RoleAssistant, Provider: ID, Raw: json.RawMessage(`[{"type":"text","text":" "},{ "type":"thinking","thinking":"","signature":"s<" }]`), Blocks: []agent.Block{text("not this")}}},
			`[{"role":"assistant","content":[{ "type":"thinking","thinking":"","signature":"s<" }]}]`,
		},
		"raw bytes that are no list are not sent": {
			[]agent.ModelMessage{{Role: agent.RoleAssistant, Provider: ID, Raw: json.RawMessage(`{"x":`), Blocks: []agent.Block{text("this")}}},
			`[{"role":"assistant","content":[{"type":"text","text":"this"}]}]`,
		},
		"thinking carries no breakpoint": {
			[]agent.ModelMessage{{Role: agent.RoleAssistant, Cache: true, Provider: ID, Raw: json.RawMessage(`[{"type":"text","text":"a"},{"type":"thinking","thinking":"b","signature":"c"}]`)}},
			`[{"role":"assistant","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"thinking","thinking":"b","signature":"c"}]}]`,
		},
		"nothing but thinking carries none at all": {
			[]agent.ModelMessage{{Role: agent.RoleAssistant, Cache: true, Provider: ID, Raw: json.RawMessage(`[{"type":"redacted_thinking","data":"b"}]`)}},
			`[{"role":"assistant","content":[{"type":"redacted_thinking","data":"b"}]}]`,
		},
	} {
		wire := string(body(agent.ModelRequest{Model: "m", Messages: c.messages}))
		want := `{"model":"m","max_tokens":8192,"stream":true,"messages":` + c.want + `}`
		if wire != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, wire, want)
		}
		if !json.Valid([]byte(wire)) {
			t.Errorf("%s: the request is no JSON", name)
		}
	}
}

func TestOfMoreThanFourBreakpointsTheLastFourStay(t *testing.T) {
	req := agent.ModelRequest{
		Model: "m", CacheTools: true, MaxTokens: 5,
		Tools:  []agent.ToolSchema{{Name: "f"}},
		System: []agent.Slab{{Text: "one", Cache: true}, {Text: "two", Cache: true}, {Text: "three", Cache: true}},
	}
	for n, first := range map[int]string{0: `"f"`, 1: `"one"`, 2: `"two"`} {
		req.Messages = nil
		for range n {
			m := user(text("x"))
			m.Cache = true
			req.Messages = append(req.Messages, m)
		}
		if n == 0 {
			req.Messages = []agent.ModelMessage{user(text("x"))}
		}
		wire := string(body(req))
		if got := strings.Count(wire, "cache_control"); got != maxBreakpoints {
			t.Errorf("%d messages: %d breakpoints, want %d", n, got, maxBreakpoints)
		}
		before, _, _ := strings.Cut(wire, "cache_control")
		if !strings.Contains(before, first) {
			t.Errorf("%d messages: the first breakpoint comes before %s: %s", n, first, wire)
		}
	}
}

func TestAToolWithoutASchemaTakesAnObject(t *testing.T) {
	wire := string(body(agent.ModelRequest{Model: "m", Tools: []agent.ToolSchema{{Name: "f"}, {Name: "g", Schema: json.RawMessage(`{`)}}}))
	if strings.Count(wire, `"input_schema":{"type":"object"}`) != 2 || !json.Valid([]byte(wire)) {
		t.Errorf("the request is %s", wire)
	}
}
