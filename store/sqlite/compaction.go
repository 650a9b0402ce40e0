package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	insertCompaction = `INSERT INTO compactions (id, org_id, user_id, thread_id, turn_id, through_turn_id, through_index,
		window_tokens, tokens_before, tokens_after, created_at_ms, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	updateCutBefore = `UPDATE turns SET cut_before_step = ? WHERE id = ? AND org_id = ? AND user_id = ?`

	selectThrough = `SELECT turn_index FROM turns WHERE id = ? AND thread_id = ? AND org_id = ? AND user_id = ?`

	// It climbs as selectPath does, and takes the first turn that something goes through.
	selectCompaction = `WITH RECURSIVE up (id, parent, depth) AS (
			SELECT t.id, t.parent_turn_id, 0 FROM turns t WHERE t.id = ?1 AND t.thread_id = ?2 AND t.org_id = ?3 AND t.user_id = ?4
			UNION ALL
			SELECT t.id, t.parent_turn_id, up.depth + 1 FROM up JOIN turns t ON t.id = up.parent
			WHERE +t.thread_id = ?2 AND +t.org_id = ?3 AND +t.user_id = ?4 AND up.depth + 1 < ?5
		) SELECT c.id, c.thread_id, c.turn_id, c.through_turn_id, c.through_index, c.window_tokens, c.tokens_before, c.tokens_after,
			c.created_at_ms, c.text, up.depth FROM up CROSS JOIN compactions c ON c.through_turn_id = up.id
		WHERE +c.org_id = ?3 AND +c.user_id = ?4 ORDER BY up.depth, c.n DESC LIMIT 1`
)

// putCompaction writes what a milestone makes shorter, with the turn's own bound.
func putCompaction(t *tx, m agent.Milestone, h head) error {
	if m.CutBefore != 0 {
		if _, err := t.exec(updateCutBefore, m.CutBefore, m.Turn, h.who.org, h.who.user); err != nil {
			return err
		}
	}
	c := m.Compaction
	if c == nil {
		return nil
	}
	index, ok, err := one(t, plain[int], selectThrough, c.Through, h.thread, h.who.org, h.who.user)
	if err == nil && (!ok || index != c.ThroughIndex) {
		err = internal(fmt.Errorf("compaction %s goes through turn %s, which is not turn %d of the thread", c.ID, c.Through, c.ThroughIndex))
	}
	if err != nil {
		return err
	}
	_, err = t.exec(insertCompaction, c.ID, h.who.org, h.who.user, h.thread, m.Turn, c.Through, c.ThroughIndex,
		c.Window, c.TokensBefore, c.TokensAfter, c.At, c.Text)
	return err
}

type foundCompaction struct {
	agent.Compaction
	depth int
}

func scanCompaction(s scanner) (f foundCompaction, err error) {
	c := &f.Compaction
	return f, s.Scan(&c.ID, &c.ThreadID, &c.TurnID, &c.Through, &c.ThroughIndex, &c.Window, &c.TokensBefore, &c.TokensAfter, &c.At, &c.Text, &f.depth)
}

// Compaction gives the newest compaction of the nearest turn above id that has one,
// and how many turns lie between. Errors: not_found.
func (s *Store) Compaction(ctx context.Context, id agent.TurnID, limit int) (c agent.Compaction, between int, ok bool, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		a, err := findAbove(t, who, id)
		if err != nil || a.parent == "" || limit < 1 {
			return err
		}
		found, seen, err := one(t, scanCompaction, selectCompaction, a.parent, a.thread, who.org, who.user, limit)
		c, between, ok = found.Compaction, found.depth, seen
		return err
	})
	return c, between, ok, err
}
