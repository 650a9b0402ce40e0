package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

// responsesWire writes scripts as the Responses API does.
type responsesWire struct{}

// responsesScript counts the events and the items of one stream.
type responsesScript struct {
	b        strings.Builder
	sequence int
	items    []string
}

func (s *responsesScript) event(kind, format string, args ...any) {
	fmt.Fprintf(&s.b, "event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,%s}\n\n", kind, kind, s.sequence, fmt.Sprintf(format, args...))
	s.sequence++
}

func (s *responsesScript) take() string {
	defer s.b.Reset()
	return s.b.String()
}

func (responsesWire) Encode(script providertest.Script) []string {
	s := &responsesScript{}
	s.event("response.created", `"response":{"id":"r1","status":"in_progress","output":[],"usage":null}`)
	out := []string{s.take()}
	for _, step := range script.Steps {
		s.step(step)
		out = append(out, s.take())
	}
	usage := "null"
	if script.Usage != (agent.Usage{}) {
		usage = usageJSON(script.Usage, "input_tokens", "output_tokens", "input_tokens_details")
	}
	kind, reason := "response.completed", "null"
	switch script.Stop {
	case agent.StopMaxTokens:
		kind, reason = "response.incomplete", `{"reason":"max_output_tokens"}`
	case agent.StopRefusal:
		kind, reason = "response.incomplete", `{"reason":"content_filter"}`
	case agent.StopOther:
		kind, reason = "response.incomplete", `{"reason":"some_new_reason"}`
	}
	s.event(kind, `"response":{"id":"r1","incomplete_details":%s,"output":[%s],"usage":%s}`, reason, strings.Join(s.items, ","), usage)
	return append(out, s.take())
}

func (s *responsesScript) step(step providertest.Step) {
	switch step.Kind {
	case providertest.StepText:
		s.message(step.Chunks, quote(strings.Join(step.Chunks, "")))
	case providertest.StepDamaged:
		broken := "\"half \xe6\\u0000 rune\""
		i := len(s.items)
		s.event("response.output_item.added", `"output_index":%d,"item":{"type":"message","id":"m%d","content":[]}`, i, i)
		s.event("response.output_text.delta", `"output_index":%d,"content_index":0,"delta":%s`, i, broken)
		s.done(fmt.Sprintf(`{"type":"message","id":"m%d","role":"assistant","content":[{"type":"output_text","text":%s}]}`, i, broken))
	case providertest.StepReason:
		i := len(s.items)
		s.event("response.output_item.added", `"output_index":%d,"item":{"type":"reasoning","id":"rs%d","summary":[]}`, i, i)
		s.event("response.reasoning_summary_part.added", `"output_index":%d,"summary_index":0,"part":{"type":"summary_text","text":""}`, i)
		for _, c := range step.Chunks {
			s.event("response.reasoning_summary_text.delta", `"output_index":%d,"summary_index":0,"delta":%s`, i, quote(c))
		}
		s.done(fmt.Sprintf(`{"type":"reasoning","id":"rs%d","summary":[{"type":"summary_text","text":%s}],"encrypted_content":"%s"}`, i, quote(strings.Join(step.Chunks, "")), step.Signature))
	case providertest.StepCall:
		i := len(s.items)
		s.event("response.output_item.added", `"output_index":%d,"item":{"type":"function_call","id":"fc%d","call_id":%s,"name":%s,"arguments":"","status":"in_progress"}`, i, i, quote(step.ID), quote(step.Name))
		for _, c := range step.Chunks {
			s.event("response.function_call_arguments.delta", `"output_index":%d,"delta":%s`, i, quote(c))
		}
		s.event("response.function_call_arguments.done", `"output_index":%d,"arguments":%s`, i, quote(strings.Join(step.Chunks, "")))
		s.done(fmt.Sprintf(`{"type":"function_call","id":"fc%d","call_id":%s,"name":%s,"arguments":%s,"status":"completed"}`, i, quote(step.ID), quote(step.Name), quote(strings.Join(step.Chunks, ""))))
	case providertest.StepPing:
		s.b.WriteString(": keep-alive\n\n")
	case providertest.StepUnknown:
		s.event("response.dream.delta", `"output_index":99,"dream":{}`)
	case providertest.StepGarbage:
		s.b.WriteString("event: response.output_text.delta\ndata: {\"type\":,,,\n\n")
	case providertest.StepFail:
		s.fail(step)
	}
}

// fail takes turns between the wire's two ways to fail inside a stream.
func (s *responsesScript) fail(step providertest.Step) {
	body := faultBody(step.Fault, step.Words)
	object := body[len(`{"error":`) : len(body)-1]
	if s.sequence%2 == 0 {
		s.event("response.failed", `"response":{"id":"r1","status":"failed","error":%s}`, object)
		return
	}
	fmt.Fprintf(&s.b, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":%d,%s}\n\n", s.sequence, body[1:len(body)-1])
}

func (s *responsesScript) message(chunks []string, whole string) {
	i := len(s.items)
	s.event("response.output_item.added", `"output_index":%d,"item":{"type":"message","id":"m%d","status":"in_progress","role":"assistant","content":[]}`, i, i)
	s.event("response.content_part.added", `"output_index":%d,"content_index":0,"part":{"type":"output_text","text":""}`, i)
	for _, c := range chunks {
		s.event("response.output_text.delta", `"output_index":%d,"content_index":0,"delta":%s`, i, quote(c))
	}
	s.event("response.output_text.done", `"output_index":%d,"content_index":0,"text":%s`, i, whole)
	s.done(fmt.Sprintf(`{"type":"message","id":"m%d","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"text":%s}]}`, i, whole))
}

func (s *responsesScript) done(item string) {
	s.event("response.output_item.done", `"output_index":%d,"item":%s`, len(s.items), item)
	s.items = append(s.items, item)
}

func (responsesWire) Refuse(r providertest.Refusal) (int, string) { return refuse(r) }

func (responsesWire) See(r *http.Request, seen *providertest.Seen) {
	seen.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	var body struct {
		Instructions string `json:"instructions"`
		Tools        []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Input []struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
			Output string `json:"output"`
		} `json:"input"`
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/responses" || json.Unmarshal(seen.Body, &body) != nil {
		return
	}
	for _, t := range body.Tools {
		seen.Tools = append(seen.Tools, t.Name)
	}
	if body.Instructions != "" {
		seen.System = []string{body.Instructions}
	}
	for _, item := range body.Input {
		if item.Type == "function_call_output" {
			seen.Results[item.CallID] = item.Output
		}
	}
}
