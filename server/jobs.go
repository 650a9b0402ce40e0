package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/jobs"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

// forgetTimeout bounds how long the deleting of a thread waits for the corpus; what is
// left then is taken out by the next run of ingest-transcripts.
const forgetTimeout = 5 * time.Second

// DefaultNight is when the jobs run where nobody chose another time.
const DefaultNight = "03:00"

// Schedule says when the jobs run. The zero value is each night at DefaultNight, UTC.
type Schedule struct {
	// At is a time of day, HH:MM.
	At string `koanf:"at"`
	// Every is the time between two runs, counted from At; it divides a day. 0 is a day.
	Every time.Duration `koanf:"every"`
	// Zone is a time zone such as Europe/Berlin; "" is UTC.
	Zone string `koanf:"zone"`
	// Off names jobs that do not run by the clock.
	Off []string `koanf:"off"`
}

// Job is one of the host's own, run like those of the house.
type Job struct {
	Name string
	// Run does it and says what it did in a sentence for people. It ends soon after its
	// context does, and may be run again at any time.
	Run func(ctx context.Context) (string, error)
}

// plans gives the plan of each job. Errors: invalid_input.
func (s Schedule) plans(names []string) (map[string]jobs.Plan, error) {
	hint := "See the member jobs of the configuration in docs/guides/operate.md."
	at, err := time.Parse("15:04", orElse(s.At, DefaultNight))
	if err != nil {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The time of the jobs must be HH:MM between 00:00 and 23:59.", Hint: hint, Cause: err}
	}
	zone, err := time.LoadLocation(s.Zone)
	if err != nil || strings.EqualFold(s.Zone, "local") {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The time zone of the jobs is not known.", Hint: hint, Cause: err}
	}
	for _, off := range s.Off {
		if !slices.Contains(names, off) {
			return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "There is no job " + off + " to switch off.", Hint: "There are: " + strings.Join(names, ", ") + "."}
		}
	}
	plans := map[string]jobs.Plan{}
	for _, name := range names {
		p := jobs.Plan{At: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, Every: s.Every, Zone: zone, Off: slices.Contains(s.Off, name)}
		if err := p.Check(); err != nil {
			return nil, err
		}
		plans[name] = p
	}
	return plans, nil
}

// openJobs makes the runner: first what a person waits for, then the host's own, then
// what only makes room.
func (s *Server) openJobs() error {
	c := s.cfg
	s.ingest, s.mirror = newIngest(s.store, s.corpus, c.Now, s.log), newMirror(s.store, s.corpus, c.Now, s.log)
	list := []Job{{Name: agent.JobExpire, Run: s.expire}}
	list = append(list, c.HostJobs...)
	list = append(list, besideJobs(s.store, s.ingest, s.mirror, c.Now)...)
	var err error
	s.jobs, err = newRunner(s.store, list, c.Schedule, c.IDs("job"), c.Now, s.log)
	return err
}

func newIngest(store *sqlite.Store, corpus agent.Corpus, now func() time.Time, log *slog.Logger) *jobs.Ingest {
	return &jobs.Ingest{Feed: store, Orgs: store, Corpus: corpus, Now: now, Log: log}
}

func newMirror(store *sqlite.Store, corpus agent.Corpus, now func() time.Time, log *slog.Logger) *jobs.Mirror {
	return &jobs.Mirror{Orgs: store, OptedOut: store.OptedOut, Reminders: store, Notes: store, Corpus: corpus, Now: now, Log: log}
}

// besideJobs are those that need no engine, so that they can run beside a server.
func besideJobs(store *sqlite.Store, ingest *jobs.Ingest, mirror *jobs.Mirror, now func() time.Time) []Job {
	return []Job{
		{Name: agent.JobIngestTranscripts, Run: ingest.Run},
		{Name: agent.JobMirrorMemory, Run: mirror.Run},
		{Name: agent.JobCompactEvents, Run: jobs.Compact{Events: store, Now: now}.Run},
	}
}

func newRunner(store *sqlite.Store, list []Job, schedule Schedule, owner string, now func() time.Time, log *slog.Logger) (*jobs.Runner, error) {
	names := []string{agent.JobExpire, agent.JobCleanBranches, agent.JobIngestTranscripts, agent.JobMirrorMemory, agent.JobCompactEvents}
	for _, j := range list {
		if !slices.Contains(names, j.Name) {
			names = append(names, j.Name)
		}
	}
	plans, err := schedule.plans(names)
	if err != nil {
		return nil, err
	}
	var planned []jobs.Job
	for _, j := range list {
		if slices.ContainsFunc(planned, func(p jobs.Job) bool { return p.Name == j.Name }) {
			return nil, errors.New("server.Config names the job " + j.Name + " twice")
		}
		planned = append(planned, jobs.Job{Name: j.Name, Plan: plans[j.Name], Run: j.Run})
	}
	return jobs.New(jobs.Config{Rows: store, Jobs: planned, Owner: owner, Now: now, Log: log}), nil
}

// expire ends every preview that nobody answered in time, and forgets the notes whose
// time is over. What cannot be cleaned up does not count, so that it ends.
func (s *Server) expire(ctx context.Context) (string, error) {
	notes, failed := s.ForgetNotes(ctx)
	total := 0
	for {
		n, err := s.engine.ExpirePreviews(ctx)
		if total += n; err != nil || n == 0 {
			return fmt.Sprintf("%d previews ended or cleaned up, %d notes forgotten.", total, notes), errors.Join(failed, err)
		}
	}
}

// threadChanged tells readers of a thread, and takes a deleted one out of the corpus.
func (s *Server) threadChanged(ctx context.Context, id agent.ThreadID, change agent.ThreadChangedData) {
	s.engine.ThreadChanged(ctx, id, change)
	if !change.Deleted {
		return
	}
	// Whoever deletes may leave; what was begun goes on.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), forgetTimeout)
	defer stop()
	if err := s.ingest.Forget(ctx, id); err != nil {
		s.log.Warn("a deleted conversation is not out of the corpus yet; the job ingest-transcripts sees to it", "thread", id, "error", err)
	}
	if err := s.mirror.ForgetNotes(ctx); err != nil {
		s.log.Warn("the notes of a deleted conversation are not out of the corpus yet; the job mirror-memory sees to it", "thread", id, "error", err)
	}
}

// RunJob runs a job now, unless it runs already, and gives its row. Errors: not_found,
// conflict, and the job's own.
func (s *Server) RunJob(ctx context.Context, name string) (agent.Job, error) {
	return s.jobs.RunNow(ctx, name)
}
