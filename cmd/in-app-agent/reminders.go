package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

type remindersCmd struct {
	Get     remindersGetCmd     `cmd:"" help:"Write a file to standard output."`
	Put     remindersPutCmd     `cmd:"" help:"Store a new version of a file; the text is read from standard input."`
	History remindersHistoryCmd `cmd:"" help:"List the versions of a file, or compare two."`
}

// reminderArgs name a reminder file of an org.
type reminderArgs struct {
	common
	Org  string `required:"" help:"Slug of the org; orgs list shows them." placeholder:"SLUG"`
	File string `arg:"" help:"client_profile, our_decisions or gotchas; with or without .md." placeholder:"FILE"`
}

// desk is the memory of a data folder as the operator of one org sees it.
type desk struct {
	*server.Memory
	ctx  context.Context
	file agent.ReminderFile
	org  agent.Org
}

func (a reminderArgs) open(e *env) (*desk, error) {
	file := agent.ReminderFile(strings.TrimSuffix(a.File, ".md"))
	if !file.Valid() {
		return nil, usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "There is no reminder file " + a.File + ".",
			Hint: "There are client_profile, our_decisions and gotchas."}}
	}
	d, err := a.openMemory(e, a.Org)
	if err == nil {
		d.file = file
	}
	return d, err
}

// openMemory opens what the orgs remember, beside a running server.
func (c common) openMemory(e *env, slug string) (*desk, error) {
	at, err := c.databases()
	if err != nil {
		return nil, err
	}
	m, err := server.OpenMemory(e.ctx, at)
	if err != nil {
		return nil, err
	}
	org, err := findOrg(e, m.Directory, slug)
	if err != nil {
		_ = m.Close()
		return nil, err
	}
	// Whoever has the data folder may write what a person may.
	ctx := agent.WithPrincipal(e.ctx, agent.Principal{UserID: operator, UserName: operator, OrgID: org.ID, OrgSlug: org.Slug,
		Role: agent.RoleOrgAdmin, Tier: agent.TierAdmin, Scopes: []agent.CredentialScope{agent.ScopeApprove}})
	return &desk{Memory: m, ctx: ctx, org: org}, nil
}

type remindersGetCmd struct {
	reminderArgs
	Version int64 `help:"A version of the history; the newest where it is left out." placeholder:"N"`
}

// Run writes the text as it is kept.
func (c *remindersGetCmd) Run(e *env) error {
	d, err := c.open(e)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	r, err := d.Reminders.Reminder(d.ctx, d.file, c.Version)
	if err != nil {
		return hinted(err, "in-app-agent reminders history shows the versions that there are.")
	}
	_, err = io.WriteString(e.stdout, r.Text)
	return err
}

type remindersPutCmd struct {
	reminderArgs
	Version *int64 `help:"The version that the text was made from: another one in the meantime is refused. Left out, the newest is replaced." placeholder:"N"`
}

// Run stores the text of standard input.
func (c *remindersPutCmd) Run(e *env) error {
	text, err := io.ReadAll(io.LimitReader(e.stdin, 4*agent.MaxReminderBytes))
	if err != nil {
		return fmt.Errorf("read the text: %w", err)
	}
	d, err := c.open(e)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	now, err := d.Reminders.Reminder(d.ctx, d.file, 0)
	if err != nil {
		return err
	}
	from := now.Version
	if c.Version != nil {
		from = *c.Version
	}
	kept, err := d.Reminders.PutReminder(d.ctx, d.file, agent.ReminderEdit{Text: string(text), Version: from})
	if err != nil {
		return err
	}
	if kept.Version == now.Version {
		fmt.Fprintf(e.stdout, "%s of %s is as it was, at version %d\n", d.file.Path(), d.org.Slug, kept.Version)
		return nil
	}
	fmt.Fprintf(e.stdout, "stored %s of %s as version %d\n", d.file.Path(), d.org.Slug, kept.Version)
	return nil
}

type remindersHistoryCmd struct {
	reminderArgs
	From *int64 `help:"Compare this version (0 is the empty file) with --to." placeholder:"N"`
	To   *int64 `help:"Compare with this version; alone, it shows what that version changed." placeholder:"N"`
}

// Run lists the versions, newest first, or writes a unified difference.
func (c *remindersHistoryCmd) Run(e *env) error {
	d, err := c.open(e)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	q := agent.ReminderQuery{From: c.From, To: c.To, Limit: 200}
	if c.From != nil || c.To != nil {
		q.Limit = 1
	}
	var versions []agent.ReminderVersion
	for {
		h, err := d.Reminders.ReminderHistory(d.ctx, d.file, q)
		if err != nil {
			return err
		}
		if h.Diff != nil {
			_, err := io.WriteString(e.stdout, h.Diff.Text)
			return err
		}
		versions = append(versions, h.Items...)
		if q.Before = h.Next; h.Next == 0 {
			break
		}
	}
	return table(e.stdout, "VERSION\tDATE\tBY\tVIA\tBYTES", versions, func(v agent.ReminderVersion) []any {
		by := v.ByName
		if by == "" {
			by = v.By
		}
		return []any{v.Version, day(v.At), by, v.Via, v.Bytes}
	})
}
