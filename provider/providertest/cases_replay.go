package providertest

import (
	"bytes"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// dialogue is a first answer and the step that follows it.
func dialogue(first *agent.Answer, provider string) agent.ModelRequest {
	req := request("hello")
	var results []agent.Block
	for _, b := range first.Blocks {
		if b.Kind == agent.BlockCall {
			results = append(results, agent.Block{Kind: agent.BlockResult, WireID: b.WireID, Name: b.Name, Text: "result of " + b.WireID})
		}
	}
	req.Messages = append(req.Messages,
		agent.ModelMessage{Role: agent.RoleAssistant, Blocks: first.Blocks, Raw: first.Raw, Provider: provider},
		agent.ModelMessage{Role: agent.RoleUser, Blocks: results})
	return req
}

// replay plays a first answer, sends what follows it and gives what arrived.
func replay(tb TB, h Harness, provider string, first Script, edit func(*agent.ModelRequest)) (*agent.Answer, Seen) {
	tb.Helper()
	m, up := h.Play(tb, Limits{}, first, Script{Steps: []Step{Text("done")}})
	got := answer(tb, ended(tb, collect(tb.Context(), tb, m, request("hello"))))
	req := dialogue(got, provider)
	if edit != nil {
		edit(&req)
	}
	answer(tb, ended(tb, collect(tb.Context(), tb, m, req)))
	seen := up.Requests()
	if len(seen) != 2 {
		tb.Fatalf("%d requests arrived, want 2", len(seen))
	}
	return got, seen[1]
}

// pieces gives what must stand byte for byte in a request that replays raw: the
// elements of an array, or the object itself.
func pieces(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err == nil {
		return list
	}
	return []json.RawMessage{raw}
}

var signed = Script{
	Steps: []Step{
		Reason("c2lnbmF0dXJlPC8+JmE=", "First I ", "look <up> & think."),
		Text("Let me see."),
		Call("call_1", "note_read", `{ "id" : "n1", "html":"<b>&amp;</b>" }`),
	},
	Stop: agent.StopCalls,
}

var replayCases = []Case{
	{"reasoning is told and stands in the answer before the text", func(tb TB, h Harness) {
		o := play(tb, h, signed)
		got := answer(tb, o)
		if o.Text(agent.DeltaReasoning) != "First I look <up> & think." {
			tb.Errorf("the reasoning told is %q", o.Text(agent.DeltaReasoning))
		}
		if len(got.Blocks) != 3 || got.Blocks[0].Kind != agent.BlockReasoning || got.Blocks[1].Kind != agent.BlockText || got.Blocks[2].Kind != agent.BlockCall {
			tb.Errorf("the blocks are %+v", got.Blocks)
		}
	}},
	{"an answer is replayed byte for byte to its own provider", func(tb TB, h Harness) {
		got, seen := replay(tb, h, h.Provider(), signed, nil)
		if got.Raw == nil {
			tb.Fatalf("the answer keeps nothing raw")
		}
		for _, p := range pieces(got.Raw) {
			if !bytes.Contains(seen.Body, p) {
				tb.Errorf("the request has not the bytes %s\nin %s", p, seen.Body)
			}
		}
	}},
	{"a signature survives the replay", func(tb TB, h Harness) {
		_, seen := replay(tb, h, h.Provider(), signed, nil)
		if !bytes.Contains(seen.Body, []byte("c2lnbmF0dXJlPC8+JmE=")) {
			tb.Errorf("the request has not the signature: %s", seen.Body)
		}
	}},
	{"a replayed message takes the rolling breakpoint without losing a byte", func(tb TB, h Harness) {
		got, seen := replay(tb, h, h.Provider(), signed, func(req *agent.ModelRequest) { req.Messages[1].Cache = true })
		for _, p := range pieces(got.Raw) {
			if open := p[:len(p)-1]; !bytes.Contains(seen.Body, open) {
				tb.Errorf("the request has not the bytes %s\nin %s", open, seen.Body)
			}
		}
		if seen.Marks != nil && strings.Join(seen.Marks, ",") != "message 1" {
			tb.Errorf("the breakpoints are %v, want message 1", seen.Marks)
		}
	}},
	{"another provider's raw bytes are never sent", func(tb TB, h Harness) {
		_, seen := replay(tb, h, "some-other-provider", signed, func(req *agent.ModelRequest) {
			req.Messages[1].Raw = json.RawMessage(`[{"type":"alien","text":"alien bytes"}]`)
		})
		if bytes.Contains(seen.Body, []byte("alien")) {
			tb.Errorf("the request holds another provider's bytes: %s", seen.Body)
		}
		if !bytes.Contains(seen.Body, []byte("Let me see.")) || !bytes.Contains(seen.Body, []byte("note_read")) {
			tb.Errorf("the request has lost the message itself: %s", seen.Body)
		}
	}},
	{"results reach the calls that they answer", func(tb TB, h Harness) {
		_, seen := replay(tb, h, h.Provider(), Script{Steps: []Step{
			Call("call_1", "note_read", `{"id":1}`), Call("call_2", "note_read", `{"id":2}`),
		}, Stop: agent.StopCalls}, nil)
		for _, id := range []string{"call_1", "call_2"} {
			if seen.Results[id] != "result of "+id {
				tb.Errorf("the result of %s is %q", id, seen.Results[id])
			}
		}
	}},
	{"a conversation with arguments that never parsed can go on", func(tb TB, h Harness) {
		_, seen := replay(tb, h, h.Provider(), Script{Steps: []Step{Call("call_1", "note_write", `{"a":`)}, Stop: agent.StopCalls}, nil)
		if !json.Valid(seen.Body) {
			tb.Errorf("the request is no JSON: %s", seen.Body)
		}
		if seen.Results["call_1"] != "result of call_1" {
			tb.Errorf("the results are %v", seen.Results)
		}
	}},
}
