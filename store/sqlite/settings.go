package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectSettings = `SELECT model, response_mode FROM user_settings WHERE org_id = ? AND user_id = ?`

	putSettings = `INSERT INTO user_settings (org_id, user_id, model, response_mode, updated_at_ms) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (org_id, user_id) DO UPDATE SET model = excluded.model, response_mode = excluded.response_mode,
		updated_at_ms = excluded.updated_at_ms`

	putFeedback = `INSERT INTO feedback (turn_id, org_id, user_id, thumb, note, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (turn_id) DO UPDATE SET thumb = excluded.thumb, note = excluded.note, updated_at_ms = excluded.updated_at_ms`

	deleteFeedback = `DELETE FROM feedback WHERE turn_id = ? AND org_id = ? AND user_id = ?`
)

func scanSettings(s scanner) (u agent.UserSettings, err error) {
	return u, s.Scan(&u.Model, &u.ResponseMode)
}

// UserSettings gives the caller's settings, zero when there are none.
func (s *Store) UserSettings(ctx context.Context) (u agent.UserSettings, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		u, _, err = one(t, scanSettings, selectSettings, who.org, who.user)
		return err
	})
	return u, err
}

// PutUserSettings stores the caller's settings.
func (s *Store) PutUserSettings(ctx context.Context, u agent.UserSettings, at int64) error {
	return s.writeAs(ctx, false, func(t *tx, who tenant) error {
		_, err := t.exec(putSettings, who.org, who.user, u.Model, u.ResponseMode, at)
		return err
	})
}

// PutFeedback stores what the caller thinks of an own turn; a later one replaces
// it, and a thumb of "" takes it back. Errors: not_found, invalid_input (another thumb).
func (s *Store) PutFeedback(ctx context.Context, n agent.FeedbackNote, at int64) error {
	if n.Thumb != "" && n.Thumb != agent.ThumbUp && n.Thumb != agent.ThumbDown {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "A thumb is up or down.", Pointer: "/thumb"}
	}
	return s.writeAs(ctx, false, func(t *tx, who tenant) error {
		if _, err := findHead(t, who, n.TurnID); err != nil {
			return err
		}
		if n.Thumb == "" {
			_, err := t.exec(deleteFeedback, n.TurnID, who.org, who.user)
			return err
		}
		_, err := t.exec(putFeedback, n.TurnID, who.org, who.user, n.Thumb, n.Note, at)
		return err
	})
}
