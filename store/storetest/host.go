package storetest

import (
	"context"
	"database/sql"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
)

// claimed gives a running turn of Alice's with a claimed row, and the row.
func (w *world) claimed() (agent.Turn, agent.LedgerEntry) {
	w.Helper()
	turn := w.begin(alice)
	w.ok(w.s.Commit(as(alice), claimOf(turn, "c", agent.PhaseApply)))
	return turn, agent.LedgerEntry{TurnID: turn.ID, CallID: "c", Phase: agent.PhaseApply, Run: turn.Run}
}

// hostTable makes a table of the host's in the app database.
func (w *world) hostTable() {
	w.Helper()
	_, e := w.claimed()
	w.ok(w.s.SettleWith(as(alice), e, statement(`CREATE TABLE host_orders (n INTEGER NOT NULL)`)))
}

func statement(query string) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), query)
		return err
	}
}

var order = statement(`INSERT INTO host_orders (n) VALUES (1)`)

// orders counts the host's rows, from inside a transaction that is not kept.
func (w *world) orders() (n int) {
	w.Helper()
	_, e := w.claimed()
	enough := errors.New("counted")
	err := w.s.SettleWith(as(alice), e, func(tx *sql.Tx) error {
		w.ok(tx.QueryRowContext(context.Background(), `SELECT count(*) FROM host_orders`).Scan(&n))
		return enough
	})
	if !errors.Is(err, enough) {
		w.Fatalf("counting gave %v", err)
	}
	return n
}

func (w *world) rowOf(turn agent.Turn) agent.LedgerEntry {
	w.Helper()
	return at(w, w.record(alice, turn.ID).Ledger, 0)
}

var hostCases = []Case{
	{Name: "a host's change and its ledger row are kept together, and the result comes later, once", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.hostTable()
		turn, e := w.claimed()
		w.ok(s.SettleWith(as(alice), e, order))
		w.same(w.orders(), 1, "the host's rows")
		row := w.rowOf(turn)
		if row.State != agent.LedgerSettled || row.Result != nil || row.SettledAt == 0 {
			w.Errorf("the row after the host's commit: %s", show(row))
		}
		w.code(s.SettleWith(as(alice), e, order), agent.CodeConflict, "the same change again")
		w.ok(s.Commit(as(alice), settleOf(turn, "c", agent.PhaseApply, agent.LedgerSettled)))
		w.same(w.rowOf(turn).Result, &agent.Result{OK: true}, "the result")
		if s.Commit(as(alice), settleOf(turn, "c", agent.PhaseApply, agent.LedgerSettled)) == nil {
			w.Errorf("the row was settled a second time")
		}
		w.same(w.orders(), 1, "the host's rows at the end")
	}},
	{Name: "a host that fails keeps neither its change nor the row, and may try again", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.hostTable()
		turn, e := w.claimed()
		sold := errors.New("sold out")
		if err := s.SettleWith(as(alice), e, func(tx *sql.Tx) error { return errors.Join(order(tx), sold) }); !errors.Is(err, sold) {
			w.Errorf("the host's own error came as %v", err)
		}
		w.same(w.orders(), 0, "the host's rows")
		w.same(w.rowOf(turn).State, agent.LedgerClaimed, "the row")
		w.ok(s.SettleWith(as(alice), e, order))
		w.same(w.orders(), 1, "the host's rows after the second try")
	}},
	{Name: "a host commits for its own run, its own claim and its own tenant only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.hostTable()
		turn, e := w.claimed()
		late, unclaimed := e, e
		late.Run++
		unclaimed.CallID = "another"
		w.code(s.SettleWith(as(alice), late, order), agent.CodeConflict, "a run that is not the turn's")
		w.code(s.SettleWith(as(alice), unclaimed, order), agent.CodeConflict, "a row that nobody claimed")
		for who, p := range foreigners {
			w.code(s.SettleWith(as(p), e, order), agent.CodeNotFound, who)
		}
		w.code(s.SettleWith(context.Background(), e, order), agent.CodeUnauthenticated, "nobody")
		w.same(w.rowOf(turn).State, agent.LedgerClaimed, "the row after all of it")
		w.ok(s.Commit(as(alice), w.ending(alice, turn)))
		w.code(s.SettleWith(as(alice), e, order), agent.CodeConflict, "a turn that ended")
		w.same(w.orders(), 0, "the host's rows")
	}},
	{Name: "inside a host's commit every port answers at once", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, e := w.claimed()
		victim := w.victim()
		inside := false
		ctx := agent.WithCommitGuard(as(alice), func() bool { return inside })
		w.ok(s.SettleWith(ctx, e, func(*sql.Tx) error {
			inside = true
			defer func() { inside = false }()
			for _, p := range append([]probe{{"SettleWith", func(ctx context.Context, s Store, _ ids) error { return s.SettleWith(ctx, e, order) }}}, probes...) {
				if err := p.call(ctx, s, victim); !errors.Is(err, agent.ErrInsideCommit) {
					w.Errorf("%s inside gave %v", p.name, err)
				}
			}
			return nil
		}))
		_, err := s.Turn(ctx, victim.turn.ID)
		w.ok(err)
	}},
}
