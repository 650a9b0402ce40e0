package brain

import (
	"encoding/json"
	"fmt"
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
}

func read1(r scripted.Result) outcome {
	var o outcome
	if json.Unmarshal([]byte(r.Text), &o) != nil {
		return outcome{Output: json.RawMessage(`{}`)}
	}
	if o.Decision == "" && o.Error == nil {
		o.Output = json.RawMessage(r.Text)
	}
	return o
}

// close gives the words after the results of a turn.
func (t talk) close(in intent) string {
	if len(t.results) == 1 {
		return t.closeOne(in, t.results[0])
	}
	var done, dropped, failed []string
	for i, r := range t.results {
		name := r.Name
		if i < len(in.slides) && len(in.slides) == len(t.results) {
			name = "slide " + in.slides[i]
		}
		switch o := read1(r); {
		case r.Error || o.Error != nil:
			failed = append(failed, name+" ("+reason(o)+")")
		case o.Decision != "" && o.Decision != string(agent.VerdictAccepted):
			dropped = append(dropped, name)
		default:
			done = append(done, name)
		}
	}
	if in.want == wantRead && len(failed) == 0 {
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
	return strings.TrimSpace(b.String())
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
	switch {
	case o.Error != nil && o.Error.Code == agent.CodeOutcomeUnknown:
		return "I cannot tell whether that change was made. Look at the deck before you ask for it again."
	case r.Error || o.Error != nil:
		return "That did not work: " + reason(o) + ". Nothing was changed."
	case o.Decision == string(agent.VerdictExpired):
		return "The preview was not answered in time, so nothing was changed. Ask again when you want to look at it."
	case o.Decision != "" && o.Decision != string(agent.VerdictAccepted):
		return "All right, " + subject(in) + " stays as it was. Tell me what to do differently, or name another look."
	}
	var v map[string]any
	if json.Unmarshal(o.Output, &v) != nil {
		v = nil
	}
	switch {
	case scripted.SameName(r.Name, "slide.variant"):
		return fmt.Sprintf("Done: %s now wears the %s look on the branch %s. Every word is as it was.", subject(in), in.style, text(v["branch"]))
	case scripted.SameName(r.Name, "slide.edit"):
		return fmt.Sprintf("Done: your change to %s is merged into %s. Shall I look at another slide?", subject(in), text(v["branch"]))
	case scripted.SameName(r.Name, "deck.og_image"):
		return fmt.Sprintf("The share images are in the deck now, under og/ on the branch %s.", text(v["branch"]))
	case scripted.SameName(r.Name, "slide.read"):
		return readWordsOf(v)
	case scripted.SameName(r.Name, "deck.export"):
		return exportWordsOf(v)
	case scripted.SameName(r.Name, "deck.diagnostics"):
		return checkWordsOf(o.Output)
	case scripted.SameName(r.Name, "corpus.search"):
		return searchWordsOf(r)
	case scripted.SameName(r.Name, "facts.list"):
		return factsWordsOf(o.Output)
	}
	return "Done."
}

func subject(in intent) string {
	if len(in.slides) > 0 {
		return slidesWords(in.slides)
	}
	return "the deck"
}

func text(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return s
	}
	return "the working branch"
}
