package sqlite_test

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

type (
	claimsAnyJob    struct{ storetest.Store }
	keepsOldJob     struct{ storetest.Store }
	triesForever    struct{ storetest.Store }
	losesPlan       struct{ storetest.Store }
	takesDueTwice   struct{ storetest.Store }
	losesDoomed     struct{ storetest.Store }
	ignoresOptOut   struct{ storetest.Store }
	compactsRunning struct{ storetest.Store }
	compactsEarly   struct{ storetest.Store }
)

// These stand beside brokenStores, for the parts that jobs are made of.
func init() {
	brokenStores = append(brokenStores, []struct {
		name   string
		breaks func(storetest.Store) storetest.Store
		caught string
		near   string
	}{
		{"takes a job from a live run", func(s storetest.Store) storetest.Store { return claimsAnyJob{s} }, "job/a run is believed in until its lease is over, and fenced out then", "job"},
		{"lets an overtaken run of a job go on", func(s storetest.Store) storetest.Store { return keepsOldJob{s} }, "job/a run is believed in until its lease is over, and fenced out then", "job"},
		{"tries a job that always dies for ever", func(s storetest.Store) storetest.Store { return triesForever{s} }, "job/a job whose process always dies is given up until its next time", "job"},
		{"moves a run that was missed", func(s storetest.Store) storetest.Store { return losesPlan{s} }, "job/a new job waits for its time, and a time that has passed stays due", "job"},
		{"gives a taken transcript again", func(s storetest.Store) storetest.Store { return takesDueTwice{s} }, "feed/a row is due once its turn ended, in its own org, and is taken once", "feed"},
		{"forgets what was ingested of a deleted thread", func(s storetest.Store) storetest.Store { return losesDoomed{s} }, "feed/a deleted thread dooms what was written of it, and takes the rest back", "feed"},
		{"ingests an org that is out", func(s storetest.Store) storetest.Store { return ignoresOptOut{s} }, "feed/what an org says while it is out is never due", "feed"},
		{"compacts for ever", func(s storetest.Store) storetest.Store { return compactsRunning{s} }, "compact/only turns that ended by then are compacted, once and within the limit", "compact"},
		{"compacts before the time", func(s storetest.Store) storetest.Store { return compactsEarly{s} }, "compact/only turns that ended by then are compacted, once and within the limit", "compact"},
	}...)
}

func (s claimsAnyJob) ClaimJob(ctx context.Context, c agent.JobClaim) (agent.Job, bool, error) {
	c.Lease = -1
	return s.Store.ClaimJob(ctx, c)
}

// keepsOldJob lets whatever run stand for the one that has the job.
func (s keepsOldJob) RenewJob(ctx context.Context, name string, run, at int64) error {
	jobs, err := s.Jobs(ctx)
	for _, j := range jobs {
		if j.Name == name {
			run = j.Run
		}
	}
	if err != nil {
		return err
	}
	return s.Store.RenewJob(ctx, name, run, at)
}

// triesForever takes a job by force where it was given up.
func (s triesForever) ClaimJob(ctx context.Context, c agent.JobClaim) (agent.Job, bool, error) {
	j, ok, err := s.Store.ClaimJob(ctx, c)
	if err == nil && j.State == agent.JobFailed {
		c.Force = true
		return s.Store.ClaimJob(ctx, c)
	}
	return j, ok, err
}

func (s losesPlan) PlanJob(ctx context.Context, name string, _, next int64) (agent.Job, error) {
	return s.Store.PlanJob(ctx, name, 0, next)
}

func (s takesDueTwice) TakeTranscripts(ctx context.Context, org, tenant string, limit int) ([]agent.DueTranscript, error) {
	if err := s.ReleaseTranscripts(ctx); err != nil {
		return nil, err
	}
	return s.Store.TakeTranscripts(ctx, org, tenant, limit)
}

func (s losesDoomed) DeleteThreadRows(ctx context.Context, id agent.ThreadID) error {
	if err := s.Store.DeleteThreadRows(ctx, id); err != nil {
		return err
	}
	list, err := s.DoomedTranscripts(ctx, id, 100)
	for _, h := range list {
		if err := s.ForgetTranscript(ctx, h.ID); err != nil {
			return err
		}
	}
	return err
}

func (s ignoresOptOut) OptOut(ctx context.Context, org string, out bool, at int64) error {
	if !out {
		return s.Store.OptOut(ctx, org, out, at)
	}
	return nil
}

// compactsRunning says that it did something each time.
func (s compactsRunning) CompactEvents(ctx context.Context, endedBy int64, limit int) (agent.Compacted, error) {
	done, err := s.Store.CompactEvents(ctx, endedBy, limit)
	if err == nil && limit > 0 && done.Turns == 0 {
		done.Turns = 1
	}
	return done, err
}

func (s compactsEarly) CompactEvents(ctx context.Context, endedBy int64, limit int) (agent.Compacted, error) {
	return s.Store.CompactEvents(ctx, endedBy+1, limit)
}
