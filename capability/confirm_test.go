package capability_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// slideDeck is a capability's world: one slide with a version.
type slideDeck struct {
	version string
	applied []string
	cleaned int
}

func (d *slideDeck) edit() agent.Capability {
	return capability.Confirming(capability.Spec{Name: "slide.edit", Title: "Edit", Description: "Edits.", Kind: agent.KindMutate, Tier: agent.TierUser},
		capability.Confirm[slideInput, string]{
			Resources: func(context.Context, *agent.Call, slideInput) ([]agent.Resource, error) {
				return []agent.Resource{{ID: "slide/4", Version: d.version}}, nil
			},
			Preview: func(_ context.Context, _ *agent.Call, in slideInput) (agent.Preview, error) {
				d.version += "'" // moves while the preview is made
				return agent.Preview{Summary: "Will say " + in.Words, State: json.RawMessage(`{"branch":"b"}`)}, nil
			},
			Apply: func(_ context.Context, call *agent.Call, in slideInput, r agent.Receipt) (string, error) {
				if r.Resources[0].Version != d.version {
					return "", agent.ErrStale
				}
				d.applied = append(d.applied, call.Key+" "+in.Words)
				return "applied", nil
			},
			Discard: func(context.Context, *agent.Call, slideInput, agent.Receipt) error { d.cleaned++; return nil },
			Verify: func(_ context.Context, call *agent.Call, _ slideInput) (bool, string, error) {
				for _, entry := range d.applied {
					if strings.HasPrefix(entry, call.Key+" ") {
						return true, "applied", nil
					}
				}
				return false, "", nil
			},
		})
}

func receiptOf(o capability.Outcome, call *agent.Call) agent.Receipt {
	return agent.Receipt{CallID: call.ID, TurnID: call.Turn, Capability: o.Capability.Name, InputDigest: o.Digest,
		Resources: o.Resources, State: agent.ReceiptAccepted}
}

func proposed(t *testing.T, d *slideDeck) (*capability.Registry, *capability.Env, *agent.Call, agent.Receipt) {
	t.Helper()
	reg, env := registry(d.edit()), envOf("slide.edit")
	call := callOf("slide.edit", `{"slide":4,"words":"hello"}`)
	call.ID, call.Turn, call.Key = "call_1", "turn_1", "key_1"
	o := reg.Dispatch(context.Background(), env, call)
	if !o.Result.OK || o.Result.Preview == nil || o.Result.Output != nil || o.Result.Preview.Summary != "Will say hello" ||
		string(o.Result.Preview.State) != `{"branch":"b"}` || len(o.Resources) != 1 {
		t.Fatalf("got %+v", o)
	}
	return reg, env, call, receiptOf(o, call)
}

func TestAPreviewRestsOnTheVersionsFromBeforeItWasMade(t *testing.T) {
	d := &slideDeck{version: "v1"}
	reg, env, call, receipt := proposed(t, d)
	if receipt.Resources[0].Version != "v1" {
		t.Fatalf("it rests on %+v", receipt.Resources)
	}
	res := reg.Apply(context.Background(), env, call, receipt)
	if res.Error == nil || res.Error.Code != agent.CodeStalePreview || len(d.applied) != 0 {
		t.Fatalf("got %+v", res)
	}
}

func TestAnAcceptedPreviewIsApplied(t *testing.T) {
	d := &slideDeck{version: "v1"}
	reg, env, call, receipt := proposed(t, d)
	d.version = "v1"
	if res := reg.Apply(context.Background(), env, call, receipt); !res.OK || string(res.Output) != `"applied"` || d.applied[0] != "key_1 hello" {
		t.Fatalf("got %+v, %q", res, d.applied)
	}
}

func TestAReceiptOfSomethingElseAppliesNothing(t *testing.T) {
	for name, change := range map[string]func(*agent.Receipt, *agent.Call){
		"edited arguments":   func(_ *agent.Receipt, c *agent.Call) { c.Input = json.RawMessage(`{"slide":4,"words":"other"}`) },
		"cut arguments":      func(_ *agent.Receipt, c *agent.Call) { c.Input = json.RawMessage(`{"slide":4`) },
		"another call":       func(r *agent.Receipt, _ *agent.Call) { r.CallID = "call_2" },
		"another turn":       func(r *agent.Receipt, _ *agent.Call) { r.TurnID = "turn_2" },
		"another capability": func(r *agent.Receipt, _ *agent.Call) { r.Capability = "slide.variant" },
		"no digest":          func(r *agent.Receipt, _ *agent.Call) { r.InputDigest = "" },
	} {
		t.Run(name, func(t *testing.T) {
			d := &slideDeck{version: "v1"}
			reg, env, call, receipt := proposed(t, d)
			d.version = "v1"
			change(&receipt, call)
			if res := reg.Apply(context.Background(), env, call, receipt); res.OK || res.Error.Code != agent.CodeConflict || len(d.applied) != 0 {
				t.Fatalf("got %+v", res)
			}
			if res := reg.Discard(context.Background(), env, call, receipt); res.OK || d.cleaned != 0 {
				t.Fatalf("discard gave %+v", res)
			}
		})
	}
}

func TestRightsLostBetweenPreviewAndAcceptStopTheApplyButNotTheCleanUp(t *testing.T) {
	for name, tt := range map[string]struct {
		lose func(*capability.Env, *agent.Call)
		want agent.Code
	}{
		"a tier lost": {func(_ *capability.Env, c *agent.Call) { c.Principal.Tier = agent.TierViewer }, agent.CodeForbidden},
		"a capability disabled": {func(e *capability.Env, _ *agent.Call) {
			e.Allow = func(agent.Capability) *agent.ResultError { return &agent.ResultError{Code: agent.CodePolicyDenied} }
		}, agent.CodePolicyDenied},
		"no policy at hand": {func(e *capability.Env, _ *agent.Call) { e.Allow = nil }, agent.CodePolicyDenied},
	} {
		t.Run(name, func(t *testing.T) {
			d := &slideDeck{version: "v1"}
			reg, env, call, receipt := proposed(t, d)
			d.version = "v1"
			tt.lose(env, call)
			if res := reg.Apply(context.Background(), env, call, receipt); res.OK || res.Error.Code != tt.want || len(d.applied) != 0 {
				t.Fatalf("got %+v", res)
			}
			if res := reg.Discard(context.Background(), env, call, receipt); !res.OK || d.cleaned != 1 {
				t.Fatalf("discard gave %+v", res)
			}
		})
	}
}

func TestVerifyTellsWhatBecameOfAnEffect(t *testing.T) {
	d := &slideDeck{version: "v1"}
	reg, env, call, receipt := proposed(t, d)
	d.version = "v1"
	if known, done, _ := reg.Verify(context.Background(), env, call); !known || done {
		t.Fatal("nothing was applied yet")
	}
	reg.Apply(context.Background(), env, call, receipt)
	if known, done, res := reg.Verify(context.Background(), env, call); !known || !done || string(res.Output) != `"applied"` {
		t.Fatalf("got %v %v %+v", known, done, res)
	}
	silent := registry(with(d.edit(), func(c *agent.Capability) { c.Verify = nil }))
	if known, _, res := silent.Verify(context.Background(), env, call); known || res.Error.Code != agent.CodeOutcomeUnknown {
		t.Fatalf("got %v %+v", known, res)
	}
	broken := registry(with(d.edit(), func(c *agent.Capability) {
		c.Verify = func(context.Context, *agent.Call) (bool, agent.Result, error) {
			return true, agent.Result{OK: true}, errors.New("x")
		}
	}))
	if known, done, res := broken.Verify(context.Background(), env, call); known || done || res.OK {
		t.Fatalf("got %v %v %+v", known, done, res)
	}
}

func TestAConfirmingCapabilityWithoutAPreviewHasFailed(t *testing.T) {
	d := &slideDeck{version: "v1"}
	for name, res := range map[string]agent.Result{
		"ok":                         {OK: true},
		"an output":                  {OK: true, Output: json.RawMessage(`"done"`)},
		"an output like an approval": {OK: true, Output: json.RawMessage(`{"decision":"accepted","receiptId":"rcpt_1"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			reg := registry(with(d.edit(), func(c *agent.Capability) {
				c.Handler = func(context.Context, *agent.Call) (agent.Result, error) { return res, nil }
			}))
			refusedWith(t, reg.Dispatch(context.Background(), envOf("slide.edit"), callOf("slide.edit", `{"slide":1}`)), agent.CodePreviewMissing)
		})
	}
}

func TestAnOutputBesideAPreviewIsDropped(t *testing.T) {
	d := &slideDeck{}
	reg := registry(with(d.edit(), func(c *agent.Capability) {
		c.Handler = func(context.Context, *agent.Call) (agent.Result, error) {
			return agent.Result{OK: true, Output: json.RawMessage(`"it is applied already"`), Preview: &agent.Preview{Summary: "s"}}, nil
		}
	}))
	if o := reg.Dispatch(context.Background(), envOf("slide.edit"), callOf("slide.edit", `{"slide":1}`)); o.Result.Output != nil || o.Result.Preview == nil {
		t.Fatalf("got %+v", o.Result)
	}
}

func TestFailedResourcesStopThePreview(t *testing.T) {
	d := &slideDeck{}
	reg := registry(with(d.edit(), func(c *agent.Capability) {
		c.Resources = func(context.Context, *agent.Call) ([]agent.Resource, error) { return nil, agent.NotFound("slide") }
	}))
	refusedWith(t, reg.Dispatch(context.Background(), envOf("slide.edit"), callOf("slide.edit", `{"slide":1}`)), agent.CodeNotFound)
	if d.version != "" {
		t.Fatal("the preview was made")
	}
}

func TestWhatIsGoneOrHasNothingToDoIsSaid(t *testing.T) {
	d := &slideDeck{version: "v1"}
	_, env, call, receipt := proposed(t, d)
	if res := registry().Apply(context.Background(), env, call, receipt); res.OK || res.Error.Code != agent.CodeNotExecuted {
		t.Fatalf("got %+v", res)
	}
	reg := registry(with(simple("slide.edit"), func(c *agent.Capability) { c.Input = d.edit().Input }))
	if res := reg.Apply(context.Background(), env, call, receipt); res.OK || res.Error.Code != agent.CodeNotExecuted {
		t.Fatalf("got %+v", res)
	}
	if res := reg.Discard(context.Background(), env, call, receipt); !res.OK {
		t.Fatalf("got %+v", res)
	}
}
