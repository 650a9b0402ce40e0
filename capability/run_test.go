package capability_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// running makes a registry of one capability with a handler.
func running(kind agent.Kind, handler func(ctx context.Context) error, change ...func(*agent.Capability)) *capability.Registry {
	c := simple("a.b")
	c.Kind = kind
	c.Handler = func(ctx context.Context, _ *agent.Call) (agent.Result, error) {
		return agent.Result{OK: true}, handler(ctx)
	}
	for _, f := range change {
		f(&c)
	}
	return registry(c)
}

func heeding(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("fetch: %w", ctx.Err()) }

func TestAHandlerIsStoppedAtItsDeadline(t *testing.T) {
	for name, tt := range map[string]struct {
		own, turns, left time.Duration
		want             time.Duration
	}{
		"its own":                         {own: time.Second, turns: time.Minute, want: time.Second},
		"the turn's default":              {turns: 2 * time.Second, want: 2 * time.Second},
		"the default of all":              {want: capability.DefaultTimeout},
		"what is left of the turn":        {own: time.Minute, left: 3 * time.Second, want: 3 * time.Second},
		"its own, with more left of turn": {own: time.Second, left: time.Hour, want: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reg := running(agent.KindRead, heeding, func(c *agent.Capability) { c.Timeout = tt.own })
				env, start := envOf("a.b"), time.Now()
				env.Timeout = tt.turns
				if tt.left > 0 {
					env.Deadline = start.Add(tt.left)
				}
				refusedWith(t, reg.Dispatch(t.Context(), env, callOf("a.b", ``)), agent.CodeTimeout)
				if took := time.Since(start); took != tt.want {
					t.Errorf("it was stopped after %v, want %v", took, tt.want)
				}
			})
		})
	}
}

func TestACancelStopsARunningHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		refusedWith(t, running(agent.KindRead, heeding).Dispatch(ctx, envOf("a.b"), callOf("a.b", ``)), agent.CodeInterrupted)
		if took := time.Since(start); took != time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestAHandlerThatDoesNotStopIsLeftBehind(t *testing.T) {
	for name, tt := range map[string]struct {
		kind agent.Kind
		want agent.Code
	}{
		"a read is a timeout":              {agent.KindRead, agent.CodeTimeout},
		"a change leaves an open question": {agent.KindMutate, agent.CodeOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hold := make(chan struct{})
				reg := running(tt.kind, func(context.Context) error { <-hold; return nil }, func(c *agent.Capability) { c.Timeout = time.Second })
				start := time.Now()
				refusedWith(t, reg.Dispatch(t.Context(), envOf("a.b"), callOf("a.b", ``)), tt.want)
				if took := time.Since(start); took < time.Second || took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
				close(hold) // the late answer goes nowhere, and its goroutine ends
			})
		})
	}
}

func TestAnAnswerAtTheDeadlineStillCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := running(agent.KindMutate, func(ctx context.Context) error { <-ctx.Done(); return nil }, func(c *agent.Capability) { c.Timeout = time.Second })
		if o := reg.Dispatch(t.Context(), envOf("a.b"), callOf("a.b", ``)); !o.Result.OK {
			t.Fatalf("what had happened was dropped: %+v", o.Result.Error)
		}
	})
}

func TestAnAcceptedEffectIsNotCutByTheTurnsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slideDeck{version: "v1"}
		reg, env, call, receipt := proposed(t, d)
		d.version = "v1"
		env.Deadline = time.Now().Add(-time.Hour)
		if res := reg.Apply(t.Context(), env, call, receipt); !res.OK {
			t.Fatalf("got %+v", res.Error)
		}
	})
}

func TestAnApplyThatDoesNotStopLeavesAnOpenQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slideDeck{version: "v1"}
		_, env, call, receipt := proposed(t, d)
		hold := make(chan struct{})
		reg := registry(with(d.edit(), func(c *agent.Capability) {
			c.Apply = func(context.Context, *agent.Call, agent.Receipt) (agent.Result, error) {
				<-hold
				return agent.Result{OK: true}, nil
			}
		}))
		if res := reg.Apply(t.Context(), env, call, receipt); res.OK || res.Error.Code != agent.CodeOutcomeUnknown {
			t.Fatalf("got %+v", res)
		}
		close(hold)
	})
}

func TestAPanicStaysInTheLog(t *testing.T) {
	for name, handler := range map[string]func(context.Context) error{
		"a panic":          func(context.Context) error { panic("password=hunter2") },
		"a nil map":        func(context.Context) error { m := map[bool]map[string]int{}; m[true]["x"] = 1; return nil },
		"a goroutine exit": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			call := callOf("a.b", ``)
			call.Log = slog.New(slog.NewTextHandler(&log, nil))
			o := running(agent.KindRead, handler).Dispatch(context.Background(), envOf("a.b"), call)
			refusedWith(t, o, agent.CodeToolError)
			if strings.Contains(o.Result.Error.Message, "hunter2") {
				t.Errorf("the model reads %q", o.Result.Error.Message)
			}
			if name != "a goroutine exit" && (!strings.Contains(log.String(), "stack=") || !strings.Contains(log.String(), "a.b")) {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}

func TestAHandlerMayUseWhatTheCallLeftOut(t *testing.T) {
	c := simple("a.b")
	c.Handler = func(ctx context.Context, call *agent.Call) (agent.Result, error) {
		call.Log.Info("working", "at", call.Now())
		call.Progress(agent.CapabilityProgress{})
		if rows, err := call.Transcript(ctx); err != nil || len(rows) != 0 {
			return agent.Result{}, err
		}
		_, err := call.Generate(ctx, agent.GenerateRequest{})
		return agent.Result{}, err
	}
	refusedWith(t, registry(c).Dispatch(context.Background(), envOf("a.b"), callOf("a.b", ``)), agent.CodeUnavailable)
}
