package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

const dayMS = int64(24 * 60 * 60 * 1000)

const (
	selectNotes = `SELECT id, topic, text, thread_id, turn_id, created_at_ms, used_at_ms, user_id FROM agent_memory_cache
		WHERE org_id = ?1 AND created_at_ms > ?2 ORDER BY created_at_ms DESC, n DESC`

	selectSameNote = `SELECT id FROM agent_memory_cache WHERE org_id = ? AND user_id = ? AND thread_id = ? AND topic = ? AND text = ?`

	countNotesOfTurn = `SELECT count(*) FROM agent_memory_cache WHERE org_id = ? AND user_id = ? AND thread_id = ? AND turn_id = ?`

	// The thread must be the caller's own.
	insertNote = `INSERT INTO agent_memory_cache (id, org_id, user_id, thread_id, turn_id, topic, created_at_ms, used_at_ms, text)
		SELECT ?1, h.org_id, h.user_id, h.id, ?5, ?6, ?7, ?7, ?8 FROM threads h WHERE h.id = ?4 AND h.org_id = ?2 AND h.user_id = ?3`

	remakeNote = `UPDATE agent_memory_cache SET created_at_ms = ?1, used_at_ms = ?1, turn_id = ?2 WHERE id = ?3 AND org_id = ?4`

	touchNote = `UPDATE agent_memory_cache SET used_at_ms = max(used_at_ms, ?) WHERE id = ? AND org_id = ?`

	deleteOldNotes = `DELETE FROM agent_memory_cache WHERE org_id = ? AND created_at_ms <= ?`

	// All but those used last; the one that was just made (?3) stays and is not counted.
	deleteUnusedNotes = `DELETE FROM agent_memory_cache WHERE org_id = ?1 AND n IN (SELECT n FROM agent_memory_cache
		WHERE org_id = ?1 AND id <> ?3 ORDER BY used_at_ms DESC, n DESC LIMIT -1 OFFSET ?2)`

	selectNoteLimits = `SELECT days, max_notes FROM note_limits WHERE org_id = ?`

	putNoteLimits = `INSERT INTO note_limits (org_id, user_id, days, max_notes, updated_at_ms) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (org_id) DO UPDATE SET user_id = excluded.user_id, days = excluded.days, max_notes = excluded.max_notes,
		updated_at_ms = excluded.updated_at_ms`

	// No note lives less than a day (?2), which is what the index finds them by.
	forgetNotes = `DELETE FROM agent_memory_cache WHERE created_at_ms <= ?1 - ?2 AND created_at_ms <= ?1 - ?2 * coalesce(
		(SELECT l.days FROM note_limits l WHERE l.org_id = agent_memory_cache.org_id), ?3)`
)

func scanNote(s scanner) (n agent.Note, err error) {
	return n, s.Scan(&n.ID, &n.Topic, &n.Text, &n.Thread, &n.Turn, &n.At, &n.UsedAt, &n.AuthorID)
}

func scanNoteLimits(s scanner) (l agent.NoteLimits, err error) {
	return l, s.Scan(&l.Days, &l.Max)
}

func noteLimits(st statements, org string) (agent.NoteLimits, error) {
	l, ok, err := first(st, scanNoteLimits, selectNoteLimits, org)
	if err == nil && !ok {
		l = agent.DefaultNoteLimits
	}
	return l, err
}

// PutNoteIn keeps a note of the caller's thread in the host's transaction. Errors:
// not_found (no such thread), rate_limited, policy_denied.
func (s *Store) PutNoteIn(ctx context.Context, host *sql.Tx, n agent.Note) (agent.Note, error) {
	who, err := tenantOf(ctx)
	if err != nil {
		return n, err
	}
	n, err = putNote(hosted{ctx, host}, who, n)
	return n, fault(ctx, err)
}

func putNote(st statements, who tenant, n agent.Note) (agent.Note, error) {
	limits, err := noteLimits(st, who.org)
	if err != nil {
		return n, err
	}
	if limits.Max == 0 {
		return n, agent.Errorf(agent.CodePolicyDenied, "This organisation keeps no notes of the agent.")
	}
	n.AuthorID, n.UsedAt = who.user, n.At
	same, again, err := first(st, plain[string], selectSameNote, who.org, who.user, n.Thread, n.Topic, n.Text)
	if err != nil {
		return n, err
	}
	if again {
		n.ID = same
		_, err = st.exec(remakeNote, n.At, n.Turn, n.ID, who.org)
	} else {
		err = insertNewNote(st, who, n)
	}
	if err != nil {
		return n, err
	}
	return n, trimNotes(st, who.org, limits, n.At, n.ID)
}

func insertNewNote(st statements, who tenant, n agent.Note) error {
	made, _, err := first(st, plain[int], countNotesOfTurn, who.org, who.user, n.Thread, n.Turn)
	if err != nil {
		return err
	}
	if made >= agent.MaxNotesPerTurn {
		return agent.Errorf(agent.CodeRateLimited, "%d notes were made in this turn already; that is enough.", made)
	}
	inserted, err := st.exec(insertNote, n.ID, who.org, who.user, n.Thread, n.Turn, n.Topic, n.At, n.Text)
	if err == nil && inserted != 1 {
		err = agent.NotFound("thread")
	}
	return err
}

// trimNotes forgets what is over an org's limits; keep is a note that stays, "" for none.
func trimNotes(st statements, org string, l agent.NoteLimits, now int64, keep string) error {
	if _, err := st.exec(deleteOldNotes, org, now-l.Life().Milliseconds()); err != nil {
		return err
	}
	others := l.Max
	if keep != "" {
		others--
	}
	_, err := st.exec(deleteUnusedNotes, org, others, keep)
	return err
}

// NoteList gives the notes of the caller's org that are alive, newest first.
func (s *Store) NoteList(ctx context.Context, topic string, now int64) (list []agent.Note, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		limits, err := noteLimits(t, who.org)
		if err != nil {
			return err
		}
		list, err = all(t, scanNote, selectNotes, who.org, now-limits.Life().Milliseconds())
		list = onTopic(list, topic)
		return err
	})
	return list, err
}

// TouchNotes notes that notes of the caller's org were recalled.
func (s *Store) TouchNotes(ctx context.Context, ids []string, at int64) error {
	return s.writeAs(ctx, false, func(t *tx, who tenant) error {
		for _, id := range ids {
			if _, err := t.exec(touchNote, at, id, who.org); err != nil {
				return err
			}
		}
		return nil
	})
}

// NoteLimits gives the limits of the caller's org.
func (s *Store) NoteLimits(ctx context.Context) (l agent.NoteLimits, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		l, err = noteLimits(t, who.org)
		return err
	})
	return l, err
}

// PutNoteLimits stores the limits of the caller's org and forgets what is over them.
// Errors: invalid_input.
func (s *Store) PutNoteLimits(ctx context.Context, l agent.NoteLimits, at int64) error {
	if err := l.Check(); err != nil {
		return err
	}
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		if _, err := t.exec(putNoteLimits, who.org, who.user, l.Days, l.Max, at); err != nil {
			return err
		}
		return trimNotes(t, who.org, l, at, "")
	})
}

// ForgetNotes removes the notes of every org that are over its time.
func (s *Store) ForgetNotes(ctx context.Context, now int64) (forgotten int, err error) {
	err = s.app.write(ctx, false, func(t *tx) error {
		n, err := t.exec(forgetNotes, now, dayMS, agent.DefaultNoteLimits.Days)
		forgotten = int(n)
		return err
	})
	return forgotten, err
}

// onTopic keeps the notes of a topic, whatever the case of its letters; "" keeps all.
func onTopic(list []agent.Note, topic string) []agent.Note {
	if topic == "" {
		return list
	}
	return slices.DeleteFunc(list, func(n agent.Note) bool { return !strings.EqualFold(n.Topic, topic) })
}
