package dididecks

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// Limits of a build.
const (
	buildTime   = 2 * time.Minute
	maxBuildLog = 64 << 10
	maxBuilds   = 8
)

// buildReport is what is kept of one build.
type buildReport struct {
	Command string `json:"command"`
	Commit  string `json:"commit"`
	OK      bool   `json:"ok"`
	// Skipped says why it did not run.
	Skipped string `json:"skipped,omitempty"`
	Log     string `json:"log,omitempty"`
	At      int64  `json:"at"` // milliseconds since the Unix epoch
}

// builds keeps the reports of a deck by commit; one build runs at a time.
type builds struct {
	mu      sync.Mutex
	reports map[string]buildReport
	order   []string
}

// Build runs the build of a deck's working branch, or gives what it left when it
// ran for this commit before. A deck without a build command has none: ok is false.
// Errors: not_found, unauthenticated.
func (a *App) Build(ctx context.Context, deckID string) (log string, ok bool, err error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return "", false, err
	}
	d, err := a.deck(p, deckID)
	if err != nil {
		return "", false, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return "", false, err
	}
	report, err := a.buildOf(ctx, d, snap)
	if err != nil || report == nil {
		return "", false, err
	}
	return report.Log, report.OK, nil
}

func (a *App) buildOf(ctx context.Context, d *Deck, snap *deck.Snapshot) (*buildReport, error) {
	if strings.TrimSpace(snap.Manifest.Build) == "" {
		return nil, nil
	}
	if !a.opts.AllowBuild {
		return &buildReport{
			Command: snap.Manifest.Build, Commit: snap.Commit, At: a.now().UnixMilli(),
			Skipped: "The operator has not allowed builds of this deck.",
		}, nil
	}
	d.builds.mu.Lock()
	defer d.builds.mu.Unlock()
	if r, ok := d.builds.reports[snap.Commit]; ok {
		return &r, nil
	}
	r, err := a.runBuild(ctx, d, snap, func(string) error { return nil })
	if err != nil {
		return nil, err
	}
	d.builds.keep(r)
	return &r, nil
}

func (b *builds) keep(r buildReport) {
	if b.reports == nil {
		b.reports = map[string]buildReport{}
	}
	b.reports[r.Commit] = r
	if b.order = append(b.order, r.Commit); len(b.order) > maxBuilds {
		delete(b.reports, b.order[0])
		b.order = b.order[1:]
	}
}

// runBuild builds a commit in a work tree of its own and hands the work tree to
// use, when the build went well, before it is removed. The command is split at
// spaces and run without a shell.
func (a *App) runBuild(ctx context.Context, d *Deck, snap *deck.Snapshot, use func(dir string) error) (buildReport, error) {
	report := buildReport{Command: snap.Manifest.Build, Commit: snap.Commit, At: a.now().UnixMilli()}
	dir, remove, err := d.repo.Worktree(ctx, snap.Commit)
	if err != nil {
		return report, err
	}
	defer remove()
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	words := strings.Fields(snap.Manifest.Build)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(gitrepo.Environment(), "DECK_ROOT="+d.repo.Dir(), "HOME="+dir, "CI=1")
	cmd.WaitDelay = 5 * time.Second
	log := &tailWriter{limit: maxBuildLog}
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Run()
	report.Log = strings.ReplaceAll(log.String(), dir, ".")
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		report.Log += fmt.Sprintf("\nThe build was stopped after %s.", buildTime)
	case ctx.Err() != nil:
		return report, ctx.Err()
	case err != nil:
		report.Log += "\n" + strings.ReplaceAll(err.Error(), dir, ".")
	default:
		report.OK = true
		return report, use(dir)
	}
	return report, nil
}
