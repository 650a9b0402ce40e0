package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectEvents = `SELECT seq, from_seq, run, at_ms, kind, cuts, data FROM events
		WHERE turn_id = ? AND seq > ? AND org_id = ? AND user_id = ? ORDER BY seq LIMIT ?`

	selectOrdinal = `SELECT ordinal FROM turns WHERE id = ? AND thread_id = ? AND org_id = ? AND user_id = ?`

	selectNextTurn = `SELECT ` + turnColumns + ` FROM turns t
		WHERE t.thread_id = ? AND t.ordinal > ? AND t.org_id = ? AND t.user_id = ? ORDER BY t.ordinal LIMIT 1`
)

func scanEventRow(s scanner) (r eventRow, err error) {
	return r, s.Scan(&r.seq, &r.from, &r.run, &r.at, &r.kind, &r.cuts, &r.data)
}

// EventsAfter gives up to limit stored events with seq > after; a limit under 1
// gives none. Errors: not_found.
func (s *Store) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) (events []agent.Event, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		h, err := findHead(t, who, id)
		if err != nil {
			return err
		}
		rows, err := all(t, scanEventRow, selectEvents, id, after, who.org, who.user, max(limit, 0))
		if err != nil {
			return err
		}
		events = make([]agent.Event, len(rows))
		for i, r := range rows {
			if events[i], err = r.event(after); err != nil {
				return err
			}
			events[i].Turn, events[i].Thread = id, h.thread
		}
		return nil
	})
	return events, err
}

// NextTurn gives the turn of a thread that started after the given one. Errors:
// not_found (the thread, or a turn that is not of the thread).
func (s *Store) NextTurn(ctx context.Context, thread agent.ThreadID, after agent.TurnID) (turn agent.Turn, ok bool, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		if _, err := findThread(t, who, thread); err != nil {
			return err
		}
		ordinal := 0
		if after != "" {
			var found bool
			if ordinal, found, err = one(t, plain[int], selectOrdinal, after, thread, who.org, who.user); err != nil {
				return err
			}
			if !found {
				return agent.NotFound("turn")
			}
		}
		if turn, ok, err = one(t, scanTurn, selectNextTurn, thread, ordinal, who.org, who.user); err != nil || !ok {
			return err
		}
		list := []agent.Turn{turn}
		err = addOpenCalls(t, who, list)
		turn = list[0]
		return err
	})
	return turn, ok && err == nil, err
}
