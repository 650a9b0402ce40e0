package engine

import (
	"context"
	"sync"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// readsAtOnce is how many reads of one answer run side by side.
const readsAtOnce = 8

// plan mints a record for every call of an answer and refuses at once what the
// gates refuse; refused ones are done and never dispatched.
func (r *run) plan(step agent.Step) (calls []agent.CallRecord, refused []agent.CallRecord) {
	for _, b := range step.Blocks {
		if b.Kind != agent.BlockCall {
			continue
		}
		c := agent.CallRecord{
			ID: agent.CallID(r.e.IDs("call")), TurnID: step.TurnID, Step: step.Index, Index: len(calls),
			WireID: b.WireID, Capability: madeUp(b.Name), Input: b.Input, State: agent.CallPending, StartedAt: r.e.at(),
		}
		if cp, ok := r.e.Registry.ByWire(b.Name); ok {
			c.Capability = cp.Name
		}
		out := r.e.Registry.Check(r.ctx, r.env, r.call(c, ""))
		if out.Input != nil {
			c.Input = out.Input
		}
		if !out.Result.OK {
			c.State, c.Result, c.EndedAt = agent.CallDone, &out.Result, c.StartedAt
			refused = append(refused, c)
		}
		calls = append(calls, c)
	}
	return calls, refused
}

// madeUp bounds a name that is no capability's, which a model may make as long as an
// answer: it is told and kept with the call. The ellipsis is in no capability's name.
func madeUp(name string) string {
	if len(name) <= capability.MaxName {
		return name
	}
	end := capability.MaxName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// runCalls dispatches what is pending: reads side by side, then the others one
// after the other in the order of the answer. It ends the run when the last one
// leaves a preview to decide on.
func (r *run) runCalls() (parked bool, err error) {
	failpoint.Hit("call.validated")
	var reads, others []agent.CallRecord
	for _, c := range r.rec.Calls {
		if c.State != agent.CallPending && c.State != agent.CallRunning {
			continue
		}
		if cp, ok := r.e.Registry.Get(c.Capability); ok && cp.Kind == agent.KindRead && !cp.RequiresConfirmation {
			reads = append(reads, c)
		} else {
			others = append(others, c)
		}
	}
	if err := r.runReads(reads); err != nil {
		return false, err
	}
	for i, c := range others {
		if r.interrupted() {
			return false, nil // drive sees why
		}
		if parked, err = r.runCall(c, i == len(others)-1); err != nil {
			return false, err
		}
	}
	return parked, nil
}

func (r *run) runReads(reads []agent.CallRecord) error {
	slots := make(chan struct{}, readsAtOnce)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	for _, c := range reads {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if r.interrupted() {
				return
			}
			failpoint.Soon("handler.running")
			out := r.e.Registry.Dispatch(r.ctx, r.env, r.call(c, ""))
			if r.interrupted() {
				return // the turn's end gives every call without a result one
			}
			mu.Lock()
			defer mu.Unlock()
			if err := r.finishCall(c, out.Result, agent.Milestone{}); err != nil && first == nil {
				first = err
			}
		})
	}
	wg.Wait()
	return first
}

// runCall dispatches a call that is not a plain read.
func (r *run) runCall(c agent.CallRecord, last bool) (parked bool, err error) {
	cp, known := r.e.Registry.Get(c.Capability)
	r.lastUsed = c.Capability
	r.l.tell(agent.Cast{Character: c.Capability, Active: true, Caption: titleOf(cp, known, c)})
	if !cp.RequiresConfirmation && cp.Kind == agent.KindMutate {
		return false, r.runEffect(c, cp)
	}
	failpoint.Soon("handler.running")
	out := r.e.Registry.Dispatch(r.ctx, r.env, r.call(c, ""))
	failpoint.Hit("handler.done")
	if r.interrupted() && !out.Result.OK {
		return false, nil
	}
	if out.Result.OK && out.Result.Preview != nil {
		return r.propose(c, out, last)
	}
	return false, r.finishCall(c, out.Result, agent.Milestone{}, quiet(c.Capability))
}

// runEffect runs a mutate without confirmation under the ledger: claimed before,
// settled with the result. After a crash in between Verify is asked first.
func (r *run) runEffect(c agent.CallRecord, cp agent.Capability) error {
	key := agent.LedgerKey(c.TurnID, c.ID, agent.PhaseHandler)
	call := r.call(c, key)
	entry := agent.LedgerEntry{TurnID: c.TurnID, CallID: c.ID, Phase: agent.PhaseHandler, State: agent.LedgerClaimed,
		Run: r.l.turn.Run, ClaimedAt: r.e.at()}
	switch {
	case r.kept[c.ID]:
		return r.settle(c, entry, r.committedResult(call))
	case r.verify[c.ID]:
		if result, settled := r.verified(call); settled {
			return r.settle(c, entry, result)
		}
	default:
		out := r.e.Registry.Check(r.ctx, r.env, call)
		if !out.Result.OK {
			return r.finishCall(c, out.Result, agent.Milestone{}, quiet(c.Capability))
		}
		entry.InputDigest = out.Digest
		c.State = agent.CallRunning
		if err := r.l.milestone(agent.Milestone{Calls: []agent.CallRecord{c}, Claims: []agent.LedgerEntry{entry}}); err != nil {
			return err
		}
		*r.record(c.ID) = c
	}
	failpoint.Hit("effect.claimed")
	cm, ctx := r.commits(r.ctx, call, entry)
	out := r.e.Registry.Dispatch(ctx, r.env, call)
	failpoint.Hit("effect.done")
	return r.settle(c, entry, r.outcome(cm, call, out.Result))
}

// resolve asks Verify where a run left open whether its effect happened.
func (r *run) resolve(call *agent.Call, result agent.Result) agent.Result {
	if result.OK || result.Error == nil {
		return result
	}
	switch result.Error.Code {
	case agent.CodeOutcomeUnknown, agent.CodeTimeout, agent.CodeInterrupted, agent.CodeToolError:
	default:
		return result // the capability itself said no
	}
	known, done, found := r.e.Registry.Verify(context.WithoutCancel(r.ctx), r.env, call)
	switch {
	case known && done:
		return found
	case known:
		return result
	case result.Error.Code == agent.CodeToolError:
		return result
	default:
		return agent.Result{Error: &agent.ResultError{Code: agent.CodeOutcomeUnknown,
			Message: "Whether this took effect is not known. Do not call it again; ask the person to check."}}
	}
}

// verified asks, after a crash, what became of a claimed effect. settled is false
// when it certainly did not happen, so that it may run now.
func (r *run) verified(call *agent.Call) (result agent.Result, settled bool) {
	if cp, ok := r.e.Registry.Get(call.Capability); ok && cp.Commits {
		return agent.Result{}, false // its transaction would have settled the row
	}
	known, done, result := r.e.Registry.Verify(context.WithoutCancel(r.ctx), r.env, call)
	switch {
	case known && done:
		return result, true
	case known:
		return agent.Result{}, false
	default:
		return agent.Result{Error: &agent.ResultError{Code: agent.CodeOutcomeUnknown,
			Message: "The server stopped while this ran; whether it took effect is not known. Do not call it again; ask the person to check."}}, true
	}
}

func (r *run) settle(c agent.CallRecord, entry agent.LedgerEntry, result agent.Result) error {
	entry.State, entry.Result, entry.SettledAt = agent.LedgerSettled, &result, r.e.at()
	if result.Error != nil && result.Error.Code == agent.CodeOutcomeUnknown {
		entry.State = agent.LedgerUnknown
	}
	return r.finishCall(c, result, agent.Milestone{Settles: []agent.LedgerEntry{entry}}, quiet(c.Capability))
}

// finishCall writes a call's result and tells it, and whatever else goes with it.
func (r *run) finishCall(c agent.CallRecord, result agent.Result, m agent.Milestone, more ...agent.Payload) error {
	c.State, c.Result, c.EndedAt = agent.CallDone, &result, r.e.at()
	c.Usage = r.generated.of(c.ID)
	r.lastUsed = c.Capability
	*r.record(c.ID) = c
	row := r.row()
	m.Calls, m.Transcript = []agent.CallRecord{c}, &row
	payloads := append(r.usages(c.ID), doneEvent(c, agent.PhaseHandler, ""))
	if back, ok := r.goBack(c, result); ok {
		r.rec.Calls = append(r.rec.Calls, back)
		m.Calls = append(m.Calls, back)
		payloads = append(payloads, r.startedEvent(back))
	}
	err := r.l.milestone(m, append(payloads, more...)...)
	failpoint.Hit("result.written")
	return err
}

func titleOf(cp agent.Capability, known bool, c agent.CallRecord) string {
	if known && cp.Title != "" {
		return cp.Title
	}
	return c.Capability
}

func (r *run) startedEvent(c agent.CallRecord) agent.Payload {
	cp, known := r.e.Registry.Get(c.Capability)
	return agent.CapabilityStarted{CallID: c.ID, Parent: c.Parent, Name: c.Capability, Title: titleOf(cp, known, c), Kind: cp.Kind, Input: shown(c.Input)}
}

func doneEvent(c agent.CallRecord, phase agent.Phase, state agent.EffectState) agent.CapabilityDone {
	d := agent.CapabilityDone{CallID: c.ID, Phase: phase, State: state, DurationMS: max(0, c.EndedAt-c.StartedAt)}
	if c.Result != nil {
		d.OK, d.Output, d.Error, d.Display = c.Result.OK, c.Result.Output, c.Result.Error, c.Result.Display
	}
	return d
}
