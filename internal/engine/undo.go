package engine

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// byHand marks a turn that a person began without the model.
const byHand = "hand"

// Undo takes an applied change back: a turn by hand in the same thread, whose one
// call runs the capability's Undo under the ledger.
func (e *Engine) Undo(ctx context.Context, id agent.CallID) (agent.Turn, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Turn{}, err
	}
	if !p.Has(agent.ScopeApprove) {
		return agent.Turn{}, agent.Errorf(agent.CodeForbidden, "This credential may not change anything.")
	}
	done, err := e.join()
	if err != nil {
		return agent.Turn{}, err
	}
	defer done()
	rec, receipt, err := e.applied(ctx, id)
	if err != nil {
		return agent.Turn{}, err
	}
	if err := e.undoable(receipt); err != nil {
		return agent.Turn{}, err
	}
	project, err := e.Host.OpenProject(ctx, rec.Turn.ProjectKind, rec.Turn.ProjectID)
	if err != nil {
		return agent.Turn{}, err
	}
	pol, err := e.Store.Policy(ctx)
	if err != nil {
		return agent.Turn{}, err
	}
	cp, _ := e.Registry.Get(receipt.Capability)
	if refused := policy.Allowed(cp, p, pol); refused != nil {
		return agent.Turn{}, agent.Errorf(refused.Code, "%s", refused.Message)
	}
	start, err := e.undoStart(ctx, p, rec.Turn, receipt, cp)
	if err != nil {
		return agent.Turn{}, err
	}
	l, release, err := e.admit(p, start.Turn)
	if err != nil {
		return agent.Turn{}, err
	}
	failpoint.Hit("undo.received")
	t, created, err := e.Store.StartTurn(ctx, start)
	if err != nil || !created {
		release()
		e.suspect(err)
		return t, err
	}
	e.hub.wake(t.ThreadID)
	e.launch(l, release, &run{principal: p, project: project, policy: pol, rec: agent.TurnRecord{Turn: t, Calls: start.Calls}})
	return t, nil
}

// applied finds the receipt of a change that happened.
func (e *Engine) applied(ctx context.Context, id agent.CallID) (agent.TurnRecord, agent.Receipt, error) {
	turn, err := e.Store.CallTurn(ctx, id)
	if err != nil {
		return agent.TurnRecord{}, agent.Receipt{}, err
	}
	rec, err := e.Store.Record(ctx, turn)
	if err != nil {
		return rec, agent.Receipt{}, err
	}
	for _, rc := range rec.Receipts {
		if rc.CallID == id && rc.State == agent.ReceiptAccepted && rc.AppliedAt > 0 {
			return rec, rc, nil
		}
	}
	return rec, agent.Receipt{}, agent.Errorf(agent.CodeConflict, "There is no applied change of this call to take back.")
}

// undoable checks that a change may still be taken back.
func (e *Engine) undoable(receipt agent.Receipt) error {
	cp, ok := e.Registry.Get(receipt.Capability)
	switch {
	case receipt.UndoneAt > 0:
		return agent.Errorf(agent.CodeConflict, "This change was taken back already.")
	case !ok || cp.Undo == nil:
		return &agent.Error{Code: agent.CodeGone, Message: "This change cannot be taken back.", Hint: "Ask for the opposite change."}
	case e.at() >= receipt.AppliedAt+cp.UndoFor.Milliseconds():
		return &agent.Error{Code: agent.CodeGone, Message: "The time to take this change back is over.", Hint: "Ask for the opposite change."}
	}
	return nil
}

// undoStart is the turn by hand: no step, no key, one call.
func (e *Engine) undoStart(ctx context.Context, p agent.Principal, of agent.Turn, receipt agent.Receipt, cp agent.Capability) (agent.TurnStart, error) {
	th, err := e.Store.ThreadRow(ctx, of.ThreadID)
	if err != nil {
		return agent.TurnStart{}, err
	}
	head, err := e.Store.Turn(ctx, th.Head)
	if err != nil {
		return agent.TurnStart{}, err
	}
	at := e.at()
	t := agent.Turn{
		ID: agent.TurnID(e.IDs("turn")), ThreadID: th.ID, Parent: head.ID, Index: head.Index + 1, State: agent.TurnRunning,
		MessageID: e.IDs("msg"), By: byHand, Message: agent.Message{Text: "Undo: " + receipt.Preview.Summary},
		Model: of.Model, Provider: of.Provider, KeySource: agent.KeySourceNone,
		OrgID: p.OrgID, UserID: p.UserID, ProjectID: of.ProjectID, ProjectKind: of.ProjectKind,
		Owner: e.owner, Run: 1, LastSeq: 2, CreatedAt: at,
	}
	c := agent.CallRecord{ID: agent.CallID(e.IDs("call")), TurnID: t.ID, Parent: receipt.CallID, Capability: receipt.Capability,
		Input: receipt.Input, State: agent.CallPending, StartedAt: at}
	shownStart := agent.Event{Seq: 2, Run: 1, Turn: t.ID, Thread: th.ID, At: at, Kind: agent.EventCapabilityStarted, Data: marshal(agent.CapabilityStarted{
		CallID: c.ID, Parent: c.Parent, Name: c.Capability, Title: "Undo: " + titleOf(cp, true, c), Kind: cp.Kind,
	})}
	return agent.TurnStart{Turn: t, ContentDigest: "undo " + string(receipt.CallID), Events: []agent.Event{started(t), shownStart},
		Calls: []agent.CallRecord{c}, Transcript: newRow(t)}, nil
}

// driveHand runs the one call of a turn by hand and ends the turn.
func (r *run) driveHand() error {
	if len(r.rec.Calls) == 0 {
		return r.fail(agent.Errorf(agent.CodeInternal, "a turn by hand without its call"))
	}
	c := r.rec.Calls[0]
	if c.State != agent.CallDone {
		if err := r.undo(c); err != nil {
			return err
		}
	}
	return r.complete(agent.Milestone{})
}

// cannotUndo are the answers that a change cannot be taken back.
var cannotUndo = []agent.Code{agent.CodeNotFound, agent.CodeGone, agent.CodeConflict}

func (r *run) undo(c agent.CallRecord) error {
	ctx := context.WithoutCancel(r.ctx)
	var rec agent.TurnRecord
	var receipt agent.Receipt
	err := r.reads(func() (err error) {
		rec, receipt, err = r.e.applied(ctx, c.Parent)
		return err
	})
	if err == nil && !r.verify[c.ID] && !r.kept[c.ID] {
		err = r.e.undoable(receipt)
	}
	if err != nil && !slices.Contains(cannotUndo, agent.ErrorCode(err)) {
		return err // not an answer: the turn is taken up again
	}
	if err != nil {
		return r.undone(c, receipt, nil, agent.Result{Error: &agent.ResultError{Code: agent.ErrorCode(err), Message: agent.ErrorMessage(err)}})
	}
	entry := agent.LedgerEntry{TurnID: c.TurnID, CallID: c.ID, Phase: agent.PhaseUndo, InputDigest: receipt.InputDigest,
		State: agent.LedgerClaimed, Run: r.l.turn.Run, ClaimedAt: r.e.at()}
	// The capability sees the call whose change it takes back, under the key of this one.
	of := agent.CallRecord{ID: receipt.CallID, TurnID: rec.Turn.ID, Capability: c.Capability, Input: receipt.Input}
	call := r.call(of, entry.Key())
	switch {
	case r.kept[c.ID]:
		return r.undone(c, receipt, &entry, r.committedResult(call))
	case r.verify[c.ID]:
		if result, settled := r.verified(call); settled {
			return r.undone(c, receipt, &entry, result)
		}
	default:
		c.State = agent.CallRunning
		if err := r.l.milestone(agent.Milestone{Calls: []agent.CallRecord{c}, Claims: []agent.LedgerEntry{entry}}); err != nil {
			return err
		}
		*r.record(c.ID) = c
	}
	failpoint.Hit("undo.claimed")
	cm, ctx := r.commits(ctx, call, entry)
	result := r.outcome(cm, call, r.e.Registry.Undo(ctx, r.env, call, receipt))
	failpoint.Hit("undo.done")
	return r.undone(c, receipt, &entry, result)
}

// undone writes how taking back ended.
func (r *run) undone(c agent.CallRecord, receipt agent.Receipt, entry *agent.LedgerEntry, result agent.Result) error {
	state := agent.EffectFailed
	c.State, c.Result, c.EndedAt = agent.CallDone, &result, r.e.at()
	m := agent.Milestone{}
	switch {
	case result.OK:
		state = agent.EffectUndone
		m.Restates = []agent.Restate{{ID: receipt.ID, UndoneAt: c.EndedAt}}
	case result.Error != nil && result.Error.Code == agent.CodeOutcomeUnknown:
		state = agent.EffectUnknown
	}
	if entry != nil {
		settled := *entry
		settled.State, settled.Result, settled.SettledAt = agent.LedgerSettled, &result, c.EndedAt
		if state == agent.EffectUnknown {
			settled.State = agent.LedgerUnknown
		}
		m.Settles = []agent.LedgerEntry{settled}
	}
	*r.record(c.ID) = c
	r.lastUsed = c.Capability
	row := r.row()
	m.Calls, m.Transcript = []agent.CallRecord{c}, &row
	return r.l.milestone(m, doneEvent(c, agent.PhaseUndo, state))
}
