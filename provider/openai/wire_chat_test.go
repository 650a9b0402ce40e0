package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

// chatWire writes scripts as Chat Completions does.
type chatWire struct{}

func chatEvent(delta string) string {
	return fmt.Sprintf("data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", delta)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

var chatStops = map[agent.StopReason]string{
	"": "stop", agent.StopEnd: "stop", agent.StopCalls: "tool_calls", agent.StopMaxTokens: "length",
	agent.StopRefusal: "content_filter", agent.StopOther: "some_new_reason",
}

func (chatWire) Encode(s providertest.Script) []string {
	out := []string{chatEvent(`{"role":"assistant","content":""}`)}
	calls := 0
	for _, step := range s.Steps {
		out = append(out, chatStep(step, calls))
		if step.Kind == providertest.StepCall {
			calls++
		}
	}
	end := fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", chatStops[s.Stop])
	if s.Usage != (agent.Usage{}) {
		end += "data: {\"choices\":[],\"usage\":" + usageJSON(s.Usage, "prompt_tokens", "completion_tokens", "prompt_tokens_details") + "}\n\n"
	}
	return append(out, end+"data: [DONE]\n\n")
}

// usageJSON writes the wire's meaning: its prompt counts cached tokens as well.
func usageJSON(u agent.Usage, in, out, details string) string {
	m, d := map[string]any{}, map[string]any{}
	if u.TokensIn != nil {
		total := *u.TokensIn
		for name, n := range map[string]*int64{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheCreation} {
			if n != nil {
				total += *n
				d[name] = *n
			}
		}
		m[in], m[details] = total, d
	}
	if u.TokensOut != nil {
		m[out] = *u.TokensOut
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func chatStep(step providertest.Step, calls int) string {
	var b strings.Builder
	switch step.Kind {
	case providertest.StepText:
		for _, c := range step.Chunks {
			b.WriteString(chatEvent(`{"content":` + quote(c) + `}`))
		}
	case providertest.StepReason:
		for _, c := range step.Chunks {
			b.WriteString(chatEvent(`{"reasoning_content":` + quote(c) + `}`))
		}
	case providertest.StepDamaged:
		return chatEvent("{\"content\":\"half \xe6\\u0000 rune\"}")
	case providertest.StepCall:
		b.WriteString(chatEvent(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, calls, quote(step.ID), quote(step.Name))))
		for _, c := range step.Chunks {
			b.WriteString(chatEvent(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, calls, quote(c))))
		}
	case providertest.StepPing:
		return ": keep-alive\n\n"
	case providertest.StepUnknown:
		return "event: dream\ndata: {\"dream\":{}}\n\n"
	case providertest.StepGarbage:
		return "data: {\"choices\":[,,,\n\n"
	case providertest.StepFail:
		return "data: " + faultBody(step.Fault, step.Words) + "\n\n"
	}
	return b.String()
}

// faultBody is an error object as OpenAI writes it.
func faultBody(f providertest.Fault, words string) string {
	kinds := map[providertest.Fault][2]string{
		providertest.FaultKey:        {"invalid_request_error", "invalid_api_key"},
		providertest.FaultForbidden:  {"permission_error", ""},
		providertest.FaultBilling:    {"insufficient_quota", "insufficient_quota"},
		providertest.FaultInvalid:    {"invalid_request_error", ""},
		providertest.FaultModel:      {"invalid_request_error", "model_not_found"},
		providertest.FaultTooLarge:   {"invalid_request_error", "context_length_exceeded"},
		providertest.FaultRate:       {"tokens", "rate_limit_exceeded"},
		providertest.FaultOverloaded: {"service_unavailable_error", ""},
		providertest.FaultServer:     {"server_error", ""},
		providertest.FaultTimeout:    {"timeout_error", ""},
	}[f]
	return fmt.Sprintf(`{"error":{"message":%s,"type":%q,"param":null,"code":%q}}`, quote(words), kinds[0], kinds[1])
}

func refuse(r providertest.Refusal) (int, string) {
	status := map[providertest.Fault]int{
		providertest.FaultKey: 401, providertest.FaultForbidden: 403, providertest.FaultBilling: 429,
		providertest.FaultInvalid: 400, providertest.FaultModel: 404, providertest.FaultTooLarge: 400,
		providertest.FaultRate: 429, providertest.FaultOverloaded: 503, providertest.FaultServer: 500,
		providertest.FaultTimeout: 504,
	}[r.Fault]
	return status, faultBody(r.Fault, r.Words)
}

func (chatWire) Refuse(r providertest.Refusal) (int, string) { return refuse(r) }

func (chatWire) See(r *http.Request, seen *providertest.Seen) {
	seen.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	var body struct {
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role       string `json:"role"`
			Content    string `json:"content"`
			ToolCallID string `json:"tool_call_id"`
		} `json:"messages"`
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || json.Unmarshal(seen.Body, &body) != nil {
		return
	}
	for _, t := range body.Tools {
		seen.Tools = append(seen.Tools, t.Function.Name)
	}
	for _, m := range body.Messages {
		switch m.Role {
		case "system":
			seen.System = append(seen.System, m.Content)
		case "tool":
			seen.Results[m.ToolCallID] = m.Content
		}
	}
}
