package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/openai/openai-go/v3/packages/ssestream"

	agent "github.com/lossless-group/in-app-agent"
)

// responseEvent is the union of the events that are read; others are skipped.
type responseEvent struct {
	Type         string          `json:"type"`
	Sequence     *int64          `json:"sequence_number"`
	OutputIndex  int             `json:"output_index"`
	SummaryIndex int             `json:"summary_index"`
	Delta        string          `json:"delta"`
	Item         json.RawMessage `json:"item"`
	Response     response        `json:"response"`
}

type response struct {
	Output            []json.RawMessage `json:"output"`
	Error             *fault            `json:"error"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		InputTokens  *int64       `json:"input_tokens"`
		OutputTokens *int64       `json:"output_tokens"`
		Details      cacheDetails `json:"input_tokens_details"`
	} `json:"usage"`
}

// item is an output item, as far as it is read.
type item struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// output is an item on its way in.
type output struct {
	piece
	raw json.RawMessage // as it came, once it is whole
}

// responsesReader puts a Responses stream together.
type responsesReader struct {
	*assembly
	outputs map[int]*output
	last    int64 // the newest sequence number
	refused bool
	stopped agent.StopReason // "" until the response ended
}

func (r *responsesReader) apply(e ssestream.Event) error {
	var ev responseEvent
	if json.Unmarshal(e.Data, &ev) != nil {
		if e.Type != "" && !isRead(e.Type) {
			return nil
		}
		return r.malformed(errors.New("an event does not parse"))
	}
	if ev.Type == "" {
		ev.Type = e.Type
	}
	if ev.Type == "error" {
		return classify(r.failure, e.Data)
	}
	if !isRead(ev.Type) || r.repeats(ev.Sequence) {
		return nil
	}
	r.repaired = r.repaired || !utf8.Valid(e.Data)
	r.open()
	return r.read(ev)
}

// isRead tells the events that matter from those that are skipped.
func isRead(kind string) bool {
	switch kind {
	case "error", "response.created", "response.in_progress", "response.output_item.added",
		"response.output_item.done", "response.output_text.delta", "response.refusal.delta",
		"response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
		"response.reasoning_text.delta", "response.function_call_arguments.delta",
		"response.completed", "response.incomplete", "response.failed":
		return true
	}
	return false
}

// repeats reports whether an event was already read.
func (r *responsesReader) repeats(sequence *int64) bool {
	if sequence == nil {
		return false
	}
	if *sequence < r.last {
		return true
	}
	r.last = *sequence + 1
	return false
}

func (r *responsesReader) read(ev responseEvent) error {
	switch ev.Type {
	case "response.created", "response.in_progress":
		return nil
	case "response.output_item.added":
		return r.begin(ev)
	case "response.output_item.done":
		return r.finish(ev.OutputIndex, ev.Item)
	case "response.completed":
		return r.complete(ev.Response)
	case "response.incomplete":
		return r.incomplete(ev.Response)
	case "response.failed":
		if ev.Response.Error == nil {
			return r.failure.Error(agent.CodeProviderError)
		}
		return ev.Response.Error.failure(r.failure)
	}
	out := r.outputs[ev.OutputIndex]
	if out == nil || out.done {
		return r.malformed(fmt.Errorf("item %d is not open", ev.OutputIndex))
	}
	switch {
	case ev.Type == "response.refusal.delta":
		r.refused = true
	case ev.Type == "response.function_call_arguments.delta" && out.kind == agent.BlockCall:
		return r.argue(&out.piece, ev.Delta)
	case ev.Type == "response.reasoning_summary_part.added":
		if ev.SummaryIndex > 0 && out.index >= 0 {
			return r.say(&out.piece, "\n\n")
		}
		return nil
	}
	if out.kind != agent.BlockText && out.kind != agent.BlockReasoning {
		return r.malformed(fmt.Errorf("item %d cannot speak", ev.OutputIndex))
	}
	return r.say(&out.piece, ev.Delta)
}

func (r *responsesReader) begin(ev responseEvent) error {
	if r.outputs == nil {
		r.outputs = map[int]*output{}
	}
	if r.outputs[ev.OutputIndex] != nil {
		return r.malformed(fmt.Errorf("item %d begins twice", ev.OutputIndex))
	}
	if len(r.outputs) >= maxPieces {
		return r.malformed(errors.New("too many items"))
	}
	var it item
	if err := json.Unmarshal(ev.Item, &it); err != nil || it.Type == "" {
		return r.malformed(fmt.Errorf("item %d has no type", ev.OutputIndex))
	}
	out := &output{piece: piece{index: -1, id: it.CallID, name: it.Name}}
	r.outputs[ev.OutputIndex] = out
	switch it.Type {
	case "message":
		out.kind = agent.BlockText
	case "reasoning":
		out.kind = agent.BlockReasoning
	case "function_call":
		out.kind = agent.BlockCall
		return r.announce(&out.piece)
	}
	return nil
}

// finish takes an item that is whole and checks it against what was streamed.
func (r *responsesReader) finish(index int, raw json.RawMessage) error {
	out := r.outputs[index]
	if out == nil || out.done {
		return r.malformed(fmt.Errorf("item %d ends without being open", index))
	}
	var it item
	if err := json.Unmarshal(raw, &it); err != nil {
		return r.malformed(fmt.Errorf("item %d does not parse", index))
	}
	out.done, out.raw = true, raw
	switch out.kind {
	case agent.BlockText:
		return r.reconcile(out, it.text())
	case agent.BlockCall:
		if out.id == "" {
			out.id = it.CallID
		}
		return r.reconcile(out, it.Arguments)
	}
	return r.spend(len(raw)) // encrypted reasoning is kept as well
}

// reconcile compares what was streamed with the item as a whole: a server that
// streamed nothing is believed, one that contradicts itself is not.
func (r *responsesReader) reconcile(out *output, whole string) error {
	whole = r.clean(whole)
	switch streamed := out.text.String(); {
	case streamed == whole || whole == "" || r.repaired:
		return nil
	case streamed != "":
		return r.malformed(errors.New("an item differs from what was streamed"))
	case out.kind == agent.BlockCall:
		return r.argue(&out.piece, whole)
	}
	return r.say(&out.piece, whole)
}

func (it item) text() string {
	var text string
	for _, c := range it.Content {
		text += c.Text + c.Refusal
	}
	return text
}

func (r *responsesReader) complete(res response) error {
	for index, raw := range res.Output {
		if out := r.outputs[index]; out != nil && !out.done {
			if err := r.finish(index, raw); err != nil {
				return err
			}
		}
	}
	for _, out := range r.outputs {
		if !out.done {
			return r.malformed(errors.New("an item was cut"))
		}
	}
	r.stopped = agent.StopEnd
	if r.refused {
		r.stopped = agent.StopRefusal
	}
	if r.hasCalls() {
		r.stopped = agent.StopCalls
	}
	r.report(res)
	return nil
}

// incomplete ends an answer that the provider broke off; its last item may be
// cut, so it is not replayed as it came.
func (r *responsesReader) incomplete(res response) error {
	switch res.IncompleteDetails.Reason {
	case "max_output_tokens":
		r.stopped = agent.StopMaxTokens
	case "content_filter":
		r.stopped = agent.StopRefusal
	default:
		r.stopped = agent.StopOther
	}
	r.repaired = true
	r.report(res)
	return nil
}

func (r *responsesReader) report(res response) {
	r.over = true
	if u := res.Usage; u != nil {
		r.usage = usageOf(u.InputTokens, u.OutputTokens, u.Details)
	}
}

// end gives the answer where the response itself said that it ended.
func (r *responsesReader) end() (*agent.Answer, error) {
	if r.stopped == "" {
		return nil, nil
	}
	answer := &agent.Answer{Blocks: r.blocks(), Stop: r.stopped, Usage: r.usage}
	if !r.repaired && len(r.outputs) > 0 {
		answer.Raw = r.raw()
	}
	return answer, nil
}

// raw joins the items as they came, in the wire's order.
func (r *responsesReader) raw() json.RawMessage {
	indexes := make([]int, 0, len(r.outputs))
	for i := range r.outputs {
		indexes = append(indexes, i)
	}
	sort.Ints(indexes)
	var l list
	l.b.WriteByte('[')
	for _, i := range indexes {
		l.next().Write(r.outputs[i].raw)
	}
	l.b.WriteByte(']')
	return l.b.Bytes()
}
