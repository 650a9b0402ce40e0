package builtin

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

//go:embed suggest.md
var suggestWords string

type suggestOutput struct {
	File       string   `json:"file"`
	ID         string   `json:"id,omitempty"`
	Version    int64    `json:"version"`
	Superseded []string `json:"superseded,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// suggested is what Apply needs of a preview: exactly the file that was shown.
type suggested struct {
	ID         string   `json:"id"`
	From       int64    `json:"from"` // the version that it was made from
	Text       string   `json:"text"`
	Superseded []string `json:"superseded,omitempty"`
}

// undoSuggestion is how long an accepted suggestion can be taken back.
const undoSuggestion = 24 * time.Hour

// Suggest makes reminders.suggest: the agent's only way to a reminder file. It shows
// the file as it would be; an accept stores that and nothing else, where the file has
// not moved. diff gives the unified difference of two texts of a file.
func Suggest(rows agent.ReminderRows, diff func(path, before, after string) string) agent.Capability {
	s := suggestions{rows, diff}
	return named(capability.Confirming(capability.Spec{
		Name: "reminders.suggest", Title: "Suggest a reminder", Description: suggestWords,
		Kind: agent.KindPreview, Tier: agent.TierUser, Shared: true, Commits: true,
	}, capability.Confirm[suggestInput, suggestOutput]{
		Resources: s.resources, Preview: s.preview, Apply: s.apply, Undo: s.undo, UndoFor: undoSuggestion,
	}))
}

type suggestions struct {
	rows agent.ReminderRows
	diff func(path, before, after string) string
}

func resource(r agent.Reminder) agent.Resource {
	return agent.Resource{ID: r.File.Path(), Version: versionWord(r.Version)}
}

func (s suggestions) resources(ctx context.Context, _ *agent.Call, in suggestInput) ([]agent.Resource, error) {
	now, err := s.rows.ReminderRow(ctx, agent.ReminderFile(in.File), 0)
	if err != nil {
		return nil, err
	}
	return []agent.Resource{resource(now)}, nil
}

func (s suggestions) preview(ctx context.Context, call *agent.Call, in suggestInput) (agent.Preview, error) {
	if _, err := in.checked(); err != nil {
		return agent.Preview{}, err
	}
	now, err := s.rows.ReminderRow(ctx, agent.ReminderFile(in.File), 0)
	if err != nil {
		return agent.Preview{}, err
	}
	d, err := newDraft(now, in, call.Now().UTC().Format(time.DateOnly))
	if err != nil {
		return agent.Preview{}, err
	}
	state, err := json.Marshal(suggested{d.id, now.Version, d.text, d.superseded})
	if err != nil {
		return agent.Preview{}, err
	}
	return agent.Preview{Summary: d.summary, State: state, Artifacts: []agent.Artifact{{
		Kind: agent.ArtifactDiff, Title: string(d.file) + ".md", Path: d.file.Path(), MIME: "text/x-diff", Text: s.diff(d.file.Path(), now.Text, d.text),
	}}}, nil
}

func (s suggestions) apply(ctx context.Context, call *agent.Call, in suggestInput, r agent.Receipt) (suggestOutput, error) {
	var shown suggested
	if err := json.Unmarshal(r.Preview.State, &shown); err != nil {
		return suggestOutput{}, err
	}
	file := agent.ReminderFile(in.File)
	// The file may have moved between the look at its version and the preview.
	if len(r.Resources) != 1 || r.Resources[0] != resource(agent.Reminder{File: file, Version: shown.From}) {
		return suggestOutput{}, agent.ErrStale
	}
	kept, err := s.commit(ctx, call, agent.ErrStale, agent.ReminderWrite{
		File: file, Text: shown.Text, From: shown.From, Via: agent.ReminderSuggested, At: call.Now().UnixMilli(), Receipt: r.ID,
	})
	if err != nil {
		return suggestOutput{}, err
	}
	return suggestOutput{File: in.File, ID: shown.ID, Version: kept.Version, Superseded: shown.Superseded}, nil
}

// undo puts the text back that stood before, as a new version.
func (s suggestions) undo(ctx context.Context, call *agent.Call, in suggestInput, r agent.Receipt) (suggestOutput, error) {
	var shown suggested
	if err := json.Unmarshal(r.Preview.State, &shown); err != nil {
		return suggestOutput{}, err
	}
	w := agent.ReminderWrite{File: agent.ReminderFile(in.File), From: shown.From + 1, Via: agent.ReminderUndone, At: call.Now().UnixMilli(), Receipt: r.ID}
	if shown.From > 0 {
		before, err := s.rows.ReminderRow(ctx, w.File, shown.From)
		if agent.ErrorCode(err) == agent.CodeNotFound && err != nil {
			return suggestOutput{}, agent.ErrStaleUndo // so old that the file must have moved
		}
		if err != nil {
			return suggestOutput{}, err
		}
		w.Text = before.Text
	}
	kept, err := s.commit(ctx, call, agent.ErrStaleUndo, w)
	if err != nil {
		return suggestOutput{}, err
	}
	return suggestOutput{File: in.File, Version: kept.Version, Note: "The file has the text that it had before."}, nil
}

// commit writes a version in the transaction that settles the call; moved is the answer
// where the file is not at the version any more.
func (s suggestions) commit(ctx context.Context, call *agent.Call, moved error, w agent.ReminderWrite) (kept agent.Reminder, err error) {
	stale := false
	err = call.Commit(func(tx *sql.Tx) (err error) {
		kept, err = s.rows.PutReminderIn(ctx, tx, w)
		stale = err != nil && agent.ErrorCode(err) == agent.CodeConflict
		return err
	})
	if stale {
		return kept, errors.Join(moved, err)
	}
	return kept, err
}
