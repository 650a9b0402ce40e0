package rewrite

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

// Limits of a slide that is rewritten: of what is sent, and of what comes back.
const (
	MaxSourceBytes = 128 << 10
	MaxAnswerBytes = 256 << 10
)

// CSSLine stands alone on a line between a slide and its style sheet.
const CSSLine = "=== css ==="

// Answer is a new version of a slide; CSS is nil where the sheet stays.
type Answer struct {
	Source []byte
	CSS    []byte
}

// Read takes an answer apart: code fences around it go, the style sheet is split
// off. Line ends and the last line end are those of the old source.
func Read(old []byte, text string) Answer {
	src, css, both := cutLine(text, CSSLine)
	a := Answer{Source: like(old, unfence(src))}
	if both {
		a.CSS = []byte(unfence(css) + "\n")
	}
	return a
}

func cutLine(text, mark string) (before, after string, found bool) {
	at := 0
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == mark {
			return text[:at], text[at+len(l):], true
		}
		at += len(l)
	}
	return text, "", false
}

// unfence removes a code fence that stands around the whole text, and whatever
// the model said before it.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	open := strings.Index(text, "```")
	if open < 0 || !strings.HasSuffix(text, "```") || strings.Count(text, "```") != 2 {
		return text
	}
	if open > 0 && strings.ContainsAny(text[:open], "<#") {
		return text // the fence is part of the slide
	}
	_, body, ok := strings.Cut(text[open:], "\n")
	if !ok {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(body, "```"))
}

// like gives a text the line ends of the old source, so that a diff shows only
// what changed.
func like(old []byte, text string) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if bytes.HasSuffix(old, []byte("\n")) || len(old) == 0 {
		text += "\n"
	}
	if bytes.Contains(old, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// Check refuses an answer that must not become a slide. Errors: tool_error with a
// sentence that the model can act on, too_large.
func Check(r Request, a Answer) error {
	if len(a.Source) > MaxAnswerBytes || len(a.CSS) > MaxAnswerBytes {
		return agent.Errorf(agent.CodeTooLarge, "The new slide is over %d KiB.", MaxAnswerBytes>>10)
	}
	if !utf8.Valid(a.Source) || !utf8.Valid(a.CSS) || bytes.IndexByte(a.Source, 0) >= 0 || bytes.IndexByte(a.CSS, 0) >= 0 {
		return agent.Errorf(agent.CodeToolError, "The new slide is no valid UTF-8 text.")
	}
	old, body, err := bodies(r, a.Source)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 || (shows(old) && !shows(body)) {
		return agent.Errorf(agent.CodeToolError, "The new slide is empty.")
	}
	if added := markup.NewActive(activeOf(old, r.CSS), activeOf(body, string(cssOf(r, a)))); len(added) > 0 {
		return agent.Errorf(agent.CodeToolError,
			"The new slide would run or load something, which slides must not: %.120s. Leave it out.", added[0])
	}
	if bytes.Contains(a.CSS, []byte("</")) {
		return agent.Errorf(agent.CodeToolError, "The style sheet holds a closing tag. Put only CSS there.")
	}
	before, after := markup.Problems(old), markup.Problems(body)
	if len(after) > len(before) {
		return agent.Errorf(agent.CodeToolError, "The new slide is not well-formed: line %d: %s.", after[0].Line, after[0].Text)
	}
	if r.Reveal {
		return reveal.CheckSlide(a.Source)
	}
	return nil
}

// shows reports whether there is anything to see on a slide: words, a picture, a
// background, or a template that becomes words.
func shows(body []byte) bool {
	if markup.Text(body) != "" {
		return true
	}
	for _, sign := range []string{"<img", "<svg", "<video", "<canvas", "data-background", "data-template", "text/template"} {
		if bytes.Contains(body, []byte(sign)) {
			return true
		}
	}
	return false
}

// bodies gives the HTML of the old and the new source, as far as their format has
// one; it refuses a new front matter or expression in a component file.
func bodies(r Request, src []byte) (old, body []byte, err error) {
	switch deck.Format(r.Format) {
	case deck.Markdown:
		if old, err = render.FromMarkdown([]byte(r.Source)); err != nil {
			return nil, nil, err
		}
		body, err = render.FromMarkdown(src)
		return old, body, err
	case deck.Astro:
		oldFront, oldBody := markup.FrontMatter([]byte(r.Source))
		front, body := markup.FrontMatter(src)
		if !bytes.Equal(bytes.TrimSpace(front), bytes.TrimSpace(oldFront)) {
			return nil, nil, agent.Errorf(agent.CodeToolError, "The front matter of a component file is code and must stay as it is.")
		}
		if added := markup.NewActive(markup.Expressions(oldBody), markup.Expressions(body)); len(added) > 0 {
			return nil, nil, agent.Errorf(agent.CodeToolError, "A component file gets no new expression, which the build would run: %.80s.", added[0])
		}
		return oldBody, body, nil
	}
	return []byte(r.Source), src, nil
}

func activeOf(body []byte, css string) []string {
	return append(markup.Active(body), markup.ActiveCSS(css)...)
}

func cssOf(r Request, a Answer) []byte {
	if a.CSS == nil {
		return []byte(r.CSS)
	}
	return a.CSS
}

// Describe gives a short word for logs and commit subjects.
func (r Request) Describe() string {
	if r.Style != "" {
		return fmt.Sprintf("%s variant of %s", r.Style, r.Path)
	}
	return "Edit " + r.Path
}
