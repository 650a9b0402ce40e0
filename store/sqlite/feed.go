package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	// What was taken and not settled may not have been written.
	releasePassages = `UPDATE transcript_passages SET writing = 0, state = CASE WHEN state = 'held' THEN 'due' ELSE state END WHERE writing = 1`

	selectDuePassages = `SELECT ` + dueColumns + `, coalesce(h.title, '') FROM transcript_passages p
		JOIN agent_transcripts a ON a.id = p.transcript_id LEFT JOIN threads h ON h.id = a.thread_id
		WHERE p.org_id = ?1 AND p.state = 'due' AND p.writing = 0 AND +a.org_id = ?1 ORDER BY p.n LIMIT ?2`

	// It is held from here on, so that a row that changes while it is written is seen to
	// be due again.
	takePassage = `UPDATE transcript_passages SET writing = 1, state = 'held', tenant = ? WHERE transcript_id = ?`

	settlePassage = `UPDATE transcript_passages SET writing = 0, sections = ?, ingested_at_ms = ? WHERE transcript_id = ? AND writing = 1`

	selectPassageState = `SELECT state FROM transcript_passages WHERE transcript_id = ?`

	selectDoomed = `SELECT transcript_id, thread_id, tenant FROM transcript_passages WHERE state = 'doomed' ORDER BY n LIMIT ?`

	selectDoomedThread = `SELECT transcript_id, thread_id, tenant FROM transcript_passages
		WHERE state = 'doomed' AND thread_id = ? ORDER BY n LIMIT ?`

	forgetPassage = `DELETE FROM transcript_passages WHERE transcript_id = ? AND state = 'doomed' AND writing = 0`

	insertOptOut = `INSERT INTO transcript_opt_outs (org_id, opted_out_at_ms) VALUES (?, ?) ON CONFLICT (org_id) DO NOTHING`

	skipPassages = `UPDATE transcript_passages SET state = 'skipped' WHERE org_id = ? AND state = 'due' AND writing = 0 AND ingested_at_ms IS NULL`

	deleteOptOut = `DELETE FROM transcript_opt_outs WHERE org_id = ?`

	selectOptOuts = `SELECT org_id FROM transcript_opt_outs ORDER BY org_id`
)

const dueColumns = `a.id, a.org_id, a.user_id, a.project_id, a.project_kind, a.thread_id, a.turn_index, a.user_message, a.model_message,
	a.tool_calls, a.tool_results, a.model, a.key_source, a.tokens_in, a.tokens_out, a.cache_read_tokens, a.cache_creation_tokens, a.latency_ms, a.created_at, a.cost_nano_usd`

// suffixed scans some columns of its own after those of another scan.
type suffixed struct {
	scanner
	last []any
}

func (x suffixed) Scan(dest ...any) error { return x.scanner.Scan(append(dest, x.last...)...) }

func scanDue(s scanner) (d agent.DueTranscript, err error) {
	d.TranscriptRow, err = scanTranscript(suffixed{s, []any{&d.Title}})
	return d, err
}

// ReleaseTranscripts takes back what a dead run was writing.
func (s *Store) ReleaseTranscripts(ctx context.Context) error {
	return s.app.write(ctx, false, func(t *tx) error {
		_, err := t.exec(releasePassages)
		return err
	})
}

// TakeTranscripts gives due rows of an org and notes that they are being written. The
// note is on the disk before the first of them can be: a row that is deleted
// meanwhile then leaves a trace.
func (s *Store) TakeTranscripts(ctx context.Context, orgID, tenant string, limit int) (due []agent.DueTranscript, err error) {
	err = s.app.write(ctx, true, func(t *tx) (err error) {
		if due, err = all(t, scanDue, selectDuePassages, orgID, max(limit, 0)); err != nil {
			return err
		}
		for _, d := range due {
			if _, err := t.exec(takePassage, tenant, d.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return due, nil
}

// SettleTranscript notes that a taken row was written.
func (s *Store) SettleTranscript(ctx context.Context, id string, sections int, at int64) (held bool, err error) {
	err = s.app.write(ctx, false, func(t *tx) error {
		if _, err := t.exec(settlePassage, sections, at, id); err != nil {
			return err
		}
		state, ok, err := one(t, plain[string], selectPassageState, id)
		held = ok && state != "doomed"
		return err
	})
	return held && err == nil, err
}

func scanHeld(s scanner) (h agent.HeldTranscript, err error) {
	return h, s.Scan(&h.ID, &h.ThreadID, &h.Tenant)
}

// DoomedTranscripts gives deleted rows whose passages may be in the corpus.
func (s *Store) DoomedTranscripts(ctx context.Context, thread agent.ThreadID, limit int) (list []agent.HeldTranscript, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		if thread == "" {
			list, err = all(t, scanHeld, selectDoomed, max(limit, 0))
			return err
		}
		list, err = all(t, scanHeld, selectDoomedThread, thread, max(limit, 0))
		return err
	})
	return list, err
}

// ForgetTranscript ends a doomed row. One that is being written, or is not doomed, is
// left as it is.
func (s *Store) ForgetTranscript(ctx context.Context, id string) error {
	return s.app.write(ctx, false, func(t *tx) error {
		_, err := t.exec(forgetPassage, id)
		return err
	})
}

// OptOut notes whether an org is out; what was due of it is skipped for good.
func (s *Store) OptOut(ctx context.Context, orgID string, out bool, at int64) error {
	return s.app.write(ctx, true, func(t *tx) error {
		if !out {
			_, err := t.exec(deleteOptOut, orgID)
			return err
		}
		if _, err := t.exec(insertOptOut, orgID, at); err != nil {
			return err
		}
		_, err := t.exec(skipPassages, orgID)
		return err
	})
}

// OptedOut gives the orgs that are out, by id.
func (s *Store) OptedOut(ctx context.Context) (orgs []string, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		orgs, err = all(t, plain[string], selectOptOuts)
		return err
	})
	return orgs, err
}
