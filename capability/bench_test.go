package capability_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

type editInput struct {
	Slide       int      `json:"slide" jsonschema:"the slide's number, from 1"`
	Instruction string   `json:"instruction" jsonschema:"what to change, in words"`
	Tags        []string `json:"tags,omitempty"`
	Options     *struct {
		Theme  string `json:"theme,omitempty"`
		Strict bool   `json:"strict,omitempty"`
	} `json:"options,omitempty"`
}

var editArguments = json.RawMessage(`{"slide": 4, "instruction": "Make the heading \"bolder\" and align it left.", "tags": ["heading", "style"], "options": {"theme": "chroma", "strict": true}}`)

// BenchmarkDispatchGates takes a call of usual size through all gates; the
// handler is empty. The budget is 30 µs and 60 allocations.
func BenchmarkDispatchGates(b *testing.B) {
	reg, env, call := dispatchBench()
	b.ReportAllocs()
	for b.Loop() {
		if o := reg.Dispatch(context.Background(), env, call); !o.Result.OK {
			b.Fatal(o.Result.Error)
		}
	}
}

// BenchmarkCheckGates is gates 1 to 5 alone.
func BenchmarkCheckGates(b *testing.B) {
	reg, env, call := dispatchBench()
	b.ReportAllocs()
	for b.Loop() {
		if o := reg.Check(context.Background(), env, call); !o.Result.OK {
			b.Fatal(o.Result.Error)
		}
	}
}

func TestDispatchStaysWithinItsAllocations(t *testing.T) {
	reg, env, call := dispatchBench()
	allocs := testing.AllocsPerRun(200, func() {
		if o := reg.Dispatch(context.Background(), env, call); !o.Result.OK {
			t.Fatal(o.Result.Error)
		}
	})
	if allocs > 60 {
		t.Fatalf("a dispatch allocates %.0f times, and 60 is the budget", allocs)
	}
}

func dispatchBench() (*capability.Registry, *capability.Env, *agent.Call) {
	reg := capability.NewRegistry()
	c := capability.Func(capability.Spec{Name: "slide.edit", Title: "Edit", Description: "Edits.", Kind: agent.KindRead, Tier: agent.TierUser},
		func(context.Context, *agent.Call, editInput) (struct{}, error) { return struct{}{}, nil })
	c.Handler = func(context.Context, *agent.Call) (agent.Result, error) { return agent.Result{OK: true}, nil }
	reg.Add(c)
	env := &capability.Env{
		Offered: map[string]bool{"slide.edit": true},
		Allow:   func(agent.Capability) *agent.ResultError { return nil },
		Counter: capability.NewCounter(capability.Limits{Calls: 1 << 40}, 0, 0),
		Timeout: time.Minute,
	}
	return reg, env, &agent.Call{Capability: "slide.edit", Input: editArguments, Principal: agent.Principal{Tier: agent.TierUser}}
}
