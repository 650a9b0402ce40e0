package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const jobColumns = `name, state, owner, run, tries, started_at_ms, renewed_at_ms, ended_at_ms, next_at_ms, message`

const (
	insertJob = `INSERT INTO jobs (name, state, next_at_ms) VALUES (?, 'planned', ?) ON CONFLICT (name) DO NOTHING`

	moveJob = `UPDATE jobs SET next_at_ms = ?1 WHERE name = ?2 AND next_at_ms > ?3 AND next_at_ms <> ?1`

	selectJob = `SELECT ` + jobColumns + ` FROM jobs WHERE name = ?`

	selectJobs = `SELECT ` + jobColumns + ` FROM jobs ORDER BY name`

	takeJob = `UPDATE jobs SET state = 'running', owner = ?1, run = run + 1, tries = ?2, started_at_ms = ?3, renewed_at_ms = ?3,
		next_at_ms = coalesce(?4, next_at_ms) WHERE name = ?5`

	failJob = `UPDATE jobs SET state = 'failed', ended_at_ms = ?1, tries = 0, next_at_ms = coalesce(?2, next_at_ms), message = ?3 WHERE name = ?4`

	renewJob = `UPDATE jobs SET renewed_at_ms = ? WHERE name = ? AND run = ? AND state = 'running'`

	endJob = `UPDATE jobs SET state = ?1, message = ?2, ended_at_ms = ?3, tries = 0, next_at_ms = coalesce(?4, next_at_ms)
		WHERE name = ?5 AND run = ?6 AND state = 'running'`
)

// diedTooOften is what a job says whose process ended in the middle of each of its runs.
const diedTooOften = "Its process ended in the middle, several times in a row."

func scanJob(s scanner) (j agent.Job, err error) {
	var started, renewed, ended *int64
	err = s.Scan(&j.Name, &j.State, &j.Owner, &j.Run, &j.Tries, &started, &renewed, &ended, &j.NextAt, &j.Message)
	j.StartedAt, j.RenewedAt, j.EndedAt = value(started), value(renewed), value(ended)
	return j, err
}

func findJob(t *tx, name string) (agent.Job, error) {
	j, ok, err := one(t, scanJob, selectJob, name)
	if err == nil && !ok {
		err = agent.NotFound("job")
	}
	return j, err
}

// PlanJob makes a job's row, or moves what is planned after next to next. A look that
// changes nothing writes nothing.
func (s *Store) PlanJob(ctx context.Context, name string, now, next int64) (j agent.Job, err error) {
	var seen bool
	if err := s.app.read(ctx, func(t *tx) (err error) {
		j, seen, err = one(t, scanJob, selectJob, name)
		return err
	}); err != nil {
		return j, err
	}
	if seen && (j.NextAt == next || j.NextAt <= now) {
		return j, nil
	}
	err = s.app.write(ctx, false, func(t *tx) (err error) {
		if _, err = t.exec(insertJob, name, next); err != nil {
			return err
		}
		if _, err = t.exec(moveJob, next, name, now); err != nil {
			return err
		}
		j, err = findJob(t, name)
		return err
	})
	return j, err
}

// Jobs gives every row, by name.
func (s *Store) Jobs(ctx context.Context) (jobs []agent.Job, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		jobs, err = all(t, scanJob, selectJobs)
		return err
	})
	return jobs, err
}

// ClaimJob takes a job for a process. The transaction holds the only writer's lock,
// so that what is read here is still so when it is written. Errors: not_found (it
// was never planned, and is not forced).
func (s *Store) ClaimJob(ctx context.Context, c agent.JobClaim) (j agent.Job, ok bool, err error) {
	if c.Owner == "" || c.Name == "" {
		return j, false, internal(fmt.Errorf("claim of job %q by %q", c.Name, c.Owner))
	}
	err = s.app.write(ctx, false, func(t *tx) (err error) {
		if c.Force {
			if _, err := t.exec(insertJob, c.Name, max(c.Next, c.Now)); err != nil {
				return err
			}
		}
		if j, err = findJob(t, c.Name); err != nil {
			return err
		}
		running := j.State == agent.JobRunning
		alive := running && j.RenewedAt >= c.Now-c.Lease && j.RenewedAt <= c.Now+c.Lease
		switch {
		case alive, !running && !c.Force && j.NextAt > c.Now:
			return nil
		case running && !c.Force && j.Tries >= agent.MaxJobTries:
			if _, err = t.exec(failJob, c.Now, maybe(c.Next), diedTooOften, c.Name); err != nil {
				return err
			}
		default:
			tries := 1
			if running {
				tries += j.Tries
			}
			if _, err = t.exec(takeJob, c.Owner, tries, c.Now, maybe(c.Next), c.Name); err != nil {
				return err
			}
			ok = true
		}
		j, err = findJob(t, c.Name)
		return err
	})
	return j, ok && err == nil, err
}

// RenewJob is a sign of life of a run. Errors: conflict.
func (s *Store) RenewJob(ctx context.Context, name string, run, at int64) error {
	return s.app.write(ctx, false, func(t *tx) error {
		n, err := t.exec(renewJob, at, name, run)
		return overtakenJob(n, err)
	})
}

// EndJob ends a run. Errors: conflict.
func (s *Store) EndJob(ctx context.Context, e agent.JobEnd) error {
	return s.app.write(ctx, true, func(t *tx) error {
		n, err := t.exec(endJob, e.State, e.Message, e.At, maybe(e.Next), e.Name, e.Run)
		return overtakenJob(n, err)
	})
}

func overtakenJob(n int64, err error) error {
	if err == nil && n == 0 {
		err = agent.Errorf(agent.CodeConflict, "This run of the job is over: another process has it.")
	}
	return err
}
