package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectByMessage = `SELECT id, content_digest FROM turns WHERE org_id = ? AND user_id = ? AND message_id = ?`

	insertThread = `INSERT INTO threads (id, org_id, user_id, project_id, project_kind, title, created_at_ms, updated_at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	selectJoin = `SELECT h.head_turn_id, h.project_id, h.project_kind,
		(SELECT coalesce(max(t.ordinal), 0) + 1 FROM turns t WHERE t.thread_id = h.id),
		EXISTS (SELECT 1 FROM turns t WHERE t.thread_id = h.id AND t.state IN ('running', 'awaiting_confirmation'))
		FROM threads h WHERE h.id = ? AND h.org_id = ? AND h.user_id = ?`

	selectParentIndex = `SELECT turn_index FROM turns WHERE id = ? AND thread_id = ? AND org_id = ? AND user_id = ?`

	insertTurn = `INSERT INTO turns (id, org_id, user_id, thread_id, parent_turn_id, turn_index, ordinal, state, owner, run,
		last_seq, message_id, content_digest, started_by, model, provider, key_source, key_id, project_id, project_kind,
		transcript_id, created_at_ms, whitelist, capabilities, attachments, context, message)
		VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	updateHead = `UPDATE threads SET head_turn_id = ?, updated_at_ms = max(updated_at_ms, ?) WHERE id = ? AND org_id = ? AND user_id = ?`
)

// StartTurn accepts a message: thread, turn, first events and transcript row in
// one transaction that is on the disk when it returns. A turn without a parent in
// a thread that has a head continues at the head, one under agent.RootTurn begins
// the thread anew. Errors: see agent.Journal; also
// conflict for a thread id that is taken, and internal for an Index that is not
// its parent's + 1.
func (s *Store) StartTurn(ctx context.Context, start agent.TurnStart) (turn agent.Turn, created bool, err error) {
	if start.Turn.MessageID == "" {
		start.Turn.MessageID = string(start.Turn.ID)
	}
	err = s.writeAs(ctx, true, func(t *tx, who tenant) (err error) {
		known, err := resent(t, who, start)
		if err != nil {
			return err
		}
		if known == "" {
			created, known = true, start.Turn.ID
			if err := s.acceptTurn(t, who, start); err != nil {
				return err
			}
		}
		turn, err = findTurn(t, who, known)
		return err
	})
	return turn, created && err == nil, err
}

// resent gives the turn that accepted this message before, or "".
func resent(t *tx, who tenant, start agent.TurnStart) (agent.TurnID, error) {
	type row struct {
		id     agent.TurnID
		digest string
	}
	before, ok, err := one(t, func(s scanner) (r row, err error) { return r, s.Scan(&r.id, &r.digest) },
		selectByMessage, who.org, who.user, start.Turn.MessageID)
	if err != nil || !ok {
		return "", err
	}
	if before.digest != start.ContentDigest {
		return "", &agent.Error{Code: agent.CodeConflict, Message: "Another message was sent under this message id.",
			Hint: "Send it again under a new messageId."}
	}
	return before.id, nil
}

func (s *Store) acceptTurn(t *tx, who tenant, start agent.TurnStart) error {
	turn := start.Turn
	if start.Thread.ID != "" {
		if err := newThread(t, who, &turn, start.Thread); err != nil {
			return err
		}
	}
	if err := joinThread(t, who, &turn); err != nil {
		return err
	}
	script := start.Transcript
	if script.ID == "" {
		script.ID = s.ids("transcript")
	}
	if turn.Run == 0 {
		turn.Run = 1
	}
	if err := putTurn(t, who, turn, start.ContentDigest, script.ID); err != nil {
		return err
	}
	h := head{thread: turn.ThreadID, project: turn.ProjectID, state: agent.TurnRunning, run: turn.Run, script: script.ID, who: who}
	if err := appendEvents(t, turn.ID, h, start.Events); err != nil {
		return err
	}
	for _, c := range start.Calls {
		if err := putCall(t, turn.ID, h, c); err != nil {
			return err
		}
	}
	script.ProjectID, script.ProjectKind, script.ThreadID, script.TurnIndex = turn.ProjectID, turn.ProjectKind, turn.ThreadID, turn.Index
	if err := putTranscript(t, who, script); err != nil {
		return err
	}
	_, err := t.exec(updateHead, turn.ID, turn.CreatedAt, turn.ThreadID, who.org, who.user)
	return err
}

func newThread(t *tx, who tenant, turn *agent.Turn, th agent.Thread) error {
	turn.ThreadID = th.ID
	_, err := t.exec(insertThread, th.ID, who.org, who.user, th.ProjectID, th.ProjectKind, th.Title, th.CreatedAt, max(th.UpdatedAt, th.CreatedAt))
	if isUnique(err) {
		return agent.Wrap(agent.CodeConflict, err, "This thread id is taken.")
	}
	return err
}

type join struct {
	head          agent.TurnID
	project, kind string
	ordinal       int
	busy          bool
}

func scanJoin(s scanner) (j join, err error) {
	return j, s.Scan(&j.head, &j.project, &j.kind, &j.ordinal, &j.busy)
}

// joinThread finds the turn's place: its parent, depth, order and project.
func joinThread(t *tx, who tenant, turn *agent.Turn) error {
	j, ok, err := one(t, scanJoin, selectJoin, turn.ThreadID, who.org, who.user)
	if err != nil {
		return err
	}
	if !ok || (turn.ProjectID != "" && turn.ProjectID != j.project) {
		return agent.NotFound("thread")
	}
	turn.ProjectID, turn.ProjectKind, turn.Ordinal = j.project, j.kind, j.ordinal
	switch turn.Parent {
	case "":
		turn.Parent = j.head
	case agent.RootTurn:
		turn.Parent = ""
	}
	if err := placeUnder(t, who, turn); err != nil {
		return err
	}
	if j.busy {
		return inProgress(nil)
	}
	return nil
}

// placeUnder sets the depth. One that the caller computed otherwise already stands
// in the turn's first event, so it must not be corrected silently.
func placeUnder(t *tx, who tenant, turn *agent.Turn) error {
	depth := 0
	if turn.Parent != "" {
		above, ok, err := one(t, plain[int], selectParentIndex, turn.Parent, turn.ThreadID, who.org, who.user)
		if err != nil {
			return err
		}
		if !ok {
			return agent.NotFound("parent turn")
		}
		depth = above + 1
	}
	if turn.Index != 0 && turn.Index != depth {
		return internal(fmt.Errorf("turn %s says it is at depth %d, but its parent puts it at %d", turn.ID, turn.Index, depth))
	}
	turn.Index = depth
	return nil
}

func inProgress(cause error) error {
	return &agent.Error{Code: agent.CodeTurnInProgress, Message: "Another turn of this conversation is still running or waits for you.",
		Hint: "Wait for it, answer it or stop it.", Cause: cause}
}

func putTurn(t *tx, who tenant, turn agent.Turn, digest, script string) error {
	whitelist, err := encode(turn.Whitelist)
	if err != nil {
		return err
	}
	capabilities, err := encode(turn.Capabilities)
	if err != nil {
		return err
	}
	attachments, err := encode(turn.Message.Attachments)
	if err != nil {
		return err
	}
	_, err = t.exec(insertTurn, turn.ID, who.org, who.user, turn.ThreadID, turn.Parent, turn.Index, turn.Ordinal, turn.Owner, turn.Run,
		turn.MessageID, digest, turn.By, turn.Model, turn.Provider, turn.KeySource, turn.KeyID, turn.ProjectID, turn.ProjectKind,
		script, turn.CreatedAt, whitelist, capabilities, attachments, turn.Context, turn.Message.Text)
	return err
}
