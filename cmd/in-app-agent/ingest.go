package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/corpus/ingest"
	"github.com/lossless-group/in-app-agent/server"
)

type ingestCmd struct {
	common
	Tenant     string   `required:"" help:"lossless__global, which every org may read, or client__SLUG of one org." placeholder:"TENANT"`
	Collection string   `required:"" help:"context-vigilance-corpus or lossless-changelog of the global tenant, client-app-sessions of a client's." placeholder:"COLLECTION"`
	Again      bool     `help:"Put every file again, also those that did not change: after the corpus was lost or restored."`
	Paths      []string `arg:"" name:"path" help:"Markdown files, and folders of them; hidden files and links are left out." placeholder:"PATH"`
}

// shownProblems bounds how many files that were not ingested are named.
const shownProblems = 50

// Run puts the files in and says what was done. It works beside a running server.
func (c *ingestCmd) Run(e *env) error {
	if err := c.checkPlace(e); err != nil {
		return err
	}
	corpus, done, err := c.openCorpus()
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	bar := newBar(e.stderr)
	began := time.Now()
	sum, err := ingest.Run(e.ctx, ingest.Config{
		Corpus: corpus, Scope: agent.Scope{Tenant: c.Tenant, Collection: c.Collection}, Cut: embedded.Sections,
		Memory: filepath.Join(c.Data, "corpus", "ingested-"+c.Tenant+"-"+c.Collection+".jsonl"), Again: c.Again, Tell: bar.tell,
	}, c.Paths)
	bar.end()
	for i, p := range sum.Problems {
		if i == shownProblems {
			fmt.Fprintf(e.stderr, "… and %d more\n", len(sum.Problems)-i)
			break
		}
		fmt.Fprintf(e.stderr, "%s: %s\n", p.Path, said(p.Err))
	}
	fmt.Fprintf(e.stdout, "%d files: %d ingested (%d sections, %d of them changed), %d unchanged, %d not ingested; %s\n",
		sum.Files, sum.Ingested, sum.Sections, sum.Changed, sum.Unchanged, len(sum.Problems), time.Since(began).Round(time.Millisecond))
	switch {
	case errors.Is(err, context.Canceled):
		return &agent.Error{Code: agent.CodeInterrupted, Message: "It was stopped before its end.", Hint: "Run the same command again: it goes on where it was."}
	case err != nil:
		return hinted(err, "Run the same command again: it goes on where it was.")
	case len(sum.Problems) > 0:
		return &agent.Error{Code: agent.CodeInvalidInput, Message: fmt.Sprintf("%d files were not ingested; all others were.", len(sum.Problems))}
	}
	return nil
}

// said gives an error with what to do about it, on one line.
func said(err error) string {
	var ours *agent.Error
	if errors.As(err, &ours) && ours.Hint != "" {
		return ours.Message + " " + ours.Hint
	}
	return agent.ErrorMessage(err)
}

// checkPlace refuses a place where no search would ever look: a typo must not make a
// tenant.
func (c *ingestCmd) checkPlace(e *env) error {
	at, err := c.databases()
	if err != nil {
		return err
	}
	if err := server.HasDatabase(at); err != nil {
		return err
	}
	slug, client := strings.CutPrefix(c.Tenant, agent.ClientTenant(""))
	collections := []string{agent.CollectionContextVigilance, agent.CollectionChangelog}
	switch {
	case client:
		collections = []string{agent.CollectionSessions}
		k, err := c.openKeys(e)
		if err != nil {
			return err
		}
		defer func() { _ = k.Close() }()
		if _, err := findOrg(e, k.Directory, slug); err != nil {
			return err
		}
	case c.Tenant != agent.GlobalTenant:
		return usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "--tenant is " + agent.GlobalTenant + " or " + agent.ClientTenant("SLUG") + ".",
			Hint: "in-app-agent orgs list shows the slugs."}}
	}
	if !slices.Contains(collections, c.Collection) {
		return usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "--collection of " + c.Tenant + " is " + strings.Join(collections, " or ") + "."}}
	}
	return nil
}
