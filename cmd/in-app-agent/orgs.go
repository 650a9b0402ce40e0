package main

import (
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

type orgsCmd struct {
	Add     orgsAddCmd     `cmd:"" help:"Add an org with the collections of its corpus; run again, it makes what is missing."`
	List    orgsListCmd    `cmd:"" help:"List the orgs: slug, billing, default model."`
	Members orgsMembersCmd `cmd:"" help:"List the users of an org: id, name, role."`
	Policy  orgsPolicyCmd  `cmd:"" help:"Show or change the policy of an org."`
	Notes   orgsNotesCmd   `cmd:"" help:"Say how long the agent's notes of an org live and how many there are, and change it."`
	OptOut  orgsOptOutCmd  `cmd:"" name:"opt-out" help:"Keep the transcripts of an org out of its corpus from now on; what is there stays."`
	OptIn   orgsOptInCmd   `cmd:"" name:"opt-in" help:"Let the transcripts of an org into its corpus again; what was said meanwhile stays out."`
}

type orgsListCmd struct{ common }

// Run lists the orgs, by slug.
func (c *orgsListCmd) Run(e *env) error {
	k, err := c.listKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	orgs, err := k.Directory.Orgs(e.ctx)
	if err != nil {
		return err
	}
	return table(e.stdout, "SLUG\tNAME\tBILLING\tDEFAULT MODEL", orgs, func(o agent.Org) []any {
		model := o.DefaultModel
		if model == "" {
			model = "(the server's)"
		}
		return []any{o.Slug, o.Name, o.Billing, model}
	})
}

type orgsMembersCmd struct {
	common
	Org string `arg:"" help:"Slug of the org." placeholder:"SLUG"`
}

// Run lists the members, by user id.
func (c *orgsMembersCmd) Run(e *env) error {
	k, err := c.listKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	org, err := findOrg(e, k.Directory, c.Org)
	if err != nil {
		return err
	}
	members, err := k.Directory.Members(e.ctx, org.ID)
	if err != nil {
		return err
	}
	return table(e.stdout, "ID\tNAME\tROLE", members, func(m agent.OrgMember) []any { return []any{m.ID, m.Name, m.Role} })
}

// shownOrgs bounds how many slugs an error names.
const shownOrgs = 10

// findOrg finds an org by its slug; the error of an unknown one names those that
// there are.
func findOrg(e *env, dir agent.Directory, slug string) (agent.Org, error) {
	org, err := dir.OrgBySlug(e.ctx, slug)
	if agent.ErrorCode(err) != agent.CodeNotFound || err == nil {
		return org, err
	}
	orgs, lerr := dir.Orgs(e.ctx)
	if lerr != nil {
		return org, lerr
	}
	var slugs []string
	for _, o := range orgs[:min(len(orgs), shownOrgs)] {
		slugs = append(slugs, o.Slug)
	}
	hint := "There is no org in this data folder yet: start the server once."
	if len(slugs) > 0 {
		hint = fmt.Sprintf("There are: %s. in-app-agent orgs list shows all of them.", strings.Join(slugs, ", "))
	}
	return org, hinted(err, hint)
}
