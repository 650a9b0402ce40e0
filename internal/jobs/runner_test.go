package jobs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/jobs"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

var night = jobs.Plan{At: 3 * time.Hour}

// counted is a job that counts its runs.
func counted(name string, n *atomic.Int64) jobs.Job {
	return jobs.Job{Name: name, Plan: night, Run: func(context.Context) (string, error) { n.Add(1); return "Tidied.", nil }}
}

func (w *world) runner(store *sqlite.Store, owner string, list ...jobs.Job) *jobs.Runner {
	return jobs.New(jobs.Config{Rows: store, Jobs: list, Owner: owner, Now: w.clock.Now})
}

func TestAJobRunsAtItsTimeAndItsRowTellsOfIt(t *testing.T) {
	w := newWorld(t)
	var n atomic.Int64
	r := w.runner(w.store, "p1", counted("tidy", &n))
	three := time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Time
		runs int64
	}{{noon, 0}, {three.Add(-time.Millisecond), 0}, {three, 1}, {three.Add(time.Minute), 1}, {three.Add(24 * time.Hour), 2}} {
		w.clock.set(c.at)
		if next := r.Due(t.Context()); !next.After(c.at) || next.Sub(c.at) > time.Minute {
			t.Errorf("at %s it looks again at %s", c.at, next)
		}
		if n.Load() != c.runs {
			t.Errorf("at %s it ran %d times, want %d", c.at, n.Load(), c.runs)
		}
	}
	got := w.row("tidy")
	want := agent.Job{Name: "tidy", State: agent.JobDone, Owner: "p1", Run: 2, Message: "Tidied.", NextAt: three.Add(48 * time.Hour).UnixMilli()}
	got.StartedAt, got.EndedAt, got.RenewedAt = 0, 0, 0
	if got != want {
		t.Errorf("the row is %+v, want %+v", got, want)
	}
}

func TestWhatWasMissedIsCaughtUpOnce(t *testing.T) {
	w := newWorld(t)
	var n atomic.Int64
	w.runner(w.store, "p1", counted("tidy", &n)).Due(t.Context())
	w.clock.set(noon.Add(5 * 24 * time.Hour)) // nothing ran for five nights
	r := w.runner(w.store, "p2", counted("tidy", &n))
	r.Due(t.Context())
	r.Due(t.Context())
	if n.Load() != 1 {
		t.Errorf("it ran %d times", n.Load())
	}
	if next := time.UnixMilli(w.row("tidy").NextAt).UTC(); !next.Equal(time.Date(2026, 12, 6, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("the next time is %s", next)
	}
}

func TestAClockThatWasWrongLeavesNoJobBehind(t *testing.T) {
	w := newWorld(t)
	var n atomic.Int64
	r := w.runner(w.store, "p1", counted("tidy", &n))
	w.clock.set(noon.AddDate(30, 0, 0))
	r.Due(t.Context())
	w.clock.set(noon)
	r.Due(t.Context())
	if next := time.UnixMilli(w.row("tidy").NextAt).UTC(); !next.Equal(time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("the next time is %s", next)
	}
}

func TestOfManyProcessesOneRunsAJob(t *testing.T) {
	w := newWorld(t)
	var n, inside, most atomic.Int64
	job := jobs.Job{Name: "tidy", Plan: night, Run: func(context.Context) (string, error) {
		n.Add(1)
		if now := inside.Add(1); now > most.Load() {
			most.Store(now)
		}
		defer inside.Add(-1)
		return "", nil
	}}
	w.runner(w.store, "p0", job).Due(t.Context())
	w.clock.set(noon.Add(24 * time.Hour))
	stores := []*sqlite.Store{w.store, w.beside(), w.beside(), w.beside()}
	var wg sync.WaitGroup
	for i, s := range stores {
		wg.Go(func() { w.runner(s, string(rune('a'+i)), job).Due(t.Context()) })
	}
	wg.Wait()
	if n.Load() != 1 || most.Load() != 1 {
		t.Errorf("%d runs, %d at once", n.Load(), most.Load())
	}
}

func TestAPanicOrAnErrorEndsOneRunOnly(t *testing.T) {
	w := newWorld(t)
	var n atomic.Int64
	fail := func(name string, run func(context.Context) (string, error)) jobs.Job {
		return jobs.Job{Name: name, Plan: night, Run: run}
	}
	r := w.runner(w.store, "p1",
		fail("panics", func(context.Context) (string, error) { panic("secret of a tenant") }),
		fail("fails", func(context.Context) (string, error) {
			return "Half of it.", agent.Errorf(agent.CodeUnavailable, "The corpus does not answer.")
		}),
		fail("leaks", func(context.Context) (string, error) { return "", errors.New("dsn=secret") }),
		counted("tidy", &n))
	r.Due(t.Context())
	w.clock.set(noon.Add(24 * time.Hour))
	r.Due(t.Context())
	for name, says := range map[string]string{"panics": "Something went wrong", "fails": "Half of it. The corpus does not answer.", "leaks": "Something went wrong"} {
		if row := w.row(name); row.State != agent.JobFailed || !strings.HasPrefix(row.Message, says) || strings.Contains(row.Message, "secret") || row.NextAt <= w.clock.Now().UnixMilli() {
			t.Errorf("%s: %+v", name, row)
		}
	}
	if n.Load() != 1 || w.row("tidy").State != agent.JobDone {
		t.Errorf("the job after them ran %d times: %+v", n.Load(), w.row("tidy"))
	}
}

func TestARunThatIsStoppedIsDueAtTheNextStart(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	began := make(chan struct{})
	long := jobs.Job{Name: "tidy", Plan: night, Run: func(ctx context.Context) (string, error) {
		close(began)
		<-ctx.Done()
		return "Half.", ctx.Err()
	}}
	w.runner(w.store, "p1", long).Due(ctx)
	w.clock.set(noon.Add(24 * time.Hour))
	done := make(chan struct{})
	go func() { defer close(done); w.runner(w.store, "p1", long).Loop(ctx) }()
	<-began
	stop()
	<-done
	if row := w.row("tidy"); row.State != agent.JobStopped || !strings.HasPrefix(row.Message, "Half.") || row.NextAt > w.clock.Now().UnixMilli() {
		t.Errorf("%+v", row)
	}
	var n atomic.Int64
	w.runner(w.store, "p2", counted("tidy", &n)).Due(t.Context())
	if n.Load() != 1 {
		t.Errorf("after the start it ran %d times", n.Load())
	}
}

func TestAJobIsRunByHandUnlessItRuns(t *testing.T) {
	w := newWorld(t)
	var n atomic.Int64
	began, end := make(chan struct{}), make(chan struct{})
	long := jobs.Job{Name: "long", Plan: night, Run: func(context.Context) (string, error) { close(began); <-end; return "Done.", nil }}
	r := w.runner(w.store, "p1", counted("tidy", &n), long)
	if row, err := r.RunNow(t.Context(), "tidy"); err != nil || n.Load() != 1 || row.State != agent.JobDone || row.Message != "Tidied." {
		t.Errorf("by hand: %+v, %v", row, err)
	}
	if _, err := r.RunNow(t.Context(), "sleep"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("an unknown job: %v", err)
	}
	done := make(chan error)
	go func() { _, err := r.RunNow(t.Context(), "long"); done <- err }()
	<-began
	_, err := w.runner(w.beside(), "p2", long).RunNow(t.Context(), "long")
	if agent.ErrorCode(err) != agent.CodeConflict || !strings.Contains(err.Error(), "2026-11-30 12:00:00") {
		t.Errorf("while it runs elsewhere: %v", err)
	}
	close(end)
	must(t, <-done)
}

// TestTheLoopKeepsTimeForDays lives in a bubble whose clock runs as fast as it can.
func TestTheLoopKeepsTimeForDays(t *testing.T) {
	if _, err := migrated(); err != nil { // outside of the bubble
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, stop := context.WithCancel(context.Background())
		var starts []time.Time
		slow := jobs.Job{Name: "slow", Plan: night, Run: func(context.Context) (string, error) {
			starts = append(starts, time.Now().UTC())
			time.Sleep(40 * time.Minute) // in the bubble
			return "", nil
		}}
		r := jobs.New(jobs.Config{Rows: w.store, Jobs: []jobs.Job{slow}, Owner: "p1"})
		other := jobs.New(jobs.Config{Rows: w.beside(), Jobs: []jobs.Job{slow}, Owner: "p2"})
		var wg sync.WaitGroup
		wg.Go(func() { r.Loop(ctx) })
		wg.Go(func() { other.Loop(ctx) })
		time.Sleep(10*24*time.Hour + 12*time.Hour)
		stop()
		wg.Wait()
		if len(starts) != 11 {
			t.Fatalf("it ran %d times in ten days and a half", len(starts))
		}
		for i, at := range starts {
			if want := time.Date(2000, 1, 1+i, 3, 0, 0, 0, time.UTC); !at.Equal(want) {
				t.Errorf("run %d began at %s, want %s", i+1, at, want)
			}
		}
	})
}

func TestARunThatWasOvertakenEndsAndWritesNothing(t *testing.T) {
	if _, err := migrated(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		job := jobs.Job{Name: "tidy", Plan: night, Run: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }}
		r := jobs.New(jobs.Config{Rows: w.store, Jobs: []jobs.Job{job}, Owner: "p1"})
		done := make(chan error)
		go func() { _, err := r.RunNow(context.Background(), "tidy"); done <- err }()
		synctest.Wait()
		// To another process, whose clock is ahead, the run looks dead.
		j, ok, err := w.beside().ClaimJob(context.Background(), agent.JobClaim{Name: "tidy", Owner: "p2", Now: time.Now().Add(time.Hour).UnixMilli(), Lease: 1})
		if err != nil || !ok {
			t.Fatalf("%+v, %v", j, err)
		}
		if err := <-done; agent.ErrorCode(err) != agent.CodeConflict {
			t.Errorf("the overtaken run: %v", err)
		}
		if row := w.row("tidy"); row.State != agent.JobRunning || row.Owner != "p2" {
			t.Errorf("the row is %+v", row)
		}
	})
}

func TestARunThatTakesTooLongIsEnded(t *testing.T) {
	if _, err := migrated(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		job := jobs.Job{Name: "tidy", Plan: night, Run: func(ctx context.Context) (string, error) { <-ctx.Done(); return "Half.", ctx.Err() }}
		began := time.Now()
		row, err := jobs.New(jobs.Config{Rows: w.store, Jobs: []jobs.Job{job}, Owner: "p1"}).RunNow(context.Background(), "tidy")
		if err == nil || row.State != agent.JobFailed || !strings.Contains(row.Message, "too long") || time.Since(began) != jobs.DefaultLimit {
			t.Errorf("after %s: %+v, %v", time.Since(began), row, err)
		}
	})
}
