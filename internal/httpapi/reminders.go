package httpapi

import (
	"encoding/json"
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// reminder gives a reminder file of the caller's org.
func (a *api) reminder(w http.ResponseWriter, r *http.Request) error {
	file, err := reminderFile(r)
	if err != nil {
		return err
	}
	version, err := queryInt(r, "version")
	if err != nil {
		return err
	}
	found, err := a.Reminders.Reminder(r.Context(), file, int64(version))
	return answerReminder(w, found, err)
}

// putReminder stores a new version of one.
func (a *api) putReminder(w http.ResponseWriter, r *http.Request) error {
	file, err := reminderFile(r)
	if err != nil {
		return err
	}
	var e agent.ReminderEdit
	err = decode(w, r, func(o *object) {
		e.Version = o.integer("version")
		text, ok := o.optional("text")
		if !ok {
			o.invalid("text", "The member /text is needed; an empty file is \"\".")
		}
		e.Text = text
	})
	if err != nil {
		return err
	}
	kept, err := a.Reminders.PutReminder(r.Context(), file, e)
	return answerReminder(w, kept, err)
}

func answerReminder(w http.ResponseWriter, r agent.Reminder, err error) error {
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, r)
	return nil
}

// reminderHistory lists the versions of one and compares two.
func (a *api) reminderHistory(w http.ResponseWriter, r *http.Request) error {
	file, err := reminderFile(r)
	if err != nil {
		return err
	}
	var q agent.ReminderQuery
	if q.Limit, err = queryInt(r, "limit"); err != nil {
		return err
	}
	before, err := queryInt(r, "before")
	if err != nil {
		return err
	}
	q.Before = int64(before)
	from, err := queryInt(r, "from")
	if err != nil {
		return err
	}
	to, err := queryInt(r, "to")
	if err != nil {
		return err
	}
	q.From, q.To = named(r, "from", from), named(r, "to", to)
	h, err := a.Reminders.ReminderHistory(r.Context(), file, q)
	if err != nil {
		return err
	}
	if h.Items == nil {
		h.Items = []agent.ReminderVersion{}
	}
	writeJSON(w, http.StatusOK, h)
	return nil
}

// named gives a version where the request names it, nil where it does not.
func named(r *http.Request, parameter string, value int) *int64 {
	if !r.URL.Query().Has(parameter) {
		return nil
	}
	version := int64(value)
	return &version
}

func reminderFile(r *http.Request) (agent.ReminderFile, error) {
	file, err := id(r, "file", "reminder file")
	return agent.ReminderFile(file), err
}

// integer gives a whole number that must be there, and is exact in any client.
func (o *object) integer(name string) int64 {
	const exact = 1 << 53
	raw, ok := o.raw(name)
	if !ok {
		o.invalid(name, "The member "+o.pointer(name)+" is needed.")
		return 0
	}
	var n int64
	if json.Unmarshal(raw, &n) != nil || n < -exact || n > exact {
		o.wrong(name, "a whole number")
		return 0
	}
	return n
}
