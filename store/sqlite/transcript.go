package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const transcriptColumns = `id, org_id, user_id, project_id, project_kind, thread_id, turn_index, user_message, model_message,
	tool_calls, tool_results, model, key_source, tokens_in, tokens_out, cache_read_tokens, cache_creation_tokens, latency_ms, created_at, cost_nano_usd`

const (
	insertTranscript = `INSERT INTO agent_transcripts (` + transcriptColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	updateTranscript = `UPDATE agent_transcripts SET user_message = ?, model_message = ?, tool_calls = ?, tool_results = ?,
		model = ?, key_source = ?, tokens_in = ?, tokens_out = ?, cache_read_tokens = ?, cache_creation_tokens = ?, latency_ms = ?, cost_nano_usd = ?
		WHERE id = ? AND org_id = ? AND user_id = ?`

	selectTranscripts = `WITH RECURSIVE up (transcript, parent, depth) AS (
			SELECT t.transcript_id, t.parent_turn_id, 0 FROM threads h JOIN turns t ON t.id = h.head_turn_id
			WHERE h.id = ?1 AND h.org_id = ?2 AND h.user_id = ?3 AND t.thread_id = ?1 AND t.org_id = ?2 AND t.user_id = ?3
			UNION ALL
			SELECT t.transcript_id, t.parent_turn_id, up.depth + 1 FROM up JOIN turns t ON t.id = up.parent
			WHERE +t.thread_id = ?1 AND +t.org_id = ?2 AND +t.user_id = ?3
		) SELECT ` + transcriptColumns + ` FROM up JOIN agent_transcripts a ON a.id = up.transcript
		WHERE +a.org_id = ?2 AND +a.user_id = ?3 ORDER BY up.depth DESC`
)

// putTranscript stores the row of a turn that begins.
func putTranscript(t *tx, who tenant, r agent.TranscriptRow) error {
	_, err := t.exec(insertTranscript, r.ID, who.org, who.user, r.ProjectID, r.ProjectKind, r.ThreadID, r.TurnIndex,
		r.UserMessage, r.ModelMessage, text(r.ToolCalls), text(r.ToolResults), r.Model, r.KeySource,
		r.TokensIn, r.TokensOut, r.CacheRead, r.CacheCreation, r.LatencyMS, r.CreatedAt, r.Cost)
	return err
}

// changeTranscript brings the turn's row up to date. Whose it is, where it stands
// and when it was made do not change.
func changeTranscript(t *tx, h head, r agent.TranscriptRow) error {
	if r.ID != "" && r.ID != h.script {
		return internal(fmt.Errorf("transcript row %s is not the turn's own, %s", r.ID, h.script))
	}
	n, err := t.exec(updateTranscript, r.UserMessage, r.ModelMessage, text(r.ToolCalls), text(r.ToolResults), r.Model, r.KeySource,
		r.TokensIn, r.TokensOut, r.CacheRead, r.CacheCreation, r.LatencyMS, r.Cost, h.script, h.who.org, h.who.user)
	if err == nil && n != 1 {
		err = internal(fmt.Errorf("transcript row %s is gone", h.script))
	}
	return err
}

func scanTranscript(s scanner) (r agent.TranscriptRow, err error) {
	var user, model, calls, results *string
	err = s.Scan(&r.ID, &r.OrgID, &r.UserID, &r.ProjectID, &r.ProjectKind, &r.ThreadID, &r.TurnIndex, &user, &model,
		&calls, &results, &r.Model, &r.KeySource, &r.TokensIn, &r.TokensOut, &r.CacheRead, &r.CacheCreation, &r.LatencyMS, &r.CreatedAt, &r.Cost)
	r.UserMessage, r.ModelMessage, r.ToolCalls, r.ToolResults = value(user), value(model), raw(calls), raw(results)
	return r, err
}

// Transcripts gives the rows of a thread's path from its root to its head, oldest
// first. Errors: not_found.
func (s *Store) Transcripts(ctx context.Context, id agent.ThreadID) (rows []agent.TranscriptRow, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		if _, err := findThread(t, who, id); err != nil {
			return err
		}
		rows, err = all(t, scanTranscript, selectTranscripts, id, who.org, who.user)
		return err
	})
	return rows, err
}
