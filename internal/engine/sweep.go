package engine

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// sweep takes up the turns that a dead process left running. Each goes on from
// its last finished step; what was told after it is void and asked again.
func (e *Engine) sweep(ctx context.Context) error {
	orphans, err := e.Store.Orphans(ctx, e.owner)
	if err != nil || failpoint.Planted("left_running") {
		return err
	}
	for _, t := range orphans {
		if err := e.adopt(ctx, t); err != nil {
			e.Log.Error("a left turn was not taken up", "turn", t.ID, "error", err)
			e.suspect(err)
		}
	}
	return nil
}

func (e *Engine) adopt(ctx context.Context, t agent.Turn) error {
	p, err := e.member(ctx, t.UserID, t.OrgID)
	if err != nil {
		return err
	}
	ctx = agent.WithPrincipal(ctx, p)
	t, err = e.Store.Adopt(ctx, t.ID, e.owner, t.Run)
	if err != nil {
		return err
	}
	failpoint.Hit("turn.adopted")
	// Held before it is read: a stop that comes now finds it here or is read.
	e.mu.Lock()
	l, release := e.hold(p, t)
	e.mu.Unlock()
	rec, err := e.Store.Record(ctx, t.ID)
	if err != nil {
		release()
		return err
	}
	r := &run{principal: p, rec: rec, adopted: true, verify: map[agent.CallID]bool{}, kept: map[agent.CallID]bool{}}
	if err := e.equip(ctx, r); err != nil {
		release()
		return err
	}
	l.effects = r.left()
	e.Log.Info("taking up a turn that was left", "turn", t.ID, "run", t.Run, "steps", len(rec.Steps), "effects", len(l.effects))
	from, err := e.voidFrom(ctx, rec.Turn)
	if err != nil {
		release()
		return err
	}
	if err := l.milestone(agent.Milestone{}, agent.StepRestarted{From: from, Reason: string(agent.CodeInterrupted)}); err != nil {
		release()
		return err
	}
	r.giveUp = e.again(t.ID)
	if rec.Turn.StopBy != "" {
		l.cancel(stopped{by: rec.Turn.StopBy, reason: reasonStopped})
	} else if stop, ok := givenUp(rec); ok {
		l.cancel(stop)
	}
	e.launch(l, release, r)
	return nil
}

// member gives a person as of now. Whoever lost the membership starts nothing more,
// but what was begun must end.
func (e *Engine) member(ctx context.Context, user, org string) (agent.Principal, error) {
	p, err := e.Members.Member(ctx, user, org)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		p, err = agent.Principal{UserID: user, OrgID: org, Tier: agent.TierViewer}, nil
	}
	if err != nil {
		return p, err
	}
	if p.Scopes == nil {
		p.Scopes = []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}
	}
	return p, nil
}

// givenUp gives the stop for whose sake a preview of the turn was discarded. The
// decision is written before the turn's end, and the end is owed from then on.
func givenUp(rec agent.TurnRecord) (stopped, bool) {
	for _, rc := range rec.Receipts {
		switch rc.Reason {
		case reasonStopped, reasonSuperseded, reasonExpired:
			return stopped{by: rc.DecidedBy, reason: rc.Reason}, true
		}
	}
	return stopped{}, false
}

// left gives the decisions whose effect was claimed and has no result, and marks the
// calls for which Verify must be asked before anything runs, and those whose effect
// was committed.
func (r *run) left() []effect {
	var due []effect
	rec := r.rec
	for _, entry := range rec.Ledger {
		kept := entry.State == agent.LedgerSettled && entry.Result == nil
		switch {
		case kept:
			r.kept[entry.CallID] = true
		case entry.State == agent.LedgerClaimed:
			r.verify[entry.CallID] = true
		default:
			continue
		}
		if entry.Phase == agent.PhaseHandler || entry.Phase == agent.PhaseUndo {
			continue
		}
		for _, rc := range rec.Receipts {
			if rc.CallID == entry.CallID && rc.State != agent.ReceiptOpen {
				ef := effect{receipt: rc, verdict: agent.Verdict(rc.State), entry: entry, verify: !kept, kept: kept, reason: rc.Reason}
				if rc.Reason == reasonEdited {
					ef.verdict = agent.VerdictEdited // its calls were written with the decision
				}
				due = append(due, ef)
			}
		}
	}
	return due
}

// voidFrom gives the first seq after the last milestone: text told there belongs
// to a step that never ended.
func (e *Engine) voidFrom(ctx context.Context, t agent.Turn) (agent.Seq, error) {
	void := agent.Seq(1)
	for from := agent.Seq(0); ; {
		events, err := e.Store.EventsAfter(ctx, t.ID, from, readPage)
		if err != nil {
			return 0, err
		}
		for _, ev := range events {
			if !ev.Kind.Live() {
				void = ev.Seq + 1
			}
			from = ev.Seq
		}
		if len(events) == 0 {
			return void, nil
		}
	}
}

// ExpirePreviews marks previews that nobody answered in time, ends their turns
// and runs the clean-up of those whose clean-up did not run yet. It gives how many
// receipts it saw to. Caller: jobs run expire.
func (e *Engine) ExpirePreviews(ctx context.Context) (int, error) {
	done, err := e.join()
	if err != nil {
		return 0, err
	}
	defer done()
	const page = 100
	receipts, err := e.Store.Expired(ctx, e.at(), page)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, rc := range receipts {
		if err := e.expire(ctx, rc); err != nil {
			e.Log.Warn("a preview was not cleaned up", "receipt", rc.ID, "error", err)
			continue
		}
		n++
	}
	return n, nil
}

func (e *Engine) expire(ctx context.Context, rc agent.Receipt) error {
	p, err := e.member(ctx, rc.UserID, rc.OrgID)
	if err != nil {
		return err
	}
	ctx = agent.WithPrincipal(ctx, p)
	if rc.State == agent.ReceiptOpen {
		return e.supersede(ctx, rc.TurnID, stopped{by: bySystem, reason: reasonExpired})
	}
	rec, err := e.Store.Record(ctx, rc.TurnID)
	if err != nil {
		return err
	}
	r := &run{e: e, l: newLive(ctx, e, rec.Turn), principal: p, rec: rec}
	r.project = rc.Project
	r.prepare()
	defer r.cancel()
	c := r.record(rc.CallID)
	if c == nil {
		return agent.NotFound("call")
	}
	call := r.call(*c, agent.LedgerKey(rc.TurnID, rc.CallID, agent.PhaseDiscard))
	result := e.Registry.Discard(r.l.recording(ctx), r.env, call, rc)
	if err := r.l.writeOwed(ctx); err != nil {
		return err
	}
	if !result.OK {
		return agent.Errorf(result.Error.Code, "%s", result.Error.Message)
	}
	return e.Store.MarkCleaned(ctx, rc.ID, e.at())
}
