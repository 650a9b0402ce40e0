package engine

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// Reminders gives the reminder files of the org of the context's principal.
type Reminders interface {
	// ReminderList is agent.ReminderRows.ReminderList.
	ReminderList(ctx context.Context) ([]agent.Reminder, error)
}

// remindersOnce reads the reminders for the run's prompts. All steps of a run say the
// same, so that an edit in the middle of a tool loop does not throw the provider's cache
// of its prefix away; the run that a decision starts reads them anew, and so sees what
// was accepted in it.
func (r *run) remindersOnce() error {
	if r.reminders != nil || r.e.Reminders == nil {
		return nil
	}
	list, err := r.e.Reminders.ReminderList(r.ctx)
	if err != nil {
		return err
	}
	r.reminders = make([]prompt.Reminder, 0, len(list))
	for _, f := range list {
		r.reminders = append(r.reminders, prompt.Reminder{Name: string(f.File), Text: f.Text})
	}
	return nil
}
