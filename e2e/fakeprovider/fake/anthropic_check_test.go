package fake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
)

// ask wraps messages (and more members) into a Messages request.
func ask(messages string, more ...string) string {
	return `{"model":"m","max_tokens":100,"messages":[` + messages + `]` + strings.Join(more, "") + `}`
}

const (
	hi      = `{"role":"user","content":"hi"}`
	use     = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"x","input":{}}]}`
	useTwo  = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"x","input":{}},{"type":"tool_use","id":"t2","name":"x","input":{}}]}`
	result  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`
	thought = `{"type":"thinking","thinking":"hm","signature":"%s"}`
)

func withTool(name, schema string) string {
	return `,"tools":[{"name":"` + name + `","input_schema":` + schema + `}]`
}

func marked(n int) string {
	blocks := make([]string, n)
	for i := range blocks {
		blocks[i] = `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`
	}
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func TestMessagesRefusesWhatTheRealOneRefuses(t *testing.T) {
	b := start(t, fake.Options{Models: []string{"m"}})
	for _, c := range []struct {
		name, body, want string // want "" means accepted
		status           int
	}{
		{"plain words", ask(hi), "", 200},
		{"no JSON", `{`, "not valid JSON", 400},
		{"an unknown member", ask(hi, `,"foo":1`), "foo: Extra inputs are not permitted", 400},
		{"no model", `{"max_tokens":1,"messages":[` + hi + `]}`, "model: Field required", 400},
		{"no max_tokens", `{"model":"m","messages":[` + hi + `]}`, "max_tokens: Field required", 400},
		{"max_tokens 0", `{"model":"m","max_tokens":0,"messages":[` + hi + `]}`, "greater than or equal to 1", 400},
		{"an unknown model", `{"model":"n","max_tokens":1,"messages":[` + hi + `]}`, "model: n", 404},
		{"no message", ask(``), "at least one message", 400},
		{"an unknown role", ask(`{"role":"tool","content":"x"}`), "Unexpected role", 400},
		{"the assistant first", ask(`{"role":"assistant","content":"x"},` + hi), `must use the "user" role`, 400},
		{"a prefill", ask(hi + `,{"role":"assistant","content":"x"}`), "prefill", 400},
		{"two user messages are joined", ask(hi + `,` + hi), "", 200},
		{"empty content", ask(`{"role":"user","content":[]}`), "non-empty content", 400},
		{"an empty text block", ask(`{"role":"user","content":[{"type":"text","text":""}]}`), "text content blocks must be non-empty", 400},
		{"a blank text block", ask(`{"role":"user","content":" \n"}`), "non-whitespace", 400},
		{"an empty system block", ask(hi, `,"system":[{"type":"text","text":""}]`), "system.0: text content blocks", 400},
		{"an unknown block", ask(`{"role":"user","content":[{"type":"video"}]}`), "does not match any of the expected tags", 400},
		{"content of another type", ask(`{"role":"user","content":4}`), "valid list", 400},

		{"a tool name of 64", ask(hi, withTool(strings.Repeat("x", 64), `{"type":"object"}`)), "", 200},
		{"a tool name of 65", ask(hi, withTool(strings.Repeat("x", 65), `{"type":"object"}`)), "tools.0.custom.name", 400},
		{"a tool name with a dot", ask(hi, withTool("slide.read", `{"type":"object"}`)), "should match pattern", 400},
		{"two tools of one name", ask(hi, `,"tools":[{"name":"x","input_schema":{"type":"object"}},{"name":"x","input_schema":{"type":"object"}}]`), "must be unique", 400},
		{"no schema", ask(hi, `,"tools":[{"name":"x"}]`), "input_schema: Field required", 400},
		{"a schema of another type", ask(hi, withTool("x", `{"type":"string"}`)), "input_schema.type", 400},
		{"oneOf at the root", ask(hi, withTool("x", `{"type":"object","oneOf":[]}`)), "does not support oneOf, allOf, or anyOf", 400},
		{"anyOf at the root", ask(hi, withTool("x", `{"type":"object","anyOf":[]}`)), "does not support oneOf, allOf, or anyOf", 400},
		{"allOf at the root", ask(hi, withTool("x", `{"type":"object","allOf":[]}`)), "does not support oneOf, allOf, or anyOf", 400},
		{"oneOf further down", ask(hi, withTool("x", `{"type":"object","properties":{"a":{"oneOf":[]}}}`)), "", 200},

		{"3 breakpoints", ask(marked(3)), "", 200},
		{"4 breakpoints", ask(marked(4)), "", 200},
		{"5 breakpoints", ask(marked(5)), "A maximum of 4 blocks with cache_control may be provided. Found 5.", 400},
		{"5 breakpoints, one on a tool", ask(marked(4), `,"tools":[{"name":"x","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]`), "Found 5", 400},
		{"an hour after five minutes", ask(`{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`), "must not come after", 400},
		{"an unknown breakpoint", ask(`{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"durable"}}]}`), "cache_control: Input", 400},
		{"a breakpoint on thinking", ask(hi + `,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b","cache_control":{"type":"ephemeral"}}]},` + hi), "thinking.cache_control: Extra inputs", 400},
		{"a forged signature", ask(hi + `,{"role":"assistant","content":[` + fmt.Sprintf(thought, "forged") + `,{"type":"text","text":"a"}]},` + hi), "Invalid `signature`", 400},
		{"a budget that is too small", ask(hi, `,"thinking":{"type":"enabled","budget_tokens":1023}`), "1024", 400},
		{"a budget over max_tokens", ask(hi, `,"thinking":{"type":"enabled","budget_tokens":1024}`), "must be greater than `thinking.budget_tokens`", 400},

		{"a call with its result", ask(hi + `,` + use + `,` + result), "", 200},
		{"a call without a result", ask(hi + `,` + use + `,` + hi), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1", 400},
		{"one of two calls without a result", ask(hi + `,` + useTwo + `,` + result), "immediately after: t2", 400},
		{"a result without a call", ask(result), "unexpected `tool_use_id` found in `tool_result` blocks: t1", 400},
		{"a result too late", ask(hi + `,` + use + `,` + result + `,{"role":"assistant","content":"x"},` + result), "unexpected `tool_use_id`", 400},
		{"two results for one call", ask(hi + `,` + use + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"tool_result","tool_use_id":"t1"}]}`), "single result", 400},
		{"a result after words", ask(hi + `,` + use + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t1"}]}`), "immediately after: t1", 400},
		{"a result and a message of its own", ask(hi + `,` + use + `,` + result + `,` + hi), "", 200},
		{"the same id twice", ask(hi + `,` + use + `,` + result + `,` + use + `,` + result), "must be unique", 400},
		{"arguments that are no object", ask(hi + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"x","input":"{}"}]},` + result), "valid dictionary", 400},
		{"a call of a bad name", ask(hi + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a.b","input":{}}]},` + result), "tool_use.name", 400},
		{"a call of a bad id", ask(hi + `,{"role":"assistant","content":[{"type":"tool_use","id":"t.1","name":"x","input":{}}]},` + result), "tool_use.id", 400},
		{"a call by the user", ask(`{"role":"user","content":[{"type":"tool_use","id":"t1","name":"x","input":{}}]}`), "can only be in `assistant`", 400},
		{"a result by the assistant", ask(hi + `,{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"t1"}]},` + hi), "can only be in `user`", 400},
	} {
		got := b.refusal(b.post(messages, c.body))
		if got.Status != c.status || !strings.Contains(got.Error.Message, c.want) {
			t.Errorf("%s: %d %q, want %d %q", c.name, got.Status, got.Error.Message, c.status, c.want)
		}
		if kind := map[int]string{200: "", 400: "invalid_request_error", 404: "not_found_error"}[c.status]; got.Error.Type != kind {
			t.Errorf("%s: type %q, want %q", c.name, got.Error.Type, kind)
		}
	}
}

func TestStrictRolesRefusesTwoMessagesOfOneRole(t *testing.T) {
	b := start(t, fake.Options{StrictRoles: true})
	if got := b.refusal(b.post(messages, ask(hi+`,`+hi))); got.Status != 400 || !strings.Contains(got.Error.Message, "roles must alternate") {
		t.Errorf("messages: %+v", got)
	}
	if got := b.refusal(b.post(chat, `{"model":"m","messages":[`+hi+`,`+hi+`]}`)); got.Status != 400 || !strings.Contains(got.Error.Message, "must alternate") {
		t.Errorf("chat: %+v", got)
	}
}

func TestThinkingIsAcceptedBackOnlyAsItWas(t *testing.T) {
	b := start(t, fake.Options{}, rich())
	content := get(b.whole(messages, plain(messages, false)), "content").([]any)
	back := func(content any) said {
		var results []string
		for _, i := range []int{3, 4} {
			results = append(results, `{"type":"tool_result","tool_use_id":"`+get(content, i, "id").(string)+`"}`)
		}
		return b.refusal(b.post(messages, ask(hi+`,{"role":"assistant","content":`+compact(content)+`},{"role":"user","content":[`+strings.Join(results, ",")+`]}`)))
	}
	if got := back(content); got.Status != 200 {
		t.Errorf("as it was: %+v", got)
	}
	content[0].(map[string]any)["thinking"] = "think harD"
	if got := back(content); got.Status != 400 || !strings.Contains(got.Error.Message, "messages.1.content.0: Invalid `signature`") {
		t.Errorf("with one letter changed: %+v", got)
	}
}

func TestTheVersionHeaderIsRequired(t *testing.T) {
	b := start(t, fake.Options{})
	for version, want := range map[string]string{"": "anthropic-version: header is required", "1999-01-01": "not a valid version", "2026-10-21": "", "2023-06-01": ""} {
		got := b.refusal(b.post(messages, ask(hi), "Anthropic-Version", version))
		if (got.Status == 200) != (want == "") || !strings.Contains(got.Error.Message, want) {
			t.Errorf("version %q: %+v", version, got)
		}
	}
}

func TestKeysAreTakenFromEitherHeader(t *testing.T) {
	b := start(t, fake.Options{Accept: []string{"sk-ant-", "sk-proj-"}})
	for _, path := range wires {
		for _, c := range []struct {
			name    string
			status  int
			headers []string
		}{
			{"x-api-key", 200, []string{"Authorization", "", "X-Api-Key", "sk-ant-0123456789"}},
			{"bearer", 200, []string{"Authorization", "bearer sk-proj-0123456789"}},
			{"another prefix", 401, []string{"Authorization", "Bearer sk-other-0123456789"}},
			{"an invalid one", 401, []string{"Authorization", "Bearer sk-ant-invalid-0123456789"}},
			{"another scheme", 401, []string{"Authorization", "Basic sk-ant-0123456789"}},
			{"none", 401, []string{"Authorization", ""}},
		} {
			got := b.refusal(b.post(path, plain(path, false), c.headers...))
			if got.Status != c.status {
				t.Errorf("%s, %s: %+v, want %d", path, c.name, got, c.status)
			}
			if kind := map[bool]string{true: "authentication_error", false: "invalid_request_error"}[path == messages]; c.status == 401 && got.Error.Type != kind {
				t.Errorf("%s, %s: type %q", path, c.name, got.Error.Type)
			}
		}
	}
}

func TestABodyOverTheLimitIsTooLarge(t *testing.T) {
	const limit = 1000
	b := start(t, fake.Options{MaxBody: limit})
	head, tail := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"`, `"}]}`
	for size, status := range map[int]int{limit - 1: 200, limit: 200, limit + 1: 413} {
		body := head + strings.Repeat("x", size-len(head)-len(tail)) + tail
		if got := b.refusal(b.post(messages, body)); got.Status != status {
			t.Errorf("%d bytes: %+v, want %d", size, got, status)
		}
	}
	if got := b.refusal(start(t, fake.Options{}).post(messages, strings.Repeat("x", 32<<20+1))); got.Status != 413 || got.Error.Type != "request_too_large" {
		t.Errorf("over 32 MB: %+v", got)
	}
}
