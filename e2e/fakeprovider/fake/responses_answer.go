package fake

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// responsesWire is the Responses API.
type responsesWire struct{}

// incomplete are the reasons for which an answer ends early; the last is one that
// no client knows.
var incomplete = map[agent.StopReason]string{
	agent.StopMaxTokens: "max_output_tokens", agent.StopRefusal: "content_filter", agent.StopOther: "novel_reason",
}

func (responsesWire) idle() []byte { return []byte(": keep-alive\n\n") }

func (responsesWire) novelty(_ *answer, seq int) frame {
	return frame{event: "response.novelty", data: encode(object{"type": "response.novelty", "sequence_number": seq, "novelty": object{"a": []int{1, 2}}})}
}

func (responsesWire) frames(q *question, a *answer, m mangle) []frame {
	e := &responsesEncoder{q: q, a: a, m: m}
	a.id = newID("resp_")
	e.add(frameOther, "response.created", object{"response": e.response("in_progress")})
	e.add(frameOther, "response.in_progress", object{"response": e.response("in_progress")})
	for _, p := range a.parts {
		e.part(p)
	}
	status := "completed"
	if incomplete[a.stop] != "" {
		status = "incomplete"
	}
	e.add(frameTail, "response."+status, object{"response": e.response(status)})
	return e.out
}

func (responsesWire) whole(q *question, a *answer, m mangle) []byte {
	frames := responsesWire{}.frames(q, a, m)
	last := frames[len(frames)-1].data
	var end struct {
		Response json.RawMessage `json:"response"`
	}
	if err := json.Unmarshal(last, &end); err != nil {
		panic(err) // It was encoded above.
	}
	return m.bytes(end.Response)
}

type responsesEncoder struct {
	q      *question
	a      *answer
	m      mangle
	out    []frame
	output []any // the finished items
}

func (e *responsesEncoder) add(r role, event string, o object) {
	o["type"], o["sequence_number"] = event, len(e.out)
	e.out = append(e.out, frame{event: event, data: encode(o), role: r})
}

// item sends an event about the item that is being made.
func (e *responsesEncoder) item(r role, event, id string, o object) {
	if id != "" {
		o["item_id"] = id
	}
	opens := event == "response.output_item.added" || event == "response.output_item.done"
	e.add(r, event, e.m.index(o, "output_index", len(e.output), opens))
}

func (e *responsesEncoder) opened(item object) {
	e.item(frameOther, "response.output_item.added", "", object{"item": item})
}

func (e *responsesEncoder) closed(item object) {
	e.item(frameOther, "response.output_item.done", "", object{"item": item})
	e.output = append(e.output, item)
}

func (e *responsesEncoder) part(p part) {
	switch {
	case p.call != nil:
		e.call(p.call)
	case p.redacted != "":
		item := object{"id": newID("rs_"), "type": "reasoning", "summary": []any{}, "encrypted_content": e.sealed(p.redacted)}
		e.opened(item)
		e.closed(item)
	case len(p.reasoning) > 0:
		e.reasoning(p.reasoning)
	default:
		e.text(e.m.text(p.text))
	}
}

func (e *responsesEncoder) sealed(thought string) any {
	if !e.q.strictly {
		return nil
	}
	return seal(thought)
}

func (e *responsesEncoder) reasoning(chunks []string) {
	id, whole := newID("rs_"), joined(chunks)
	summary := func(text string) object { return object{"type": "summary_text", "text": text} }
	e.opened(object{"id": id, "type": "reasoning", "summary": []any{}, "encrypted_content": e.sealed("")})
	e.item(frameOther, "response.reasoning_summary_part.added", id, object{"summary_index": 0, "part": summary("")})
	for _, c := range chunks {
		e.item(frameContent, "response.reasoning_summary_text.delta", id, object{"summary_index": 0, "delta": c})
	}
	e.item(frameOther, "response.reasoning_summary_text.done", id, object{"summary_index": 0, "text": whole})
	e.item(frameOther, "response.reasoning_summary_part.done", id, object{"summary_index": 0, "part": summary(whole)})
	e.closed(object{"id": id, "type": "reasoning", "summary": []any{summary(whole)}, "encrypted_content": e.sealed(whole)})
}

func (e *responsesEncoder) text(chunks []string) {
	id, whole := newID("msg_"), joined(chunks)
	message := func(status string, content ...any) object {
		if content == nil {
			content = []any{}
		}
		return object{"id": id, "type": "message", "role": "assistant", "status": status, "content": content}
	}
	content := func(text string) object {
		return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
	}
	e.opened(message("in_progress"))
	e.item(frameOther, "response.content_part.added", id, object{"content_index": 0, "part": content("")})
	for _, c := range chunks {
		e.item(frameContent, "response.output_text.delta", id, object{"content_index": 0, "delta": c, "logprobs": []any{}})
	}
	e.item(frameOther, "response.output_text.done", id, object{"content_index": 0, "text": whole, "logprobs": []any{}})
	e.item(frameOther, "response.content_part.done", id, object{"content_index": 0, "part": content(whole)})
	e.closed(message("completed", content(whole)))
}

func (e *responsesEncoder) call(c *call) {
	id, args := newID("fc_"), e.m.args(c.args)
	item := func(status, args string) object {
		return object{
			"id": id, "type": "function_call", "status": status, "arguments": args,
			"call_id": e.m.callID(c.id), "name": c.name,
		}
	}
	e.opened(item("in_progress", ""))
	for _, piece := range pieces(args) {
		e.item(frameContent, "response.function_call_arguments.delta", id, object{"delta": piece})
	}
	e.item(frameOther, "response.function_call_arguments.done", id, object{"arguments": args, "name": c.name})
	e.closed(item("completed", args))
}

func (e *responsesEncoder) response(status string) object {
	o := object{
		"id": e.a.id, "object": "response", "created_at": 1_700_000_000, "status": status, "model": e.a.model,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "output": []any{},
		"parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0, "tool_choice": "auto", "tools": []any{},
		"store": false, "usage": nil,
	}
	if status == "in_progress" {
		return o
	}
	if e.output != nil {
		o["output"] = e.output
	}
	if reason := incomplete[e.a.stop]; reason != "" {
		o["incomplete_details"] = object{"reason": reason}
	}
	c := e.a.usage
	o["usage"] = object{
		"input_tokens": c.prompt(), "input_tokens_details": object{"cached_tokens": c.Read, "cache_write_tokens": c.Written},
		"output_tokens": c.Out, "output_tokens_details": object{"reasoning_tokens": c.Reasoning},
		"total_tokens": c.prompt() + c.Out,
	}
	return o
}
