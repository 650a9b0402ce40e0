package builtin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of a suggestion.
const (
	MaxEntryBytes = 1000
	MaxScopeBytes = 32
)

// suggestInput is what the model proposes to remember.
type suggestInput struct {
	File     string `json:"file" jsonschema:"client_profile, our_decisions or gotchas"`
	Text     string `json:"text" jsonschema:"what to remember, in a sentence or two of plain words"`
	Scope    string `json:"scope" jsonschema:"what it is about, in one to three words with hyphens, such as spelling or headline-tone"`
	Replaces string `json:"replaces,omitempty" jsonschema:"id of the entry that this contradicts or rewords, such as d-3"`
}

// draft is a reminder file as it would be after a suggestion.
type draft struct {
	file    agent.ReminderFile
	id      string
	text    string // of the whole file
	summary string
	// superseded are the ids of the decisions that it strikes.
	superseded []string
}

var scopeForm = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// checked gives the suggestion as it is written: the text as one paragraph.
func (in suggestInput) checked() (suggestInput, error) {
	if !agent.ReminderFile(in.File).Valid() {
		return in, misfit("/file", "file must be client_profile, our_decisions or gotchas.")
	}
	text, err := agent.CheckLine("/text", in.Text, MaxEntryBytes)
	if err != nil {
		return in, err
	}
	in.Text, in.Replaces = paragraph(text), strings.TrimSpace(in.Replaces)
	in.Scope = strings.ToLower(strings.Join(strings.Fields(in.Scope), "-"))
	if len(in.Scope) > MaxScopeBytes || !scopeForm.MatchString(in.Scope) {
		return in, misfit("/scope", "scope must be one to three words of letters and digits with hyphens, at most 32 characters, such as headline-tone.")
	}
	return in, nil
}

// newDraft works out what a suggestion makes of a file. A decision supersedes what it
// replaces and whatever else stands in its scope; in the other files an entry that is
// replaced is reworded in its place.
func newDraft(now agent.Reminder, in suggestInput, date string) (draft, error) {
	in, err := in.checked()
	if err != nil {
		return draft{}, err
	}
	d := parse(now.Text)
	if d.open {
		return draft{}, &agent.Error{Code: agent.CodeConflict, Message: "The file " + now.File.Path() + " ends inside a code block or a comment, so nothing can be added to it.",
			Hint: "Ask the person to close it in the editor."}
	}
	old, err := d.replaced(in)
	if err != nil {
		return draft{}, err
	}
	fresh := entry{id: d.nextID(now.File), scope: in.Scope, date: date}
	out := draft{file: now.File, id: fresh.id}
	switch {
	case now.File == agent.ReminderDecisions:
		out.superseded = d.supersede(old, fresh)
		d.add(now.File, fresh, in.Text)
	case old.id != "":
		out.id, fresh.id, fresh.heading, fresh.body = old.id, old.id, old.heading, old.body
		d.reword(fresh, in.Text)
	default:
		d.add(now.File, fresh, in.Text)
	}
	if out.text, err = agent.CheckReminder(d.text()); err != nil {
		return draft{}, err
	}
	out.summary = out.tells(in, old.id != "")
	return out, nil
}

// replaced finds the entry that a suggestion replaces, zero for none, and refuses what
// stands there already.
func (d document) replaced(in suggestInput) (old entry, err error) {
	for _, e := range d.standing() {
		if e.scope == in.Scope && d.words(e) == strings.ToLower(in.Text) {
			return old, agent.Errorf(agent.CodeConflict, "This stands there already, as %s.", e.id)
		}
	}
	if in.Replaces == "" {
		return entry{}, nil
	}
	old, ok := d.find(in.Replaces)
	switch {
	case !ok:
		var ids []string
		for _, e := range d.standing() {
			ids = append(ids, e.id)
		}
		if len(ids) == 0 {
			return old, misfit("/replaces", "There is no entry in this file that could be replaced; leave replaces out.")
		}
		return old, misfit("/replaces", "There is no such entry in this file. Those that stand are "+strings.Join(ids[max(0, len(ids)-50):], ", ")+".")
	case old.struck:
		return old, misfit("/replaces", "The entry "+old.id+" was superseded already; name the one that stands.")
	}
	return old, nil
}

// supersede strikes what a new decision replaces, and gives the ids in their order.
func (d *document) supersede(old, by entry) (ids []string) {
	// From the end, as places of later lines move.
	for _, e := range slices.Backward(d.standing()) {
		if e.id == old.id || e.scope == by.scope {
			d.strike(e, by)
			ids = append(ids, e.id)
		}
	}
	slices.Reverse(ids)
	return ids
}

var kinds = map[agent.ReminderFile]string{
	agent.ReminderProfile: "the client profile", agent.ReminderDecisions: "our decisions", agent.ReminderGotchas: "the gotchas",
}

// tells says in a sentence what the draft changes.
func (dr draft) tells(in suggestInput, rewords bool) string {
	switch {
	case len(dr.superseded) > 0:
		return fmt.Sprintf("Supersedes %s in our decisions (%s): %s", strings.Join(dr.superseded, " and "), in.Scope, in.Text)
	case rewords:
		return fmt.Sprintf("Rewords %s in %s (%s): %s", dr.id, kinds[dr.file], in.Scope, in.Text)
	default:
		return fmt.Sprintf("Adds to %s (%s): %s", kinds[dr.file], in.Scope, in.Text)
	}
}
