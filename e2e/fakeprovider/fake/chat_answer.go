package fake

import (
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// chatWire is Chat Completions, which many other endpoints speak too.
type chatWire struct{}

// chatStops are the finish reasons; the last is one that a compatible endpoint
// has and OpenAI has not.
var chatStops = map[agent.StopReason]string{
	agent.StopEnd: "stop", agent.StopCalls: "tool_calls", agent.StopMaxTokens: "length",
	agent.StopRefusal: "content_filter", agent.StopOther: "insufficient_system_resource",
}

func (chatWire) idle() []byte { return []byte(": keep-alive\n\n") }

// novelty has no event name, as nothing on this wire has, and no choice.
func (chatWire) novelty(a *answer, _ int) frame {
	return frame{data: encode(object{"id": a.id, "object": "chat.completion.novelty", "created": 1_700_000_000, "model": a.model, "choices": []any{}, "novelty": object{"a": []int{1, 2}}})}
}

func (chatWire) frames(q *question, a *answer, m mangle) []frame {
	e := &chatEncoder{q: q, a: a, m: m}
	a.id = newID("chatcmpl-")
	e.delta(frameOther, object{"role": "assistant", "content": "", "refusal": nil})
	calls := 0
	for _, p := range a.parts {
		for _, c := range p.reasoning {
			e.delta(frameContent, object{"reasoning_content": c})
		}
		for _, c := range m.text(p.text) {
			e.delta(frameContent, object{"content": c})
		}
		if p.call != nil {
			e.call(calls, p.call)
			calls++
		}
	}
	e.chunk(frameTail, []any{object{"index": 0, "delta": object{}, "logprobs": nil, "finish_reason": chatStops[a.stop]}}, nil)
	if q.usage {
		e.chunk(frameTail, []any{}, chatUsage(a.usage))
	}
	e.out = append(e.out, frame{data: []byte("[DONE]"), role: frameTail})
	return e.out
}

type chatEncoder struct {
	q   *question
	a   *answer
	m   mangle
	out []frame
}

func (e *chatEncoder) chunk(r role, choices []any, usage any) {
	o := object{
		"id": e.a.id, "object": "chat.completion.chunk", "created": 1_700_000_000, "model": e.a.model,
		"service_tier": "default", "system_fingerprint": "fp_fake", "choices": choices,
	}
	if e.q.usage {
		o["usage"] = usage
	}
	e.out = append(e.out, frame{data: encode(o), role: r})
}

func (e *chatEncoder) delta(r role, delta object) {
	e.chunk(r, []any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": nil}}, nil)
}

func (e *chatEncoder) call(i int, c *call) {
	e.delta(frameContent, object{"tool_calls": []any{e.m.index(object{
		"id": e.m.callID(c.id), "type": "function", "function": object{"name": c.name, "arguments": ""},
	}, "index", i, true)}})
	for _, piece := range pieces(e.m.args(c.args)) {
		e.delta(frameContent, object{"tool_calls": []any{e.m.index(object{"function": object{"arguments": piece}}, "index", i, false)}})
	}
}

func (chatWire) whole(_ *question, a *answer, m mangle) []byte {
	message := object{"role": "assistant", "content": nil, "refusal": nil, "annotations": []any{}}
	var text, reasoning []string
	var calls []any
	for _, p := range a.parts {
		reasoning = slices.Concat(reasoning, p.reasoning)
		text = slices.Concat(text, m.text(p.text))
		if p.call != nil {
			calls = append(calls, object{
				"id": m.callID(p.call.id), "type": "function",
				"function": object{"name": p.call.name, "arguments": m.args(p.call.args)},
			})
		}
	}
	if len(text) > 0 {
		message["content"] = joined(text)
	}
	if len(reasoning) > 0 {
		message["reasoning_content"] = joined(reasoning)
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return m.bytes(encode(object{
		"id": newID("chatcmpl-"), "object": "chat.completion", "created": 1_700_000_000, "model": a.model,
		"choices": []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": chatStops[a.stop]}},
		"usage":   chatUsage(a.usage), "service_tier": "default", "system_fingerprint": "fp_fake",
	}))
}

func chatUsage(c counted) object {
	return object{
		"prompt_tokens": c.prompt(), "completion_tokens": c.Out, "total_tokens": c.prompt() + c.Out,
		"prompt_tokens_details":     object{"cached_tokens": c.Read, "cache_write_tokens": c.Written, "audio_tokens": 0},
		"completion_tokens_details": object{"reasoning_tokens": c.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }
