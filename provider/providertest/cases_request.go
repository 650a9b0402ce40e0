package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// send makes one call and gives what arrived.
func send(tb TB, h Harness, req agent.ModelRequest) Seen {
	tb.Helper()
	m, up := h.Play(tb, Limits{}, Script{Steps: []Step{Text("ok")}})
	answer(tb, ended(tb, collect(tb.Context(), tb, m, req)))
	seen := up.Requests()
	if len(seen) != 1 {
		tb.Fatalf("%d requests arrived, want 1", len(seen))
	}
	return seen[0]
}

func full() agent.ModelRequest {
	req := request("hello")
	req.Tools = []agent.ToolSchema{
		{Name: "note_read", Description: "Reads a <note>.", Schema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"}}}`)},
		{Name: "note_write", Description: "Writes a note.", Schema: json.RawMessage(`{"type":"object"}`)},
		{Name: "a_last", Schema: json.RawMessage(`{"type":"object"}`)},
	}
	req.CacheTools = true
	req.System = []agent.Slab{{Text: "the spine", Cache: true}, {Text: "the reminders & rules", Cache: true}, {Text: ""}}
	req.Messages[0].Cache = true
	return req
}

var requestCases = []Case{
	{"tools arrive in the order given, with their schemas byte for byte", func(tb TB, h Harness) {
		seen := send(tb, h, full())
		if got := strings.Join(seen.Tools, ","); got != "note_read,note_write,a_last" {
			tb.Errorf("the tools are %s", got)
		}
		if !bytes.Contains(seen.Body, full().Tools[0].Schema) {
			tb.Errorf("the schema is not what was given: %s", seen.Body)
		}
	}},
	{"system slabs arrive in order, and blank ones not at all", func(tb TB, h Harness) {
		seen := send(tb, h, full())
		if got := strings.Join(seen.System, "\n\n"); got != "the spine\n\nthe reminders & rules" {
			tb.Errorf("the system text is %q", got)
		}
	}},
	{"breakpoints stand where they are asked for", func(tb TB, h Harness) {
		if seen := send(tb, h, full()); !slices.Equal(seen.Marks, []string{"tools", "system 0", "system 1", "message 0"}) {
			tb.Errorf("the breakpoints are %v", seen.Marks)
		}
		req := full()
		req.CacheTools, req.System[0].Cache, req.Messages[0].Cache = false, false, false
		if seen := send(tb, h, req); !slices.Equal(seen.Marks, []string{"system 1"}) {
			tb.Errorf("the breakpoints are %v, want system 1 alone", seen.Marks)
		}
	}},
	{"the same step is the same bytes", func(tb TB, h Harness) {
		first := send(tb, h, full())
		for range 5 {
			if again := send(tb, h, full()); !bytes.Equal(first.Body, again.Body) {
				tb.Fatalf("the bytes differ:\n%s\n%s", first.Body, again.Body)
			}
		}
	}},
	{"a longer conversation begins with the bytes of the shorter one", func(tb TB, h Harness) {
		short := full()
		short.Messages[0].Cache = false
		long := full()
		long.Messages[0].Cache = false
		long.Messages = append(long.Messages, agent.ModelMessage{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockText, Text: "hi"}}},
			agent.ModelMessage{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: "more"}}})
		a, b := send(tb, h, short).Body, send(tb, h, long).Body
		if prefix := bytes.TrimRight(a, "]}"); !bytes.HasPrefix(b, prefix) {
			tb.Errorf("the prefix changed:\n%s\n%s", a, b)
		}
	}},
	{"blank text and nothing else is never sent", func(tb TB, h Harness) {
		req := request("hello")
		req.Messages = append(req.Messages,
			agent.ModelMessage{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockText, Text: " \n"}, {Kind: agent.BlockReasoning, Text: "unsigned thoughts"}}},
			agent.ModelMessage{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: ""}, {Kind: agent.BlockText, Text: "again"}}})
		body := send(tb, h, req).Body
		for _, never := range []string{`""`, `" \n"`, "unsigned thoughts"} {
			if bytes.Contains(body, []byte(never)) {
				tb.Errorf("the request holds %s: %s", never, body)
			}
		}
		if !bytes.Contains(body, []byte("again")) {
			tb.Errorf("the request has lost its text: %s", body)
		}
	}},
	{"each call presents its own key", func(tb TB, h Harness) {
		m, up := h.Play(tb, Limits{}, Script{Steps: []Step{Text("ok")}})
		keys := []string{"sk-first-key-000001", "sk-second-key-00002", ""}
		for _, key := range keys {
			req := request("hello")
			req.Key = agent.NewSecret(key)
			answer(tb, ended(tb, collect(tb.Context(), tb, m, req)))
		}
		for i, seen := range up.Requests() {
			if seen.Key != keys[i] {
				tb.Errorf("request %d presents %q, want %q", i, seen.Key, keys[i])
			}
			if bytes.Contains(seen.Body, []byte("sk-first")) {
				tb.Errorf("the key stands in the body")
			}
		}
	}},
	{"calls at the same time do not mix", func(tb TB, h Harness) {
		script := Script{Steps: []Step{Text("alpha", " beta", " gamma"), Call("call_1", "note_read", `{"a"`, `:1}`)}, Stop: agent.StopCalls}
		m, _ := h.Play(tb, Limits{}, script)
		outcomes := make([]Outcome, 16)
		var wg sync.WaitGroup
		for i := range outcomes {
			wg.Go(func() { outcomes[i] = collect(tb.Context(), tb, m, request(fmt.Sprint("hello ", i))) })
		}
		wg.Wait()
		for _, o := range outcomes {
			if got := answer(tb, ended(tb, o)); o.Text(agent.DeltaText) != "alpha beta gamma" || len(got.Blocks) != 2 {
				tb.Errorf("an answer is %+v", got.Blocks)
			}
		}
	}},
}
