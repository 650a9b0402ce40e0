package openai

import (
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

// ask plays a body to one of the APIs and gives the outcome.
func ask(t *testing.T, api, body string) providertest.Outcome {
	t.Helper()
	o := providertest.Collect(t.Context(), canned(api)(providertest.Canned{Body: []byte(body)}), agent.ModelRequest{Model: "m"})
	if law := o.Lawful(); law != "" {
		t.Fatal(law)
	}
	return o
}

func code(o providertest.Outcome) agent.Code {
	if o.Err == nil {
		return ""
	}
	return agent.ErrorCode(o.Err)
}

// parts writes a stream of one tool-call fragment for each argument.
func parts(fragments ...string) string {
	var b strings.Builder
	for _, f := range fragments {
		b.WriteString(chatEvent(`{"tool_calls":[` + f + `]}`))
	}
	return b.String() + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
}

func TestToolCallsAreSortedHoweverAServerSendsThem(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   string
		exact  bool
	}{
		"as OpenAI does": {parts(
			`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"n\""}}`, `{"index":0,"function":{"arguments":":1}"}}`,
			`{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`), `a f {"n":1}; b g {}`, true},
		"interleaved": {parts(
			`{"index":0,"id":"a","function":{"name":"f"}}`, `{"index":1,"id":"b","function":{"name":"g"}}`,
			`{"index":1,"function":{"arguments":"{\"b\":"}}`, `{"index":0,"function":{"arguments":"{\"a\":"}}`,
			`{"index":1,"function":{"arguments":"2}"}}`, `{"index":0,"function":{"arguments":"1}"}}`), `b g {"b":2}; a f {"a":1}`, true},
		"indexes out of order": {parts(
			`{"index":5,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":2,"id":"b","function":{"name":"g","arguments":"{}"}}`), `a f {}; b g {}`, true},
		"no index, whole calls": {parts(
			`{"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}`, `{"id":"b","function":{"name":"f","arguments":"{\"n\":2}"}}`), `a f {"n":1}; b f {"n":2}`, true},
		"no index, fragments": {parts(
			`{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`, `{"function":{"arguments":":1}"}}`), `a f {"n":1}`, true},
		"no index, id with each fragment": {parts(
			`{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`, `{"id":"a","function":{"arguments":":1}"}}`), `a f {"n":1}`, true},
		"no index, id and name with each fragment": {parts(
			`{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`, `{"id":"a","function":{"name":"f","arguments":":1}"}}`), `a f {"n":1}`, true},
		"the same index for all": {parts(
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":"{\"n\":"}}`,
			`{"index":0,"function":{"arguments":"2}"}}`), `a f {"n":1}; b f {"n":2}`, true},
		"another id with each fragment": {parts(
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\""}}`, `{"index":0,"id":"x","function":{"arguments":":1}"}}`), `a f {"n":1}`, true},
		"no ids": {parts(
			`{"index":0,"function":{"name":"f","arguments":"{\"n\":1}"}}`, `{"index":1,"function":{"name":"f","arguments":"{\"n\":2}"}}`), `call_0_0 f {"n":1}; call_1_0 f {"n":2}`, false},
		"no ids, no indexes, whole calls": {parts(
			`{"function":{"name":"f","arguments":"{\"n\":1}"}}`, `{"function":{"name":"f","arguments":"{\"n\":2}"}}`), `call_0_0 f {"n":1}; call_1_0 f {"n":2}`, false},
		"no ids, no indexes, the name first": {parts(
			`{"function":{"name":"f"}}`, `{"function":{"arguments":"{\"n\":1}"}}`, `{"function":{"name":"g"}}`, `{"function":{"arguments":"{\"n\":2}"}}`),
			`call_0_0 f {"n":1}; call_1_0 g {"n":2}`, false},
		"the id comes late": {parts(
			`{"index":0,"function":{"name":"f","arguments":""}}`, `{"index":0,"id":"a","function":{"arguments":"{}"}}`), `a f {}`, true},
		"the name in pieces": {parts(
			`{"index":0,"id":"a","function":{"name":"note_"}}`, `{"index":0,"function":{"name":"read"}}`, `{"index":0,"function":{"arguments":"{}"}}`), `a note_read {}`, true},
		"the name with each fragment": {parts(
			`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\""}}`,
			`{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":""}}`), `a f {"n":1}`, true},
		"the name after the arguments": {parts(
			`{"index":0,"id":"a","function":{"arguments":"{}"}}`, `{"index":0,"function":{"name":"f"}}`), `a f {}`, true},
		"two in one event": {parts(
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`), `a f {}; b g {}`, true},
		"an id twice": {parts(
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}`), `a f {}; call_1_0 g {}`, false},
	} {
		o := ask(t, APIChat, c.stream)
		if o.Err != nil {
			t.Errorf("%s: %v", name, o.Err)
			continue
		}
		var got []string
		for _, b := range o.Answer.Blocks {
			got = append(got, fmt.Sprintf("%s %s %s", b.WireID, b.Name, b.Input))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: the calls are %s, want %s", name, s, c.want)
		}
		if (o.Answer.Raw != nil) != c.exact || o.Answer.Stop != agent.StopCalls {
			t.Errorf("%s: raw %s, stop %s", name, o.Answer.Raw, o.Answer.Stop)
		}
	}
}

func TestACallWithoutANameIsAnError(t *testing.T) {
	if o := ask(t, APIChat, parts(`{"index":0,"id":"a","function":{"arguments":"{}"}}`)); code(o) != agent.CodeProviderError {
		t.Errorf("the outcome is %v", o.Err)
	}
}

func TestTheEndOfAChatStreamIsItsFinishReason(t *testing.T) {
	finish := "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	hi := chatEvent(`{"content":"hi"}`)
	for name, c := range map[string]struct {
		stream string
		fails  bool
	}{
		"with [DONE]":                       {hi + finish + "data: [DONE]\n\n", false},
		"without [DONE]":                    {hi + finish, false},
		"[DONE] alone":                      {hi + "data: [DONE]\n\n", true},
		"neither":                           {hi, true},
		"nothing":                           {"", true},
		"a failure after the finish reason": {hi + finish + "data: {\"error\":{\"message\":\"x\"}}\n\n", true},
		"what follows [DONE] is not read":   {hi + finish + "data: [DONE]\n\ndata: {{{\n\n", false},
	} {
		if o := ask(t, APIChat, c.stream); (o.Err != nil) != c.fails {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
}

func TestServersDisagreeAboutReasons(t *testing.T) {
	call := parts(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`)
	for name, c := range map[string]struct {
		stream string
		want   agent.StopReason
	}{
		"calls that end with stop": {strings.ReplaceAll(call, `"tool_calls"}`, `"stop"}`), agent.StopCalls},
		"a refusal in words":       {chatEvent(`{"refusal":"I will not."}`) + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", agent.StopRefusal},
		"another choice":           {"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"},\"finish_reason\":\"length\"}]}\n\n" + call, agent.StopCalls},
	} {
		if o := ask(t, APIChat, c.stream); o.Err != nil || o.Answer.Stop != c.want {
			t.Errorf("%s: %+v, %v", name, o.Answer, o.Err)
		}
	}
}

func TestReasoningGoesBackOnlyWhereItIsTakenBack(t *testing.T) {
	call := `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`
	finish := "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	for name, c := range map[string]struct {
		stream string
		want   bool
	}{
		"before calls":               {chatEvent(`{"reasoning_content":"hm"}`) + chatEvent(call) + finish, true},
		"before calls, other member": {chatEvent(`{"reasoning":"hm"}`) + chatEvent(call) + finish, false},
		"before text":                {chatEvent(`{"reasoning_content":"hm"}`) + chatEvent(`{"content":"hi"}`) + finish, false},
	} {
		o := ask(t, APIChat, c.stream)
		if o.Err != nil || o.Answer.Blocks[0].Kind != agent.BlockReasoning || o.Answer.Blocks[0].Text != "hm" {
			t.Errorf("%s: %+v, %v", name, o.Answer, o.Err)
			continue
		}
		if got := strings.Contains(string(o.Answer.Raw), `"reasoning_content":"hm"`); got != c.want {
			t.Errorf("%s: raw is %s", name, o.Answer.Raw)
		}
	}
}

func TestTokensInCountsWhatNoCacheServed(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for name, c := range map[string]struct {
		in   *int64
		d    cacheDetails
		want *int64
	}{
		"not reported":      {nil, cacheDetails{Cached: n(5)}, nil},
		"no cache reported": {n(100), cacheDetails{}, n(100)},
		"some cached":       {n(100), cacheDetails{Cached: n(60), Written: n(30)}, n(10)},
		"more than all":     {n(100), cacheDetails{Cached: n(160)}, n(0)},
	} {
		got := usageOf(c.in, nil, c.d).TokensIn
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
