package providertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// TB is what a case needs of *testing.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
}

// Harness puts a model under test before an upstream that follows scripts.
type Harness interface {
	// Play starts an upstream that answers request n with script n, and every
	// further one with the last script, and gives a model that talks to it. The
	// model's clock shows Now; Limits that are zero keep the adapter's defaults.
	Play(tb TB, limits Limits, scripts ...Script) (agent.Model, Upstream)
	// Provider is the provider id of the model under test.
	Provider() string
	// NotApplicable names cases that mean nothing here, each with its reason.
	NotApplicable() map[string]string
}

// Limits are the time limits of a model under test.
type Limits struct{ Idle, Total time.Duration }

// Upstream is what the suite sees of the other side.
type Upstream interface {
	// Requests gives what arrived so far, in order.
	Requests() []Seen
	// Gone is closed once the client has hung up on a stream before its end.
	Gone() <-chan struct{}
	// Written counts the bytes that the client let the upstream send.
	Written() int64
}

// Seen is a request as the upstream read it.
type Seen struct {
	Body   []byte   // as it came
	Key    string   // that was presented
	Tools  []string // names, in order
	System []string // the texts before the conversation, in order
	// Marks names the places that carry a cache breakpoint: "tools", "system 0",
	// "message 2". It is nil on a wire without breakpoints.
	Marks []string
	// Results maps the id of a call to the text that answers it.
	Results map[string]string
}

// Case is one demand on a model. Run may be called with any TB.
type Case struct {
	Name string
	Run  func(tb TB, h Harness)
}

// Cases gives every demand, in a stable order.
func Cases() []Case {
	var all []Case
	for _, group := range [][]Case{textCases, usageCases, callCases, replayCases, requestCases, faultCases, limitCases, cancelCases} {
		all = append(all, group...)
	}
	return all
}

// Run runs every case as a subtest. A case that the harness declares not
// applicable is skipped with its reason; declaring an unknown one fails.
func Run(t *testing.T, h Harness) {
	t.Helper()
	reasons, ran := h.NotApplicable(), 0
	known := map[string]bool{}
	for _, c := range Cases() {
		known[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			if reason, skip := reasons[c.Name]; skip {
				t.Skipf("not applicable: %s", reason)
			}
			ran++
			c.Run(t, h)
		})
	}
	for name := range reasons {
		if !known[name] {
			t.Errorf("the harness declares an unknown case not applicable: %q", name)
		}
	}
	t.Logf("%d cases ran, %d not applicable", ran, len(reasons))
}

// request is the plainest step: one user message.
func request(text string) agent.ModelRequest {
	return agent.ModelRequest{
		Model:     "test-model",
		Key:       agent.NewSecret(canary),
		Purpose:   "step",
		MaxTokens: 1000,
		Messages: []agent.ModelMessage{{
			Role:   agent.RoleUser,
			Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}},
		}},
	}
}

// canary is the key of every request; it must never show up anywhere else.
const canary = "sk-canary-0123456789-abcdefghij-KLMNOP"

func number(n int64) *int64 { return &n }

func show(n *int64) string {
	if n == nil {
		return "not reported"
	}
	return fmt.Sprint(*n)
}
