package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectUncompacted = `SELECT id FROM turns WHERE ended_at_ms IS NOT NULL AND compacted_at_ms IS NULL AND ended_at_ms <= ?
		ORDER BY ended_at_ms LIMIT ?`

	selectTurnRows = `SELECT seq, from_seq, run, at_ms, kind, cuts, data FROM events WHERE turn_id = ? ORDER BY seq`

	deleteJoined = `DELETE FROM events WHERE turn_id = ? AND seq >= ? AND seq < ?`

	updateJoined = `UPDATE events SET from_seq = ?, cuts = ?, data = ? WHERE turn_id = ? AND seq = ?`

	markCompacted = `UPDATE turns SET compacted_at_ms = ? WHERE id = ?`
)

// CompactEvents joins the deltas of each block of ended turns, each turn in a
// transaction of its own. The lengths of the single deltas are kept, so that a reader
// who begins between any two of them still gets exactly the rest. Deltas of two runs
// stay apart: a run that was overtaken is told from the one that followed.
func (s *Store) CompactEvents(ctx context.Context, endedBy int64, limit int) (done agent.Compacted, err error) {
	var turns []agent.TurnID
	if err := s.app.read(ctx, func(t *tx) (err error) {
		turns, err = all(t, plain[agent.TurnID], selectUncompacted, endedBy, max(limit, 0))
		return err
	}); err != nil {
		return done, err
	}
	for _, id := range turns {
		var rows []eventRow
		var groups []*joinedRows
		if err := s.app.write(ctx, false, func(t *tx) (err error) {
			if rows, err = all(t, scanEventRow, selectTurnRows, id); err != nil {
				return err
			}
			groups = joinRows(rows)
			for _, g := range groups {
				if err := g.put(t, id); err != nil {
					return err
				}
			}
			_, err = t.exec(markCompacted, s.now(), id)
			return err
		}); err != nil {
			return done, err
		}
		done.Turns++
		done.Rows += len(rows)
		done.Left += len(rows)
		for _, g := range groups {
			done.Left -= g.count - 1
		}
	}
	return done, nil
}

// joinedRows are neighbouring rows whose deltas become one; last is the row that
// stays.
type joinedRows struct {
	first, last eventRow
	count       int
	block       int
	text        strings.Builder
	cuts        []int
}

func (g *joinedRows) put(t *tx, id agent.TurnID) error {
	data, err := encode(delta{Block: g.block, Text: g.text.String()})
	if err != nil {
		return err
	}
	cuts, err := encode(g.cuts)
	if err != nil {
		return err
	}
	if _, err := t.exec(deleteJoined, id, g.first.seq, g.last.seq); err != nil {
		return err
	}
	_, err = t.exec(updateJoined, g.first.from, cuts, data, id, g.last.seq)
	return err
}

// joinRows finds the runs of two rows and more that can be joined.
func joinRows(rows []eventRow) (groups []*joinedRows) {
	var open *joinedRows
	for _, r := range rows {
		d, cuts, ok := r.deltas()
		if !ok {
			open = nil
			continue
		}
		if open == nil || open.last.kind != r.kind || open.last.run != r.run || open.block != d.Block || open.last.seq+1 != r.from {
			open = &joinedRows{first: r, block: d.Block}
		}
		open.last = r
		open.text.WriteString(d.Text)
		open.cuts = append(open.cuts, cuts...)
		if open.count++; open.count == 2 {
			groups = append(groups, open)
		}
	}
	return groups
}

// deltas reads a row as text with the lengths of its deltas. It is not ok where
// joining would lose something: another kind, a member we do not know, a row that
// stands for several and does not say where it may be cut.
func (r eventRow) deltas() (d delta, cuts []int, ok bool) {
	if (r.kind != agent.EventTextDelta && r.kind != agent.EventReasoningDelta) || r.data == nil {
		return d, nil, false
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(*r.data)))
	dec.DisallowUnknownFields()
	if dec.Decode(&d) != nil || dec.More() {
		return d, nil, false
	}
	if r.cuts == nil {
		return d, []int{len(d.Text)}, r.from == r.seq
	}
	cuts, err := decode[[]int](*r.cuts)
	if err != nil || len(cuts) != int(r.seq-r.from+1) {
		return d, nil, false
	}
	sum := 0
	for _, n := range cuts {
		if n < 0 {
			return d, nil, false
		}
		sum += n
	}
	return d, cuts, sum == len(d.Text)
}
