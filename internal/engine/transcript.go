package engine

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// newRow is the transcript row of a turn that was just accepted.
func newRow(t agent.Turn) agent.TranscriptRow {
	return rowOf(agent.TurnRecord{Turn: t}, "", 0)
}

// row is the transcript row as of now. It is worked out from what is stored, so
// that a run that was interrupted leaves the same row as one that was not.
func (r *run) row() agent.TranscriptRow {
	row := rowOf(r.rec, r.blocks.text(), r.latency())
	row.Cost = r.cost()
	return row
}

func rowOf(rec agent.TurnRecord, said string, latency int64) agent.TranscriptRow {
	t := rec.Turn
	row := agent.TranscriptRow{
		ID: string(t.ID), OrgID: t.OrgID, UserID: t.UserID, ProjectID: t.ProjectID, ProjectKind: t.ProjectKind,
		ThreadID: t.ThreadID, TurnIndex: t.Index, UserMessage: t.Message.Text, ModelMessage: said,
		ToolCalls: list(toolCalls(rec)), ToolResults: list(toolResults(rec)),
		Model: t.Model, KeySource: t.KeySource, CreatedAt: t.CreatedAt,
	}
	for _, s := range rec.Steps {
		row.Usage = addUsage(row.Usage, s.Usage)
	}
	for _, c := range rec.Calls {
		row.Usage = addUsage(row.Usage, c.Usage)
	}
	if t.State.Terminal() {
		row.LatencyMS = &latency
	}
	return row
}

type transcriptCall struct {
	ID agent.CallID `json:"id"`
	// Parent is the call that a person edited, or takes back with this one.
	Parent agent.CallID    `json:"parentCallId,omitempty"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
}

type transcriptResult struct {
	CallID   agent.CallID       `json:"callId"`
	Name     string             `json:"name"`
	OK       bool               `json:"ok"`
	Output   json.RawMessage    `json:"output,omitempty"`
	Error    *agent.ResultError `json:"error,omitempty"`
	Decision agent.ReceiptState `json:"decision,omitempty"`
	By       string             `json:"by,omitempty"`
	// PermissionID is the remembered permission that decided, with by "rule".
	PermissionID string `json:"permissionId,omitempty"`
	Summary      string `json:"summary,omitempty"`
}

func toolCalls(rec agent.TurnRecord) []transcriptCall {
	var out []transcriptCall
	for _, c := range rec.Calls {
		out = append(out, transcriptCall{ID: c.ID, Parent: c.Parent, Name: c.Capability, Input: shown(c.Input)})
	}
	return out
}

func toolResults(rec agent.TurnRecord) []transcriptResult {
	var out []transcriptResult
	for _, c := range rec.Calls {
		res := transcriptResult{CallID: c.ID, Name: c.Capability}
		if c.Result != nil {
			res.OK, res.Output, res.Error = c.Result.OK, c.Result.Output, c.Result.Error
		}
		for _, rc := range rec.Receipts {
			if rc.CallID == c.ID {
				res.Decision, res.By, res.Summary, res.PermissionID = rc.State, rc.DecidedBy, rc.Preview.Summary, rc.PermissionID
			}
		}
		out = append(out, res)
	}
	return out
}

func list[T any](items []T) json.RawMessage {
	if len(items) == 0 {
		return json.RawMessage("[]")
	}
	data, err := json.Marshal(items)
	if err != nil {
		return json.RawMessage("[]")
	}
	return data
}

// latency is the turn's time without the waiting for its user.
func (r *run) latency() int64 {
	end := r.rec.Turn.EndedAt
	if end == 0 {
		end = r.e.at()
	}
	total := end - r.rec.Turn.CreatedAt
	type span struct{ from, to int64 }
	waits := map[int]span{} // by step
	for _, rc := range r.rec.Receipts {
		c := r.record(rc.CallID)
		if c == nil {
			continue
		}
		to := rc.DecidedAt
		if to == 0 {
			to = end
		}
		w, seen := waits[c.Step]
		if !seen {
			w = span{rc.CreatedAt, to}
		}
		waits[c.Step] = span{max(w.from, rc.CreatedAt), max(w.to, to)}
	}
	for _, w := range waits {
		total -= max(0, w.to-w.from)
	}
	return max(0, total)
}
