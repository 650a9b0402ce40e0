package account

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The pages of a file's history.
const (
	defaultVersions = 50
	maxVersions     = 200
)

// Reminders serves an org's reminder files to people: presenters by way of an Account,
// and the reminders verb. All fields are needed.
type Reminders struct {
	Rows agent.ReminderRows
	// Diff gives the unified difference of two texts of a file.
	Diff func(path, before, after string) string
	Now  func() time.Time
}

var _ agent.Reminders = Reminders{}

// Reminder gives a file at a version, 0 for the newest.
func (r Reminders) Reminder(ctx context.Context, file agent.ReminderFile, version int64) (agent.Reminder, error) {
	return r.Rows.ReminderRow(ctx, file, version)
}

// PutReminder stores what a person wrote. It takes the tier that changes things and a
// credential that may approve: what stands in a reminder was said by a person, so what
// may only chat cannot write it.
func (r Reminders) PutReminder(ctx context.Context, file agent.ReminderFile, e agent.ReminderEdit) (agent.Reminder, error) {
	p, err := agent.PrincipalFrom(ctx)
	switch {
	case err != nil:
		return agent.Reminder{}, err
	case !file.Valid():
		return agent.Reminder{}, agent.NotFound("reminder file")
	case !p.Tier.Covers(agent.TierUser):
		return agent.Reminder{}, &agent.Error{Code: agent.CodeForbidden, Message: "A viewer cannot change the reminders.", Hint: "Ask an editor or an admin of your organisation."}
	case !p.Has(agent.ScopeApprove):
		return agent.Reminder{}, &agent.Error{Code: agent.CodeForbidden, Message: "This credential may not write reminders.",
			Hint: "It needs the scope approve; sign in as the user, or let the operator grant it."}
	case e.Version < 0:
		return agent.Reminder{}, invalid("/version", "The version is the one that the text was made from, 0 for a file that nobody wrote yet.")
	}
	text, err := agent.CheckReminder(e.Text)
	if err != nil {
		return agent.Reminder{}, err
	}
	now, err := r.Rows.ReminderRow(ctx, file, 0)
	if err != nil {
		return agent.Reminder{}, err
	}
	if now.Version == e.Version && now.Text == text {
		return now, nil // nothing changed, so there is no version of it
	}
	return r.Rows.PutReminder(ctx, agent.ReminderWrite{File: file, Text: text, Via: agent.ReminderByHand, From: e.Version, At: r.Now().UnixMilli()})
}

// ReminderHistory lists a page of a file's versions and compares two where it is asked to.
func (r Reminders) ReminderHistory(ctx context.Context, file agent.ReminderFile, q agent.ReminderQuery) (agent.ReminderHistory, error) {
	if q.Limit < 0 || q.Limit > maxVersions {
		return agent.ReminderHistory{}, invalid("/limit", "The limit must be from 1 to 200.")
	}
	limit := q.Limit
	if limit == 0 {
		limit = defaultVersions
	}
	items, err := r.Rows.ReminderVersions(ctx, file, q.Before, limit+1)
	if err != nil {
		return agent.ReminderHistory{}, err
	}
	h := agent.ReminderHistory{Items: []agent.ReminderVersion{}}
	if len(items) > limit {
		items = items[:limit]
		h.Next = items[limit-1].Version
	}
	h.Items = append(h.Items, items...)
	if q.From != nil || q.To != nil {
		h.Diff, err = r.compare(ctx, file, q)
	}
	return h, err
}

// compare gives the difference of two versions. Without From it is what To changed.
func (r Reminders) compare(ctx context.Context, file agent.ReminderFile, q agent.ReminderQuery) (*agent.ReminderDiff, error) {
	var to, from int64
	if q.To != nil {
		to = *q.To
	}
	after, err := r.Rows.ReminderRow(ctx, file, to)
	if err != nil {
		return nil, err
	}
	from = max(after.Version-1, 0)
	if q.From != nil {
		from = *q.From
	}
	before := agent.Reminder{File: file}
	if from != 0 {
		if before, err = r.Rows.ReminderRow(ctx, file, from); err != nil {
			return nil, err
		}
	}
	return &agent.ReminderDiff{From: from, To: after.Version, Text: r.Diff(file.Path(), before.Text, after.Text)}, nil
}
