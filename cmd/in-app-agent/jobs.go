package main

import (
	"context"
	"fmt"
	"time"

	"github.com/lossless-group/in-app-agent/server"
)

type jobsCmd struct {
	Run jobsRunCmd `cmd:"" help:"Run one job now. The server that uses the data folder must be stopped."`
}

type jobsRunCmd struct {
	common
	Deck string `type:"path" help:"The deck that the demo was opened with." placeholder:"PATH"`
	Job  string `arg:"" enum:"clean-branches,expire" help:"expire ends previews that nobody answered in time; clean-branches does that first, then removes side branches of proposals and exports older than 7 days."`
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
	d, err := openDeck(e.ctx, c.common, c.Deck, nil, c.logger(e))
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), drain)
		defer cancel()
		_ = d.Close(ctx)
	}()
	expired, err := d.ExpirePreviews(e.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "expire: %d previews ended or cleaned up\n", expired)
	if c.Job == "expire" {
		return nil
	}
	done, err := d.app.CleanBranches(e.ctx, time.Now().Add(-branchMargin), nil)
	for _, b := range done.Removed {
		fmt.Fprintf(e.stdout, "removed %s\n", b)
	}
	fmt.Fprintf(e.stdout, "clean-branches: %d branches and %d exports removed\n", len(done.Removed), done.Exports)
	return err
}
