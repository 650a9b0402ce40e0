package brain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// outcome is a result as this brain reads it: refused, discarded, or done.
type outcome struct {
	Decision string             `json:"decision"`
	Message  string             `json:"message"`
	Output   json.RawMessage    `json:"output"`
	Error    *agent.ResultError `json:"error"`
	// Edited is the arguments that the person put in place of the call's, and Result
	// what became of those; an edit of an edit stands inside.
	Edited json.RawMessage `json:"editedByThePerson"`
	Result json.RawMessage `json:"result"`
	did    did
}

// did is what a call was about in the end. The person may have edited it since it
// was asked for, so the words of the request do not say.
type did struct {
	SlideID string `json:"slide_id"`
	Style   string `json:"style"`
	Branch  string `json:"branch"`
	Notice  string `json:"notice"`
}

func read1(r scripted.Result) outcome {
	input, text := r.Input, json.RawMessage(r.Text)
	o := unwrapped(text)
	for o.Edited != nil && o.Result != nil {
		input, text = o.Edited, o.Result
		o = unwrapped(text)
	}
	if o.Decision == "" && o.Error == nil && o.Output == nil {
		o.Output = text
	}
	// The output comes second: it has the slide's own id, not the number that was said.
	_ = json.Unmarshal(input, &o.did)
	_ = json.Unmarshal(o.Output, &o.did)
	return o
}

// unwrapped reads a result; what is no object has no output.
func unwrapped(text json.RawMessage) (o outcome) {
	if json.Unmarshal(text, &o) != nil {
		return outcome{Output: json.RawMessage(`{}`)}
	}
	return o
}

// subject names what a call was about.
func (d did) subject() string {
	if d.SlideID == "" {
		return "the deck"
	}
	return slidesWords([]string{d.SlideID})
}

// place names the branch that a change went to.
func (d did) place() string {
	if d.Branch == "" {
		return "the working branch"
	}
	return "the branch " + d.Branch
}

// close gives the words after the results of a turn.
func (t talk) close(in intent) string {
	if len(t.results) == 1 {
		return t.closeOne(in, t.results[0])
	}
	var done, dropped, failed, notices []string
	for _, r := range t.results {
		o, name := read1(r), r.Name
		if o.did.SlideID != "" {
			name = "slide " + o.did.SlideID
		}
		switch {
		case r.Error || o.Error != nil:
			failed = append(failed, name+" ("+reason(o)+")")
		case o.Decision != "" && o.Decision != string(agent.VerdictAccepted):
			dropped = append(dropped, name)
		default:
			done = append(done, name)
			if o.did.Notice != "" && !slices.Contains(notices, o.did.Notice) {
				notices = append(notices, o.did.Notice)
			}
		}
	}
	if (in.want == wantRead || in.want == wantFacts) && len(failed) == 0 {
		var all []string
		for _, r := range t.results {
			all = append(all, t.closeOne(in, r))
		}
		return strings.Join(all, "\n\n")
	}
	var b strings.Builder
	sentence(&b, "Done and merged into the working branch: ", done)
	sentence(&b, "Left as it was, as you decided: ", dropped)
	sentence(&b, "This did not work: ", failed)
	return strings.TrimSpace(b.String() + strings.Join(notices, "\n"))
}

func sentence(b *strings.Builder, lead string, items []string) {
	if len(items) > 0 {
		b.WriteString(lead + strings.Join(items, ", ") + ".\n")
	}
}

func reason(o outcome) string {
	if o.Error != nil && o.Error.Message != "" {
		return strings.TrimSuffix(o.Error.Message, ".")
	}
	return "no reason was given"
}

func (t talk) closeOne(in intent, r scripted.Result) string {
	o := read1(r)
	if o.did.Notice != "" {
		return t.closeDone(in, r, o) + " " + o.did.Notice
	}
	return t.closeDone(in, r, o)
}

func (t talk) closeDone(in intent, r scripted.Result, o outcome) string {
	switch {
	case o.Error != nil && o.Error.Code == agent.CodeOutcomeUnknown:
		return "I cannot tell whether that change was made. Look at the deck before you ask for it again."
	case r.Error || o.Error != nil:
		return "That did not work: " + reason(o) + ". Nothing was changed."
	case o.Decision == string(agent.VerdictExpired):
		return "The preview was not answered in time, so nothing was changed. Ask again when you want to look at it."
	case o.Decision != "" && o.Decision != string(agent.VerdictAccepted) && scripted.SameName(r.Name, "reminders.suggest"):
		return "All right, I keep no reminder of that."
	case o.Decision != "" && o.Decision != string(agent.VerdictAccepted):
		return "All right, " + o.did.subject() + " stays as it was. Tell me what to do differently, or name another look."
	}
	var v map[string]any
	if json.Unmarshal(o.Output, &v) != nil {
		v = nil
	}
	switch {
	case scripted.SameName(r.Name, "slide.variant"):
		return fmt.Sprintf("Done: %s now wears the %s look on %s. Every word is as it was.", o.did.subject(), o.did.Style, o.did.place())
	case scripted.SameName(r.Name, "slide.edit"):
		return fmt.Sprintf("Done: your change to %s is merged into %s. Shall I look at another slide?", o.did.subject(), o.did.place())
	case scripted.SameName(r.Name, "deck.og_image"):
		return fmt.Sprintf("The share images are in the deck now, under og/ on %s.", o.did.place())
	case scripted.SameName(r.Name, "slide.read"):
		return readWordsOf(v)
	case scripted.SameName(r.Name, "deck.export"):
		return exportWordsOf(v)
	case scripted.SameName(r.Name, "deck.diagnostics"):
		return checkWordsOf(o.Output)
	case scripted.SameName(r.Name, "corpus.search"):
		return searchWordsOf(r)
	case scripted.SameName(r.Name, "reminders.suggest"):
		return "I'll remember that. It is in the reminders of your organisation, which you can read and change in Settings."
	case scripted.SameName(r.Name, "cache.note"):
		return "Noted, as a guess of mine: it goes after 30 days."
	case scripted.SameName(r.Name, "reminders.read"):
		return remindersWordsOf(o.Output)
	case scripted.SameName(r.Name, "facts.list"):
		return factsWordsOf(o.Output)
	}
	return "Done."
}
