package capability_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

func TestTheSchemaOfATypeIsWhatAModelNeeds(t *testing.T) {
	type inner struct {
		N int `json:"n"`
	}
	type input struct {
		Slide  int               `json:"slide" jsonschema:"the number"`
		Words  string            `json:"words,omitempty"`
		Tags   []string          `json:"tags,omitempty"`
		Inner  *inner            `json:"inner,omitempty"`
		Labels map[string]string `json:"labels,omitempty"`
		hidden string
	}
	c := capability.Func(capability.Spec{Name: "a.b", Description: "\n Words. \n"}, func(context.Context, *agent.Call, input) (int, error) { _ = input{}.hidden; return 1, nil })
	const want = `{"type":"object","required":["slide"],"properties":{"slide":{"type":"integer","description":"the number"},"words":{"type":"string"},` +
		`"tags":{"type":"array","items":{"type":"string"}},"inner":{"type":["null","object"],"required":["n"],"properties":{"n":{"type":"integer"}},"additionalProperties":false},` +
		`"labels":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false}`
	got, _, err := capability.Canonical(c.Input)
	if err != nil {
		t.Fatal(err)
	}
	canonical, _, err := capability.Canonical(json.RawMessage(want))
	if err != nil || string(got) != string(canonical) {
		t.Errorf("got\n%s\nwant\n%s", got, canonical)
	}
	if c.Description != "Words." {
		t.Errorf("the description is %q", c.Description)
	}
}

func TestTypesThatNoSchemaDescribesPanicWithASentence(t *testing.T) {
	for says, declare := range map[string]func(){
		"must be a struct": func() {
			capability.Func(capability.Spec{Name: "a.b"}, func(context.Context, *agent.Call, []int) (int, error) { return 0, nil })
		},
		"no schema describes": func() {
			capability.Func(capability.Spec{Name: "a.b"}, func(context.Context, *agent.Call, struct{ C chan int }) (int, error) { return 0, nil })
		},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, says) || !strings.Contains(said, "a.b") {
					t.Errorf("said %q, want %q", said, says)
				}
			}()
			declare()
		}()
	}
}

func TestAResultPassesThrough(t *testing.T) {
	display := &agent.Display{Mount: "slide", Layout: "inline"}
	c := capability.Func(capability.Spec{Name: "a.b", Kind: agent.KindRead, Tier: agent.TierUser},
		func(context.Context, *agent.Call, struct{}) (agent.Result, error) {
			return agent.Result{OK: true, Output: json.RawMessage(`1`), Display: display}, nil
		})
	if o := registry(c).Dispatch(context.Background(), envOf("a.b"), callOf("a.b", ``)); string(o.Result.Output) != `1` || o.Result.Display == nil {
		t.Fatalf("got %+v", o.Result)
	}
}

func TestAnOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	c := capability.Func(capability.Spec{Name: "a.b", Kind: agent.KindRead, Tier: agent.TierUser},
		func(context.Context, *agent.Call, struct{}) (any, error) { return func() {}, nil })
	refusedWith(t, registry(c).Dispatch(context.Background(), envOf("a.b"), callOf("a.b", ``)), agent.CodeToolError)
}

func TestWhatPassesTheSchemaButNotTheTypeIsToldToTheModel(t *testing.T) {
	type input struct {
		Outer struct {
			N int64 `json:"n"`
		} `json:"outer"`
	}
	c := capability.Func(capability.Spec{Name: "a.b", Kind: agent.KindRead, Tier: agent.TierUser},
		func(context.Context, *agent.Call, input) (int, error) { return 0, nil })
	o := registry(c).Dispatch(context.Background(), envOf("a.b"), callOf("a.b", `{"outer":{"n":9223372036854775808}}`))
	refusedWith(t, o, agent.CodeInvalidInput)
	if o.Result.Error.Pointer != "/outer/n" || !strings.Contains(o.Result.Error.Message, "/outer/n") {
		t.Errorf("got %+v", o.Result.Error)
	}
}
