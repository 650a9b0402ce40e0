package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const selectTraces = `SELECT s.turn_id, t.turn_index, s.step_index, s.at_ms, s.model, s.provider, s.tokens_in, s.tokens_out,
	s.cache_read_tokens, s.cache_creation_tokens, s.trace FROM steps s JOIN turns t ON t.id = s.turn_id
	WHERE s.turn_id IN (SELECT value FROM json_each(?)) AND s.org_id = ? AND s.user_id = ? ORDER BY t.turn_index, s.step_index`

const (
	selectAnyThread  = `SELECT h.id, h.org_id, h.user_id, h.created_at_ms FROM threads h WHERE h.id = ?`
	selectAnyThreads = `SELECT h.id, h.org_id, h.user_id, h.created_at_ms FROM threads h ORDER BY h.rowid DESC LIMIT ?`
)

// encodeTrace gives nil for none.
func encodeTrace(t *agent.PromptTrace) (any, error) {
	if t == nil {
		return nil, nil
	}
	return encode(t)
}

func decodeTrace(s *string) (*agent.PromptTrace, error) {
	if s == nil {
		return nil, nil
	}
	t, err := decode[agent.PromptTrace](*s)
	return &t, err
}

func scanTrace(s scanner) (st agent.StepTrace, err error) {
	var trace *string
	u := &st.Usage
	if err = s.Scan(&st.TurnID, &st.TurnIndex, &st.Step, &st.At, &st.Model, &st.Provider,
		&u.TokensIn, &u.TokensOut, &u.CacheRead, &u.CacheCreation, &trace); err != nil {
		return st, err
	}
	st.Trace, err = decodeTrace(trace)
	return st, err
}

// StepTraces gives the model calls of the at most limit last turns of a thread's path,
// up to the head or up to the turn above before, and those turns. Errors: not_found.
func (s *Store) StepTraces(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) (steps []agent.StepTrace, turns []agent.TurnID, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		if turns, err = pathIDs(t, who, id, before, limit); err != nil || len(turns) == 0 {
			return err
		}
		steps, err = all(t, scanTrace, selectTraces, idList(turns), who.org, who.user)
		return err
	})
	return steps, turns, err
}

func scanAnyThread(s scanner) (th agent.Thread, err error) {
	return th, s.Scan(&th.ID, &th.OrgID, &th.UserID, &th.CreatedAt)
}

// AnyThreads gives whose a thread is, or whose the at most limit newest ones are, for
// the operator: no title and no text. Errors: not_found.
func (s *Store) AnyThreads(ctx context.Context, id agent.ThreadID, limit int) (list []agent.Thread, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		if id == "" {
			list, err = all(t, scanAnyThread, selectAnyThreads, max(limit, 0))
			return err
		}
		list, err = all(t, scanAnyThread, selectAnyThread, id)
		if err == nil && len(list) == 0 {
			err = agent.NotFound("thread")
		}
		return err
	})
	return list, err
}
