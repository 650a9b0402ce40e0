package fake

import (
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// anthropicWire is the Messages API.
type anthropicWire struct{}

var anthropicStops = map[agent.StopReason]string{
	agent.StopEnd: "end_turn", agent.StopCalls: "tool_use", agent.StopMaxTokens: "max_tokens",
	agent.StopRefusal: "refusal", agent.StopOther: "pause_turn",
}

func (anthropicWire) idle() []byte {
	return frame{event: "ping", data: []byte(`{"type":"ping"}`)}.bytes()
}

func (anthropicWire) novelty(*answer, int) frame {
	return frame{event: "novelty", data: []byte(`{"type":"novelty","index":0,"novelty":{"a":[1,2]}}`)}
}

func (anthropicWire) frames(_ *question, a *answer, m mangle) []frame {
	e := &anthropicEncoder{m: m}
	e.add(frameOther, object{"type": "message_start", "message": anthropicMessage(a, []any{}, nil, 1)})
	e.add(frameOther, object{"type": "ping"})
	for i, p := range a.parts {
		e.part(i, p)
	}
	e.add(frameTail, object{
		"type":  "message_delta",
		"delta": object{"stop_reason": anthropicStops[a.stop], "stop_sequence": nil, "stop_details": nil, "container": nil},
		"usage": anthropicUsage(a.usage, a.usage.Out),
	})
	e.add(frameTail, object{"type": "message_stop"})
	return e.out
}

type anthropicEncoder struct {
	m   mangle
	out []frame
}

func (e *anthropicEncoder) add(r role, o object) {
	e.out = append(e.out, frame{event: o["type"].(string), data: encode(o), role: r})
}

func (e *anthropicEncoder) part(i int, p part) {
	switch {
	case p.redacted != "":
		e.block(i, object{"type": "redacted_thinking", "data": p.redacted})
	case p.call != nil:
		e.block(i, object{
			"type": "tool_use", "id": e.m.callID(p.call.id), "name": p.call.name, "input": object{},
			"caller": object{"type": "direct"},
		}, e.arguments(p.call)...)
	case len(p.reasoning) > 0:
		var deltas []object
		for _, c := range p.reasoning {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": c})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": sign(joined(p.reasoning))})
		e.block(i, object{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	default:
		var deltas []object
		for _, c := range e.m.text(p.text) {
			deltas = append(deltas, object{"type": "text_delta", "text": c})
		}
		e.block(i, object{"type": "text", "text": "", "citations": nil}, deltas...)
	}
}

// arguments streams as the real one does: an empty piece first, and nothing more
// for a call without arguments.
func (e *anthropicEncoder) arguments(c *call) []object {
	deltas := []object{{"type": "input_json_delta", "partial_json": ""}}
	args := e.m.args(c.args)
	if args == "{}" {
		return deltas
	}
	for _, piece := range pieces(args) {
		deltas = append(deltas, object{"type": "input_json_delta", "partial_json": piece})
	}
	return deltas
}

func (e *anthropicEncoder) block(i int, start object, deltas ...object) {
	e.add(frameOther, e.m.index(object{"type": "content_block_start", "content_block": start}, "index", i, true))
	for _, d := range deltas {
		e.add(frameContent, e.m.index(object{"type": "content_block_delta", "delta": d}, "index", i, false))
	}
	e.add(frameOther, e.m.index(object{"type": "content_block_stop"}, "index", i, true))
}

func (anthropicWire) whole(_ *question, a *answer, m mangle) []byte {
	content := []any{}
	for _, p := range a.parts {
		switch {
		case p.redacted != "":
			content = append(content, object{"type": "redacted_thinking", "data": p.redacted})
		case p.call != nil:
			content = append(content, object{
				"type": "tool_use", "id": m.callID(p.call.id), "name": p.call.name,
				"input": inputValue(m.args(p.call.args)), "caller": object{"type": "direct"},
			})
		case len(p.reasoning) > 0:
			text := joined(p.reasoning)
			content = append(content, object{"type": "thinking", "thinking": text, "signature": sign(text)})
		default:
			content = append(content, object{"type": "text", "text": joined(m.text(p.text)), "citations": nil})
		}
	}
	return m.bytes(encode(anthropicMessage(a, content, anthropicStops[a.stop], a.usage.Out)))
}

// anthropicMessage is the message object; its id is minted on first use.
func anthropicMessage(a *answer, content []any, stop any, out int64) object {
	if a.id == "" {
		a.id = newID("msg_")
	}
	return object{
		"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "stop_details": nil, "container": nil, "diagnostics": nil,
		"usage": anthropicUsage(a.usage, out),
	}
}

func anthropicUsage(c counted, out int64) object {
	return object{
		"input_tokens": c.Fresh, "output_tokens": out,
		"cache_read_input_tokens": c.Read, "cache_creation_input_tokens": c.Written,
		"cache_creation": object{"ephemeral_5m_input_tokens": c.Written - c.Written1h, "ephemeral_1h_input_tokens": c.Written1h},
		"service_tier":   "standard", "server_tool_use": nil, "output_tokens_details": nil, "inference_geo": nil, "speed": nil,
	}
}

// at names a place in the request as the real errors do.
func at(format string, args ...any) string { return fmt.Sprintf(format, args...) }
