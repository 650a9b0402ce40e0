package sqlite

import (
	"context"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

const turnColumns = `t.id, t.org_id, t.user_id, t.thread_id, t.parent_turn_id, t.turn_index, t.ordinal, t.state,
	t.owner, t.run, t.last_seq, t.message_id, t.started_by, t.model, t.provider, t.key_source, t.key_id,
	t.project_id, t.project_kind, t.created_at_ms, t.ended_at_ms, t.error_code,
	t.whitelist, t.capabilities, t.attachments, t.context, t.message, t.stop_by, t.cut_before_step`

func scanTurn(s scanner) (t agent.Turn, err error) {
	var ended *int64
	var whitelist, capabilities, attachments string
	if err = s.Scan(&t.ID, &t.OrgID, &t.UserID, &t.ThreadID, &t.Parent, &t.Index, &t.Ordinal, &t.State,
		&t.Owner, &t.Run, &t.LastSeq, &t.MessageID, &t.By, &t.Model, &t.Provider, &t.KeySource, &t.KeyID,
		&t.ProjectID, &t.ProjectKind, &t.CreatedAt, &ended, &t.ErrorCode,
		&whitelist, &capabilities, &attachments, &t.Context, &t.Message.Text, &t.StopBy, &t.CutBefore); err != nil {
		return t, err
	}
	t.EndedAt = value(ended)
	if t.Whitelist, err = decode[[]string](whitelist); err != nil {
		return t, err
	}
	if t.Capabilities, err = decode[[]string](capabilities); err != nil {
		return t, err
	}
	t.Message.Attachments, err = decode[[]agent.Noun](attachments)
	return t, err
}

const selectTurn = `SELECT ` + turnColumns + ` FROM turns t WHERE t.id = ? AND t.org_id = ? AND t.user_id = ?`

// Turn gives a turn with its open calls. Errors: not_found.
func (s *Store) Turn(ctx context.Context, id agent.TurnID) (turn agent.Turn, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		turn, err = findTurn(t, who, id)
		return err
	})
	return turn, err
}

func findTurn(t *tx, who tenant, id agent.TurnID) (agent.Turn, error) {
	turn, ok, err := one(t, scanTurn, selectTurn, id, who.org, who.user)
	if err != nil {
		return turn, err
	}
	if !ok {
		return turn, agent.NotFound("turn")
	}
	list := []agent.Turn{turn}
	err = addOpenCalls(t, who, list)
	return list[0], err
}

const selectOpenCalls = `SELECT r.turn_id, r.call_id, r.id, r.capability, r.summary, r.expires_at_ms
	FROM receipts r WHERE r.turn_id IN (SELECT value FROM json_each(?)) AND r.org_id = ? AND r.user_id = ? AND r.state = 'open'
	ORDER BY r.created_at_ms, r.rowid`

type openCall struct {
	turn agent.TurnID
	agent.OpenCall
}

func scanOpenCall(s scanner) (c openCall, err error) {
	err = s.Scan(&c.turn, &c.CallID, &c.ReceiptID, &c.Capability, &c.Summary, &c.ExpiresAt)
	return c, err
}

// addOpenCalls fills in what waits for its user; an ended turn has nothing open.
func addOpenCalls(t *tx, who tenant, turns []agent.Turn) error {
	at := map[agent.TurnID]int{}
	var ids []agent.TurnID
	for i, turn := range turns {
		if !turn.State.Terminal() {
			at[turn.ID] = i
			ids = append(ids, turn.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	open, err := all(t, scanOpenCall, selectOpenCalls, idList(ids), who.org, who.user)
	for _, c := range open {
		turn := &turns[at[c.turn]]
		turn.Open = append(turn.Open, c.OpenCall)
	}
	return err
}

// idList gives ids as the JSON array that json_each takes apart again: one
// statement serves a list of any length.
func idList(ids []agent.TurnID) string {
	b, _ := json.Marshal(ids) // strings always encode
	return string(b)
}

// head is what a write needs to know of its turn.
type head struct {
	thread  agent.ThreadID
	project string
	state   agent.TurnState
	owner   string
	run     int64
	lastSeq agent.Seq
	script  string // id of its transcript row
	who     tenant
}

func scanHead(s scanner) (h head, err error) {
	err = s.Scan(&h.thread, &h.project, &h.state, &h.owner, &h.run, &h.lastSeq, &h.script, &h.who.org, &h.who.user)
	return h, err
}

const headColumns = `thread_id, project_id, state, owner, run, last_seq, transcript_id, org_id, user_id`

const selectHead = `SELECT ` + headColumns + ` FROM turns WHERE id = ? AND org_id = ? AND user_id = ?`

func findHead(t *tx, who tenant, id agent.TurnID) (head, error) {
	h, ok, err := one(t, scanHead, selectHead, id, who.org, who.user)
	if err == nil && !ok {
		err = agent.NotFound("turn")
	}
	return h, err
}
