package storetest

import (
	"context"
	"fmt"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

const lease = int64(60_000)

// claim asks for the job "tidy", due again an hour later.
func (w *world) claim(owner string, now int64, force bool) (agent.Job, bool) {
	w.Helper()
	j, ok, err := w.s.ClaimJob(context.Background(), agent.JobClaim{Name: "tidy", Owner: owner, Now: now, Lease: lease, Next: now + 3_600_000, Force: force})
	w.ok(err)
	return j, ok
}

func (w *world) plan(now, next int64) agent.Job {
	w.Helper()
	j, err := w.s.PlanJob(context.Background(), "tidy", now, next)
	w.ok(err)
	return j
}

func (w *world) finish(j agent.Job, state agent.JobState, at int64) {
	w.Helper()
	w.ok(w.s.EndJob(context.Background(), agent.JobEnd{Name: j.Name, Run: j.Run, State: state, Message: "Fine.", At: at}))
}

var jobCases = []Case{
	{Name: "a new job waits for its time, and a time that has passed stays due", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.same(w.plan(start, start+500), agent.Job{Name: "tidy", State: agent.JobPlanned, NextAt: start + 500}, "a new job")
		w.same(w.plan(start, start+300).NextAt, start+300, "planned earlier")
		w.same(w.plan(start, start+900).NextAt, start+900, "planned later")
		w.same(w.plan(start+900, start+2000).NextAt, start+900, "due now")
		w.same(w.plan(start+950, start+2000).NextAt, start+900, "missed")
		_, _, err := s.ClaimJob(context.Background(), agent.JobClaim{Name: "unknown", Owner: owner, Now: start, Lease: lease})
		w.code(err, agent.CodeNotFound, "a job that was never planned")
	}},
	{Name: "a job is taken from its time on and told once it ended", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.plan(start, start+500)
		if j, ok := w.claim("a", start+499, false); ok {
			w.Errorf("taken before its time: %s", show(j))
		}
		j, ok := w.claim("a", start+500, false)
		if !ok {
			w.Fatalf("not taken at its time: %s", show(j))
		}
		want := agent.Job{Name: "tidy", State: agent.JobRunning, Owner: "a", Run: 1, Tries: 1, StartedAt: start + 500, RenewedAt: start + 500, NextAt: start + 500 + 3_600_000}
		w.same(j, want, "the running job")
		w.finish(j, agent.JobDone, start+600)
		want.State, want.EndedAt, want.Message, want.Tries = agent.JobDone, start+600, "Fine.", 0
		list, err := s.Jobs(context.Background())
		w.ok(err)
		w.same(list, []agent.Job{want}, "the jobs")
		if j, ok := w.claim("a", start+700, false); ok {
			w.Errorf("taken again before its next time: %s", show(j))
		}
		if j, ok := w.claim("b", start+700, true); !ok || j.Run != 2 {
			w.Errorf("not taken by force: %s", show(j))
		}
	}},
	{Name: "of many claims at once one gets the job", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.plan(start, start)
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for i := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				_, ok, err := s.ClaimJob(context.Background(), agent.JobClaim{Name: "tidy", Owner: fmt.Sprint("o", i), Now: start, Lease: lease, Next: start + 1, Force: i%2 == 0})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					w.Errorf("claim: %v", err)
				}
				if ok {
					won++
				}
			}()
		}
		wg.Wait()
		w.same(won, 1, "claims that got it")
	}},
	{Name: "a run is believed in until its lease is over, and fenced out then", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		w.plan(start, start)
		first, _ := w.claim("a", start, false)
		for _, at := range []int64{start + lease - 1, start + lease} {
			if j, ok := w.claim("b", at, true); ok {
				w.Errorf("taken from a live run at %d: %s", at-start, show(j))
			}
		}
		w.ok(s.RenewJob(ctx, "tidy", first.Run, start+lease))
		if j, ok := w.claim("b", start+2*lease, true); ok {
			w.Errorf("taken from a run that was renewed: %s", show(j))
		}
		second, ok := w.claim("b", start+2*lease+1, false)
		if !ok || second.Run != first.Run+1 || second.Owner != "b" || second.Tries != 2 {
			w.Errorf("not taken over: %s", show(second))
		}
		w.code(s.RenewJob(ctx, "tidy", first.Run, start+3*lease), agent.CodeConflict, "a sign of life of the old run")
		w.code(s.EndJob(ctx, agent.JobEnd{Name: "tidy", Run: first.Run, State: agent.JobDone, At: start}), agent.CodeConflict, "the end of the old run")
		w.finish(second, agent.JobStopped, start+3*lease)
		w.code(s.EndJob(ctx, agent.JobEnd{Name: "tidy", Run: second.Run, State: agent.JobDone, At: start}), agent.CodeConflict, "a second end")
	}},
	{Name: "a sign of life from the far future is none", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.plan(start, start)
		w.claim("a", start+10*lease, true)
		if j, ok := w.claim("b", start+9*lease, true); ok {
			w.Errorf("taken from a run one lease ahead: %s", show(j))
		}
		if j, ok := w.claim("b", start+9*lease-1, true); !ok {
			w.Errorf("not taken from a run whose clock was wrong: %s", show(j))
		}
	}},
	{Name: "a job whose process always dies is given up until its next time", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.plan(start, start)
		now := start
		for i := range agent.MaxJobTries {
			if j, ok := w.claim("a", now, false); !ok || j.Tries != i+1 {
				w.Errorf("try %d: %s", i+1, show(j))
			}
			now += lease + 1
		}
		j, ok := w.claim("a", now, false)
		if ok || j.State != agent.JobFailed || j.NextAt != now+3_600_000 || j.Message == "" {
			w.Errorf("after %d tries: %s", agent.MaxJobTries, show(j))
		}
		if j, ok := w.claim("a", now, false); ok {
			w.Errorf("taken before its next time: %s", show(j))
		}
		if j, ok := w.claim("a", now+3_600_000, false); !ok || j.Tries != 1 {
			w.Errorf("not taken at its next time: %s", show(j))
		}
	}},
	{Name: "a run that ends may say when the next is due", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.plan(start, start)
		j, _ := w.claim("a", start, false)
		w.ok(s.EndJob(context.Background(), agent.JobEnd{Name: "tidy", Run: j.Run, State: agent.JobStopped, At: start + 5, Next: start + 5}))
		if j, ok := w.claim("b", start+5, false); !ok {
			w.Errorf("a stopped run is not due again: %s", show(j))
		}
	}},
}
