package brain

import (
	"encoding/json"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// examples are requests that this brain understands, by the capability they need.
var examples = []struct{ capability, text string }{
	{"slide.variant", "see a slide in another look: *Give me a Chroma-style variant of slide 4*"},
	{"slide.edit", "change a slide, or several: *Make slide 4 less corporate*, *change slides 2 and 5 to sound plainer*"},
	{"slide.read", "show a slide: *Show slide 3*"},
	{"deck.export", "export the deck: *Export the deck as PDF* (or HTML, or Markdown)"},
	{"deck.og_image", "make share images: *Three OG images*"},
	{"deck.diagnostics", "find what is wrong: *Why did the build fail?*"},
	{"corpus.search", "search the notes: *Search the corpus for plain words on slides*"},
	{"reminders.suggest", "remember what you decide: *Remember that we call readers islanders*"},
	{"facts.list", "tell what the app knows: *What do you know about us?*"},
}

// menu lists what can be asked for here, from what is offered.
func (t talk) menu() string {
	var b strings.Builder
	for _, e := range examples {
		if t.offered(e.capability) {
			b.WriteString("- " + e.text + "\n")
		}
	}
	if b.Len() == 0 {
		return "Nothing is offered here at the moment."
	}
	return strings.TrimSpace(b.String())
}

func slidesWords(ids []string) string {
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = strings.TrimLeft(id, "0")
		if short[i] == "" {
			short[i] = id
		}
	}
	switch len(short) {
	case 0:
		return "the slide"
	case 1:
		return "slide " + short[0]
	}
	return "slides " + strings.Join(short[:len(short)-1], ", ") + " and " + short[len(short)-1]
}

func plural(n int, word string) string {
	if n == 1 {
		return "one " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func formatWord(format string) string {
	return map[string]string{"pdf": "PDF", "md": "Markdown", "html": "one HTML page"}[format]
}

func readWordsOf(v map[string]any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Slide %s: %s** (%s)\n\n", plainText(v["slide_id"]), plainText(v["title"]), plainText(v["path"]))
	shown, _ := v["text"].(string)
	b.WriteString("> " + strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\n>\n> ") + "\n")
	if notes, _ := v["notes"].(string); notes != "" {
		b.WriteString("\nSpeaker notes: " + notes)
	}
	return strings.TrimSpace(b.String())
}

func plainText(v any) string {
	s, _ := v.(string)
	return s
}

func exportWordsOf(v map[string]any) string {
	size, _ := v["bytes"].(float64)
	line := fmt.Sprintf("The deck is exported: [%s](%s), %d KiB.", plainText(v["name"]), plainText(v["url"]), int(size)/1024+1)
	if note := plainText(v["note"]); note != "" {
		line += " " + note
	}
	return line
}

func checkWordsOf(raw json.RawMessage) string {
	var out struct {
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
		More     int `json:"more"`
		Findings []struct {
			Severity string `json:"severity"`
			Path     string `json:"path"`
			Line     int    `json:"line"`
			Message  string `json:"message"`
		} `json:"findings"`
		Build *struct {
			Command string `json:"command"`
			OK      bool   `json:"ok"`
			Skipped string `json:"skipped"`
			Log     string `json:"log"`
		} `json:"build"`
	}
	if json.Unmarshal(raw, &out) != nil {
		return "The deck was checked, but I cannot read the report."
	}
	var b strings.Builder
	switch build := out.Build; {
	case build == nil:
		b.WriteString("This deck has no build command, so no build ran; I checked the deck itself. ")
	case build.Skipped != "":
		fmt.Fprintf(&b, "The build `%s` did not run: %s\n\n", build.Command, build.Skipped)
	case build.OK:
		fmt.Fprintf(&b, "The build `%s` went well.\n\n", build.Command)
	default:
		lines := strings.Split(strings.TrimSpace(build.Log), "\n")
		fmt.Fprintf(&b, "The build `%s` failed:\n\n```\n%s\n```\n\n", build.Command, strings.Join(lines[max(0, len(lines)-12):], "\n"))
	}
	if out.Errors+out.Warnings == 0 {
		b.WriteString("The deck itself is sound: nothing is missing, nothing is left open.")
		return b.String()
	}
	fmt.Fprintf(&b, "I found %s and %s:\n\n", plural(out.Errors, "error"), plural(out.Warnings, "warning"))
	for _, f := range out.Findings[:min(len(out.Findings), 12)] {
		place := f.Path
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		fmt.Fprintf(&b, "- **%s** `%s` %s\n", f.Severity, place, f.Message)
	}
	if rest := len(out.Findings) - 12 + out.More; rest > 0 {
		fmt.Fprintf(&b, "- and %d more\n", rest)
	}
	return strings.TrimSpace(b.String())
}

func passages(r scripted.Result) []agent.Passage {
	var out struct {
		Passages []agent.Passage `json:"passages"`
	}
	if r.Error || json.Unmarshal([]byte(r.Text), &out) != nil {
		return nil
	}
	return out.Passages
}

func searchWordsOf(r scripted.Result) string {
	found := passages(r)
	if len(found) == 0 {
		return "The notes say nothing about that."
	}
	var b strings.Builder
	b.WriteString("This is what the notes say:\n\n")
	for _, p := range found[:min(len(found), 3)] {
		fmt.Fprintf(&b, "- **%s** (%s): %s\n", p.Title, p.SourcePath, gist(p.Text))
	}
	return strings.TrimSpace(b.String())
}

// gist gives the first lines of a passage that are no heading.
func gist(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			kept = append(kept, line)
		}
	}
	runes := []rune(strings.Join(kept, " "))
	if len(runes) > 260 {
		return strings.TrimSpace(string(runes[:260])) + "…"
	}
	return string(runes)
}

// remindersWordsOf tells the entries of the reminder files: what stands under their
// headings and is not struck out.
func remindersWordsOf(raw json.RawMessage) string {
	var out struct {
		Reminders []struct {
			Text string `json:"text"`
		} `json:"reminders"`
	}
	_ = json.Unmarshal(raw, &out) // what cannot be read tells nothing
	var entries []string
	for _, r := range out.Reminders {
		inEntry := false
		for line := range strings.Lines(r.Text) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "#"):
				inEntry = strings.HasPrefix(line, "## ")
			case inEntry && line != "" && !strings.HasPrefix(line, "~~") && !strings.HasPrefix(line, "Superseded on "):
				entries = append(entries, "- "+line)
			}
		}
	}
	if len(entries) == 0 {
		return "Nobody asked me to remember anything yet."
	}
	return "And this is what I was asked to remember:\n\n" + strings.Join(entries, "\n")
}

func factsWordsOf(raw json.RawMessage) string {
	var out struct {
		Facts []agent.Fact `json:"facts"`
	}
	if json.Unmarshal(raw, &out) != nil || len(out.Facts) == 0 {
		return "This app has told me nothing about you yet."
	}
	var b strings.Builder
	b.WriteString("This is what the app tells me:\n\n")
	for _, f := range out.Facts {
		fmt.Fprintf(&b, "- **%s**: %s\n", f.Name, f.Value)
	}
	return strings.TrimSpace(b.String())
}
