package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

type jobsCmd struct {
	Run  jobsRunCmd  `cmd:"" help:"Run one job now."`
	List jobsListCmd `cmd:"" help:"List the jobs: when they ran, how it went, when they are due."`
}

type jobsRunCmd struct {
	common
	Deck string `type:"path" help:"The deck that the demo was opened with." placeholder:"PATH"`
	Job  string `arg:"" enum:"ingest-transcripts,mirror-memory,compact-events,clean-branches,expire" help:"ingest-transcripts moves what was said into each org's own corpus; mirror-memory copies its reminders and notes there; compact-events joins the deltas of turns that ended 7 days ago; these may run beside the server. expire ends previews that nobody answered in time; clean-branches does that first, then removes side branches of proposals and exports older than 7 days; for these two the server must be stopped."`
}

// branchMargin keeps a branch that is a moment older than its preview until the
// preview has expired.
const branchMargin = time.Hour

// Run runs the job and says what it did.
func (c *jobsRunCmd) Run(e *env) error {
	at, err := c.databases()
	if err != nil {
		return err
	}
	if err := server.HasDatabase(at); err != nil { // a typo must not make a new data folder
		return err
	}
	var row agent.Job
	if slices.Contains([]string{agent.JobIngestTranscripts, agent.JobMirrorMemory, agent.JobCompactEvents}, c.Job) {
		row, err = c.beside(e)
	} else {
		row, err = c.inside(e)
	}
	if row.Message != "" {
		fmt.Fprintf(e.stdout, "%s: %s\n", c.Job, row.Message)
	}
	return err
}

// beside runs a job that needs no engine; the server may run meanwhile.
func (c *jobsRunCmd) beside(e *env) (agent.Job, error) {
	j, err := c.openJobs(e)
	if err != nil {
		return agent.Job{}, err
	}
	defer func() { _ = j.Close() }()
	return j.Run(e.ctx, c.Job)
}

// openJobs opens the jobs of the data folder beside a server.
func (c common) openJobs(e *env) (*server.Jobs, error) {
	cfg, err := c.settings()
	if err != nil {
		return nil, err
	}
	return server.OpenJobs(e.ctx, server.Config{Data: c.Data, Database: cfg.App.Database, AuthDatabase: cfg.Auth.Database,
		Schedule: cfg.Jobs, Log: c.logger(e), Chroma: cfg.Corpus, Embed: cfg.Embed})
}

// inside runs a job that needs the data folder for itself.
func (c *jobsRunCmd) inside(e *env) (agent.Job, error) {
	d, err := openDeck(e.ctx, c.common, c.Deck, nil, c.logger(e))
	if err != nil {
		return agent.Job{}, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), drain)
		defer cancel()
		_ = d.Close(ctx)
	}()
	return d.RunJob(e.ctx, c.Job)
}

// shownBranches bounds how many branches a sentence names.
const shownBranches = 10

// cleanBranches is the deck app's own job. Previews end first: the branch of one that
// can still be answered stays.
func (d *deckServer) cleanBranches(ctx context.Context) (string, error) {
	if _, err := d.ExpirePreviews(ctx); err != nil {
		return "", err
	}
	done, err := d.app.CleanBranches(ctx, time.Now().Add(-branchMargin), nil)
	said := fmt.Sprintf("%d branches and %d exports removed", len(done.Removed), done.Exports)
	if n := len(done.Removed); n > 0 {
		said += ": " + strings.Join(done.Removed[:min(n, shownBranches)], ", ")
		if n > shownBranches {
			said += ", …"
		}
	}
	return said + ".", err
}

type jobsListCmd struct{ common }

// Run lists the jobs, by name.
func (c *jobsListCmd) Run(e *env) error {
	cfg, err := c.settings()
	if err != nil {
		return err
	}
	j, err := c.openJobs(e)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	rows, err := j.List(e.ctx)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		fmt.Fprintln(e.stdout, "No job was planned in this data folder yet: start the server once.")
		return nil
	}
	now := time.Now()
	return table(e.stdout, "NAME\tSTATE\tLAST RUN\tTOOK\tNEXT RUN\tOWNER\tMESSAGE", rows, func(j agent.Job) []any {
		return []any{j.Name, j.State, moment(j.StartedAt), took(j), nextRun(j, now, slices.Contains(cfg.Jobs.Off, j.Name)), orDash(j.Owner), orDash(j.Message)}
	})
}

func moment(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC")
}

func took(j agent.Job) string {
	if j.State == agent.JobRunning || j.StartedAt == 0 {
		return "-"
	}
	return (time.Duration(max(0, j.EndedAt-j.StartedAt)) * time.Millisecond).String()
}

func nextRun(j agent.Job, now time.Time, off bool) string {
	switch {
	case off:
		return "off"
	case j.NextAt <= now.UnixMilli():
		return "due"
	}
	return moment(j.NextAt)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
