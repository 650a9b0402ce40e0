package sqlite_test

import (
	"context"
	"database/sql"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// Stores that are broken in what an org remembers.
type (
	lastWriterWins struct{ storetest.Store }
	losesVersion   struct{ storetest.Store }
	ownReminders   struct{ storetest.Store } // a user's, not the org's
	sharedReminder struct{ storetest.Store } // with every org
	writesOutside  struct {                  // the transaction that it was given
		storetest.Store
	}
	keepsNotes   struct{ storetest.Store } // of a deleted thread
	neverForgets struct{ storetest.Store }
	forgetsNew   struct{ storetest.Store } // the one used last first
	sharesNotes  struct{ storetest.Store }
	oneLimit     struct{ storetest.Store } // for all orgs
)

func (s lastWriterWins) PutReminder(ctx context.Context, w agent.ReminderWrite) (agent.Reminder, error) {
	if r, err := s.ReminderRow(ctx, w.File, 0); err == nil {
		w.From = r.Version
	}
	return s.Store.PutReminder(ctx, w)
}

func (s losesVersion) ReminderRow(ctx context.Context, file agent.ReminderFile, version int64) (agent.Reminder, error) {
	r, err := s.Store.ReminderRow(ctx, file, version)
	if err != nil || version == 0 {
		return r, err
	}
	return s.Store.ReminderRow(ctx, file, 0)
}

// inOrg asks as somebody of another org.
func inOrg(ctx context.Context, change func(*agent.Principal)) context.Context {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return ctx
	}
	change(&p)
	return agent.WithPrincipal(ctx, p)
}

func (s ownReminders) private(ctx context.Context) context.Context {
	return inOrg(ctx, func(p *agent.Principal) { p.OrgID += p.UserID })
}

func (s ownReminders) ReminderRow(ctx context.Context, file agent.ReminderFile, version int64) (agent.Reminder, error) {
	return s.Store.ReminderRow(s.private(ctx), file, version)
}

func (s ownReminders) ReminderList(ctx context.Context) ([]agent.Reminder, error) {
	return s.Store.ReminderList(s.private(ctx))
}

func (s ownReminders) ReminderVersions(ctx context.Context, file agent.ReminderFile, before int64, limit int) ([]agent.ReminderVersion, error) {
	return s.Store.ReminderVersions(s.private(ctx), file, before, limit)
}

func (s ownReminders) PutReminder(ctx context.Context, w agent.ReminderWrite) (agent.Reminder, error) {
	return s.Store.PutReminder(s.private(ctx), w)
}

func (s ownReminders) PutReminderIn(ctx context.Context, tx *sql.Tx, w agent.ReminderWrite) (agent.Reminder, error) {
	return s.Store.PutReminderIn(s.private(ctx), tx, w)
}

func acme(p *agent.Principal) { p.OrgID = "o_acme" }

func (s sharedReminder) ReminderRow(ctx context.Context, file agent.ReminderFile, version int64) (agent.Reminder, error) {
	return s.Store.ReminderRow(inOrg(ctx, acme), file, version)
}

// writesOutside commits by itself what should ride in the host's transaction.
func (s writesOutside) PutReminderIn(ctx context.Context, tx *sql.Tx, w agent.ReminderWrite) (agent.Reminder, error) {
	r, err := s.Store.PutReminderIn(ctx, tx, w)
	if err == nil {
		_, err = tx.ExecContext(ctx, "COMMIT; BEGIN IMMEDIATE")
	}
	return r, err
}

// keepsNotes makes a note in a thread of its own.
func (s keepsNotes) DeleteThreadRows(ctx context.Context, id agent.ThreadID) error {
	notes, err := s.NoteList(ctx, "", 0)
	if err != nil || len(notes) == 0 {
		return s.Store.DeleteThreadRows(ctx, id)
	}
	yes := true
	_, err = s.UpdateThread(ctx, id, agent.ThreadPatch{Archived: &yes}, 1)
	return err
}

func (s neverForgets) NoteList(ctx context.Context, topic string, _ int64) ([]agent.Note, error) {
	return s.Store.NoteList(ctx, topic, 0)
}

func (s forgetsNew) TouchNotes(ctx context.Context, ids []string, _ int64) error {
	return s.Store.TouchNotes(ctx, ids, 1)
}

func (s sharesNotes) NoteList(ctx context.Context, topic string, now int64) ([]agent.Note, error) {
	return s.Store.NoteList(inOrg(ctx, acme), topic, now)
}

func (s oneLimit) PutNoteLimits(ctx context.Context, l agent.NoteLimits, at int64) error {
	return s.Store.PutNoteLimits(inOrg(ctx, acme), l, at)
}

func (s oneLimit) NoteLimits(ctx context.Context) (agent.NoteLimits, error) {
	return s.Store.NoteLimits(inOrg(ctx, acme))
}
