package main

import (
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

type orgsAddCmd struct {
	common
	Org     string `arg:"" help:"Slug of the org: lower-case letters, digits and single dashes, at most 32." placeholder:"SLUG"`
	Name    string `help:"Name for people; the slug where it is left out." placeholder:"NAME"`
	Billing string `enum:"lingering,paying" default:"lingering" help:"Who pays for model calls: lingering (each user's own key) or paying (the org)."`
}

// Run makes the org and its tenant. It works beside a running server.
func (c *orgsAddCmd) Run(e *env) error {
	k, err := c.openKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	corpus, done, err := c.openCorpus()
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	org := agent.Org{Slug: c.Org, Name: c.Name, Billing: agent.Billing(c.Billing)}
	if org.Name == "" {
		org.Name = org.Slug
	}
	made, err := k.OnBoard(e.ctx, corpus, org)
	if err != nil {
		return err
	}
	verb := "is there already; it stays as it is"
	if made {
		verb = "added, " + c.Billing
	}
	fmt.Fprintf(e.stdout, "%s: %s; its tenant %s has", c.Org, verb, agent.ClientTenant(c.Org))
	for i, name := range agent.ClientCollections {
		fmt.Fprint(e.stdout, map[bool]string{true: " ", false: ", "}[i == 0], name)
	}
	fmt.Fprintln(e.stdout)
	return nil
}

type orgsOptOutCmd struct {
	common
	Org string `arg:"" help:"Slug of the org." placeholder:"SLUG"`
}

// Run keeps the org's transcripts out.
func (c *orgsOptOutCmd) Run(e *env) error {
	return c.opt(e, c.Org, true, "its transcripts stay out of its corpus from now on; what is there stays until its conversation is deleted")
}

type orgsOptInCmd struct {
	common
	Org string `arg:"" help:"Slug of the org." placeholder:"SLUG"`
}

// Run lets the org's transcripts in again.
func (c *orgsOptInCmd) Run(e *env) error {
	return c.opt(e, c.Org, false, "what is said from now on goes into its own corpus each night")
}

func (c common) opt(e *env, slug string, out bool, said string) error {
	k, err := c.openKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	org, err := findOrg(e, k.Directory, slug)
	if err != nil {
		return err
	}
	if err := k.OptOut(e.ctx, org.ID, out); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %s\n", org.Slug, said)
	return nil
}
