package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// Reasons of decisions that lead to another preview.
const (
	reasonMoved  = "moved"
	reasonEdited = "edited"
)

// moved asks whether a resource has another version than the preview was made
// from. A capability that cannot say does not keep the accept from being tried.
func (r *run) moved(cp agent.Capability, receipt agent.Receipt) (bool, error) {
	if failpoint.Planted("receipt_unchecked") {
		return false, nil
	}
	call := r.call(agent.CallRecord{ID: receipt.CallID, TurnID: receipt.TurnID, Capability: receipt.Capability, Input: receipt.Input}, "")
	call.Progress = func(agent.CapabilityProgress) {}
	ctx, cancel := context.WithTimeout(r.ctx, r.e.Limits.CallTime)
	defer cancel()
	now, err := cp.Resources(ctx, call)
	var ours *agent.Error
	switch {
	case errors.As(err, &ours) && ours.Code == agent.CodeNotFound:
		return true, nil // it is gone, which is a move as well
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		r.e.Log.Warn("resources could not be compared before an accept", "capability", cp.Name, "error", err)
		return false, nil
	}
	return !slices.Equal(sorted(now), sorted(receipt.Resources)), nil
}

func sorted(list []agent.Resource) []agent.Resource {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b agent.Resource) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// edit makes the call that a person gave other arguments: checked like any call,
// and proposed anew. The call that it came from is done with that.
func (r *run) edit(c *choice) error {
	from := r.record(c.receipt.CallID)
	if from == nil {
		return agent.NotFound("call")
	}
	child := agent.CallRecord{
		ID: agent.CallID(r.e.IDs("call")), TurnID: from.TurnID, Parent: from.ID, Step: from.Step, Index: len(r.rec.Calls),
		Capability: from.Capability, Input: c.input, State: agent.CallPending, StartedAt: r.e.at(),
	}
	r.l = newLive(r.ctx, r.e, r.rec.Turn)
	r.prepare()
	defer r.cancel()
	out := r.e.Registry.Check(r.ctx, r.env, r.call(child, ""))
	if !out.Result.OK {
		return &agent.Error{Code: out.Result.Error.Code, Message: out.Result.Error.Message, Pointer: "/decisions/input" + out.Result.Error.Pointer}
	}
	child.Input = out.Input
	if _, before, err := capability.Canonical(from.Input); err == nil && before == out.Digest {
		return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions/input", Message: "The edited arguments are the same as before.", Hint: "Accept the preview instead."}
	}
	done := *from
	done.State, done.EndedAt = agent.CallDone, r.e.at()
	done.Result = &agent.Result{OK: true, Output: editedOutput(child)}
	c.reason = reasonEdited
	c.calls = []agent.CallRecord{done, child}
	return nil
}

func editedOutput(child agent.CallRecord) json.RawMessage {
	data, err := json.Marshal(map[string]any{"decision": agent.VerdictEdited, "input": child.Input})
	if err != nil {
		return json.RawMessage(`{"decision":"edited"}`)
	}
	return data
}

// edited runs after an edit was taken: the old preview is cleaned up, the new call
// is told, and drive makes its preview.
func (r *run) edited(ef effect) error {
	for _, c := range ef.calls {
		if have := r.record(c.ID); have != nil {
			*have = c
		} else {
			r.rec.Calls = append(r.rec.Calls, c)
		}
	}
	r.cleanUp(ef)
	entry := ef.entry
	entry.State, entry.Result, entry.SettledAt = agent.LedgerSettled, &agent.Result{OK: true}, r.e.at()
	r.noteLedger(entry)
	row := r.row()
	m := agent.Milestone{Settles: []agent.LedgerEntry{entry}, Transcript: &row}
	for _, c := range r.rec.Calls {
		if c.Parent == ef.receipt.CallID {
			return r.l.milestone(m, r.startedEvent(c))
		}
	}
	return r.l.milestone(m)
}

// stale runs when an Apply found that its resource had moved: nothing happened, the
// claim is taken back, and drive makes the preview again.
func (r *run) stale(ef effect) error {
	ef.receipt.State, ef.receipt.Reason = agent.ReceiptStale, reasonMoved
	r.noteDecision(ef)
	r.rec.Ledger = slices.DeleteFunc(r.rec.Ledger, func(l agent.LedgerEntry) bool {
		return l.CallID == ef.entry.CallID && l.Phase == ef.entry.Phase
	})
	err := r.l.milestone(agent.Milestone{
		Releases: []agent.LedgerEntry{ef.entry},
		Restates: []agent.Restate{{ID: ef.receipt.ID, State: agent.ReceiptStale, Reason: reasonMoved}},
	}, agent.Decided{CallID: ef.receipt.CallID, ReceiptID: ef.receipt.ID, Decision: agent.VerdictStale, By: bySystem, Reason: reasonMoved},
		quiet(ef.receipt.Capability))
	failpoint.Hit("stale.written")
	if err == nil {
		r.cleanUp(ef)
	}
	return err
}

// cleanUp lets a capability tidy up after a preview that will not be applied. What
// it fails to do, the job does later.
func (r *run) cleanUp(ef effect) {
	c := r.record(ef.receipt.CallID)
	if c == nil {
		return
	}
	ctx := context.WithoutCancel(r.ctx)
	call := r.call(*c, agent.LedgerKey(ef.receipt.TurnID, ef.receipt.CallID, agent.PhaseDiscard))
	result := r.e.Registry.Discard(ctx, r.env, call, ef.receipt)
	if !result.OK {
		r.e.Log.Warn("a preview was not cleaned up yet; the job will", "receipt", ef.receipt.ID, "code", result.Error.Code)
		return
	}
	if err := r.e.Store.MarkCleaned(ctx, ef.receipt.ID, r.e.at()); err != nil {
		r.e.Log.Warn("a clean-up was not noted; it will run again", "receipt", ef.receipt.ID, "error", err)
	}
}

// reopen makes calls pending that wait for nobody: their preview went stale, and
// the new one was not made yet.
func (r *run) reopen() {
	for i := range r.rec.Calls {
		c := &r.rec.Calls[i]
		if c.State != agent.CallOpen {
			continue
		}
		open := slices.ContainsFunc(r.rec.Receipts, func(rc agent.Receipt) bool {
			return rc.CallID == c.ID && rc.State == agent.ReceiptOpen
		})
		if !open {
			c.State = agent.CallPending
		}
	}
}

// staleOf gives the newest stale preview of a call, "" when it has none.
func (r *run) staleOf(id agent.CallID) agent.ReceiptID {
	for _, rc := range slices.Backward(r.rec.Receipts) {
		if rc.CallID == id {
			if rc.State == agent.ReceiptStale {
				return rc.ID
			}
			return ""
		}
	}
	return ""
}

// goBack gives the call that takes the place of an edited one of which no preview could
// be made: the change as it was before the edit, previewed anew, so that an edit that
// does not work costs nothing. What fails again without an edit of its own just fails.
func (r *run) goBack(c agent.CallRecord, result agent.Result) (agent.CallRecord, bool) {
	if c.Parent == "" || result.OK || r.rec.Turn.By == byHand {
		return agent.CallRecord{}, false
	}
	edited := slices.ContainsFunc(r.rec.Receipts, func(rc agent.Receipt) bool {
		return rc.CallID == c.Parent && rc.Reason == reasonEdited
	})
	from := r.record(c.Parent)
	if !edited || from == nil {
		return agent.CallRecord{}, false
	}
	return agent.CallRecord{
		ID: agent.CallID(r.e.IDs("call")), TurnID: c.TurnID, Parent: c.ID, Step: c.Step, Index: len(r.rec.Calls),
		Capability: c.Capability, Input: from.Input, State: agent.CallPending, StartedAt: r.e.at(),
	}, true
}
