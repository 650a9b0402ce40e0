package providertest

import (
	"fmt"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// echoed is what a careless provider says: it repeats the key, whole and in part.
var echoed = "PROVIDER-WORDS wrong key " + canary + " (or " + canary[10:30] + "…)"

// secretless requires that nothing of the key, and nothing of the provider's own
// words in what people read, stands in an error.
func secretless(tb TB, err error, e *agent.Error) {
	tb.Helper()
	text := fmt.Sprintf("%v %+v %s %s", err, err, e.Message, e.Hint)
	for i := 0; i+8 <= len(canary); i++ {
		if strings.Contains(text, canary[i:i+8]) {
			tb.Errorf("the error shows key bytes: %s", text)
			break
		}
	}
	if strings.Contains(e.Message+e.Hint, "PROVIDER-WORDS") {
		tb.Errorf("people are shown the provider's words: %s %s", e.Message, e.Hint)
	}
	if e.Message == "" || e.Hint == "" {
		tb.Errorf("the error says nothing to people: %q %q", e.Message, e.Hint)
	}
}

func classified(tb TB, fault Fault, o Outcome, provider string) {
	tb.Helper()
	code, retryable := fault.Code()
	e := failure(tb, ended(tb, o), code)
	if e.Retryable != retryable {
		tb.Errorf("%s: retryable is %v, want %v", fault, e.Retryable, retryable)
	}
	if code == agent.CodeKeyInvalid && (e.Provider != provider || e.Panel != "byok") {
		tb.Errorf("%s: provider %q, panel %q", fault, e.Provider, e.Panel)
	}
	secretless(tb, o.Err, e)
}

var faultCases = []Case{
	{"each refusal becomes its code", func(tb TB, h Harness) {
		for _, fault := range Faults {
			m, _ := h.Play(tb, Limits{}, Script{Refuse: &Refusal{Fault: fault, Words: echoed}})
			classified(tb, fault, collect(tb.Context(), tb, m, request("hello")), h.Provider())
		}
	}},
	{"each failure inside the stream becomes its code", func(tb TB, h Harness) {
		for _, fault := range Faults {
			for _, steps := range [][]Step{{Fail(fault, echoed)}, {Text("some text"), Fail(fault, echoed), Text("more")}} {
				o := play(tb, h, Script{Steps: steps})
				classified(tb, fault, o, h.Provider())
				if len(steps) > 1 && o.Text(agent.DeltaText) != "some text" {
					tb.Errorf("%s: the text before it is %q", fault, o.Text(agent.DeltaText))
				}
			}
		}
	}},
	{"nothing follows an error", func(tb TB, h Harness) {
		for _, s := range []Script{
			{Refuse: &Refusal{Fault: FaultServer}},
			{Steps: []Step{Text("a"), Fail(FaultOverloaded, ""), Text("b")}},
			{Steps: []Step{Text("a"), Do(StepReset)}},
			{Steps: []Step{Text("a"), Do(StepGarbage), Text("b")}},
		} {
			if o := lawful(tb, play(tb, h, s)); o.Err == nil {
				tb.Errorf("%+v became a success", s)
			}
		}
	}},
	{"billing has a sentence of its own", func(tb TB, h Harness) {
		say := func(fault Fault) string {
			return failure(tb, play(tb, h, Script{Refuse: &Refusal{Fault: fault}}), agent.CodeKeyInvalid).Message
		}
		if say(FaultBilling) == say(FaultKey) {
			tb.Errorf("billing and a wrong key are told alike: %s", say(FaultKey))
		}
	}},
	{"an unknown model is pointed at", func(tb TB, h Harness) {
		o := play(tb, h, Script{Refuse: &Refusal{Fault: FaultModel}})
		if e := failure(tb, o, agent.CodeInvalidInput); e.Pointer != "/model" {
			tb.Errorf("the pointer is %q, want /model", e.Pointer)
		}
	}},
	{"the wait that the provider asks for is handed on", func(tb TB, h Harness) {
		for value, want := range map[string]time.Duration{
			"retry-after: 7":   7 * time.Second,
			"retry-after: 0.5": 500 * time.Millisecond,
			"retry-after: " + Now.Add(90*time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT"): 90 * time.Second,
			"retry-after: " + Now.Add(-time.Hour).Format("Mon, 02 Jan 2006 15:04:05 GMT"):     0,
			"retry-after-ms: 250":      250 * time.Millisecond,
			"retry-after: soon":        0,
			"retry-after: -5":          0,
			"retry-after: 99999999999": 24 * time.Hour,
			"x-nothing: 1":             0,
		} {
			name, v, _ := strings.Cut(value, ": ")
			o := play(tb, h, Script{Refuse: &Refusal{Fault: FaultRate, Header: map[string]string{name: v}}})
			if e := failure(tb, o, agent.CodeRateLimited); e.RetryAfter != want {
				tb.Errorf("%s becomes %s, want %s", value, e.RetryAfter, want)
			}
		}
	}},
	{"an adapter never tries again by itself", func(tb TB, h Harness) {
		scripts := []Script{{Steps: []Step{Text("a"), Do(StepReset)}}, {Steps: []Step{Do(StepReset)}}, {Steps: []Step{Do(StepEnd)}}}
		for _, fault := range Faults {
			scripts = append(scripts, Script{Refuse: &Refusal{Fault: fault, Header: map[string]string{"retry-after": "0", "x-should-retry": "true"}}})
		}
		for _, script := range scripts {
			m, up := h.Play(tb, Limits{}, script, Script{Steps: []Step{Text("a second try")}})
			if o := collect(tb.Context(), tb, m, request("hello")); o.Err == nil {
				tb.Errorf("%+v became a success", script)
			}
			if n := len(up.Requests()); n != 1 {
				tb.Errorf("%d requests arrived for %+v, want 1", n, script)
			}
		}
	}},
	{"a stream that is cut is an error and never an answer", func(tb TB, h Harness) {
		for _, cut := range []StepKind{StepReset, StepEnd} {
			for _, before := range [][]Step{{}, {Text("half")}, {Call("call_1", "note_write", `{"a":1}`)}, {Reason("sig", "hm")}} {
				o := play(tb, h, Script{Steps: append(before, Do(cut))})
				e := failure(tb, o, agent.CodeProviderError)
				if !e.Retryable {
					tb.Errorf("%s after %v cannot be tried again", cut, before)
				}
				secretless(tb, o.Err, e)
			}
		}
	}},
	{"what was told before a cut stays told", func(tb TB, h Harness) {
		o := play(tb, h, Script{Steps: []Step{Text("one ", "two"), Do(StepReset)}})
		if got := o.Text(agent.DeltaText); got != "one two" {
			tb.Errorf("the text is %q, want one two", got)
		}
	}},
	{"an event that does not parse is an error", func(tb TB, h Harness) {
		for _, steps := range [][]Step{{Do(StepGarbage)}, {Text("a"), Do(StepGarbage), Text("b")}} {
			o := play(tb, h, Script{Steps: steps})
			secretless(tb, o.Err, failure(tb, o, agent.CodeProviderError))
		}
	}},
}
