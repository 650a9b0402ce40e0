package fake_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// rich is a round with one block of each kind.
func rich() scripted.Round {
	return scripted.Round{Blocks: []scripted.Part{
		{Reasoning: scripted.Text{"think ", "hard"}},
		{Redacted: "b64=="},
		{Text: scripted.Text{"wörld ", "東京"}},
		{Call: &scripted.Call{Name: "slide.read", Input: json.RawMessage(`{"slide":4,"note":"naïve <b>"}`)}},
		{Call: &scripted.Call{Name: "slide.read"}},
	}}
}

func names(events []event) []string {
	var out []string
	for _, e := range events {
		if n := len(out); n == 0 || out[n-1] != e.name {
			out = append(out, e.name)
		}
	}
	return out
}

func TestMessagesAreStreamedInTheRealOrder(t *testing.T) {
	b := start(t, fake.Options{}, rich())
	events := b.mustStream(messages, plain(messages, true))
	block := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := slices.Concat([]string{"message_start", "ping"}, block, []string{"content_block_start", "content_block_stop"}, block, block, block, []string{"message_delta", "message_stop"})
	if got := names(events); !slices.Equal(got, want) {
		t.Fatalf("events %v, want %v", got, want)
	}
	pieces := map[int]string{}
	kinds := map[string]int{}
	for _, e := range events {
		if e.json["type"] != e.name {
			t.Errorf("event %s says type %v", e.name, e.json["type"])
		}
		if e.name != "content_block_delta" {
			continue
		}
		i := int(get(e.json, "index").(float64))
		for _, member := range []string{"text", "thinking", "partial_json"} {
			if s, ok := get(e.json, "delta", member).(string); ok {
				pieces[i] += s
			}
		}
		kinds[get(e.json, "delta", "type").(string)]++
	}
	if pieces[0] != "think hard" || pieces[2] != "wörld 東京" || pieces[3] != `{"slide":4,"note":"naïve <b>"}` || pieces[4] != "" {
		t.Errorf("pieces %v", pieces)
	}
	if kinds["signature_delta"] != 1 || kinds["input_json_delta"] < 4 {
		t.Errorf("kinds %v: want one signature and arguments in several pieces", kinds)
	}
	end := events[len(events)-2].json
	if get(end, "delta", "stop_reason") != "tool_use" || get(end, "usage", "output_tokens").(float64) < 10 {
		t.Errorf("the end is %v", end)
	}
}

func TestChatIsStreamedInTheRealOrder(t *testing.T) {
	b := start(t, fake.Options{}, rich())
	events := b.mustStream(chat, plain(chat, true))
	var text, reasoning string
	args := map[float64]string{}
	for i, e := range events[:len(events)-1] {
		if e.json["object"] != "chat.completion.chunk" || e.json["id"] != events[0].json["id"] {
			t.Errorf("chunk %d is %s", i, e.data)
		}
		delta := get(e.json, "choices", 0, "delta")
		s, _ := get(delta, "content").(string)
		text += s
		s, _ = get(delta, "reasoning_content").(string)
		reasoning += s
		if c := get(delta, "tool_calls", 0); c != nil {
			s, _ = get(c, "function", "arguments").(string)
			args[get(c, "index").(float64)] += s
		}
	}
	if text != "wörld 東京" || reasoning != "think hard" || args[0] != `{"slide":4,"note":"naïve <b>"}` || args[1] != "{}" {
		t.Errorf("text %q, reasoning %q, arguments %v", text, reasoning, args)
	}
	n := len(events)
	if events[n-1].data != "[DONE]" || get(events[n-2].json, "usage", "total_tokens") == nil || len(get(events[n-2].json, "choices").([]any)) != 0 {
		t.Errorf("the end is %s, %s", events[n-2].data, events[n-1].data)
	}
	if get(events[n-3].json, "choices", 0, "finish_reason") != "tool_calls" {
		t.Errorf("the finish is %s", events[n-3].data)
	}
}

func TestChatReportsUsageOnlyWhereItIsAskedFor(t *testing.T) {
	b := start(t, fake.Options{})
	for _, e := range b.mustStream(chat, `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`) {
		if _, ok := e.json["usage"]; ok {
			t.Errorf("usage came unasked: %s", e.data)
		}
	}
}

func TestResponsesAreStreamedInTheRealOrder(t *testing.T) {
	b := start(t, fake.Options{}, rich())
	events := b.mustStream(responses, plain(responses, true))
	call := []string{"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done"}
	want := slices.Concat([]string{
		"response.created", "response.in_progress",
		"response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
		"response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "response.output_item.done",
		"response.output_item.added", "response.output_item.done",
		"response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done",
	}, call, call, []string{"response.completed"})
	if got := names(events); !slices.Equal(got, want) {
		t.Fatalf("events\n%v, want\n%v", got, want)
	}
	for i, e := range events {
		if e.json["sequence_number"] != float64(i) || e.json["type"] != e.name {
			t.Errorf("event %d says %v %v", i, e.json["sequence_number"], e.json["type"])
		}
	}
	output := get(events[len(events)-1].json, "response", "output").([]any)
	if len(output) != 5 || get(output[2], "content", 0, "text") != "wörld 東京" || get(output[3], "arguments") != `{"slide":4,"note":"naïve <b>"}` {
		t.Errorf("output %s", compact(output))
	}
}

func TestAWholeAnswerSaysWhatTheStreamSays(t *testing.T) {
	b := start(t, fake.Options{}, rich())
	m := b.whole(messages, plain(messages, false))
	if get(m, "content", 0, "thinking") != "think hard" || get(m, "content", 1, "data") != "b64==" || get(m, "content", 2, "text") != "wörld 東京" ||
		get(m, "content", 3, "input", "slide") != 4.0 || compact(get(m, "content", 4, "input")) != "{}" || m["stop_reason"] != "tool_use" {
		t.Errorf("messages: %s", compact(m))
	}
	c := b.whole(chat, plain(chat, false))
	message := get(c, "choices", 0, "message")
	if get(message, "content") != "wörld 東京" || get(message, "reasoning_content") != "think hard" || get(message, "tool_calls", 1, "function", "arguments") != "{}" {
		t.Errorf("chat: %s", compact(c))
	}
	r := b.whole(responses, plain(responses, false))
	if r["status"] != "completed" || get(r, "output", 2, "content", 0, "text") != "wörld 東京" || get(r, "output", 4, "arguments") != "{}" {
		t.Errorf("responses: %s", compact(r))
	}
}

func TestEachStopReasonHasItsRealWord(t *testing.T) {
	for _, c := range []struct {
		stop                      agent.StopReason
		messages, chat, responses string
	}{
		{agent.StopEnd, "end_turn", "stop", "completed"},
		{agent.StopCalls, "tool_use", "tool_calls", "completed"},
		{agent.StopMaxTokens, "max_tokens", "length", "incomplete max_output_tokens"},
		{agent.StopRefusal, "refusal", "content_filter", "incomplete content_filter"},
		{agent.StopOther, "pause_turn", "insufficient_system_resource", "incomplete novel_reason"},
	} {
		b := start(t, fake.Options{}, scripted.Round{Text: scripted.Text{"x"}, Stop: c.stop})
		m, ch, r := b.whole(messages, plain(messages, false)), b.whole(chat, plain(chat, false)), b.whole(responses, plain(responses, false))
		reason, _ := get(r, "incomplete_details", "reason").(string)
		if m["stop_reason"] != c.messages || get(ch, "choices", 0, "finish_reason") != c.chat || strings.TrimSpace(r["status"].(string)+" "+reason) != c.responses {
			t.Errorf("%s became %v, %v, %v %s", c.stop, m["stop_reason"], get(ch, "choices", 0, "finish_reason"), r["status"], reason)
		}
	}
}

func TestARoundIsChosenByWhatTheWireSays(t *testing.T) {
	b := start(t, fake.Options{},
		scripted.Round{When: &scripted.When{Purpose: "generate"}, HTML: &scripted.HTML{Seed: 42}},
		scripted.Round{When: &scripted.When{ResultOf: "slide.read", LastResult: "revenue"}, Text: scripted.Text{"read: ${result.title}"}},
		scripted.Round{When: &scripted.When{LastUser: `slide (\d+)`, Tool: "slide.read", Step: 1}, Calls: []scripted.Call{{Name: "slide.read", ID: "c1", Input: json.RawMessage(`{"slide":"${1:int}"}`)}}})
	slide := (scripted.HTML{Seed: 42}).Slide()
	m := b.whole(messages, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"make it"}]}`)
	c := b.whole(chat, `{"model":"m","messages":[{"role":"user","content":"make it"}]}`)
	r := b.whole(responses, `{"model":"m","input":"make it"}`)
	if get(m, "content", 0, "text") != slide || get(c, "choices", 0, "message", "content") != slide || get(r, "output", 0, "content", 0, "text") != slide {
		t.Error("a request without tools must be answered by the slide of the seed")
	}

	const result = `{\"title\":\"revenue\"}`
	asked := map[string]string{
		messages:  strings.Replace(plain(messages, false), "hello", "show slide 4", 1),
		chat:      strings.Replace(plain(chat, false), "hello", "show slide 4", 1),
		responses: strings.Replace(plain(responses, false), "hello", "show slide 4", 1),
	}
	if got := compact(get(b.whole(messages, asked[messages]), "content", 0, "input")); got != `{"slide":4}` {
		t.Errorf("messages asked for %s", got)
	}
	if got := get(b.whole(chat, asked[chat]), "choices", 0, "message", "tool_calls", 0, "function", "arguments"); got != `{"slide":4}` {
		t.Errorf("chat asked for %v", got)
	}
	if got := get(b.whole(responses, asked[responses]), "output", 0, "arguments"); got != `{"slide":4}` {
		t.Errorf("responses asked for %v", got)
	}
	m = b.whole(messages, strings.Replace(asked[messages], `"show slide 4"}`, `"show slide 4"},
		{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"slide_read","input":{"slide":4}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"`+result+`"}]}`, 1))
	c = b.whole(chat, strings.Replace(asked[chat], `"show slide 4"}`, `"show slide 4"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"slide_read","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"`+result+`"}`, 1))
	r = b.whole(responses, strings.Replace(asked[responses], `"show slide 4"`, `[{"role":"user","content":"show slide 4"},
		{"type":"function_call","call_id":"c1","name":"slide_read","arguments":"{}"},
		{"type":"function_call_output","call_id":"c1","output":"`+result+`"}]`, 1))
	if get(m, "content", 0, "text") != "read: revenue" || get(c, "choices", 0, "message", "content") != "read: revenue" || get(r, "output", 0, "content", 0, "text") != "read: revenue" {
		t.Errorf("after the result:\n%s\n%s\n%s", compact(m), compact(c), compact(r))
	}
}
