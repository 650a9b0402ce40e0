package capability_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

type slideInput struct {
	Slide int    `json:"slide" jsonschema:"the slide's number, from 1"`
	Words string `json:"words,omitempty"`
}

// counted makes a capability that counts its runs.
func counted(name string, runs *atomic.Int64) agent.Capability {
	return capability.Func(capability.Spec{Name: name, Title: name, Description: "Counts.", Kind: agent.KindRead, Tier: agent.TierUser},
		func(_ context.Context, _ *agent.Call, in slideInput) (slideInput, error) {
			runs.Add(1)
			return in, nil
		})
}

func allow(agent.Capability) *agent.ResultError { return nil }

func envOf(names ...string) *capability.Env {
	offered := map[string]bool{}
	for _, name := range names {
		offered[name] = true
	}
	return &capability.Env{Offered: offered, Allow: allow, Counter: capability.NewCounter(capability.Limits{}, 0, 0)}
}

func callOf(name, input string) *agent.Call {
	return &agent.Call{Capability: name, Input: json.RawMessage(input), Principal: agent.Principal{UserID: "u", OrgID: "o", Tier: agent.TierUser}}
}

// refusedWith fails unless the outcome is a refusal of a code that ran nothing.
func refusedWith(t *testing.T, o capability.Outcome, code agent.Code) {
	t.Helper()
	if o.Result.OK || o.Result.Error == nil || o.Result.Error.Code != code || o.Result.Error.Message == "" ||
		o.Result.Output != nil || o.Result.Preview != nil {
		t.Fatalf("got %+v (%+v), want a refusal with %s", o.Result, o.Result.Error, code)
	}
}

func TestACallThroughAllGatesGivesItsOutput(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs))
	o := reg.Dispatch(context.Background(), envOf("slide.read"), callOf("slide.read", ` {"words":"a","slide":4.0} `))
	if !o.Result.OK || string(o.Result.Output) != `{"slide":4,"words":"a"}` || !o.Known || o.Capability.Name != "slide.read" ||
		string(o.Input) != `{"slide":4,"words":"a"}` || len(o.Digest) != 64 || runs.Load() != 1 {
		t.Fatalf("got %+v", o)
	}
}

func TestGate1RefusesWhatIsNotInTheTurnsList(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs), counted("slide.readx", &runs), counted("deck.export", &runs), counted("a.b_c", &runs), counted("a_b.c", &runs))
	for what, name := range map[string]string{
		"outside the list": "deck.export", "a prefix trick": "slide.readx", "unknown": "slide.write", "empty": "",
		"capitals": "Slide.Read", "a Cyrillic look-alike": "slide.reаd", "a full-width dot": "slide．read", "a trailing space": "slide.read ",
		"a zero-width space": "slide.\u200bread", "the wire name": "slide_read", "a name that collides when mapped carelessly": "a_b.c",
		"a glob": "slide.*", "very long": strings.Repeat("x", 10_000), "invalid UTF-8": "\xff",
	} {
		o := reg.Dispatch(context.Background(), envOf("slide.read", "a.b_c"), callOf(name, `{"slide":1}`))
		refusedWith(t, o, agent.CodeNotExecuted)
		if !strings.Contains(o.Result.Error.Message, "answer in text") || len(o.Result.Error.Message) > 400 {
			t.Errorf("%s: the model reads %q", what, o.Result.Error.Message)
		}
	}
	if runs.Load() != 0 {
		t.Fatalf("%d handlers ran", runs.Load())
	}
}

func TestGate2RefusesArgumentsThatAreNotCompleteAndStrict(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs))
	for what, input := range map[string]string{
		"cut mid-stream": `{"slide": 4, "wor`, "cut after a value": `{"slide": 4`, "two values": `{"slide":4}{"slide":5}`,
		"duplicate names": `{"slide":4,"slide":5}`, "a huge number": `{"slide":1e999999}`, "more digits than any": `{"slide":` + strings.Repeat("9", 200) + `}`,
		"NaN": `{"slide":NaN}`, "deep nesting": `{"slide":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
		"too large": `{"slide":1,"words":"` + strings.Repeat("x", capability.MaxInputBytes) + `"}`, "no JSON": `slide 4`, "invalid UTF-8": "{\"slide\":4,\"words\":\"\xff\"}",
	} {
		o := reg.Dispatch(context.Background(), envOf("slide.read"), callOf("slide.read", input))
		refusedWith(t, o, agent.CodeInvalidInput)
		if o.Input != nil || !o.Result.Error.Recoverable {
			t.Errorf("%s: %+v", what, o)
		}
	}
	for what, input := range map[string]string{
		"wrong type": `{"slide":"4"}`, "missing": `{}`, "no text at all": ``, "null": `null`, "an array": `[4]`, "not an integer": `{"slide":4.5}`,
		"an unknown member": `{"slide":4,"force":true}`, "a member in capitals": `{"Slide":4}`, "null for a value": `{"slide":null}`,
		"an approval in the arguments": `{"slide":4,"approved":true,"receiptId":"rcpt_1"}`, "out of int's range": `{"slide":18446744073709551616}`,
	} {
		t.Run(what, func(t *testing.T) {
			refusedWith(t, reg.Dispatch(context.Background(), envOf("slide.read"), callOf("slide.read", input)), agent.CodeInvalidInput)
		})
	}
	if runs.Load() != 0 {
		t.Fatalf("%d handlers ran", runs.Load())
	}
}

func TestEveryMisfitIsToldWithItsPointer(t *testing.T) {
	c := simple("slide.edit")
	c.Input = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["slide"],"properties":{
		"slide":{"type":"integer","minimum":1},"mode":{"enum":["a","b"]},"a/b":{"type":"object","properties":{"~x":{"type":"string","maxLength":2}}},
		"list":{"type":"array","items":{"type":"string"},"maxItems":2}}}`)
	reg := registry(c)
	o := reg.Dispatch(context.Background(), envOf("slide.edit"), callOf("slide.edit",
		`{"mode":"secret-value","a/b":{"~x":"long"},"list":[1,"x","y"],"extra":1}`))
	refusedWith(t, o, agent.CodeInvalidInput)
	for _, line := range []string{
		`- the member "extra" is not known here`, `- the required member "slide" is missing`, `- /a~1b/~0x: must have at most 2 characters, but has 4`,
		`- /list: must have at most 2 items, but has 3`, `- /list/0: must be string, but is number`, `- /mode: must be one of "a", "b"`,
	} {
		if !strings.Contains(o.Result.Error.Message, line+"\n") && !strings.HasSuffix(o.Result.Error.Message, line) {
			t.Errorf("%q is missing in:\n%s", line, o.Result.Error.Message)
		}
	}
	if strings.Contains(o.Result.Error.Message, "secret-value") {
		t.Error("the value that was sent is repeated")
	}
	// The person who edits the arguments of a preview reads it as well.
	if first, _, _ := strings.Cut(o.Result.Error.Message, "\n"); first != "The arguments of slide.edit do not fit. Correct these:" {
		t.Errorf("it begins %q", first)
	}
	o = reg.Dispatch(context.Background(), envOf("slide.edit"), callOf("slide.edit", `{"slide":0}`))
	if o.Result.Error.Pointer != "/slide" || !strings.Contains(o.Result.Error.Message, "/slide: must be at least 1") {
		t.Errorf("got %+v", o.Result.Error)
	}
}

func TestManyMisfitsAreToldInBounds(t *testing.T) {
	c := simple("a.b")
	c.Input = json.RawMessage(`{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}}}}`)
	o := registry(c).Dispatch(context.Background(), envOf("a.b"), callOf("a.b", `{"list":[`+strings.Repeat("1,", 999)+`1]}`))
	refusedWith(t, o, agent.CodeInvalidInput)
	if !strings.HasSuffix(o.Result.Error.Message, "- and 980 more") {
		t.Errorf("got %q", o.Result.Error.Message)
	}
}

func TestGate3RefusesALowerTier(t *testing.T) {
	var runs atomic.Int64
	reg := registry(with(counted("deck.purge", &runs), func(c *agent.Capability) { c.RequiredTier = agent.TierAdmin }))
	for _, tier := range []agent.Tier{agent.TierViewer, agent.TierUser, "", "root"} {
		call := callOf("deck.purge", `{"slide":1}`)
		call.Principal.Tier = tier
		refusedWith(t, reg.Dispatch(context.Background(), envOf("deck.purge"), call), agent.CodeForbidden)
	}
	if runs.Load() != 0 {
		t.Fatal("it ran")
	}
}

func TestGate4AsksThePolicyAtEveryCall(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs))
	env := envOf("slide.read")
	disabled := false
	env.Allow = func(c agent.Capability) *agent.ResultError {
		if disabled {
			return &agent.ResultError{Code: agent.CodePolicyDenied, Message: "An admin disabled " + c.Name + "."}
		}
		return nil
	}
	if o := reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)); !o.Result.OK {
		t.Fatal(o.Result.Error)
	}
	disabled = true
	refusedWith(t, reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)), agent.CodePolicyDenied)
	env.Allow = nil
	refusedWith(t, reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)), agent.CodePolicyDenied)
	if runs.Load() != 1 {
		t.Fatalf("%d handlers ran", runs.Load())
	}
}

func TestGatesAreAskedInOrder(t *testing.T) {
	reg := registry(simple("slide.read"))
	env := &capability.Env{} // refuses everything
	call := callOf("slide.read", `{"x":1}`)
	call.Principal.Tier = agent.TierViewer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, step := range []struct {
		want agent.Code
		open func()
	}{
		{agent.CodeNotExecuted, func() { env.Offered = map[string]bool{"slide.read": true} }},
		{agent.CodeInvalidInput, func() { call.Input = nil }},
		{agent.CodeForbidden, func() { call.Principal.Tier = agent.TierUser }},
		{agent.CodePolicyDenied, func() { env.Allow = allow }},
		{agent.CodeNotExecuted, func() { ctx = context.Background() }},
		{agent.CodeRateLimited, func() { env.Counter = capability.NewCounter(capability.Limits{}, 0, 0) }},
	} {
		refusedWith(t, reg.Dispatch(ctx, env, call), step.want)
		step.open()
	}
	if o := reg.Dispatch(ctx, env, call); !o.Result.OK {
		t.Fatal(o.Result.Error)
	}
}

func TestGate5StopsTheSixthSearch(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs), with(counted("corpus.search", &runs), func(c *agent.Capability) { c.Retrieval = true }))
	env := envOf("slide.read", "corpus.search")
	for range 5 {
		if o := reg.Dispatch(context.Background(), env, callOf("corpus.search", `{"slide":1}`)); !o.Result.OK {
			t.Fatal(o.Result.Error)
		}
	}
	o := reg.Dispatch(context.Background(), env, callOf("corpus.search", `{"slide":1}`))
	refusedWith(t, o, agent.CodeRateLimited)
	if !strings.Contains(o.Result.Error.Message, "answer with what you have") || runs.Load() != 5 {
		t.Errorf("%d ran; the model reads %q", runs.Load(), o.Result.Error.Message)
	}
	if o := reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)); !o.Result.OK {
		t.Error("another call was refused, too")
	}
	if calls, retrieval := env.Counter.Used(); calls != 6 || retrieval != 5 {
		t.Errorf("used %d and %d", calls, retrieval)
	}
}

func TestGate5BoundsTheCallsOfATurnAlsoAfterARestart(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs))
	env := envOf("slide.read")
	env.Counter = capability.NewCounter(capability.Limits{}, capability.DefaultCalls-1, 0)
	if o := reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)); !o.Result.OK {
		t.Fatal(o.Result.Error)
	}
	refusedWith(t, reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)), agent.CodeRateLimited)
	env.Counter = capability.NewCounter(capability.Limits{Calls: 2}, 3, 0)
	refusedWith(t, reg.Dispatch(context.Background(), env, callOf("slide.read", `{"slide":1}`)), agent.CodeRateLimited)
}

func TestARefusedCallUsesNothingUp(t *testing.T) {
	reg := registry(simple("slide.read"))
	env := envOf("slide.read")
	env.Counter = capability.NewCounter(capability.Limits{Calls: 1}, 0, 0)
	for range 3 {
		refusedWith(t, reg.Dispatch(context.Background(), env, callOf("slide.read", `{`)), agent.CodeInvalidInput)
	}
	if o := reg.Dispatch(context.Background(), env, callOf("slide.read", ``)); !o.Result.OK {
		t.Fatal(o.Result.Error)
	}
}

func TestACheckedCallIsCountedOnce(t *testing.T) {
	reg := registry(simple("slide.read"))
	env := envOf("slide.read")
	env.Counter = capability.NewCounter(capability.Limits{Calls: 1}, 0, 0)
	call := callOf("slide.read", ``)
	call.ID = "call_1"
	if o := reg.Check(context.Background(), env, call); !o.Result.OK || o.Digest == "" {
		t.Fatal(o.Result.Error)
	}
	if o := reg.Dispatch(context.Background(), env, call); !o.Result.OK || o.Result.Output == nil {
		t.Fatal(o.Result.Error)
	}
	other := callOf("slide.read", ``)
	other.ID = "call_2"
	refusedWith(t, reg.Dispatch(context.Background(), env, other), agent.CodeRateLimited)
}

func TestCallsAtOnceDoNotPassTheCap(t *testing.T) {
	var runs atomic.Int64
	reg := registry(with(counted("corpus.search", &runs), func(c *agent.Capability) { c.Retrieval = true }))
	env := envOf("corpus.search")
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() { reg.Dispatch(context.Background(), env, callOf("corpus.search", `{"slide":1}`)) })
	}
	wg.Wait()
	if runs.Load() != capability.DefaultRetrieval {
		t.Fatalf("%d searches ran", runs.Load())
	}
}

func TestNoHandlerStartsAfterACancelOrTheDeadline(t *testing.T) {
	var runs atomic.Int64
	reg := registry(counted("slide.read", &runs))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	refusedWith(t, reg.Dispatch(ctx, envOf("slide.read"), callOf("slide.read", `{"slide":1}`)), agent.CodeNotExecuted)

	env, call := envOf("slide.read"), callOf("slide.read", `{"slide":1}`)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	env.Deadline = clock.Add(time.Minute)
	for at, want := range map[time.Duration]bool{time.Minute - 1: true, time.Minute: false, time.Minute + 1: false} {
		call.Now = func() time.Time { return clock.Add(at) }
		if o := reg.Check(context.Background(), env, call); o.Result.OK != want {
			t.Errorf("at %v: %+v", at, o.Result)
		} else if !want {
			refusedWith(t, o, agent.CodeRateLimited)
		}
	}
	if runs.Load() != 0 {
		t.Fatalf("%d handlers ran", runs.Load())
	}
}

func TestWhatAHandlerReturnsIsWhatTheModelReads(t *testing.T) {
	secret := errors.New("SQL near password=hunter2")
	for name, tt := range map[string]struct {
		res     agent.Result
		err     error
		code    agent.Code
		message string
	}{
		"its own error":            {err: &agent.Error{Code: agent.CodeNotFound, Message: "There is no slide 9.", Hint: "The deck has 5."}, code: agent.CodeNotFound, message: "There is no slide 9. The deck has 5."},
		"its own error, wrapped":   {err: errors.Join(agent.Wrap(agent.CodeConflict, secret, "Somebody was faster.")), code: agent.CodeConflict, message: "Somebody was faster."},
		"an error of ours":         {err: agent.Wrap(agent.CodeInternal, secret, "row 7"), code: agent.CodeToolError},
		"any other error":          {err: secret, code: agent.CodeToolError},
		"a code that is none":      {err: agent.Errorf("made_up", "Well."), code: agent.CodeToolError, message: "Well."},
		"an error in the result":   {res: agent.Result{OK: true, Error: &agent.ResultError{Code: agent.CodeForbidden, Message: "No."}}, code: agent.CodeForbidden, message: "No."},
		"no result at all":         {res: agent.Result{}, code: agent.CodeToolError},
		"an output that is broken": {res: agent.Result{OK: true, Output: json.RawMessage(`{"a":`)}, code: agent.CodeToolError},
	} {
		t.Run(name, func(t *testing.T) {
			reg := registry(with(simple("a.b"), func(c *agent.Capability) {
				c.Handler = func(context.Context, *agent.Call) (agent.Result, error) { return tt.res, tt.err }
			}))
			o := reg.Dispatch(context.Background(), envOf("a.b"), callOf("a.b", ``))
			refusedWith(t, o, tt.code)
			if tt.message != "" && o.Result.Error.Message != tt.message {
				t.Errorf("the model reads %q, want %q", o.Result.Error.Message, tt.message)
			}
			if strings.Contains(o.Result.Error.Message, "hunter2") || strings.Contains(o.Result.Error.Message, "row 7") {
				t.Errorf("the model reads %q", o.Result.Error.Message)
			}
		})
	}
}

func TestHelpOfATurnSeesOnlyWhatIsCallable(t *testing.T) {
	other := simple("deck.export")
	seen := map[string]bool{}
	probe := with(simple("a.b"), func(c *agent.Capability) {
		c.Handler = func(ctx context.Context, _ *agent.Call) (agent.Result, error) {
			seen["offered"] = capability.Callable(ctx, other)
			seen["not offered"] = capability.Callable(ctx, simple("x.y"))
			seen["admin"] = capability.Callable(ctx, with(other, func(c *agent.Capability) { c.RequiredTier = agent.TierAdmin }))
			return agent.Result{OK: true}, nil
		}
	})
	if o := registry(probe, other).Dispatch(context.Background(), envOf("a.b", "deck.export"), callOf("a.b", ``)); !o.Result.OK {
		t.Fatal(o.Result.Error)
	}
	if !seen["offered"] || seen["not offered"] || seen["admin"] || capability.Callable(context.Background(), other) {
		t.Fatalf("got %v", seen)
	}
}
