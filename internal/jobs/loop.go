package jobs

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// look is how often the clock is looked at: it may be set, and another process may
// leave a run behind.
const look = time.Minute

// Loop runs what is due until the context ends, which also ends what runs.
func (r *Runner) Loop(ctx context.Context) {
	for _, job := range r.Jobs {
		if job.Plan.Off {
			r.Log.Info("a job is off", "job", job.Name)
			continue
		}
		r.Log.Info("a job is planned", "job", job.Name, "next", job.Plan.Next(r.Now()))
	}
	for ctx.Err() == nil {
		next := r.Due(ctx)
		wait := time.NewTimer(min(max(next.Sub(r.Now()), 0), look))
		select {
		case <-ctx.Done():
		case <-wait.C:
		}
		wait.Stop()
	}
}

// Due runs every job that is due now, one after the other, and gives when to look
// again. Caller: Loop.
func (r *Runner) Due(ctx context.Context) (next time.Time) {
	next = r.Now().Add(look)
	for _, job := range r.Jobs {
		if job.Plan.Off || ctx.Err() != nil {
			continue
		}
		at, err := r.due(ctx, job)
		if err != nil && ctx.Err() == nil {
			r.Log.Error("the plan of a job cannot be kept", "job", job.Name, "error", err)
			continue
		}
		if at.Before(next) {
			next = at
		}
	}
	return next
}

// due runs one job where it is due and gives when it is due next. A job that failed
// is no error here.
func (r *Runner) due(ctx context.Context, job Job) (time.Time, error) {
	r.one.Lock()
	defer r.one.Unlock()
	now := r.Now()
	row, err := r.Rows.PlanJob(ctx, job.Name, now.UnixMilli(), job.Plan.Next(now).UnixMilli())
	if err != nil {
		return now, err
	}
	if row.NextAt > now.UnixMilli() && row.State != agent.JobRunning {
		return time.UnixMilli(row.NextAt), nil
	}
	late := now.UnixMilli() - row.NextAt
	row, ok, err := r.claim(ctx, job, false)
	if err != nil {
		return now, err
	}
	if !ok {
		// A live run of another process, or one that is given up: its row says when to
		// look again, and not before a minute has passed.
		return now.Add(look), nil
	}
	if late > look.Milliseconds() {
		r.Log.Info("a missed job is caught up", "job", job.Name, "late", time.Duration(late)*time.Millisecond)
	}
	row, _ = r.run(ctx, job, row) // how it went stands in its row
	return time.UnixMilli(row.NextAt), nil
}
