package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// foreignWriter holds the write lock of a file, as another program would, until
// release is called.
func foreignWriter(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, time.Second, "immediate"))
	must(t, err)
	tx, err := db.BeginTx(context.Background(), nil)
	must(t, err)
	return sync.OnceFunc(func() { _ = tx.Rollback(); _ = db.Close() })
}

func busyStore(t *testing.T) (*Store, agent.Turn, func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path, BusyTimeout: 200 * time.Millisecond})
	turn := begin(t, s, "t1")
	release := foreignWriter(t, path)
	t.Cleanup(release)
	return s, turn, release
}

func TestALockedDatabaseIsBusyAndCanBeTriedAgain(t *testing.T) {
	s, turn, release := busyStore(t)
	_, _, err := s.StartTurn(asUser, started("t2", agent.Thread{ID: "h2"}))
	wantCode(t, err, agent.CodeStorageBusy)
	var e *agent.Error
	if !errors.As(err, &e) || !e.Retryable || e.RetryAfter <= 0 {
		t.Errorf("busy is not retryable: %+v", e)
	}
	live := []agent.LiveBatch{{Turn: turn.ID, Run: 1, Events: []agent.Event{deltaEvent(2, "text")}}}
	_, err = s.AppendLive(t.Context(), live)
	wantCode(t, err, agent.CodeStorageBusy)
	if _, err := s.Record(asUser, turn.ID); err != nil {
		t.Errorf("a reader waits for a foreign writer: %v", err)
	}
	release()
	_, err = s.AppendLive(t.Context(), live)
	must(t, err)
	_, created, err := s.StartTurn(asUser, started("t2", agent.Thread{ID: "h2"}))
	must(t, err)
	if !created {
		t.Error("the refused message had left something behind")
	}
}

func TestWaitsBehindAForeignWriterDoNotAddUp(t *testing.T) {
	s, turn, _ := busyStore(t)
	within(t, 2*time.Second, func() { // one after the other it would be 30 × 0.2 s
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				wantCode(t, s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1}), agent.CodeStorageBusy)
			})
		}
		wg.Wait()
	})
}

func TestACancelledWaitEndsAsCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path, BusyTimeout: time.Minute})
	turn := begin(t, s, "t1")
	release := foreignWriter(t, path)
	defer release()
	ctx, cancel := context.WithTimeout(asUser, 50*time.Millisecond)
	defer cancel()
	within(t, 10*time.Second, func() {
		if err := s.Commit(ctx, agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnComplete}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v", err)
		}
	})
	release()
	must(t, s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnComplete}))
}

func TestReadersOutnumberingThePoolAllGetThrough(t *testing.T) {
	s := openAt(t, Config{})
	turn := begin(t, s, "t1")
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if _, err := s.Record(asUser, turn.ID); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestAReaderThatIsCancelledLeavesThePoolWhole(t *testing.T) {
	s := openAt(t, Config{})
	begin(t, s, "t1")
	for range 50 {
		ctx, cancel := context.WithCancel(asUser)
		done := make(chan error, 1)
		go func() {
			_, err := s.EventsAfter(ctx, "t1", 0, 10)
			done <- err
		}()
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled read gave %v", err)
		}
	}
	for range cap(s.app.idle) * 2 {
		if _, err := s.Turn(asUser, "t1"); err != nil {
			t.Errorf("a read after it: %v", err)
		}
	}
}
