package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	insertStep = `INSERT INTO steps (turn_id, step_index, org_id, user_id, run, provider, model, stop,
		tokens_in, tokens_out, cache_read_tokens, cache_creation_tokens, at_ms, blocks, raw, trace)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectSteps = `SELECT turn_id, step_index, run, provider, model, stop, tokens_in, tokens_out, cache_read_tokens,
		cache_creation_tokens, at_ms, blocks, raw, trace FROM steps
		WHERE turn_id IN (SELECT value FROM json_each(?)) AND org_id = ? AND user_id = ? ORDER BY turn_id, step_index`

	putCallRow = `INSERT INTO calls (id, turn_id, org_id, user_id, step_index, call_index, wire_id, capability, state,
		started_at_ms, ended_at_ms, tokens_in, tokens_out, cache_read_tokens, cache_creation_tokens, parent_call_id, input, result)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET step_index = excluded.step_index, call_index = excluded.call_index,
		wire_id = excluded.wire_id, capability = excluded.capability, state = excluded.state,
		started_at_ms = excluded.started_at_ms, ended_at_ms = excluded.ended_at_ms,
		tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out,
		cache_read_tokens = excluded.cache_read_tokens, cache_creation_tokens = excluded.cache_creation_tokens,
		input = excluded.input, result = excluded.result
		WHERE calls.turn_id = excluded.turn_id AND calls.org_id = excluded.org_id AND calls.user_id = excluded.user_id`

	selectCalls = `SELECT id, turn_id, step_index, call_index, wire_id, capability, state, started_at_ms, ended_at_ms,
		tokens_in, tokens_out, cache_read_tokens, cache_creation_tokens, parent_call_id, input, result
		FROM calls WHERE turn_id IN (SELECT value FROM json_each(?)) AND org_id = ? AND user_id = ?
		ORDER BY turn_id, step_index, call_index, rowid`

	selectCallTurn = `SELECT turn_id FROM calls WHERE id = ? AND org_id = ? AND user_id = ?`

	// The + keeps SQLite from going through all turns of the user.
	selectTurnsByID = `SELECT ` + turnColumns + ` FROM turns t
		WHERE t.id IN (SELECT value FROM json_each(?)) AND +t.org_id = ? AND +t.user_id = ?`
)

func putStep(t *tx, id agent.TurnID, h head, st agent.Step) error {
	blocks, err := encodeBlocks(st.Blocks)
	if err != nil {
		return err
	}
	trace, err := encodeTrace(st.Trace)
	if err != nil {
		return err
	}
	u := st.Usage
	_, err = t.exec(insertStep, id, st.Index, h.who.org, h.who.user, h.run, st.Provider, st.Model, st.Stop,
		u.TokensIn, u.TokensOut, u.CacheRead, u.CacheCreation, st.At, blocks, []byte(st.Raw), trace)
	return err
}

func scanStep(s scanner) (st agent.Step, err error) {
	var blocks string
	var raw []byte
	var trace *string
	u := &st.Usage
	if err = s.Scan(&st.TurnID, &st.Index, &st.Run, &st.Provider, &st.Model, &st.Stop,
		&u.TokensIn, &u.TokensOut, &u.CacheRead, &u.CacheCreation, &st.At, &blocks, &raw, &trace); err != nil {
		return st, err
	}
	st.Raw = raw
	if st.Trace, err = decodeTrace(trace); err != nil {
		return st, err
	}
	st.Blocks, err = decodeBlocks(blocks)
	return st, err
}

func putCall(t *tx, id agent.TurnID, h head, c agent.CallRecord) error {
	result, err := encodeResult(c.Result)
	if err != nil {
		return err
	}
	u := c.Usage
	n, err := t.exec(putCallRow, c.ID, id, h.who.org, h.who.user, c.Step, c.Index, c.WireID, c.Capability, c.State,
		maybe(c.StartedAt), maybe(c.EndedAt), u.TokensIn, u.TokensOut, u.CacheRead, u.CacheCreation, c.Parent, text(c.Input), result)
	if err == nil && n != 1 {
		err = internal(fmt.Errorf("call %s belongs to another turn", c.ID))
	}
	return err
}

func scanCall(s scanner) (c agent.CallRecord, err error) {
	var started, ended *int64
	var input, result *string
	u := &c.Usage
	if err = s.Scan(&c.ID, &c.TurnID, &c.Step, &c.Index, &c.WireID, &c.Capability, &c.State, &started, &ended,
		&u.TokensIn, &u.TokensOut, &u.CacheRead, &u.CacheCreation, &c.Parent, &input, &result); err != nil {
		return c, err
	}
	c.StartedAt, c.EndedAt, c.Input = value(started), value(ended), raw(input)
	c.Result, err = decodeResult(result)
	return c, err
}

// Record gives a turn with steps, calls, receipts and ledger. Errors: not_found.
func (s *Store) Record(ctx context.Context, id agent.TurnID) (rec agent.TurnRecord, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		list, err := records(t, who, []agent.TurnID{id})
		if err != nil {
			return err
		}
		rec = list[0]
		return nil
	})
	return rec, err
}

// CallTurn gives the turn that a call belongs to. Errors: not_found.
func (s *Store) CallTurn(ctx context.Context, id agent.CallID) (turn agent.TurnID, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		found, ok, err := one(t, plain[agent.TurnID], selectCallTurn, id, who.org, who.user)
		if err == nil && !ok {
			err = agent.NotFound("call")
		}
		turn = found
		return err
	})
	return turn, err
}

// turnsByID gives turns with their open calls in the order of the ids. Errors:
// not_found.
func turnsByID(t *tx, who tenant, ids []agent.TurnID) ([]agent.Turn, error) {
	found, err := all(t, scanTurn, selectTurnsByID, idList(ids), who.org, who.user)
	if err != nil {
		return nil, err
	}
	byID := make(map[agent.TurnID]agent.Turn, len(found))
	for _, turn := range found {
		byID[turn.ID] = turn
	}
	turns := make([]agent.Turn, len(ids))
	for i, id := range ids {
		turn, ok := byID[id]
		if !ok {
			return nil, agent.NotFound("turn")
		}
		turns[i] = turn
	}
	return turns, addOpenCalls(t, who, turns)
}

// records gives turns with everything but their events, in one query for each
// table however many turns there are. Errors: not_found.
func records(t *tx, who tenant, ids []agent.TurnID) ([]agent.TurnRecord, error) {
	turns, err := turnsByID(t, who, ids)
	if err != nil {
		return nil, err
	}
	recs := make([]agent.TurnRecord, len(ids))
	at := make(map[agent.TurnID]*agent.TurnRecord, len(ids))
	for i, turn := range turns {
		recs[i].Turn = turn
		at[turn.ID] = &recs[i]
	}
	list := idList(ids)
	steps, err := all(t, scanStep, selectSteps, list, who.org, who.user)
	if err != nil {
		return nil, err
	}
	for _, st := range steps {
		at[st.TurnID].Steps = append(at[st.TurnID].Steps, st)
	}
	calls, err := all(t, scanCall, selectCalls, list, who.org, who.user)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		at[c.TurnID].Calls = append(at[c.TurnID].Calls, c)
	}
	return recs, addReceiptsAndLedger(t, who, list, at)
}

func addReceiptsAndLedger(t *tx, who tenant, list string, at map[agent.TurnID]*agent.TurnRecord) error {
	receipts, err := all(t, scanReceipt, selectReceipts, list, who.org, who.user)
	if err != nil {
		return err
	}
	for _, r := range receipts {
		at[r.TurnID].Receipts = append(at[r.TurnID].Receipts, r)
	}
	ledger, err := all(t, scanLedger, selectLedger, list, who.org, who.user)
	if err != nil {
		return err
	}
	for _, e := range ledger {
		at[e.TurnID].Ledger = append(at[e.TurnID].Ledger, e)
	}
	return nil
}
