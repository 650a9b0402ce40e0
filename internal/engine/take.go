package engine

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// take takes decisions of a turn, parked or running here, and sees to it that
// their effects run. stop, when set, ends the turn after them.
func (e *Engine) take(ctx context.Context, p agent.Principal, rec agent.TurnRecord, open []choice, policyVersion int64, stop *stopped) error {
	e.mu.Lock()
	l := e.live[rec.Turn.ID]
	var release func()
	if l == nil {
		if e.ctx.Err() != nil {
			e.mu.Unlock()
			return closing()
		}
		l, release = e.hold(p, rec.Turn)
	}
	e.mu.Unlock()

	launched := false
	var failed error
	if release != nil {
		defer func() {
			if !launched {
				l.write.Lock()
				l.ended = true // whoever waited for it looks again
				l.write.Unlock()
				release()
				e.suspect(failed)
			}
		}()
	}
	taken, err := e.takeHeld(ctx, l, rec, open, policyVersion, release != nil)
	if err != nil {
		failed = err
		return err
	}
	if stop != nil {
		l.cancel(*stop)
	}
	if release == nil {
		return nil // the run that is under way sees the effects
	}
	r := &run{principal: p, rec: rec}
	r.rec.Turn = taken
	if failed = e.equip(ctx, r); failed != nil {
		e.Log.Error("a decided turn waits to be taken up", "turn", rec.Turn.ID, "error", failed)
		return nil // the decision is taken; the effect comes once the store answers
	}
	launched = true
	e.launch(l, release, r)
	return nil
}

// takeHeld is the transaction. fresh says that the turn is parked.
func (e *Engine) takeHeld(ctx context.Context, l *live, rec agent.TurnRecord, open []choice, policyVersion int64, fresh bool) (agent.Turn, error) {
	if err := l.write.LockContext(ctx); err != nil {
		return agent.Turn{}, err
	}
	if l.ended {
		l.write.Unlock()
		select { // it is parking right now; look again when it has
		case <-l.done:
			return agent.Turn{}, errAgain
		case <-ctx.Done():
			return agent.Turn{}, ctx.Err()
		}
	}
	defer l.write.Unlock()
	if l.turn.Run != rec.Turn.Run || (fresh && rec.Turn.State != agent.TurnAwaiting) {
		return agent.Turn{}, errAgain
	}
	return e.takeLocked(ctx, l, open, policyVersion, fresh)
}

// takeLocked takes with the turn's write lock held, tells the decisions and
// queues their effects.
func (e *Engine) takeLocked(ctx context.Context, l *live, open []choice, policyVersion int64, fresh bool) (agent.Turn, error) {
	if !fresh {
		// What was told so far has the seqs before the decisions'.
		if err := l.commit(agent.Milestone{}); err != nil {
			return agent.Turn{}, err
		}
	}
	p, err := agent.PrincipalFrom(l.ctx)
	if err != nil {
		return agent.Turn{}, err
	}
	t := agent.Take{Turn: l.turn.ID, Owner: e.owner, PolicyVersion: policyVersion}
	run := l.turn.Run
	if fresh {
		run++
	} else {
		t.Run = run
	}
	l.mu.Lock()
	seq := l.seq
	l.committing = true
	l.mu.Unlock()
	var events []agent.Event
	var effects []effect
	for _, c := range open {
		d, ev, ef := e.decision(l, c, p.UserID, run)
		seq++
		ev.Seq = seq
		d.Event = ev
		events = append(events, ev)
		effects = append(effects, ef)
		t.Decisions = append(t.Decisions, d)
	}
	turn, err := e.Store.Take(context.WithoutCancel(ctx), t)
	if err != nil && agent.ErrorCode(err) != agent.CodeConflict {
		// It may be in the store all the same; then the decision is taken.
		if now, lookErr := e.Store.Turn(context.WithoutCancel(l.ctx), t.Turn); lookErr == nil && now.Run == run && now.LastSeq >= seq {
			turn, err = now, nil
		}
	}
	failpoint.Hit("confirm.taken")

	l.mu.Lock()
	if err == nil {
		l.seq, l.written = seq, seq
		l.tail = append(l.tail, events...)
		l.effects = append(l.effects, effects...)
		l.turn.LastSeq, l.turn.State = seq, agent.TurnRunning
		if fresh {
			l.turn.Run = run
		}
	}
	l.unhold()
	l.mu.Unlock()
	if agent.ErrorCode(err) == agent.CodeConflict {
		return turn, errAgain
	}
	if err == nil {
		e.hub.wake(l.turn.ThreadID)
	}
	return turn, err
}

// decision makes what one choice writes: the decision, its event and its claim.
func (e *Engine) decision(l *live, c choice, by string, run int64) (agent.TakeDecision, agent.Event, effect) {
	if c.verdict == agent.VerdictStale {
		return e.staleDecision(l, c, run)
	}
	phase := agent.PhaseDiscard
	if c.verdict == agent.VerdictAccepted {
		phase = agent.PhaseApply
	}
	switch {
	case c.reason == reasonExpired:
		by = bySystem
	case c.rule != "":
		by = byRule
	}
	remembered := ""
	if c.remember != nil {
		remembered = c.remember.ID
	}
	now := e.at()
	entry := agent.LedgerEntry{TurnID: c.receipt.TurnID, CallID: c.receipt.CallID, Phase: phase,
		InputDigest: c.receipt.InputDigest, State: agent.LedgerClaimed, Run: run, ClaimedAt: now}
	ev := l.event(agent.Decided{CallID: c.receipt.CallID, ReceiptID: c.receipt.ID, Decision: c.verdict, By: by, Reason: c.reason,
		PermissionID: c.rule, RememberedID: remembered})
	ev.Run = run
	receipt := c.receipt
	receipt.State, receipt.DecidedBy, receipt.DecidedAt, receipt.Reason = agent.ReceiptState(c.verdict), by, now, c.reason
	receipt.PermissionID, receipt.RememberedID = c.rule, remembered
	if c.verdict == agent.VerdictEdited {
		receipt.State = agent.ReceiptDiscarded
	}
	claim := &entry
	if phase == agent.PhaseApply && failpoint.Planted("claim_after_apply") {
		claim = nil
	}
	return agent.TakeDecision{CallID: receipt.CallID, ReceiptID: receipt.ID, Verdict: c.verdict, By: by, Reason: c.reason, At: now, Claim: claim, Calls: c.calls,
			PermissionID: c.rule, Remember: c.remember},
		ev, effect{receipt: receipt, verdict: c.verdict, entry: entry, reason: c.reason, calls: c.calls}
}

// staleDecision is the refusal of an accept: it claims nothing, because nothing
// will happen but another preview.
func (e *Engine) staleDecision(l *live, c choice, run int64) (agent.TakeDecision, agent.Event, effect) {
	now := e.at()
	ev := l.event(agent.Decided{CallID: c.receipt.CallID, ReceiptID: c.receipt.ID, Decision: agent.VerdictStale, By: bySystem, Reason: c.reason})
	ev.Run = run
	receipt := c.receipt
	receipt.State, receipt.DecidedBy, receipt.DecidedAt, receipt.Reason = agent.ReceiptStale, bySystem, now, c.reason
	return agent.TakeDecision{CallID: receipt.CallID, ReceiptID: receipt.ID, Verdict: agent.VerdictStale, By: bySystem, Reason: c.reason, At: now},
		ev, effect{receipt: receipt, verdict: agent.VerdictStale, reason: c.reason}
}

// equip gives a run what it needs of the host and the org. Without its policy a run
// must not go on; without its project its calls fail in their own words.
func (e *Engine) equip(ctx context.Context, r *run) (err error) {
	ctx = agent.WithPrincipal(context.WithoutCancel(ctx), r.principal)
	t := r.rec.Turn
	if r.policy, err = e.Store.Policy(ctx); err != nil {
		return err
	}
	if r.project, err = e.Host.OpenProject(ctx, t.ProjectKind, t.ProjectID); err != nil {
		e.Log.Warn("a turn's project does not open any more", "turn", t.ID, "error", err)
	}
	return nil
}

// discardOpen discards what still waits in a turn that is about to end. A
// decision that somebody took a moment before goes first.
func (r *run) discardOpen(stop stopped) error {
	for {
		if err := r.applyEffects(); err != nil {
			return err
		}
		open := r.e.openChoices(r.rec, stop)
		if len(open) == 0 {
			return nil
		}
		r.l.write.Lock()
		if r.effectsDue() > 0 {
			r.l.write.Unlock()
			continue
		}
		_, err := r.e.takeLocked(context.WithoutCancel(r.ctx), r.l, open, 0, false)
		r.l.write.Unlock()
		if err != nil {
			return err
		}
	}
}
