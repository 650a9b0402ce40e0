package main

import (
	"fmt"
	"time"
)

type orgsNotesCmd struct {
	common
	Org  string `arg:"" help:"Slug of the org." placeholder:"SLUG"`
	Days *int   `help:"How many days a note lives from now on, 1 to 365." placeholder:"N"`
	Max  *int   `help:"How many notes there are at most, 0 to 2000; what is over that is forgotten at once." placeholder:"N"`
}

// Run tells the limits, as they are after what was changed.
func (c *orgsNotesCmd) Run(e *env) error {
	d, err := c.openMemory(e, c.Org)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	limits, err := d.Notes.NoteLimits(d.ctx)
	if err != nil {
		return err
	}
	if c.Days != nil {
		limits.Days = *c.Days
	}
	if c.Max != nil {
		limits.Max = *c.Max
	}
	if err := limits.Check(); err != nil {
		return usageError{err}
	}
	if c.Days != nil || c.Max != nil {
		if err := d.Notes.PutNoteLimits(d.ctx, limits, time.Now().UnixMilli()); err != nil {
			return err
		}
	}
	list, err := d.Notes.NoteList(d.ctx, "", time.Now().UnixMilli())
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: %d notes; a note lives %d days, and there are at most %d\n", d.org.Slug, len(list), limits.Days, limits.Max)
	return nil
}
