package storetest

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// expires is when the receipts of the suite do.
const expires = start + 7*day

func (w *world) receipt(turn agent.Turn) agent.Receipt {
	call := agent.CallID(w.id("call"))
	return agent.Receipt{
		ID: agent.ReceiptID(w.id("receipt")), CallID: call, TurnID: turn.ID, ThreadID: turn.ThreadID,
		OrgID: turn.OrgID, UserID: turn.UserID, Project: agent.Project{ID: "deck", Kind: "slides", Title: "The deck"},
		Capability: "slide.edit", Input: json.RawMessage(`{ "slide": 4 }`), InputDigest: "d-" + string(call),
		Resources:     []agent.Resource{{ID: "slide/4", Version: "7"}},
		PolicyVersion: 1, State: agent.ReceiptOpen, CreatedAt: start, ExpiresAt: expires,
		Preview: agent.Preview{Summary: "Changes slide 4", State: json.RawMessage(`{"branch": "side"}`),
			Artifacts: []agent.Artifact{{Kind: agent.ArtifactDiff, Title: "Diff", Path: "4.html", Text: "-a\n+b"}}},
	}
}

func openCall(r agent.Receipt, i int) agent.CallRecord {
	return agent.CallRecord{ID: r.CallID, TurnID: r.TurnID, Index: i, WireID: "wire-" + string(r.CallID),
		Capability: r.Capability, Input: r.Input, State: agent.CallOpen, StartedAt: start}
}

// park starts a turn and parks it with some previews.
func (w *world) park(p agent.Principal, previews int) (agent.Turn, []agent.Receipt) {
	w.Helper()
	turn := w.begin(p)
	return w.parkTurn(p, turn, previews)
}

func (w *world) parkTurn(p agent.Principal, turn agent.Turn, previews int) (agent.Turn, []agent.Receipt) {
	w.Helper()
	m := agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnAwaiting}
	seq := w.turn(p, turn.ID).LastSeq
	for i := range previews {
		r := w.receipt(turn)
		m.Receipts = append(m.Receipts, r)
		m.Calls = append(m.Calls, openCall(r, i))
		seq++
		m.Events = append(m.Events, event(seq, agent.PreviewShown{CallID: r.CallID, ReceiptID: r.ID, Summary: r.Preview.Summary}))
	}
	w.ok(w.s.Commit(as(p), m))
	return w.turn(p, turn.ID), m.Receipts
}

// decide makes a decision on a receipt, its event being the turn's next.
func decide(turn agent.Turn, r agent.Receipt, v agent.Verdict) agent.TakeDecision {
	d := agent.TakeDecision{CallID: r.CallID, ReceiptID: r.ID, Verdict: v, By: r.UserID, Reason: "because", At: expires - day,
		Event: event(turn.LastSeq+1, agent.Decided{CallID: r.CallID, ReceiptID: r.ID, Decision: v, By: r.UserID})}
	phase := agent.PhaseDiscard
	if v == agent.VerdictAccepted {
		phase = agent.PhaseApply
	}
	d.Claim = &agent.LedgerEntry{TurnID: turn.ID, CallID: r.CallID, Phase: phase, InputDigest: r.InputDigest, ClaimedAt: d.At}
	return d
}

// take makes the take of decisions on a parked turn, numbering their events.
func (w *world) take(p agent.Principal, turn agent.Turn, decisions ...agent.TakeDecision) agent.Take {
	w.Helper()
	for i := range decisions {
		decisions[i].Event.Seq = turn.LastSeq + agent.Seq(i) + 1
	}
	return agent.Take{Turn: turn.ID, Owner: owner, Decisions: decisions, PolicyVersion: w.policy(p).Version}
}

func (w *world) policy(p agent.Principal) agent.OrgPolicy {
	w.Helper()
	policy, err := w.s.Policy(as(p))
	w.ok(err)
	return policy
}

// snapshot is all that can be read of a thread's only turn.
type snapshot struct {
	Record  agent.TurnRecord
	Events  []agent.Event
	Scripts []agent.TranscriptRow
	Thread  agent.Thread
}

func (w *world) snapshot(p agent.Principal, turn agent.Turn) snapshot {
	w.Helper()
	th, err := w.s.ThreadRow(as(p), turn.ThreadID)
	w.ok(err)
	return snapshot{w.record(p, turn.ID), w.events(p, turn.ID), w.transcripts(p, turn.ThreadID), th}
}
