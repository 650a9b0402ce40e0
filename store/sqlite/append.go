package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	insertEvent = `INSERT INTO events (turn_id, seq, from_seq, org_id, user_id, run, at_ms, kind, cuts, data)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	updateLastSeq = `UPDATE turns SET last_seq = ? WHERE id = ? AND org_id = ? AND user_id = ? AND run = ?`

	selectAnyHead = `SELECT ` + headColumns + ` FROM turns WHERE id = ?`
)

// appendEvents writes events of a turn whose head was read in this transaction.
// They are stamped with the run that writes them.
func appendEvents(t *tx, id agent.TurnID, h head, events []agent.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := checkSeqs(id, h.lastSeq, events); err != nil {
		return err
	}
	rows, err := pack(events)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := t.exec(insertEvent, id, r.seq, r.from, h.who.org, h.who.user, h.run, r.at, r.kind, r.cuts, r.data); err != nil {
			return err
		}
	}
	last := events[len(events)-1].Seq
	n, err := t.exec(updateLastSeq, last, id, h.who.org, h.who.user, h.run)
	if err == nil && n != 1 {
		err = fmt.Errorf("turn %s went away inside its own transaction", id)
	}
	return err
}

// checkSeqs refuses a gap, a double and a step back: the stream has none.
func checkSeqs(id agent.TurnID, last agent.Seq, events []agent.Event) error {
	for _, e := range events {
		first := e.Seq
		if e.From != 0 {
			first = e.From
		}
		if first != last+1 || e.Seq < first {
			return internal(fmt.Errorf("turn %s is at seq %d and cannot go on with %d..%d", id, last, first, e.Seq))
		}
		last = e.Seq
	}
	return nil
}

// AppendLive writes told text of many turns in one transaction. It serves the runs
// of all tenants, so it takes no principal: a turn is found by its id, its run
// fences out an owner that was overtaken, and the rows carry the turn's own tenant.
// Errors: internal (seqs with a gap; nothing is written).
func (s *Store) AppendLive(ctx context.Context, batches []agent.LiveBatch) (overtaken []agent.TurnID, err error) {
	if len(batches) == 0 {
		return nil, nil
	}
	err = s.app.write(ctx, false, func(t *tx) error {
		for _, b := range batches {
			h, ok, err := one(t, scanHead, selectAnyHead, b.Turn)
			if err != nil {
				return err
			}
			if !ok || h.run != b.Run || h.state != agent.TurnRunning {
				overtaken = append(overtaken, b.Turn)
				continue
			}
			if err := appendEvents(t, b.Turn, h, b.Events); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return overtaken, nil
}
