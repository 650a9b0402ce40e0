package providertest

import (
	"context"
	"errors"
	"runtime"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// hangUp is how fast the upstream must be hung up on after a cancel.
const hangUp = 250 * time.Millisecond

// patience is how long the suite waits for what must happen but has no deadline.
// The proofs of the suite itself shorten it.
var patience = 30 * time.Second

func await[T any](tb TB, ch <-chan T, complaint string) {
	tb.Helper()
	select {
	case <-ch:
	case <-time.After(patience):
		tb.Fatalf("%s within %s", complaint, patience)
	}
}

// left requires that the upstream was hung up on, where a request reached it
// before a short limit was over.
func left(tb TB, up Upstream) {
	tb.Helper()
	if len(up.Requests()) > 0 {
		await(tb, up.Gone(), "the upstream was not hung up on")
	}
}

// within requires that a call comes back. It cannot stop one that does not.
func within(tb TB, call func()) {
	tb.Helper()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		call()
	}()
	select {
	case p := <-done:
		if p != nil {
			tb.Fatalf("the call panicked: %v", p)
		}
	case <-time.After(patience):
		tb.Fatalf("the call did not come back within %s", patience)
	}
}

// collect is Collect for a model that may never come back.
func collect(ctx context.Context, tb TB, m agent.Model, req agent.ModelRequest) Outcome {
	tb.Helper()
	var o Outcome
	within(tb, func() { o = Collect(ctx, m, req) })
	return o
}

// settle waits until no more goroutines run than at first.
func settle(tb TB, before int) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for runtime.NumGoroutine() > before {
		select {
		case <-tick.C:
		case <-deadline:
			stacks := make([]byte, 1<<20)
			tb.Fatalf("%d goroutines are left over:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// hungUp ends a call in the middle and checks that the upstream hears of it.
func hungUp(tb TB, h Harness, end func(cancel context.CancelFunc) (stop bool)) error {
	tb.Helper()
	m, up := h.Play(tb, Limits{}, Script{Steps: []Step{Text("a"), Do(StepSilence)}})
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	var ended time.Time
	var failed error
	within(tb, func() {
		for d, err := range m.Stream(ctx, request("hello")) {
			if err != nil {
				failed = err
				continue
			}
			if d.Kind == agent.DeltaText {
				ended = time.Now()
				if end(cancel) {
					break
				}
			}
		}
	})
	await(tb, up.Gone(), "the upstream was not hung up on")
	if took := time.Since(ended); took > hangUp {
		tb.Errorf("hanging up took %s, want at most %s", took, hangUp)
	}
	settle(tb, before)
	return failed
}

var cancelCases = []Case{
	{"cancelling hangs up at once, leaks nothing and gives the context's error", func(tb TB, h Harness) {
		err := hungUp(tb, h, func(cancel context.CancelFunc) bool { cancel(); return false })
		if !errors.Is(err, context.Canceled) {
			tb.Errorf("the error is %v, want one that wraps context.Canceled", err)
		}
	}},
	{"stopping the range hangs up at once and leaks nothing", func(tb TB, h Harness) {
		if err := hungUp(tb, h, func(context.CancelFunc) bool { return true }); err != nil {
			tb.Errorf("an error was yielded: %v", err)
		}
	}},
	{"a context that is over before the call gives its error", func(tb TB, h Harness) {
		m, _ := h.Play(tb, Limits{}, Script{Steps: []Step{Text("a")}})
		ctx, cancel := context.WithCancel(tb.Context())
		cancel()
		if o := ended(tb, collect(ctx, tb, m, request("hello"))); !errors.Is(o.Err, context.Canceled) {
			tb.Errorf("the error is %v, want one that wraps context.Canceled", o.Err)
		}
	}},
	{"the caller's deadline is the caller's, not the provider's", func(tb TB, h Harness) {
		m, up := h.Play(tb, Limits{}, Script{Steps: []Step{Text("a"), Do(StepSilence)}})
		ctx, cancel := context.WithTimeout(tb.Context(), brief)
		defer cancel()
		if o := ended(tb, collect(ctx, tb, m, request("hello"))); !errors.Is(o.Err, context.DeadlineExceeded) {
			tb.Errorf("the error is %v, want one that wraps context.DeadlineExceeded", o.Err)
		}
		left(tb, up)
	}},
	{"a model can be ranged over again", func(tb TB, h Harness) {
		m, _ := h.Play(tb, Limits{}, Script{Steps: []Step{Text("a")}})
		stream := m.Stream(tb.Context(), request("hello"))
		for range 2 {
			text := ""
			within(tb, func() {
				for d := range stream {
					text += d.Text
				}
			})
			if text != "a" {
				tb.Errorf("the text is %q, want a", text)
			}
		}
	}},
}
