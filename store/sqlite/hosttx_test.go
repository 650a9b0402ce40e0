package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// claimedIn gives a store with a claimed row and the host's table.
func claimedIn(t *testing.T) (*Store, agent.LedgerEntry) {
	t.Helper()
	s := openAt(t, Config{})
	behind(t, s.app, `CREATE TABLE host_orders (n INTEGER)`)
	return s, claimIn(t, s, "t1")
}

func claimIn(t *testing.T, s *Store, id string) agent.LedgerEntry {
	t.Helper()
	turn := begin(t, s, id)
	e := agent.LedgerEntry{TurnID: turn.ID, CallID: "c", Phase: agent.PhaseApply, Run: 1, ClaimedAt: 1}
	must(t, s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, Claims: []agent.LedgerEntry{e}}))
	return e
}

func put(tx *sql.Tx) error {
	_, err := tx.Exec(`INSERT INTO host_orders (n) VALUES (1)`)
	return err
}

// kept gives how many rows of the host and how many settled rows there are.
func kept(t *testing.T, s *Store) [2]int64 {
	t.Helper()
	return [2]int64{number(t, s.app, `SELECT count(*) FROM host_orders`), number(t, s.app, `SELECT count(*) FROM ledger WHERE state = 'settled'`)}
}

// worksOn shows that the writer is free and whole.
func worksOn(t *testing.T, s *Store) {
	t.Helper()
	e := claimIn(t, s, "after")
	before := kept(t, s)
	must(t, s.SettleWith(asUser, e, put))
	same(t, kept(t, s), [2]int64{before[0] + 1, before[1] + 1})
	must(t, s.Commit(asUser, agent.Milestone{Turn: "after", Run: 1, Events: []agent.Event{deltaEvent(2, "x")}}))
}

func TestAPanicOfTheHostsFunctionIsPassedOnAndKeepsNothing(t *testing.T) {
	s, e := claimedIn(t)
	func() {
		defer func() {
			if p, ok := recover().(string); !ok || !strings.HasPrefix(p, "no stock") || !strings.Contains(p, "hosttx_test.go") {
				t.Errorf("recovered %q, without where it was", p)
			}
		}()
		_ = s.SettleWith(asUser, e, func(tx *sql.Tx) error {
			must(t, put(tx))
			panic("no stock")
		})
	}()
	same(t, kept(t, s), [2]int64{})
	worksOn(t, s)
}

func TestAHostsFunctionThatLeavesWithoutReturningKeepsNothing(t *testing.T) {
	s, e := claimedIn(t)
	if err := s.SettleWith(asUser, e, func(tx *sql.Tx) error { must(t, put(tx)); runtime.Goexit(); return nil }); err == nil {
		t.Error("it was committed")
	}
	same(t, kept(t, s), [2]int64{})
	worksOn(t, s)
}

func TestAHostsFunctionHasOneSecond(t *testing.T) {
	s, e := claimedIn(t)
	must(t, s.SettleWith(asUser, e, func(tx *sql.Tx) error {
		<-time.After(agent.MaxCommit * 6 / 10) // well under it
		return put(tx)
	}))
	same(t, kept(t, s), [2]int64{1, 1})

	e = claimIn(t, s, "t2")
	goOn, late := make(chan struct{}), make(chan error, 1)
	began := time.Now()
	err := s.SettleWith(asUser, e, func(tx *sql.Tx) error {
		must(t, put(tx))
		<-goOn
		late <- put(tx)
		return nil
	})
	if took := time.Since(began); took < agent.MaxCommit || took > 3*agent.MaxCommit {
		t.Errorf("it was ended after %v", took)
	}
	wantCode(t, err, agent.CodeTimeout)
	same(t, kept(t, s), [2]int64{1, 1})
	worksOn(t, s)
	close(goOn)
	if err := <-late; !errors.Is(err, sql.ErrTxDone) {
		t.Errorf("a late statement of the host gave %v", err)
	}
	same(t, kept(t, s), [2]int64{2, 2})
}

func TestTheRowRidesAlongAlsoWhenTheHostEndsTheTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*sql.Tx) error
		want [2]int64
		code agent.Code
	}{
		"commits":               {func(tx *sql.Tx) error { return tx.Commit() }, [2]int64{1, 1}, ""},
		"commits by statement":  {func(tx *sql.Tx) error { _, err := tx.Exec(`COMMIT`); return err }, [2]int64{1, 1}, ""},
		"rolls back":            {func(tx *sql.Tx) error { return tx.Rollback() }, [2]int64{}, agent.CodeConflict},
		"rolls back and starts": {func(tx *sql.Tx) error { _, err := tx.Exec(`ROLLBACK; BEGIN`); return err }, [2]int64{}, agent.CodeConflict},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := claimedIn(t)
			err := s.SettleWith(asUser, e, func(tx *sql.Tx) error {
				must(t, put(tx))
				return c.end(tx)
			})
			if c.code != "" {
				wantCode(t, err, c.code)
			}
			if got := kept(t, s); got != c.want {
				t.Errorf("kept %v, want %v; %v", got, c.want, err)
			}
			if (err == nil) != (c.want[1] == 1) {
				t.Errorf("it said %v", err)
			}
			worksOn(t, s)
		})
	}
}

func TestRowsThatTheHostLeftOpenDoNotHoldTheWriter(t *testing.T) {
	s, e := claimedIn(t)
	must(t, s.SettleWith(asUser, e, func(tx *sql.Tx) error {
		must(t, put(tx))
		rows, err := tx.Query(`SELECT n FROM host_orders`)
		if err != nil || !rows.Next() {
			t.Errorf("no row: %v", err)
		}
		return rows.Err()
	}))
	same(t, kept(t, s), [2]int64{1, 1})
	worksOn(t, s)
}

func TestAHostWaitsForTheWriterNoLongerThanAnybody(t *testing.T) {
	s := openAt(t, Config{BusyTimeout: 50 * time.Millisecond})
	e := claimIn(t, s, "t1")
	hold, held := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- s.SettleWith(asUser, e, func(*sql.Tx) error { close(held); <-hold; return nil })
	}()
	<-held
	within(t, time.Second, func() { wantCode(t, s.SettleWith(asUser, e, put), agent.CodeStorageBusy) })
	close(hold)
	must(t, <-first)
	ctx, cancel := context.WithCancel(asUser)
	cancel()
	if err := s.SettleWith(ctx, e, put); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left got %v", err)
	}
}

func TestWhatAHostCommittedIsOnTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path})
	behind(t, s.app, `CREATE TABLE host_orders (n INTEGER)`)
	must(t, s.Commit(asUser, agent.Milestone{Turn: begin(t, s, "t0").ID, Run: 1, Events: []agent.Event{deltaEvent(2, "x")}})) // leaves synchronous=NORMAL
	e := claimIn(t, s, "t1")
	must(t, s.SettleWith(asUser, e, func(tx *sql.Tx) error {
		var level int
		must(t, tx.QueryRow(`PRAGMA synchronous`).Scan(&level))
		same(t, level, 2) // FULL
		return put(tx)
	}))
	must(t, s.Close())
	same(t, kept(t, openAt(t, Config{App: path})), [2]int64{1, 1})
}
