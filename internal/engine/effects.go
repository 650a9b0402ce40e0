package engine

import (
	"context"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// effect is a taken decision on its way to happen.
type effect struct {
	receipt agent.Receipt
	verdict agent.Verdict
	entry   agent.LedgerEntry // claimed with the decision
	verify  bool              // it may have happened before a crash
	kept    bool              // it was committed before a crash, its result was not written
	reason  string
	calls   []agent.CallRecord // of an edit
}

// applyEffects runs what was decided. An accepted change is not cut short by a
// stop: it was approved, and it happens once, whole.
func (r *run) applyEffects() error {
	for {
		r.l.mu.Lock()
		due := r.l.effects
		r.l.effects = nil
		r.l.mu.Unlock()
		if len(due) == 0 {
			return nil
		}
		for _, ef := range due {
			if err := r.effect(ef); err != nil {
				return err
			}
		}
	}
}

func (r *run) effect(ef effect) error {
	rec := r.record(ef.receipt.CallID)
	if rec == nil {
		return agent.Errorf(agent.CodeInternal, "receipt %s is for no call of its turn", ef.receipt.ID)
	}
	r.noteDecision(ef)
	switch ef.verdict {
	case agent.VerdictEdited:
		return r.edited(ef)
	case agent.VerdictStale:
		r.cleanUp(ef)
		return nil
	}
	c := *rec
	c.StartedAt = r.e.at()
	call := r.call(c, ef.entry.Key())
	ctx := context.WithoutCancel(r.ctx)
	if ef.verdict == agent.VerdictAccepted {
		return r.accepted(ctx, ef, c, call)
	}
	r.cleanUp(ef)
	failpoint.Hit("discard.done")
	said := agent.Result{OK: true, Output: discardedOutput(ef)}
	return r.conclude(ef, c, said, said, agent.PhaseDiscard, agent.EffectDiscarded)
}

func (r *run) accepted(ctx context.Context, ef effect, c agent.CallRecord, call *agent.Call) error {
	cp, known := r.e.Registry.Get(c.Capability)
	r.lastUsed = c.Capability
	r.l.tell(agent.Cast{Character: c.Capability, Active: true, Caption: titleOf(cp, known, c)})
	var result agent.Result
	settled := false
	switch {
	case ef.kept:
		result, settled = r.committedResult(call), true
	case ef.verify:
		result, settled = r.verified(call)
	}
	if !settled {
		failpoint.Hit("apply.due")
		cm, ctx := r.commits(ctx, call, ef.entry)
		result = r.outcome(cm, call, r.e.Registry.Apply(ctx, r.env, call, ef.receipt))
	}
	failpoint.Hit("apply.done")
	state := agent.EffectApplied
	switch {
	case result.OK:
	case result.Error != nil && result.Error.Code == agent.CodeStalePreview:
		return r.stale(ef)
	case result.Error != nil && result.Error.Code == agent.CodeOutcomeUnknown:
		state = agent.EffectUnknown
	default:
		state = agent.EffectFailed
	}
	return r.conclude(ef, c, result, forModel(result, ef.receipt.DecidedBy), agent.PhaseApply, state)
}

// conclude settles the ledger and gives the call its one result, in the words of
// the readers and in those of the model.
func (r *run) conclude(ef effect, c agent.CallRecord, told, kept agent.Result, phase agent.Phase, state agent.EffectState) error {
	c.State, c.Result, c.EndedAt = agent.CallDone, &kept, r.e.at()
	entry := ef.entry
	entry.State, entry.Result, entry.SettledAt = agent.LedgerSettled, &told, c.EndedAt
	if state == agent.EffectUnknown {
		entry.State = agent.LedgerUnknown
	}
	*r.record(c.ID) = c
	r.noteLedger(entry)
	row := r.row()
	shownDone := c
	shownDone.Result = &told
	m := agent.Milestone{Calls: []agent.CallRecord{c}, Settles: []agent.LedgerEntry{entry}, Transcript: &row}
	if phase == agent.PhaseApply && failpoint.Planted("claim_after_apply") {
		m.Claims = []agent.LedgerEntry{ef.entry}
	}
	done := doneEvent(shownDone, phase, state)
	if state == agent.EffectApplied {
		m.Restates = []agent.Restate{{ID: ef.receipt.ID, AppliedAt: c.EndedAt}}
		done.UndoUntil = r.undoUntil(c)
	}
	return r.l.milestone(m, done, quiet(c.Capability))
}

// undoUntil is until when an applied change can be taken back, 0 for never.
func (r *run) undoUntil(c agent.CallRecord) int64 {
	cp, ok := r.e.Registry.Get(c.Capability)
	if !ok || cp.Undo == nil {
		return 0
	}
	return c.EndedAt + cp.UndoFor.Milliseconds()
}

// noteDecision mirrors a taken decision in the run's own record.
func (r *run) noteDecision(ef effect) {
	for i := range r.rec.Receipts {
		if r.rec.Receipts[i].ID == ef.receipt.ID {
			r.rec.Receipts[i] = ef.receipt
			return
		}
	}
}

func (r *run) noteLedger(entry agent.LedgerEntry) {
	for i, l := range r.rec.Ledger {
		if l.CallID == entry.CallID && l.Phase == entry.Phase {
			r.rec.Ledger[i] = entry
			return
		}
	}
	r.rec.Ledger = append(r.rec.Ledger, entry)
}

// forModel wraps an applied output so that the model reads the decision with it.
func forModel(result agent.Result, by string) agent.Result {
	if !result.OK {
		return result
	}
	said := struct {
		Decision string          `json:"decision"`
		By       string          `json:"by,omitempty"`
		Output   json.RawMessage `json:"output,omitempty"`
	}{Decision: string(agent.VerdictAccepted), Output: result.Output}
	if by == byRule {
		said.By = "a rule that the person had remembered; they have not seen this change yet"
	}
	data, err := json.Marshal(said)
	if err != nil {
		return result
	}
	result.Output = data
	return result
}

func discardedOutput(ef effect) json.RawMessage {
	message := "The person discarded this preview. Nothing was changed."
	switch {
	case ef.verdict == agent.VerdictExpired:
		message = "Nobody answered this preview in time. Nothing was changed."
	case ef.reason == reasonSuperseded:
		message = "The person wrote a new message instead of deciding. Nothing was changed."
	}
	data, err := json.Marshal(map[string]string{"decision": string(ef.verdict), "message": message})
	if err != nil {
		return nil
	}
	return data
}
