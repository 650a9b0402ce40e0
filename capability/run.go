package capability

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// DefaultTimeout bounds a run where neither the capability nor the turn says.
const DefaultTimeout = 60 * time.Second

// prepare gives the call as a function sees it: the canonical arguments, and
// nothing nil that a function may use without asking.
func prepare(call *agent.Call, input []byte) *agent.Call {
	run := *call
	run.Input = input
	if run.Log == nil {
		run.Log = slog.New(slog.DiscardHandler)
	}
	if run.Now == nil {
		run.Now = time.Now
	}
	if run.Progress == nil {
		run.Progress = func(agent.CapabilityProgress) {}
	}
	if run.Generate == nil {
		run.Generate = func(context.Context, agent.GenerateRequest) (string, error) {
			return "", agent.Errorf(agent.CodeUnavailable, "No model can be asked here.")
		}
	}
	if run.Commit == nil {
		run.Commit = func(func(*sql.Tx) error) error {
			return agent.Errorf(agent.CodeUnavailable, "This run changes nothing that lasts, so it has nothing to commit.")
		}
	}
	if run.Transcript == nil {
		run.Transcript = func(context.Context) ([]agent.TranscriptRow, error) { return nil, nil }
	}
	return &run
}

func now(call *agent.Call) time.Time {
	if call.Now == nil {
		return time.Now()
	}
	return call.Now()
}

// limit gives how long a run may take: the capability's timeout or the turn's,
// and never past the turn's deadline. An effect that was accepted is not cut by
// the deadline of the turn that proposed it.
func (env *Env) limit(e *entry, call *agent.Call, phase agent.Phase) time.Duration {
	limit := e.Timeout
	if limit <= 0 {
		limit = env.Timeout
	}
	if limit <= 0 {
		limit = DefaultTimeout
	}
	if phase == agent.PhaseHandler && !env.Deadline.IsZero() {
		limit = min(limit, env.Deadline.Sub(now(call)))
	}
	return limit
}

// grace is how long a function has to return after its context ended.
const grace = 250 * time.Millisecond

var errPanic = errors.New("a capability panicked")

// guard runs a function of a capability in a goroutine of its own, with a
// deadline and a panic guard. A function that does not heed its context is left
// behind soon after the deadline: what it gives later is dropped, and where it
// may have changed something the outcome is unknown.
func guard[T any](ctx context.Context, env *Env, e *entry, call *agent.Call, phase agent.Phase,
	f func(context.Context) (T, error)) (T, *agent.ResultError) {
	ctx, cancel := context.WithTimeout(ctx, env.limit(e, call, phase))
	defer cancel()
	type answer struct {
		val T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				call.Log.Error("capability panicked", "capability", e.Name, "phase", phase,
					"call", call.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				a.err = errPanic
			}
			done <- a
		}()
		a.err = errPanic // what Goexit leaves behind
		a.val, a.err = f(ctx)
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		select {
		case a = <-done:
		case <-time.After(grace):
			return a.val, e.abandoned(ctx.Err(), call, phase)
		}
	}
	if a.err != nil {
		var none T
		return none, e.failure(a.err, call, phase)
	}
	return a.val, nil
}

// abandoned is the result of a function that ran on after its deadline.
func (e *entry) abandoned(err error, call *agent.Call, phase agent.Phase) *agent.ResultError {
	call.Log.Error("capability did not stop in time", "capability", e.Name, "phase", phase, "call", call.ID)
	if phase == agent.PhaseHandler && (e.Kind != agent.KindMutate || e.RequiresConfirmation) {
		return e.failure(err, call, phase)
	}
	return refusal(agent.CodeOutcomeUnknown,
		"%s did not answer in time. Whether it took effect is not known; do not call it again, tell the user.", e.Name)
}

// failure is what the model reads of an error. An *agent.Error was written for
// it; the text of any other stays in the log.
func (e *entry) failure(err error, call *agent.Call, phase agent.Phase) *agent.ResultError {
	var ours *agent.Error
	switch {
	case errors.As(err, &ours) && ours.Code != agent.CodeInternal:
		return told(ours)
	case errors.Is(err, context.DeadlineExceeded):
		return refusal(agent.CodeTimeout, "%s took too long and was stopped.", e.Name)
	case errors.Is(err, context.Canceled):
		return refusal(agent.CodeInterrupted, "The turn was stopped while %s ran.", e.Name)
	}
	if !errors.Is(err, errPanic) { // a panic was logged with its stack
		call.Log.Error("capability failed", "capability", e.Name, "phase", phase, "call", call.ID, "err", err)
	}
	return refusal(agent.CodeToolError, "%s failed on our side. Trying the same again may not help; tell the user.", e.Name)
}
