package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const reminderColumns = `v.file, v.version, v.text, v.user_id, v.user_name, v.via, v.at_ms`

const (
	selectReminders = `SELECT ` + reminderColumns + ` FROM reminders r
		JOIN reminder_versions v ON v.org_id = r.org_id AND v.file = r.file AND v.version = r.version WHERE r.org_id = ?`

	selectReminder = selectReminders + ` AND r.file = ?`

	selectReminderVersion = `SELECT ` + reminderColumns + ` FROM reminder_versions v WHERE v.org_id = ? AND v.file = ? AND v.version = ?`

	selectReminderVersions = `SELECT version, length(CAST(text AS BLOB)), user_id, user_name, via, at_ms FROM reminder_versions
		WHERE org_id = ?1 AND file = ?2 AND (?3 = 0 OR version < ?3) ORDER BY version DESC LIMIT ?4`

	insertReminder = `INSERT INTO reminders (org_id, file, version, user_id, updated_at_ms) VALUES (?, ?, 1, ?, ?) ON CONFLICT DO NOTHING`

	raiseReminder = `UPDATE reminders SET version = version + 1, user_id = ?, updated_at_ms = ? WHERE org_id = ? AND file = ? AND version = ?`

	insertReminderVersion = `INSERT INTO reminder_versions (org_id, file, version, user_id, user_name, via, receipt_id, at_ms, text)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

	deleteReminderVersions = `DELETE FROM reminder_versions WHERE org_id = ? AND file = ? AND version <= ?`
)

func scanReminder(s scanner) (r agent.Reminder, err error) {
	return r, s.Scan(&r.File, &r.Version, &r.Text, &r.By, &r.ByName, &r.Via, &r.At)
}

func scanReminderVersion(s scanner) (v agent.ReminderVersion, err error) {
	return v, s.Scan(&v.Version, &v.Bytes, &v.By, &v.ByName, &v.Via, &v.At)
}

func noReminder() error { return agent.NotFound("reminder file") }

// ReminderList gives the newest version of each file of the caller's org.
func (s *Store) ReminderList(ctx context.Context) (list []agent.Reminder, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		found, err := all(t, scanReminder, selectReminders, who.org)
		if err != nil {
			return err
		}
		for _, file := range agent.ReminderFiles {
			r := agent.Reminder{File: file}
			for _, f := range found {
				if f.File == file {
					r = f
				}
			}
			list = append(list, r)
		}
		return nil
	})
	return list, err
}

// ReminderRow gives a file of the caller's org at a version, 0 for the newest. Errors:
// not_found.
func (s *Store) ReminderRow(ctx context.Context, file agent.ReminderFile, version int64) (r agent.Reminder, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		if !file.Valid() {
			return noReminder()
		}
		var ok bool
		if version == 0 {
			if r, ok, err = one(t, scanReminder, selectReminder, who.org, file); err == nil && !ok {
				r = agent.Reminder{File: file}
			}
			return err
		}
		if r, ok, err = one(t, scanReminder, selectReminderVersion, who.org, file, version); err == nil && !ok {
			err = agent.NotFound("version of this file")
		}
		return err
	})
	return r, err
}

// ReminderVersions lists versions of a file before one, newest first. Errors: not_found.
func (s *Store) ReminderVersions(ctx context.Context, file agent.ReminderFile, before int64, limit int) (list []agent.ReminderVersion, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		if !file.Valid() {
			return noReminder()
		}
		list, err = all(t, scanReminderVersion, selectReminderVersions, who.org, file, before, limit)
		return err
	})
	return list, err
}

// PutReminder stores a version of a file. Errors: not_found, conflict, too_large.
func (s *Store) PutReminder(ctx context.Context, w agent.ReminderWrite) (r agent.Reminder, err error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return r, err
	}
	err = s.app.write(ctx, true, func(t *tx) (err error) {
		r, err = putReminder(t, p, w)
		return err
	})
	return r, err
}

// PutReminderIn is PutReminder in the host's transaction, which makes it durable.
func (s *Store) PutReminderIn(ctx context.Context, host *sql.Tx, w agent.ReminderWrite) (agent.Reminder, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Reminder{}, err
	}
	r, err := putReminder(hosted{ctx, host}, p, w)
	return r, fault(ctx, err)
}

func putReminder(st statements, p agent.Principal, w agent.ReminderWrite) (r agent.Reminder, err error) {
	if !w.File.Valid() {
		return r, noReminder()
	}
	if len(w.Text) > agent.MaxReminderBytes {
		return r, agent.Errorf(agent.CodeTooLarge, "A reminder file holds at most 16 KiB: it is in every prompt.")
	}
	if w.Via == "" {
		return r, internal(fmt.Errorf("%s: a version without its way", w.File))
	}
	var n int64
	if w.From == 0 {
		n, err = st.exec(insertReminder, p.OrgID, w.File, p.UserID, w.At)
	} else {
		n, err = st.exec(raiseReminder, p.UserID, w.At, p.OrgID, w.File, w.From)
	}
	if err != nil {
		return r, err
	}
	if n != 1 {
		return r, &agent.Error{Code: agent.CodeConflict, Message: "The file was changed since it was read.",
			Hint: "Read it again, put the change in, and store that."}
	}
	r = agent.Reminder{File: w.File, Version: w.From + 1, Text: w.Text,
		ReminderOrigin: agent.ReminderOrigin{By: p.UserID, ByName: p.UserName, Via: w.Via, At: w.At}}
	if _, err := st.exec(insertReminderVersion, p.OrgID, r.File, r.Version, r.By, r.ByName, r.Via, w.Receipt, r.At, r.Text); err != nil {
		return r, err
	}
	_, err = st.exec(deleteReminderVersions, p.OrgID, r.File, r.Version-agent.MaxReminderVersions)
	return r, err
}
