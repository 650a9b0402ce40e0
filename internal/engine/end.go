package engine

import (
	"context"
	"errors"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// Reasons of a cancelled turn.
const (
	reasonStopped    = "stopped"
	reasonSuperseded = "superseded"
	reasonExpired    = "expired"
)

// bySystem is who decides where no person does.
const bySystem = "system"

// complete ends the turn well, together with whatever m brings.
func (r *run) complete(m agent.Milestone, payloads ...agent.Payload) error {
	if s := r.suggestions(); s != nil {
		payloads = append(payloads, *s)
	}
	latency := r.latency()
	payloads = append(payloads, agent.TurnCompleted{
		Text: r.blocks.last(), Blocks: r.blocks.closed, TurnIndex: r.rec.Turn.Index, LatencyMS: latency, CostUSD: dollars(r.cost()),
	})
	return r.end(m, agent.TurnComplete, "", payloads...)
}

// fail ends the turn with an error's code; what was told so far is kept. A run
// that was interrupted fails for that reason and no other.
func (r *run) fail(err error) error {
	if r.ctx != nil && r.ctx.Err() != nil {
		return r.interrupt(context.Cause(r.ctx))
	}
	return r.failWith(agent.Milestone{}, err)
}

func (r *run) failWith(m agent.Milestone, err error, payloads ...agent.Payload) error {
	code := agent.ErrorCode(err)
	data := agent.TurnFailedData{Code: code, Message: agent.ErrorMessage(err), Status: code.Status(), Recoverable: true}
	var ours *agent.Error
	if errors.As(err, &ours) {
		data.Hint, data.KeyID, data.Provider, data.KeySource, data.Panel = ours.Hint, ours.KeyID, ours.Provider, ours.KeySource, ours.Panel
		data.RetryAfterMS = ours.RetryAfter.Milliseconds()
	}
	switch code {
	case agent.CodeKeyInvalid, agent.CodeKeyRequired:
		if data.KeySource == "" && code == agent.CodeKeyInvalid {
			data.KeySource = r.rec.Turn.KeySource
		}
		if data.Panel = panelBYOK; data.KeySource == agent.KeySourceOrg || data.KeySource == agent.KeySourceNone {
			data.Panel = "" // nothing that this person could enter would help
		}
		if data.KeyID == "" {
			data.KeyID = r.rec.Turn.KeyID
		}
		if data.Provider == "" {
			data.Provider = r.rec.Turn.Provider
		}
	case agent.CodeBudgetExceeded: // a cap stays where it is; what runs ends soon
		data.Recoverable = data.Panel == "" || ours.RetryAfter == policy.HeldRetry
	case agent.CodeInternal:
		r.e.Log.Error("a turn failed", "turn", r.rec.Turn.ID, "error", err)
	case agent.CodeInvalidInput, agent.CodePolicyDenied, agent.CodeForbidden, agent.CodeNotFound:
		data.Recoverable = false
	}
	if code != agent.CodeInternal {
		r.e.Log.Info("a turn failed", "turn", r.rec.Turn.ID, "code", code, "error", err)
	}
	return r.end(m, agent.TurnFailed, code, append(payloads, data)...)
}

// interrupt ends a run whose context ended: the turn too, where somebody said
// stop or its time is over; else it is left for the next owner.
func (r *run) interrupt(cause error) error {
	var stop stopped
	switch {
	case errors.As(cause, &stop):
		if err := r.discardOpen(stop); err != nil {
			return err
		}
		return r.end(agent.Milestone{}, agent.TurnCanceled, "", agent.TurnCanceledData{By: stop.by, Reason: stop.reason})
	case errors.Is(cause, errTurnTime):
		return r.failWith(agent.Milestone{}, &agent.Error{Code: agent.CodeTimeout,
			Message: "The turn was ended because it took too long.", Hint: "Ask for a smaller step."})
	case errors.Is(cause, errOvertaken):
		return cause
	default:
		// The next owner goes on from here; what was told so far is kept for it.
		r.l.write.Lock()
		defer r.l.write.Unlock()
		if err := r.l.commit(agent.Milestone{}); err != nil {
			r.e.Log.Warn("the last text of a released turn was not written", "turn", r.rec.Turn.ID, "error", err)
		}
		r.l.ended = true
		return errShutdown
	}
}

// end writes the turn's last milestone. Every call that has no result gets one,
// so that the thread can always go on.
func (r *run) end(m agent.Milestone, state agent.TurnState, code agent.Code, payloads ...agent.Payload) error {
	if err := r.discardOpen(stopped{by: bySystem, reason: "failed"}); err != nil {
		return err
	}
	if r.partial != nil && m.Step == nil {
		m.Step = r.partial
	}
	now := r.e.at()
	var before []agent.Payload
	for i := range r.rec.Calls {
		c := &r.rec.Calls[i]
		if c.State == agent.CallDone {
			continue
		}
		result := agent.Result{Error: &agent.ResultError{Code: agent.CodeNotExecuted, Message: "The turn ended before this call was executed."}}
		if c.State == agent.CallRunning {
			result.Error.Code, result.Error.Message = agent.CodeInterrupted, "The turn ended while this call ran; whether it took effect is not known."
		}
		c.State, c.Result, c.EndedAt = agent.CallDone, &result, now
		m.Calls = replaceCall(m.Calls, *c)
		before = append(before, doneEvent(*c, agent.PhaseHandler, ""))
	}
	r.rec.Turn.State, r.rec.Turn.EndedAt = state, now
	row := r.row()
	m.Transcript, m.State, m.ErrorCode = &row, state, code
	return r.l.milestone(m, append(before, payloads...)...)
}

func replaceCall(calls []agent.CallRecord, c agent.CallRecord) []agent.CallRecord {
	for i := range calls {
		if calls[i].ID == c.ID {
			calls[i] = c
			return calls
		}
	}
	return append(calls, c)
}

// suggestions asks the host what one may do next; no answer is no reason to fail.
func (r *run) suggestions() *agent.SuggestionsOffered {
	items, err := r.e.Host.Suggestions(context.WithoutCancel(r.ctx), r.project, r.lastUsed)
	if err != nil {
		r.e.Log.Warn("the host gave no suggestions", "error", err)
		return nil
	}
	items = slices.DeleteFunc(items, func(s agent.Suggestion) bool { // nothing that would be refused
		return s.Capability != "" && len(r.rec.Turn.Capabilities) > 0 && !slices.Contains(r.rec.Turn.Capabilities, s.Capability)
	})
	if len(items) == 0 {
		return nil
	}
	return &agent.SuggestionsOffered{Items: items[:min(3, len(items))]}
}
