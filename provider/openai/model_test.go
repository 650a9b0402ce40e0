package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

func TestTheAPIFollowsFromTheAddress(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
		own    bool
	}{
		{Config{}, APIResponses, true},
		{Config{BaseURL: "https://api.openai.com/v1"}, APIResponses, true},
		{Config{API: APIChat}, APIChat, true},
		{Config{BaseURL: "https://api.openai.com.evil.test/v1"}, APIChat, false},
		{Config{BaseURL: "http://localhost:11434/v1"}, APIChat, false},
		{Config{BaseURL: "http://localhost:1/v1", API: APIResponses}, APIResponses, false},
	} {
		if m := New(c.config); m.config.API != c.want || m.own != c.own {
			t.Errorf("%+v becomes %s, own %v", c.config, m.config.API, m.own)
		}
	}
}

func TestNothingOfTheEnvironmentIsSent(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-environment", "OPENAI_ORG_ID": "org-environment", "OPENAI_PROJECT_ID": "proj-environment",
		"OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_CUSTOM_HEADERS": "X-Leak: environment", "OPENAI_ADMIN_KEY": "sk-admin-environment",
	} {
		t.Setenv(name, value)
	}
	var seen http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer server.Close()
	for _, api := range []string{APIChat, APIResponses} {
		for key, want := range map[string]string{"sk-mine": "Bearer sk-mine", "": ""} {
			m := New(Config{BaseURL: server.URL, API: api})
			providertest.Collect(t.Context(), m, agent.ModelRequest{Model: "m", Key: agent.NewSecret(key)})
			if got := seen.Get("Authorization"); got != want {
				t.Errorf("%s: authorization is %q, want %q", api, got, want)
			}
			for name, values := range seen {
				if strings.Contains(strings.Join(values, " "), "environment") {
					t.Errorf("%s: the header %s holds %v", api, name, values)
				}
			}
		}
	}
}

func TestRefusalsAreReadInEachOfTheirForms(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   agent.Code
	}{
		{401, `{"error":{"message":"x","type":"invalid_request_error","code":"invalid_api_key"}}`, agent.CodeKeyInvalid},
		{401, `{"error":"unauthorized"}`, agent.CodeKeyInvalid},
		{401, `unauthorized`, agent.CodeKeyInvalid},
		{400, `{"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}`, agent.CodeTooLarge},
		{400, `{"object":"error","message":"x","type":"BadRequestError","code":400}`, agent.CodeInvalidInput},
		{404, `{"error":{"message":"model not found","type":"api_error","param":null,"code":null}}`, agent.CodeInvalidInput},
		{404, `404 page not found`, agent.CodeInvalidInput},
		{429, `{"error":{"message":"x","type":"insufficient_quota","code":"insufficient_quota"}}`, agent.CodeKeyInvalid},
		{429, `{"error":{"message":"x","type":"tokens","code":"rate_limit_exceeded"}}`, agent.CodeRateLimited},
		{500, `{"error":{"message":"x","type":"server_error","code":null}}`, agent.CodeProviderError},
		{503, ``, agent.CodeOverloaded},
		{502, `<html>bad gateway</html>`, agent.CodeProviderError},
		{200, `{"error":{"message":"x","code":429}}`, agent.CodeRateLimited},
		{200, `{"error":{"message":"x","code":"overloaded_error"}}`, agent.CodeOverloaded},
		{200, `{"choices":[{"message":{"content":"no stream"}}]}`, agent.CodeProviderError},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		for _, api := range []string{APIChat, APIResponses} {
			o := providertest.Collect(t.Context(), New(Config{BaseURL: server.URL, API: api}), agent.ModelRequest{Model: "m"})
			if code(o) != c.want {
				t.Errorf("%s: %d %s becomes %v, want %s", api, c.status, c.body, o.Err, c.want)
			}
		}
		server.Close()
	}
}

func TestFailuresInsideAChatStreamAreReadInEachOfTheirForms(t *testing.T) {
	for event, want := range map[string]agent.Code{
		`data: {"error":{"message":"x","type":"server_error"}}`:            agent.CodeProviderError,
		`data: {"error":{"message":"x","code":503}}`:                       agent.CodeOverloaded,
		`data: {"error":"something broke"}`:                                agent.CodeProviderError,
		`data: {"error":{"code":"insufficient_quota"}}`:                    agent.CodeKeyInvalid,
		"event: error\ndata: {\"message\":\"x\",\"type\":\"timeout\"}":     agent.CodeTimeout,
		"event: error\ndata: not json":                                     agent.CodeProviderError,
		`data: {"error":{"message":"x"},"choices":[{"delta":{}}]}`:         agent.CodeProviderError,
		`data: {"id":"1","choices":[],"error":{"code":"model_not_found"}}`: agent.CodeInvalidInput,
	} {
		if o := ask(t, APIChat, chatEvent(`{"content":"a"}`)+event+"\n\n"); code(o) != want {
			t.Errorf("%s becomes %v, want %s", event, o.Err, want)
		}
	}
}

func dialogue() agent.ModelRequest {
	return agent.ModelRequest{
		Model: "gpt-5", MaxTokens: 7,
		System: []agent.Slab{{Text: "one"}, {Text: " "}, {Text: "two"}},
		Tools:  []agent.ToolSchema{{Name: "f", Description: "does", Schema: json.RawMessage(`{"type": "object"}`)}, {Name: "g", Schema: json.RawMessage(`{`)}},
		Messages: []agent.ModelMessage{
			{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: "a"}, {Kind: agent.BlockText, Text: "b"}}},
			{Role: agent.RoleAssistant, Blocks: []agent.Block{
				{Kind: agent.BlockReasoning, Text: "hm"}, {Kind: agent.BlockText, Text: "c"},
				{Kind: agent.BlockCall, WireID: "1", Name: "f", Input: json.RawMessage(`{"x":1}`)}, {Kind: agent.BlockCall, WireID: "2", Name: "f", Input: json.RawMessage(`{"x"`)},
			}},
			{Role: agent.RoleUser, Blocks: []agent.Block{
				{Kind: agent.BlockText, Text: "d"}, {Kind: agent.BlockResult, WireID: "1", Text: "r1"}, {Kind: agent.BlockResult, WireID: "2"},
			}},
			{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockReasoning, Text: "only thoughts"}}},
		},
	}
}

func TestTheChatRequestOnTheWire(t *testing.T) {
	want := `{"model":"gpt-5","max_tokens":7,"stream":true,"stream_options":{"include_usage":true},` +
		`"tools":[{"type":"function","function":{"name":"f","description":"does","parameters":{"type": "object"},"strict":false}},` +
		`{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}},"strict":false}}],` +
		`"messages":[{"role":"system","content":"one\n\ntwo"},{"role":"user","content":"a\n\nb"},` +
		`{"role":"assistant","content":"c","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},` +
		`{"id":"2","type":"function","function":{"name":"f","arguments":"{\"INVALID_JSON\":\"{\\\"x\\\"\"}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"r1"},{"role":"tool","tool_call_id":"2","content":""},{"role":"user","content":"d"}]}`
	if got := string(New(Config{BaseURL: "http://localhost/v1"}).chatBody(dialogue())); got != want {
		t.Errorf("the request is\n%s\nwant\n%s", got, want)
	}
	if got := string(New(Config{API: APIChat}).chatBody(dialogue())); !strings.Contains(got, `"max_completion_tokens":7`) {
		t.Errorf("OpenAI is not asked in its own words: %s", got)
	}
}

func TestTheResponsesRequestOnTheWire(t *testing.T) {
	want := `{"model":"gpt-5","max_output_tokens":7,"stream":true,"store":false,"include":["reasoning.encrypted_content"],` +
		`"tools":[{"type":"function","name":"f","description":"does","parameters":{"type": "object"},"strict":false},` +
		`{"type":"function","name":"g","parameters":{"type":"object","properties":{}},"strict":false}],"instructions":"one\n\ntwo",` +
		`"input":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":"c"},` +
		`{"type":"function_call","call_id":"1","name":"f","arguments":"{\"x\":1}"},` +
		`{"type":"function_call","call_id":"2","name":"f","arguments":"{\"INVALID_JSON\":\"{\\\"x\\\"\"}"},` +
		`{"role":"user","content":"d"},{"type":"function_call_output","call_id":"1","output":"r1"},{"type":"function_call_output","call_id":"2","output":""}]}`
	if got := string(New(Config{}).responsesBody(dialogue())); got != want {
		t.Errorf("the request is\n%s\nwant\n%s", got, want)
	}
	req := dialogue()
	for model, asked := range map[string]bool{"gpt-4o": false, "gpt-4.1-mini": false, "gpt-5-mini": true, "o3": true, "gpt-3.5-turbo": false} {
		req.Model = model
		if got := strings.Contains(string(New(Config{}).responsesBody(req)), "encrypted_content"); got != asked {
			t.Errorf("%s: asked for encrypted reasoning is %v, want %v", model, got, asked)
		}
	}
}

func TestRawBytesOfTheOtherAPIAreNotReplayed(t *testing.T) {
	m := func(raw string) agent.ModelRequest {
		return agent.ModelRequest{Model: "m", Messages: []agent.ModelMessage{{
			Role: agent.RoleAssistant, Provider: ID, Raw: json.RawMessage(raw), Blocks: []agent.Block{{Kind: agent.BlockText, Text: "ours"}},
		}}}
	}
	for name, got := range map[string][]byte{
		"an array in chat":       New(Config{API: APIChat}).chatBody(m(`[{"theirs":1}]`)),
		"an object in responses": New(Config{}).responsesBody(m(`{"theirs":1}`)),
	} {
		if s := string(got); strings.Contains(s, "theirs") || !strings.Contains(s, "ours") {
			t.Errorf("%s: %s", name, s)
		}
	}
}
