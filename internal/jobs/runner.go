package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The times of a run.
const (
	DefaultLease = time.Minute // a run without a sign of life for longer is over
	DefaultLimit = time.Hour   // no run takes longer
	beats        = 4           // signs of life a lease
)

// Job is one thing that is done by the clock.
type Job struct {
	Name string
	Plan Plan
	// Run does it and says what it did in a sentence for people, also beside an error.
	// It ends soon after its context does, and may be run again at any time.
	Run func(ctx context.Context) (string, error)
}

// Config is what a runner is made of. Rows, Jobs and Owner are needed.
type Config struct {
	Rows  agent.JobRows
	Jobs  []Job  // run one after the other, in this order
	Owner string // names the process
	Now   func() time.Time
	Log   *slog.Logger
	Lease time.Duration
	Limit time.Duration
}

// Runner runs jobs. It is safe for concurrent use; one process needs one.
type Runner struct {
	Config
	one sync.Mutex // one job at a time in this process
}

// New makes a runner.
func New(c Config) *Runner {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Lease == 0 {
		c.Lease = DefaultLease
	}
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	return &Runner{Config: c}
}

var errOvertaken = errors.New("another process has the job")

// RunNow runs a job whatever is planned, unless it runs already. The row says how it
// went; the error is the job's own. Errors: not_found (no such job), conflict.
func (r *Runner) RunNow(ctx context.Context, name string) (agent.Job, error) {
	for _, job := range r.Jobs {
		if job.Name != name {
			continue
		}
		r.one.Lock()
		defer r.one.Unlock()
		row, ok, err := r.claim(ctx, job, true)
		if err != nil {
			return row, err
		}
		if !ok {
			return row, &agent.Error{Code: agent.CodeConflict, Message: "The job " + name + " runs already, since " + clock(row.StartedAt) + ".",
				Hint: "in-app-agent jobs list shows how it ends."}
		}
		return r.run(ctx, job, row)
	}
	return agent.Job{}, agent.NotFound("job")
}

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC") }

func (r *Runner) claim(ctx context.Context, job Job, force bool) (agent.Job, bool, error) {
	now := r.Now()
	c := agent.JobClaim{Name: job.Name, Owner: r.Owner, Now: now.UnixMilli(), Lease: r.Lease.Milliseconds(), Force: force}
	if !job.Plan.Off {
		c.Next = job.Plan.Next(now).UnixMilli()
	}
	return r.Rows.ClaimJob(ctx, c)
}

// run runs a claimed job to its end and writes how it went.
func (r *Runner) run(parent context.Context, job Job, row agent.Job) (agent.Job, error) {
	log := r.Log.With("job", job.Name, "run", row.Run)
	log.Info("a job began", "try", row.Tries)
	ctx, cancel := context.WithCancelCause(parent)
	ctx, stop := context.WithTimeout(ctx, r.Limit)
	var beating sync.WaitGroup
	beating.Go(func() { r.beat(ctx, row, cancel) })
	message, err := contained(ctx, log, job)
	overtaken := errors.Is(context.Cause(ctx), errOvertaken)
	timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded) && parent.Err() == nil
	stop()
	cancel(nil)
	beating.Wait()
	now := r.Now()
	row.EndedAt = now.UnixMilli()
	row.State, row.Message = agent.JobDone, message
	switch {
	case overtaken:
		log.Warn("a run of a job was overtaken")
		return row, agent.Wrap(agent.CodeConflict, errOvertaken, "Another process has taken the job over.")
	case err != nil && parent.Err() != nil:
		// It is due again at once: the next start goes on with it.
		row.State, row.NextAt = agent.JobStopped, row.EndedAt
		row.Message = sentence(message, "It was stopped before its end.")
	case err != nil && timedOut:
		row.State, row.Message = agent.JobFailed, sentence(message, "It took too long and was ended; the next run goes on from there.")
	case err != nil:
		row.State, row.Message = agent.JobFailed, sentence(message, agent.ErrorMessage(err))
	}
	end := agent.JobEnd{Name: row.Name, Run: row.Run, State: row.State, Message: row.Message, At: row.EndedAt}
	if row.State == agent.JobStopped {
		end.Next = row.NextAt
	}
	if werr := r.Rows.EndJob(context.WithoutCancel(parent), end); werr != nil {
		log.Error("the end of a job was not written", "error", werr)
		return row, errors.Join(err, werr)
	}
	took := time.Duration(row.EndedAt-row.StartedAt) * time.Millisecond
	if row.State == agent.JobFailed {
		log.Error("a job failed", "took", took, "did", message, "error", err)
	} else {
		log.Info("a job ended", "state", row.State, "took", took, "did", row.Message)
	}
	return row, err
}

func sentence(did, why string) string {
	if did == "" {
		return why
	}
	return did + " " + why
}

// contained runs a job; a panic is its failure.
func contained(ctx context.Context, log *slog.Logger, job Job) (message string, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("a job panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = agent.Errorf(agent.CodeInternal, "the job panicked")
		}
	}()
	return job.Run(ctx)
}

// beat gives signs of life until the context ends, and ends the run when it was
// overtaken. A sign that cannot be written is tried again: the lease is longer.
func (r *Runner) beat(ctx context.Context, row agent.Job, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(r.Lease / beats)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := r.Rows.RenewJob(ctx, row.Name, row.Run, r.Now().UnixMilli())
			if agent.ErrorCode(err) == agent.CodeConflict && err != nil {
				cancel(errOvertaken)
				return
			}
			if err != nil && ctx.Err() == nil {
				r.Log.Warn("a job's sign of life was not written", "job", row.Name, "error", err)
			}
		}
	}
}
