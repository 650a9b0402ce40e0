package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

// wire writes scripts as Anthropic's Messages API does.
type wire struct{}

func sse(kind, format string, args ...any) string {
	return "event: " + kind + "\ndata: " + fmt.Sprintf(format, args...) + "\n\n"
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func usageJSON(u agent.Usage) string {
	b, _ := json.Marshal(struct {
		In       *int64 `json:"input_tokens,omitempty"`
		Out      *int64 `json:"output_tokens,omitempty"`
		Read     *int64 `json:"cache_read_input_tokens,omitempty"`
		Creation *int64 `json:"cache_creation_input_tokens,omitempty"`
	}{u.TokensIn, u.TokensOut, u.CacheRead, u.CacheCreation})
	return string(b)
}

var stops = map[agent.StopReason]string{
	"": "end_turn", agent.StopEnd: "end_turn", agent.StopCalls: "tool_use", agent.StopMaxTokens: "max_tokens",
	agent.StopRefusal: "refusal", agent.StopOther: "pause_turn",
}

func (wire) Encode(s providertest.Script) []string {
	early := s.Usage
	early.TokensOut = nil // the number at the start is not the last word
	out := []string{sse("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":%s}}`, usageJSON(early))}
	for i, step := range s.Steps {
		out = append(out, encodeStep(i, step))
	}
	return append(out,
		sse("message_delta", `{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":%s}`, stops[s.Stop], usageJSON(agent.Usage{TokensOut: s.Usage.TokensOut}))+
			sse("message_stop", `{"type":"message_stop"}`))
}

func encodeStep(i int, step providertest.Step) string {
	switch step.Kind {
	case providertest.StepText:
		return content(i, `{"type":"text","text":""}`, "text_delta", "text", step.Chunks)
	case providertest.StepDamaged:
		return strings.ReplaceAll(content(i, `{"type":"text","text":""}`, "text_delta", "text", []string{"half @ rune"}), "@", "\xe6\\u0000")
	case providertest.StepReason:
		s := content(i, `{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking", step.Chunks)
		stop := strings.LastIndex(s, "event: ")
		return s[:stop] + delta(i, "signature_delta", "signature", step.Signature) + s[stop:]
	case providertest.StepCall:
		open := fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quote(step.ID), quote(step.Name))
		return content(i, open, "input_json_delta", "partial_json", step.Chunks)
	case providertest.StepPing:
		return sse("ping", `{"type":"ping"}`)
	case providertest.StepUnknown:
		return sse("content_block_dream", `{"type":"content_block_dream","index":99,"dream":{}}`)
	case providertest.StepGarbage:
		return sse("content_block_delta", `{"type":"content_block_delta",,,`)
	case providertest.StepFail:
		kind, detail := faultKind(step.Fault)
		return sse("error", `{"type":"error","error":{"type":%q,"message":%s,"details":%s}}`, kind, quote(step.Words), detail)
	}
	return ""
}

func content(i int, open, kind, member string, chunks []string) string {
	var b strings.Builder
	b.WriteString(sse("content_block_start", `{"type":"content_block_start","index":%d,"content_block":%s}`, i, open))
	for _, c := range chunks {
		b.WriteString(delta(i, kind, member, c))
	}
	b.WriteString(sse("content_block_stop", `{"type":"content_block_stop","index":%d}`, i))
	return b.String()
}

func delta(i int, kind, member, value string) string {
	return sse("content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%s}}`, i, kind, member, quote(value))
}

func faultKind(f providertest.Fault) (kind, detail string) {
	return map[providertest.Fault]string{
		providertest.FaultKey:        "authentication_error",
		providertest.FaultForbidden:  "permission_error",
		providertest.FaultBilling:    "billing_error",
		providertest.FaultInvalid:    "invalid_request_error",
		providertest.FaultModel:      "not_found_error",
		providertest.FaultTooLarge:   "request_too_large",
		providertest.FaultRate:       "rate_limit_error",
		providertest.FaultOverloaded: "overloaded_error",
		providertest.FaultServer:     "api_error",
		providertest.FaultTimeout:    "timeout_error",
	}[f], "null"
}

func (wire) Refuse(r providertest.Refusal) (int, string) {
	status := map[providertest.Fault]int{
		providertest.FaultKey: 401, providertest.FaultForbidden: 403, providertest.FaultBilling: 402,
		providertest.FaultInvalid: 400, providertest.FaultModel: 404, providertest.FaultTooLarge: 413,
		providertest.FaultRate: 429, providertest.FaultOverloaded: 529, providertest.FaultServer: 500,
		providertest.FaultTimeout: 504,
	}[r.Fault]
	kind, detail := faultKind(r.Fault)
	return status, fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%s,"details":%s}}`, kind, quote(r.Words), detail)
}

// seenBlock is a block of a request, as far as the tests look at it.
type seenBlock struct {
	Type         string `json:"type"`
	Text         string `json:"text"`
	Name         string `json:"name"`
	ToolUseID    string `json:"tool_use_id"`
	Content      string `json:"content"`
	CacheControl *struct {
		Type string `json:"type"`
	} `json:"cache_control"`
}

func (b seenBlock) marked() bool { return b.CacheControl != nil && b.CacheControl.Type == "ephemeral" }

func (wire) See(r *http.Request, seen *providertest.Seen) {
	seen.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	var body struct {
		Tools    []seenBlock `json:"tools"`
		System   []seenBlock `json:"system"`
		Messages []struct {
			Content []seenBlock `json:"content"`
		} `json:"messages"`
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" || json.Unmarshal(seen.Body, &body) != nil {
		return
	}
	seen.Marks = []string{}
	for i, t := range body.Tools {
		seen.Tools = append(seen.Tools, t.Name)
		if t.marked() && i == len(body.Tools)-1 {
			seen.Marks = append(seen.Marks, "tools")
		}
	}
	for i, s := range body.System {
		seen.System = append(seen.System, s.Text)
		if s.marked() {
			seen.Marks = append(seen.Marks, fmt.Sprint("system ", i))
		}
	}
	for i, m := range body.Messages {
		for _, b := range m.Content {
			if b.marked() {
				seen.Marks = append(seen.Marks, fmt.Sprint("message ", i))
			}
			if b.Type == "tool_result" {
				seen.Results[b.ToolUseID] = b.Content
			}
		}
	}
}
