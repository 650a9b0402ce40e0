package openai

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

func ev(kind, members string) string {
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"," + members + "}\n\n"
}

func added(i, item string) string {
	return ev("response.output_item.added", `"output_index":`+i+`,"item":`+item)
}

func done(i, item string) string {
	return ev("response.output_item.done", `"output_index":`+i+`,"item":`+item)
}

func said(i, text string) string {
	return ev("response.output_text.delta", `"output_index":`+i+`,"delta":"`+text+`"`)
}

const (
	message  = `{"type":"message","content":[]}`
	function = `{"type":"function_call","call_id":"c1","name":"f","arguments":""}`
)

func completed(items string) string {
	return ev("response.completed", `"response":{"output":[`+items+`]}`)
}

func TestAResponseThatContradictsItselfIsAnError(t *testing.T) {
	whole := func(s string) string {
		return `{"type":"message","content":[{"type":"output_text","text":"` + s + `"}]}`
	}
	for name, body := range map[string]string{
		"a delta without an item":     said("0", "x") + completed(""),
		"a delta after the end":       added("0", message) + done("0", message) + said("0", "x") + completed(""),
		"an item begins twice":        added("0", message) + added("0", message) + completed(""),
		"an item ends twice":          added("0", message) + done("0", message) + done("0", message) + completed(""),
		"an item ends unopened":       done("0", message) + completed(""),
		"an item is cut":              added("0", message) + said("0", "x") + completed(""),
		"an item without a type":      added("0", `{}`) + completed(""),
		"text differs from its item":  added("0", message) + said("0", "one") + done("0", whole("two")) + completed(""),
		"arguments differ":            added("0", function) + ev("response.function_call_arguments.delta", `"output_index":0,"delta":"{}"`) + done("0", strings.Replace(function, `""`, `"{\"a\":1}"`, 1)) + completed(""),
		"a call that speaks":          added("0", function) + said("0", "x") + completed(""),
		"a call without a name":       added("0", `{"type":"function_call","call_id":"c1"}`) + completed(""),
		"an end without a beginning":  "data: {}\n\n",
		"completed in another stream": "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
	} {
		if o := ask(t, APIResponses, body); code(o) != agent.CodeProviderError {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
}

func TestAServerThatStreamsNoDeltasIsBelieved(t *testing.T) {
	text := `{"type":"message","content":[{"type":"output_text","text":"hi"}]}`
	call := `{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"}`
	for name, body := range map[string]string{
		"items that are done":         added("0", message) + done("0", text) + added("1", function) + done("1", call) + completed(""),
		"items of the whole response": added("0", message) + added("1", function) + completed(text+","+call),
	} {
		o := ask(t, APIResponses, body)
		if o.Err != nil {
			t.Errorf("%s: %v", name, o.Err)
			continue
		}
		b := o.Answer.Blocks
		got := map[agent.BlockKind]string{}
		for _, block := range b {
			got[block.Kind] = block.Text + string(block.Input)
		}
		if len(b) != 2 || got[agent.BlockText] != "hi" || got[agent.BlockCall] != `{"a":1}` || string(o.Answer.Raw) != "["+text+","+call+"]" {
			t.Errorf("%s: %+v, raw %s", name, b, o.Answer.Raw)
		}
	}
}

func TestAnAnswerIsBounded(t *testing.T) {
	half := strings.Repeat("x", outbound.MaxAnswerBytes/2)
	finish := "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	for name, c := range map[string]struct {
		rest  string
		fails bool
	}{"under": {half[1:], false}, "at": {half, false}, "over": {half + "x", true}} {
		chat := chatEvent(`{"content":"`+half+`"}`) + chatEvent(`{"content":"`+c.rest+`"}`) + finish
		response := added("0", message) + said("0", half) + said("0", c.rest) + done("0", message) + completed("")
		for api, body := range map[string]string{APIChat: chat, APIResponses: response} {
			if o := ask(t, api, body); (o.Err != nil) != c.fails {
				t.Errorf("%s %s: %v", api, name, o.Err)
			}
		}
	}
}

func TestTheSameEventTwiceIsReadOnce(t *testing.T) {
	body := string(providertest.Stream(responsesWire{}, providertest.Short()))
	var doubled strings.Builder
	for _, event := range strings.SplitAfter(body, "\n\n") {
		doubled.WriteString(event + event)
	}
	once, twice := ask(t, APIResponses, body), ask(t, APIResponses, doubled.String())
	if twice.Err != nil || twice.Text(agent.DeltaText) != once.Text(agent.DeltaText) || string(twice.Answer.Raw) != string(once.Answer.Raw) {
		t.Errorf("twice: %+v, %v", twice.Answer, twice.Err)
	}
}

func TestItemsOfUnknownKindsAreReplayedButNotShown(t *testing.T) {
	dream := `{"type":"dream","id":"d1","zzz":[1]}`
	o := ask(t, APIResponses, added("0", dream)+done("0", dream)+completed(""))
	if o.Err != nil || len(o.Answer.Blocks) != 0 || string(o.Answer.Raw) != "["+dream+"]" {
		t.Errorf("the answer is %+v, %v", o.Answer, o.Err)
	}
}

func TestPartsOfASummaryAreParagraphs(t *testing.T) {
	summary := func(i, text string) string {
		return ev("response.reasoning_summary_part.added", `"output_index":0,"summary_index":`+i) +
			ev("response.reasoning_summary_text.delta", `"output_index":0,"summary_index":`+i+`,"delta":"`+text+`"`)
	}
	item := `{"type":"reasoning","summary":[],"encrypted_content":"e"}`
	o := ask(t, APIResponses, added("0", item)+summary("0", "one")+summary("1", "two")+done("0", item)+completed(""))
	if o.Err != nil || o.Answer.Blocks[0].Text != "one\n\ntwo" {
		t.Errorf("the answer is %+v, %v", o.Answer, o.Err)
	}
}

func TestAnAnswerThatWasBrokenOffKeepsItsTextAndNothingRaw(t *testing.T) {
	end := func(reason string) string {
		return ev("response.incomplete", `"response":{"incomplete_details":{"reason":"`+reason+`"},"usage":{"output_tokens":3}}`)
	}
	for reason, want := range map[string]agent.StopReason{
		"max_output_tokens": agent.StopMaxTokens, "content_filter": agent.StopRefusal, "max_messages": agent.StopOther,
	} {
		o := ask(t, APIResponses, added("0", message)+said("0", "half")+end(reason))
		if o.Err != nil || o.Answer.Stop != want || o.Answer.Blocks[0].Text != "half" || o.Answer.Raw != nil || *o.Answer.Usage.TokensOut != 3 {
			t.Errorf("%s: %+v, %v", reason, o.Answer, o.Err)
		}
	}
}

func TestAFailedResponseIsClassified(t *testing.T) {
	for members, want := range map[string]agent.Code{
		`"response":{"error":{"code":"rate_limit_exceeded","message":"x"}}`: agent.CodeRateLimited,
		`"response":{"error":{"code":"server_error","message":"x"}}`:        agent.CodeProviderError,
		`"response":{"error":{"code":"invalid_prompt","message":"x"}}`:      agent.CodeInvalidInput,
		`"response":{"error":null}`:                                         agent.CodeProviderError,
	} {
		if o := ask(t, APIResponses, ev("response.failed", members)); code(o) != want {
			t.Errorf("%s becomes %v, want %s", members, o.Err, want)
		}
	}
}
