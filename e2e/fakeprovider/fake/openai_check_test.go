package fake_test

import (
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
)

// refusalCase is a body and the error that it must meet; want "" means accepted.
type refusalCase struct {
	name, body, want, param string
	status                  int
}

func runRefusals(t *testing.T, path string, cases []refusalCase) {
	t.Helper()
	b := start(t, fake.Options{Models: []string{"m"}})
	for _, c := range cases {
		got := b.refusal(b.post(path, c.body))
		if got.Status != c.status || !strings.Contains(got.Error.Message, c.want) {
			t.Errorf("%s: %d %q, want %d %q", c.name, got.Status, got.Error.Message, c.status, c.want)
		}
		if c.param != "" && (got.Error.Param == nil || *got.Error.Param != c.param) {
			t.Errorf("%s: param %s, want %s", c.name, compact(got.Error.Param), c.param)
		}
		if c.status != 200 && got.Error.Type != "invalid_request_error" {
			t.Errorf("%s: type %q", c.name, got.Error.Type)
		}
	}
}

func chatAsk(messages string, more ...string) string {
	return `{"model":"m","messages":[` + messages + `]` + strings.Join(more, "") + `}`
}

func chatTool(name, parameters string) string {
	return `,"tools":[{"type":"function","function":{"name":"` + name + `","parameters":` + parameters + `}}]`
}

func strictTool(parameters string) string {
	return `,"tools":[{"type":"function","function":{"name":"x","strict":true,"parameters":` + parameters + `}}]`
}

func TestChatRefusesWhatTheRealOneRefuses(t *testing.T) {
	const (
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"x","arguments":"{}"}}]}`
		two    = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"x","arguments":"{"}}]}`
		answer = `{"role":"tool","tool_call_id":"c1","content":"ok"}`
	)
	runRefusals(t, chat, []refusalCase{
		{"plain words", chatAsk(hi), "", "", 200},
		{"no JSON", `{`, "could not parse the JSON body", "", 400},
		{"an unknown member", chatAsk(hi, `,"foo":1`), "Unknown parameter: 'foo'.", "foo", 400},
		{"no model", `{"messages":[` + hi + `]}`, "must provide a model", "", 400},
		{"an unknown model", `{"model":"n","messages":[` + hi + `]}`, "does not exist", "", 404},
		{"no message", chatAsk(``), "empty array", "messages", 400},
		{"an unknown role", chatAsk(`{"role":"bot","content":"x"}`), "Supported values are", "messages[0].role", 400},
		{"a user who says null", chatAsk(`{"role":"user","content":null}`), "expected a string, got null", "messages.[0].content", 400},
		{"empty parts", chatAsk(`{"role":"user","content":[]}`), "empty array", "", 400},
		{"a name of 64", chatAsk(hi, chatTool(strings.Repeat("x", 64), `{"type":"object"}`)), "", "", 200},
		{"a name of 65", chatAsk(hi, chatTool(strings.Repeat("x", 65), `{"type":"object"}`)), "maximum length 64, but got a string with length 65", "tools[0].function.name", 400},
		{"a name with a dot", chatAsk(hi, chatTool("a.b", `{"type":"object"}`)), "does not match pattern", "tools[0].function.name", 400},
		{"a tool without a name", chatAsk(hi, chatTool("", `{"type":"object"}`)), "Missing required parameter", "tools[0].function.name", 400},
		{"no function", chatAsk(hi, `,"tools":[{"type":"function"}]`), "Missing required parameter", "tools[0].type", 400},
		{"anyOf at the root", chatAsk(hi, chatTool("x", `{"type":"object","anyOf":[]}`)), "at the top level", "tools[0].function.parameters", 400},
		{"a schema of another type", chatAsk(hi, chatTool("x", `{"type":"array"}`)), "must be a JSON Schema of 'type: \"object\"'", "", 400},
		{"a strict schema that is open", chatAsk(hi, strictTool(`{"type":"object","properties":{}}`)), "'additionalProperties' is required", "", 400},
		{"a strict schema with an optional", chatAsk(hi, strictTool(`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`)), "Missing 'a'", "", 400},
		{"a strict schema that is open inside", chatAsk(hi, strictTool(`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}}}`)), "'additionalProperties'", "", 400},
		{"a strict schema as it must be", chatAsk(hi, strictTool(`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`)), "", "", 200},
		{"a call with its answer", chatAsk(hi + `,` + call + `,` + answer), "", "", 200},
		{"a call without an answer", chatAsk(hi + `,` + call + `,` + hi), "did not have response messages: c1", "", 400},
		{"a call at the end", chatAsk(hi + `,` + call), "did not have response messages: c1", "", 400},
		{"one of two calls without an answer", chatAsk(hi + `,` + two + `,` + answer), "response messages: c2", "", 400},
		{"an answer without a call", chatAsk(hi + `,` + answer), "must be a response to a preceeding message", "messages.[1].role", 400},
		{"two answers to a call", chatAsk(hi + `,` + call + `,` + answer + `,` + answer), "must be a response to a preceeding message", "", 400},
		{"an assistant who says nothing", chatAsk(hi + `,{"role":"assistant","content":null}`), "expected a string, got null", "", 400},
		{"a call without arguments", chatAsk(hi + `,{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"x"}}]}`), "Missing required parameter", "", 400},
		{"the same id twice", chatAsk(hi + `,` + strings.ReplaceAll(two, "c2", "c1") + `,` + answer), "Duplicate value", "", 400},
		{"a tool message without an id", chatAsk(hi + `,{"role":"tool","content":"x"}`), "tool_call_id", "", 400},
	})
}

func TestResponsesRefusesWhatTheRealOneRefuses(t *testing.T) {
	ask := func(input string, more ...string) string {
		return `{"model":"m","input":` + input + strings.Join(more, "") + `}`
	}
	const (
		call   = `{"type":"function_call","call_id":"c1","name":"x","arguments":"{}"}`
		output = `{"type":"function_call_output","call_id":"c1","output":"ok"}`
	)
	runRefusals(t, responses, []refusalCase{
		{"plain words", ask(`"hi"`), "", "", 200},
		{"a message", ask(`[` + hi + `]`), "", "", 200},
		{"an unknown member", ask(`"hi"`, `,"messages":[]`), "Unknown parameter: 'messages'.", "messages", 400},
		{"no input", `{"model":"m"}`, "Missing required parameter: 'input'.", "input", 400},
		{"an unknown model", `{"model":"n","input":"x"}`, "does not exist", "", 404},
		{"an earlier response", ask(`"hi"`, `,"previous_response_id":"resp_1"`), "'resp_1' not found", "previous_response_id", 400},
		{"an unknown item", ask(`[{"type":"item_x"}]`), "Supported values are", "input[0]", 400},
		{"an unknown role", ask(`[{"role":"tool","content":"x"}]`), "Supported values are", "input[0].role", 400},
		{"the user's words as output", ask(`[{"role":"user","content":[{"type":"output_text","text":"x"}]}]`), "'input_text'", "input[0].content[0]", 400},
		{"the assistant's words as input", ask(`[` + hi + `,{"role":"assistant","content":[{"type":"input_text","text":"x"}]}]`), "'output_text'", "input[1].content[0]", 400},
		{"an id of another kind", ask(`[` + hi + `,{"type":"function_call","id":"call_1","call_id":"c1","name":"x","arguments":"{}"},` + output + `]`), "begins with 'fc'", "input[1].id", 400},
		{"a name with a dot", ask(`"hi"`, `,"tools":[{"type":"function","name":"a.b"}]`), "does not match pattern", "tools[0].name", 400},
		{"a tool of chat", ask(`"hi"`, `,"tools":[{"type":"function","function":{"name":"x"}}]`), "Missing required parameter: 'tools[0].name'", "tools[0].name", 400},
		{"oneOf at the root", ask(`"hi"`, `,"tools":[{"type":"function","name":"x","parameters":{"type":"object","oneOf":[]}}]`), "at the top level", "tools[0].parameters", 400},
		{"a call with its output", ask(`[` + hi + `,` + call + `,` + output + `]`), "", "", 200},
		{"a call without output", ask(`[` + hi + `,` + call + `]`), "No tool output found for function call c1.", "input", 400},
		{"an output without a call", ask(`[` + hi + `,` + output + `]`), "No tool call found for function call output with call_id c1.", "input", 400},
		{"an output without content", ask(`[` + hi + `,` + call + `,{"type":"function_call_output","call_id":"c1"}]`), "output", "input[2].output", 400},
		{"reasoning that is not stored", ask(`[` + hi + `,{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":"x"}]`), "not persisted", "", 404},
		{"reasoning that was changed", ask(`[` + hi + `,{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"aGk=.x"},{"role":"assistant","content":"x"}]`), "could not be verified", "", 400},
	})
}

func TestReasoningIsAcceptedBackOnlyWithWhatFollowed(t *testing.T) {
	b := start(t, fake.Options{}, rich())
	output := get(b.whole(responses, plain(responses, false)), "output").([]any)
	var items []string
	for _, it := range output {
		items = append(items, compact(it))
	}
	answers := `{"type":"function_call_output","call_id":"` + get(output, 3, "call_id").(string) + `","output":"a"},` +
		`{"type":"function_call_output","call_id":"` + get(output, 4, "call_id").(string) + `","output":"b"}`
	send := func(items []string, rest string) said {
		return b.refusal(b.post(responses, `{"model":"m","input":[`+hi+`,`+strings.Join(items, ",")+rest+`]}`))
	}
	if got := send(items, ","+answers); got.Status != 200 {
		t.Errorf("as it was: %+v", got)
	}
	if got := send(items[:1], ","+hi); got.Status != 400 || !strings.Contains(got.Error.Message, "required following item") {
		t.Errorf("reasoning alone: %+v", got)
	}
}
