package sqlite

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// selectPath climbs from a turn to its ancestors, nearest first, and stops after
// some: its cost is the number of turns it gives, however long the thread is. The +
// leaves SQLite only the index that finds one turn by its id.
const selectPath = `WITH RECURSIVE up (id, parent, depth) AS (
		SELECT t.id, t.parent_turn_id, 0 FROM turns t WHERE t.id = ?1 AND t.thread_id = ?2 AND t.org_id = ?3 AND t.user_id = ?4
		UNION ALL
		SELECT t.id, t.parent_turn_id, up.depth + 1 FROM up JOIN turns t ON t.id = up.parent
		WHERE +t.thread_id = ?2 AND +t.org_id = ?3 AND +t.user_id = ?4 AND up.depth + 1 < ?5
	) SELECT id FROM up ORDER BY depth`

// climb gives at most limit turns of the path that ends in id (included), oldest
// first.
func climb(t *tx, who tenant, thread agent.ThreadID, id agent.TurnID, limit int) ([]agent.TurnID, error) {
	if limit < 1 || id == "" {
		return nil, nil
	}
	ids, err := all(t, plain[agent.TurnID], selectPath, id, thread, who.org, who.user, limit)
	slices.Reverse(ids)
	return ids, err
}

const selectParent = `SELECT parent_turn_id, thread_id FROM turns WHERE id = ? AND org_id = ? AND user_id = ?`

type above struct {
	parent agent.TurnID
	thread agent.ThreadID
}

func scanAbove(s scanner) (a above, err error) { return a, s.Scan(&a.parent, &a.thread) }

func findAbove(t *tx, who tenant, id agent.TurnID) (above, error) {
	a, ok, err := one(t, scanAbove, selectParent, id, who.org, who.user)
	if err == nil && !ok {
		err = agent.NotFound("turn")
	}
	return a, err
}

// Path gives the records of the at most limit nearest turns above id, oldest
// first. Errors: not_found.
func (s *Store) Path(ctx context.Context, id agent.TurnID, limit int) (recs []agent.TurnRecord, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		a, err := findAbove(t, who, id)
		if err != nil {
			return err
		}
		ids, err := climb(t, who, a.thread, a.parent, limit)
		if err != nil || len(ids) == 0 {
			return err
		}
		recs, err = records(t, who, ids)
		return err
	})
	return recs, err
}

// PathTurns gives the at most limit last turns of a thread's path, newest last: up
// to the head, or up to the turn above before. Errors: not_found.
func (s *Store) PathTurns(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) (turns []agent.Turn, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		ids, err := pathIDs(t, who, id, before, limit)
		if err != nil || len(ids) == 0 {
			return err
		}
		turns, err = turnsByID(t, who, ids)
		return err
	})
	return turns, err
}

// pathIDs gives the at most limit last turns of a thread's path, oldest first: up to
// the head, or up to the turn above before. Errors: not_found.
func pathIDs(t *tx, who tenant, id agent.ThreadID, before agent.TurnID, limit int) ([]agent.TurnID, error) {
	th, err := findThread(t, who, id)
	if err != nil {
		return nil, err
	}
	last := th.Head
	if before != "" {
		a, err := findAbove(t, who, before)
		if err != nil {
			return nil, err
		}
		if a.thread != id {
			return nil, agent.NotFound("turn")
		}
		last = a.parent
	}
	return climb(t, who, id, last, limit)
}
