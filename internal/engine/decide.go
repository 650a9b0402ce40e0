package engine

import (
	"context"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
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
		err = e.take(ctx, p, rec, open, version, nil)
		if err == nil {
			for i := range outcomes {
				if outcomes[i].State == "" {
					outcomes[i].State = begun(outcomes[i].Decision)
				}
			}
			return outcomes, nil
		}
		if !errors.Is(err, errAgain) {
			return nil, err
		}
	}
	return nil, &agent.Error{Code: agent.CodeStorageBusy, Message: "The turn is moving; the decision was not taken.", Hint: "Answer again.", Retryable: true}
}

func begun(v agent.Verdict) agent.EffectState {
	if v == agent.VerdictAccepted {
		return agent.EffectApplying
	}
	return agent.EffectDiscarded
}

func checkDecisions(d agent.DecisionRequest) error {
	if len(d.Decisions) == 0 || len(d.Decisions) > agent.MaxCapabilities {
		return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "Send between 1 and 512 decisions."}
	}
	seen := map[agent.CallID]bool{}
	for _, one := range d.Decisions {
		if one.Decision != agent.AnswerAccept && one.Decision != agent.AnswerDiscard {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "A decision is accept or discard."}
		}
		if len(one.Input) > 0 {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "A decision takes no other input.",
				Hint: "Discard the preview and say what should be different."}
		}
		if seen[one.CallID] {
			return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/decisions", Message: "A call is decided twice."}
		}
		seen[one.CallID] = true
	}
	return nil
}

// choice is a decision that can still be taken.
type choice struct {
	receipt agent.Receipt
	verdict agent.Verdict
	reason  string
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
		want := agent.VerdictDiscarded
		if one.Decision == agent.AnswerAccept {
			want = agent.VerdictAccepted
		}
		out := agent.Outcome{CallID: one.CallID, ReceiptID: one.ReceiptID, Outcome: agent.OutcomeTaken, Decision: want}
		switch receipt.State {
		case agent.ReceiptOpen:
			if e.at() >= receipt.ExpiresAt {
				return nil, nil, gone()
			}
			open = append(open, choice{receipt: receipt, verdict: want})
		case agent.ReceiptExpired:
			return nil, nil, gone()
		default:
			out.Decision = agent.Verdict(receipt.State)
			out.State = stateOf(rec, receipt)
			conflict = conflict || out.Decision != want
		}
		outcomes = append(outcomes, out)
	}
	if conflict {
		return outcomes, nil, &agent.Error{Code: agent.CodeConflict, Message: "This preview was answered the other way already.",
			Hint: "The stored outcome stands."}
	}
	return outcomes, open, nil
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
		case l.Result != nil && l.Result.OK:
			return agent.EffectApplied
		default:
			return agent.EffectFailed
		}
	}
	return agent.EffectApplying
}

// mayDecide asks again what may have changed since the preview. Discarding needs
// no more than the right to chat.
func (e *Engine) mayDecide(ctx context.Context, p agent.Principal, rec agent.TurnRecord, open []choice) (policyVersion int64, err error) {
	for _, c := range open {
		if c.verdict != agent.VerdictAccepted {
			continue
		}
		if !p.Has(agent.ScopeApprove) {
			return 0, agent.Errorf(agent.CodeForbidden, "This credential may not accept a change.")
		}
		pol, err := e.Store.Policy(ctx)
		if err != nil {
			return 0, err
		}
		policyVersion = pol.Version
		cp, ok := e.Registry.Get(c.receipt.Capability)
		if !ok {
			return 0, agent.Errorf(agent.CodeGone, "%s does not exist any more.", c.receipt.Capability)
		}
		if refused := policy.Allowed(cp, p, pol); refused != nil {
			return 0, agent.Errorf(refused.Code, "%s", refused.Message)
		}
	}
	return policyVersion, nil
}
