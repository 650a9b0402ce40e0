package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// A thread has at most one turn that runs or waits, which an index finds.
const threadColumns = `h.id, h.org_id, h.user_id, h.project_id, h.project_kind, h.title, h.head_turn_id,
	h.created_at_ms, h.updated_at_ms, h.archived_at_ms, coalesce(b.state, '')`

const threadTables = ` FROM threads h LEFT JOIN turns b ON b.thread_id = h.id AND b.state IN ('running', 'awaiting_confirmation')`

const (
	selectThread = `SELECT ` + threadColumns + threadTables + ` WHERE h.id = ? AND h.org_id = ? AND h.user_id = ?`

	updateThread = `UPDATE threads SET title = coalesce(?1, title),
		archived_at_ms = CASE ?2 WHEN 1 THEN coalesce(archived_at_ms, ?3) WHEN 0 THEN NULL ELSE archived_at_ms END
		WHERE id = ?4 AND org_id = ?5 AND user_id = ?6`

	// All else that hangs on a thread goes with its row.
	deleteTranscripts = `DELETE FROM agent_transcripts WHERE org_id = ? AND project_id = ? AND thread_id = ? AND user_id = ?`
	deleteThread      = `DELETE FROM threads WHERE id = ? AND org_id = ? AND user_id = ?`
)

func scanThread(s scanner) (th agent.Thread, err error) {
	var archived *int64
	var busy agent.TurnState
	err = s.Scan(&th.ID, &th.OrgID, &th.UserID, &th.ProjectID, &th.ProjectKind, &th.Title, &th.Head,
		&th.CreatedAt, &th.UpdatedAt, &archived, &busy)
	th.ArchivedAt = value(archived)
	th.Waiting, th.Running = busy == agent.TurnAwaiting, busy == agent.TurnRunning
	return th, err
}

func findThread(t *tx, who tenant, id agent.ThreadID) (agent.Thread, error) {
	th, ok, err := one(t, scanThread, selectThread, id, who.org, who.user)
	if err == nil && !ok {
		err = agent.NotFound("thread")
	}
	return th, err
}

// ThreadRow gives one thread. Errors: not_found.
func (s *Store) ThreadRow(ctx context.Context, id agent.ThreadID) (th agent.Thread, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		th, err = findThread(t, who, id)
		return err
	})
	return th, err
}

// UpdateThread renames or archives; archiving twice keeps the first time. Neither
// moves the thread in the list. Errors: not_found.
func (s *Store) UpdateThread(ctx context.Context, id agent.ThreadID, p agent.ThreadPatch, at int64) (th agent.Thread, err error) {
	archived := -1
	if p.Archived != nil {
		archived = 0
		if *p.Archived {
			archived = 1
		}
	}
	err = s.writeAs(ctx, false, func(t *tx, who tenant) (err error) {
		if _, err = t.exec(updateThread, p.Title, archived, at, id, who.org, who.user); err != nil {
			return err
		}
		th, err = findThread(t, who, id)
		return err
	})
	return th, err
}

// DeleteThreadRows removes a thread with its turns, steps, calls, events, receipts,
// ledger, feedback, artifacts and transcript. A run that is still on finds its turn
// gone and stops. Errors: not_found.
func (s *Store) DeleteThreadRows(ctx context.Context, id agent.ThreadID) error {
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		th, err := findThread(t, who, id)
		if err != nil {
			return err
		}
		if _, err := t.exec(deleteTranscripts, who.org, th.ProjectID, id, who.user); err != nil {
			return err
		}
		if err := loseHeld(t, s.now(), selectHeldOfThread, id, who.org, who.user); err != nil {
			return err
		}
		if _, err := t.exec(deleteThreadTotals, who.org, monthsSince(th.CreatedAt, s.now()), id); err != nil {
			return err
		}
		if _, err = t.exec(deleteThread, id, who.org, who.user); err != nil {
			return err
		}
		return s.note(t, who, agent.AuditEntry{At: s.now(), Action: agent.AuditThreadDeleted, Object: string(id)}, nil)
	})
}
