package engine

import (
	"context"
	"encoding/json"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// errAgain says that somebody else decided or parked meanwhile: look again.
var errAgain = errors.New("the turn moved meanwhile")

// decideTries bounds how often a decision that lost a race looks again.
const decideTries = 8

// Decide takes decisions on previews. It returns as soon as they are taken; the
// effects come on the stream. Taking is one transaction, so the first answer
// wins; the same answer again gets the stored outcomes, another one gets them
// with conflict.
func (e *Engine) Decide(ctx context.Context, d agent.DecisionRequest) ([]agent.Outcome, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkDecisions(d); err != nil {
		return nil, err
	}
	done, err := e.join()
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := e.Turn(ctx, d.TurnID); err != nil {
		return nil, err
	}
	for range decideTries {
		rec, err := e.Store.Record(ctx, d.TurnID)
		if err != nil {
			return nil, err
		}
		outcomes, open, err := e.weigh(rec, d)
		if err != nil || len(open) == 0 {
			return outcomes, err
		}
		version, err := e.mayDecide(ctx, p, rec, open)
		if err != nil {
			return nil, err
		}
		failpoint.Hit("confirm.received")
		err = e.take(ctx, p, rec, open, version, nil)
		if err == nil {
			return told(outcomes, open), nil
		}
		if !errors.Is(err, errAgain) {
			return nil, err
		}
	}
	return nil, &agent.Error{Code: agent.CodeStorageBusy, Message: "The turn is moving; the decision was not taken.", Hint: "Answer again.", Retryable: true}
}

// told completes the outcomes of what was just taken: an accept of what moved
// meanwhile was refused, and the change is previewed again.
func told(outcomes []agent.Outcome, taken []choice) []agent.Outcome {
	for _, c := range taken {
		for i := range outcomes {
			o := &outcomes[i]
			if o.ReceiptID != c.receipt.ID {
				continue
			}
			o.Decision = c.verdict
			switch c.verdict {
			case agent.VerdictAccepted:
				o.State = agent.EffectApplying
				if c.remember != nil {
					o.PermissionID = c.remember.ID
				}
			case agent.VerdictStale:
				o.Outcome = agent.OutcomeStale
			default:
				o.State = agent.EffectDiscarded
			}
		}
	}
	return outcomes
}

func checkDecisions(d agent.DecisionRequest) error {
	if len(d.Decisions) == 0 || len(d.Decisions) > agent.MaxCapabilities {
		return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "Send between 1 and 512 decisions."}
	}
	seen := map[agent.CallID]bool{}
	for _, one := range d.Decisions {
		if _, ok := verdicts[one.Decision]; !ok {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "A decision is accept, discard or edit."}
		}
		if (len(one.Input) > 0) != (one.Decision == agent.AnswerEdit) {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "An edit needs the whole input, and no other decision takes one.",
				Hint: "Send decision edit with the edited arguments; they get a preview of their own."}
		}
		if one.Remember && one.Decision != agent.AnswerAccept {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "Only an accept can be remembered."}
		}
		if seen[one.CallID] {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "A call is decided twice."}
		}
		seen[one.CallID] = true
	}
	return nil
}

var verdicts = map[string]agent.Verdict{
	agent.AnswerAccept:  agent.VerdictAccepted,
	agent.AnswerDiscard: agent.VerdictDiscarded,
	agent.AnswerEdit:    agent.VerdictEdited,
}

// choice is a decision that can still be taken.
type choice struct {
	receipt agent.Receipt
	verdict agent.Verdict
	reason  string
	input   json.RawMessage // of an edit
	rule    string          // the remembered permission that accepts it
	// asked tells that the accept is to be remembered, remember is as what.
	asked    bool
	remember *agent.Permission
	// calls are what an edit writes: the call that it came from, done, and its own.
	calls []agent.CallRecord
}

// weigh compares decisions with what is stored: outcomes of what was decided
// before, and what is open.
func (e *Engine) weigh(rec agent.TurnRecord, d agent.DecisionRequest) (outcomes []agent.Outcome, open []choice, err error) {
	conflict := false
	for _, one := range d.Decisions {
		receipt, ok := receiptOf(rec, one)
		if !ok {
			return nil, nil, agent.NotFound("preview")
		}
		want := verdicts[one.Decision]
		out := agent.Outcome{CallID: one.CallID, ReceiptID: one.ReceiptID, Outcome: agent.OutcomeTaken, Decision: want}
		switch receipt.State {
		case agent.ReceiptOpen:
			if e.at() >= receipt.ExpiresAt {
				return nil, nil, gone()
			}
			open = append(open, choice{receipt: receipt, verdict: want, input: one.Input, asked: one.Remember})
		case agent.ReceiptExpired:
			return nil, nil, gone()
		case agent.ReceiptStale:
			out.Outcome, out.Decision, out.NewReceiptID = agent.OutcomeStale, agent.VerdictStale, replacementOf(rec, receipt.ID)
		default:
			out.Decision = agent.Verdict(receipt.State)
			if receipt.Reason == reasonEdited {
				out.Decision = agent.VerdictEdited
			}
			out.State, out.PermissionID = stateOf(rec, receipt), receipt.RememberedID
			// An accept to be remembered is another answer than one that was not.
			conflict = conflict || out.Decision != want || (one.Remember && receipt.RememberedID == "") || (want == agent.VerdictEdited && !sameEdit(rec, receipt.CallID, one.Input))
		}
		outcomes = append(outcomes, out)
	}
	if conflict {
		return outcomes, nil, &agent.Error{Code: agent.CodeConflict, Message: "This preview was answered the other way already.",
			Hint: "The stored outcome stands."}
	}
	return outcomes, open, nil
}

// replacementOf gives the preview that was made again for a stale one, "" while it
// is still being made.
func replacementOf(rec agent.TurnRecord, id agent.ReceiptID) agent.ReceiptID {
	for _, r := range rec.Receipts {
		if r.Replaces == id {
			return r.ID
		}
	}
	return ""
}

// sameEdit tells whether a call was edited to this input before.
func sameEdit(rec agent.TurnRecord, parent agent.CallID, input json.RawMessage) bool {
	_, want, err := capability.Canonical(input)
	if err != nil {
		return false
	}
	for _, c := range rec.Calls {
		if c.Parent == parent {
			_, have, err := capability.Canonical(c.Input)
			return err == nil && have == want
		}
	}
	return false
}

func gone() error {
	return &agent.Error{Code: agent.CodeGone, Message: "This preview is too old to be answered.", Hint: "Ask for it again."}
}

func receiptOf(rec agent.TurnRecord, d agent.Decision) (agent.Receipt, bool) {
	for _, r := range rec.Receipts {
		if r.ID == d.ReceiptID && r.CallID == d.CallID {
			return r, true
		}
	}
	return agent.Receipt{}, false
}

// stateOf tells what became of a decision, from the ledger.
func stateOf(rec agent.TurnRecord, receipt agent.Receipt) agent.EffectState {
	if receipt.State != agent.ReceiptAccepted {
		return agent.EffectDiscarded
	}
	for _, l := range rec.Ledger {
		if l.CallID != receipt.CallID || l.Phase != agent.PhaseApply {
			continue
		}
		switch {
		case l.State == agent.LedgerUnknown:
			return agent.EffectUnknown
		case l.State == agent.LedgerClaimed:
			return agent.EffectApplying
		case l.Result == nil || l.Result.OK: // committed by the host, or told
			return agent.EffectApplied
		default:
			return agent.EffectFailed
		}
	}
	return agent.EffectApplying
}

// mayDecide asks again what may have changed since the preview, for a quick answer:
// Apply's own compare-and-set is the real check. Discarding needs no more than the
// right to chat. An accept of what moved becomes stale; an edit is checked as a call.
func (e *Engine) mayDecide(ctx context.Context, p agent.Principal, rec agent.TurnRecord, open []choice) (policyVersion int64, err error) {
	pol, err := e.Store.Policy(ctx)
	if err != nil {
		return 0, err
	}
	for i := range open {
		c := &open[i]
		if c.verdict == agent.VerdictDiscarded {
			continue
		}
		cp, ok := e.Registry.Get(c.receipt.Capability)
		if !ok {
			return 0, agent.Errorf(agent.CodeGone, "%s does not exist any more.", c.receipt.Capability)
		}
		if refused := policy.Allowed(cp, p, pol); refused != nil {
			return 0, agent.Errorf(refused.Code, "%s", refused.Message)
		}
		r := &run{e: e, principal: p, project: c.receipt.Project, policy: pol, rec: rec, ctx: ctx}
		if c.verdict == agent.VerdictEdited {
			if err := r.edit(c); err != nil {
				return 0, err
			}
			continue
		}
		if !p.Has(agent.ScopeApprove) {
			return 0, agent.Errorf(agent.CodeForbidden, "This credential may not accept a change.")
		}
		policyVersion = pol.Version
		if c.asked {
			if err := e.rememberAs(c, cp, pol); err != nil {
				return 0, err
			}
		}
		if moved, err := r.moved(cp, c.receipt); err != nil {
			return 0, err
		} else if moved {
			c.verdict, c.reason, c.remember = agent.VerdictStale, reasonMoved, nil
		}
	}
	return policyVersion, nil
}
