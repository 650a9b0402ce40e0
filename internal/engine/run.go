package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/policy"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// castAgent is the character that stands for the model itself.
const castAgent = "agent"

// run is one owner's hold on a turn. Everything it decides it decides from rec,
// which mirrors what is stored; so a run that begins after a crash or a decision
// goes on exactly where the last one ended.
type run struct {
	e         *Engine
	l         *live
	principal agent.Principal
	project   agent.Project
	policy    agent.OrgPolicy
	rec       agent.TurnRecord
	path      []agent.TurnRecord // finished turns before this one; read once
	pathRead  bool
	base      *agent.Compaction  // stands for the turns before those of path
	trace     *agent.PromptTrace // of the request that was sent last
	reminders []prompt.Reminder  // as they were when the run's first step asked; see remindersOnce
	env       *capability.Env
	blocks    blocks
	generated generated
	redaction redaction
	partial   *agent.Step // told of an answer that was cut; written with the turn's end
	lastUsed  string      // capability used last, for suggestions
	giveUp    bool        // it was lost too often; it only ends
	adopted   bool        // it took up what a dead process left
	// verify holds the calls whose effect may have happened before a crash.
	verify map[agent.CallID]bool
	// kept holds the calls whose effect was committed before a crash, without a result.
	kept   map[agent.CallID]bool
	ctx    context.Context // ends with stop, deadline, shutdown or takeover
	cancel context.CancelFunc
}

var errTurnTime = errors.New("the turn took too long")

// admit registers a turn as running here. release takes it out again.
func (e *Engine) admit(p agent.Principal, t agent.Turn) (l *live, release func(), err error) {
	who := p.OrgID + "/" + p.UserID
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.shed(len(e.live)); err != nil {
		return nil, nil, err
	}
	if e.busy[who] >= e.Limits.TurnsPerUser {
		return nil, nil, &agent.Error{Code: agent.CodeRateLimited, RetryAfter: 2 * time.Second,
			Message: fmt.Sprintf("%d turns of yours are running already.", e.busy[who]),
			Hint:    "Wait for one to finish, or stop one."}
	}
	l, release = e.hold(p, t)
	return l, release, nil
}

// hold is admit without the limit; mu is held.
func (e *Engine) hold(p agent.Principal, t agent.Turn) (*live, func()) {
	who := p.OrgID + "/" + p.UserID
	l := newLive(agent.WithPrincipal(e.ctx, p), e, t)
	e.live[t.ID] = l
	e.busy[who]++
	select {
	case e.load.begun <- struct{}{}:
	default:
	}
	return l, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.live[t.ID] == l {
			delete(e.live, t.ID)
		}
		if l.turn.State.Terminal() {
			delete(e.adopted, t.ID)
		}
		if e.busy[who]--; e.busy[who] == 0 {
			delete(e.busy, who)
		}
		l.cancel(nil)
		close(l.done)
	}
}

// launch starts the run of a turn in a goroutine of its own.
func (e *Engine) launch(l *live, release func(), r *run) {
	r.e, r.l = e, l
	e.work.Go(func() {
		var failed error
		defer func() { e.suspect(failed) }() // once it is not live any more
		// Whoever waits for more of this turn must look again once it is not live.
		defer e.hub.wake(l.turn.ThreadID)
		defer release()
		defer r.guard(&failed)
		r.prepare()
		defer r.cancel()
		if failed = r.drive(); failed != nil && !errors.Is(failed, errShutdown) {
			e.Log.Error("a run ended without its turn's end", "turn", l.turn.ID, "error", failed)
			failed = lostRun(failed)
		}
	})
}

// lostRun marks whatever ended a run before its turn as a reason to look for it.
func lostRun(err error) error {
	return agent.Wrap(agent.CodeInternal, err, "The run ended before its turn.")
}

// guard ends the turn honestly when our own code panics.
func (r *run) guard(failed *error) {
	p := recover()
	if p == nil {
		return
	}
	r.e.Log.Error("a run panicked", "turn", r.l.turn.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if err := r.failWith(agent.Milestone{}, agent.Errorf(agent.CodeInternal, "panic")); err != nil {
		r.e.Log.Error("a panicked turn could not be ended", "turn", r.l.turn.ID, "error", err)
		*failed = lostRun(err)
	}
}

// prepare works out what a run needs and the store does not keep.
func (r *run) prepare() {
	r.ctx, r.cancel = context.WithTimeoutCause(r.l.recording(r.l.ctx), r.e.Limits.TurnTime, errTurnTime)
	calls, retrieval := 0, 0
	for _, c := range r.rec.Calls {
		if c.State == agent.CallPending || (c.Result != nil && c.Result.Error != nil && c.Result.Error.Code == agent.CodeRateLimited) {
			continue // not let through yet, or never
		}
		calls++
		if cp, ok := r.e.Registry.Get(c.Capability); ok && cp.Retrieval {
			retrieval++
		}
	}
	offered := make(map[string]bool, len(r.rec.Turn.Capabilities))
	for _, name := range r.rec.Turn.Capabilities {
		offered[name] = true
	}
	r.env = &capability.Env{
		Offered:  offered,
		Allow:    func(c agent.Capability) *agent.ResultError { return policy.Allowed(c, r.principal, r.policy) },
		Counter:  capability.NewCounter(capability.Limits{Calls: r.e.Limits.Calls}, calls, retrieval),
		Timeout:  r.e.Limits.CallTime,
		Deadline: r.e.Now().Add(r.e.Limits.TurnTime),
	}
	r.blocks = blocksOf(r.rec.Steps)
}

// drive takes the turn as far as it goes: to its end, or to a preview that waits.
func (r *run) drive() error {
	if r.giveUp {
		return r.failWith(agent.Milestone{}, agent.Errorf(agent.CodeInternal, "the turn was lost %d times", reclaimTries))
	}
	for {
		if err := r.applyEffects(); err != nil {
			return err
		}
		if cause := context.Cause(r.ctx); cause != nil {
			return r.interrupt(cause)
		}
		if r.rec.Turn.By == byHand {
			return r.driveHand()
		}
		r.reopen()
		var done bool
		var err error
		switch {
		case r.hasPending():
			done, err = r.runCalls()
		case r.hasOpen():
			done, err = r.decideOrPark()
		case r.finished():
			done, err = true, r.complete(agent.Milestone{})
		default:
			done, err = r.step()
		}
		if err != nil || done {
			return err
		}
	}
}

// interrupted reports whether nothing more may start in this run.
func (r *run) interrupted() bool { return r.ctx.Err() != nil }

func (r *run) hasPending() bool {
	for _, c := range r.rec.Calls {
		if c.State == agent.CallPending || c.State == agent.CallRunning {
			return true
		}
	}
	return false
}

func (r *run) hasOpen() bool {
	for _, c := range r.rec.Calls {
		if c.State == agent.CallOpen {
			return true
		}
	}
	return false
}

// finished reports whether the last answer asked for nothing more.
func (r *run) finished() bool {
	n := len(r.rec.Steps)
	return n > 0 && len(r.callsOf(r.rec.Steps[n-1].Index)) == 0
}

func (r *run) callsOf(step int) []*agent.CallRecord {
	var out []*agent.CallRecord
	for i := range r.rec.Calls {
		if r.rec.Calls[i].Step == step {
			out = append(out, &r.rec.Calls[i])
		}
	}
	return out
}

func (r *run) record(id agent.CallID) *agent.CallRecord {
	for i := range r.rec.Calls {
		if r.rec.Calls[i].ID == id {
			return &r.rec.Calls[i]
		}
	}
	return nil
}
