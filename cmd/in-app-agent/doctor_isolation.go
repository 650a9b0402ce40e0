package main

import (
	"crypto/rand"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

type doctorIsolationCmd struct{ common }

// Run plants canaries in two tenants made for it and looks for each from the other and
// from every org. It works beside a running server.
func (c *doctorIsolationCmd) Run(e *env) error {
	at, err := c.databases()
	if err != nil {
		return err
	}
	if err := server.HasDatabase(at); err != nil { // a typo must not make a new data folder
		return err
	}
	a, err := c.openAdmin(e)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	orgs, err := a.Directory.Orgs(e.ctx)
	if err != nil {
		return err
	}
	var slugs []string
	for _, o := range orgs {
		slugs = append(slugs, o.Slug)
	}
	corpus, done, err := c.openCorpus()
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	report, err := server.CheckIsolation(e.ctx, corpus, slugs, strings.ToLower(rand.Text()))
	if err != nil {
		return err
	}
	for _, leak := range report.Leaks {
		fmt.Fprintln(e.stdout, "LEAK:", leak)
	}
	if report.ByID {
		fmt.Fprintln(e.stdout, "The Chroma server gives rows to whoever knows a collection's id, under any tenant: only this server may reach it.")
	}
	if len(report.Leaks) > 0 {
		return &agent.Error{Code: agent.CodeForbidden, Message: fmt.Sprintf("%d of %d searches read what belongs to another tenant.", len(report.Leaks), report.Searches),
			Hint: "Stop the server until this is understood."}
	}
	fmt.Fprintf(e.stdout, "isolation: %d searches from %d orgs and 2 tenants with canaries, nothing of another\n", report.Searches, len(slugs))
	return nil
}
