package brain

import (
	"bytes"
	"fmt"
	"strings"

	nethtml "golang.org/x/net/html"

	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/look"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

// lookAttr marks the element that wears a look; styleAttr the style element that
// holds it, so that the next look replaces it.
const (
	lookAttr  = "data-look"
	styleAttr = "data-look-style"
)

// dress puts a look on a slide: a style element, and a mark on the outermost
// element that scopes it. An earlier look goes.
func (s *source) dress(l look.Look, name, extra string) {
	s.undress()
	if s.format == deck.Markdown {
		root := "section.slide.markdown"
		s.body = append([]byte(styleElement(root, l, extra)+"\n"), bytes.TrimLeft(s.body, "\n")...)
		return
	}
	at, ok := s.root()
	if !ok {
		s.body = fmt.Appendf(nil, "<section class=\"slide\">\n%s\n</section>\n", bytes.TrimSpace(s.body))
		at, _ = s.root()
	}
	tag := s.body[at.Start:at.End]
	marked := mark(tag, name)
	inner := "\n" + styleElement("["+lookAttr+`="`+name+`"]`, l, extra)
	if at.End < len(s.body) && s.body[at.End] != '\n' {
		inner += "\n"
	}
	s.body = []byte(string(s.body[:at.Start]) + marked + inner + string(s.body[at.End:]))
}

// root finds the opening tag of the element that a look is put on: the body of a
// whole document, else the first element that shows something.
func (s *source) root() (markup.Token, bool) {
	var first markup.Token
	found := false
	depth := 0
	for t := range markup.Tokens(s.body) {
		switch {
		case t.Type == nethtml.StartTagToken && t.Name == "body":
			return t, true
		case t.Type != nethtml.StartTagToken && t.Type != nethtml.EndTagToken:
		case t.Name == "head" || t.Name == "style" || t.Name == "script" || t.Name == "title":
			if t.Type == nethtml.StartTagToken {
				depth++
			} else {
				depth--
			}
		case t.Type == nethtml.StartTagToken && depth == 0 && !found && !outer[t.Name]:
			first, found = t, true
		}
	}
	return first, found
}

// outer are elements that a look is not put on.
var outer = map[string]bool{
	"html": true, "link": true, "meta": true, "base": true, "img": true, "br": true, "hr": true, "input": true, "source": true,
	"p": true, "h1": true, "h2": true, "h3": true, "span": true, "a": true, "svg": true, "video": true, "audio": true,
	"textarea": true, "iframe": true, "noscript": true, "table": true, "ul": true, "ol": true, "select": true,
}

// mark puts the attribute on an opening tag and takes an older one off.
func mark(tag []byte, name string) string {
	s := string(tag)
	if i := strings.Index(s, " "+lookAttr+`="`); i >= 0 {
		rest := s[i+len(lookAttr)+3:]
		if end := strings.IndexByte(rest, '"'); end >= 0 {
			s = s[:i] + rest[end+1:]
		}
	}
	i := strings.IndexAny(s, " \t\r\n/>")
	for i >= 0 && s[i] == '/' && i+1 < len(s) && s[i+1] != '>' {
		next := strings.IndexAny(s[i+1:], " \t\r\n/>")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if i < 0 {
		return s
	}
	return s[:i] + " " + lookAttr + `="` + name + `"` + s[i:]
}

// undress removes the style element of an earlier look.
func (s *source) undress() {
	var out bytes.Buffer
	inside := false
	for t := range markup.Tokens(s.body) {
		if _, ours := t.Value(styleAttr); ours && t.Type == nethtml.StartTagToken && t.Name == "style" {
			inside = true
			trimmed := bytes.TrimRight(out.Bytes(), " \t\n")
			out.Truncate(len(trimmed))
			continue
		}
		if inside {
			inside = t.Type != nethtml.EndTagToken
			continue
		}
		out.Write(s.body[t.Start:t.End])
	}
	s.body = out.Bytes()
}

// styleElement gives a look as a style element whose rules start at a root.
func styleElement(root string, l look.Look, extra string) string {
	var b strings.Builder
	b.WriteString("<style " + styleAttr + ">\n")
	if l.Paper != "" {
		fmt.Fprintf(&b, "%[1]s { --brand-paper: %[2]s; --brand-ink: %[3]s; --brand-muted: %[4]s; --brand-accent: %[5]s; --brand-second: %[6]s; --brand-panel: %[7]s; "+
			"--brand-line: color-mix(in srgb, %[3]s 18%%, transparent); background: %[2]s !important; color: %[3]s !important; font-family: %[8]s; }\n",
			root, l.Paper, l.Ink, l.Muted, l.Accent, l.Second, l.Panel, l.Text)
		fmt.Fprintf(&b, "%[1]s :is(h1, h2, h3) { color: %[2]s; font-family: %[3]s; font-weight: %[4]d; letter-spacing: -0.02em; }\n", root, l.Ink, l.Display, l.Weight)
		if l.Gradient {
			fmt.Fprintf(&b, "%[1]s :is(h1, h2) { width: fit-content; background: linear-gradient(95deg, %[2]s, %[3]s); -webkit-background-clip: text; background-clip: text; color: transparent; padding-bottom: 0.08em; }\n",
				root, l.Accent, l.Second)
		}
		fmt.Fprintf(&b, "%[1]s :is(p, li, td, th, dd, dt, blockquote) { font-family: %[2]s; }\n", root, l.Text)
		fmt.Fprintf(&b, "%[1]s li::marker { color: %[2]s; }\n", root, l.Accent)
		fmt.Fprintf(&b, "%[1]s :is(blockquote, pre, .card) { background: %[2]s; border: 1px solid color-mix(in srgb, %[3]s 18%%, transparent); border-radius: %[4]s; }\n", root, l.Panel, l.Ink, l.Radius)
		fmt.Fprintf(&b, "%[1]s :is(strong, em, a) { color: %[2]s; }\n", root, l.Second)
	}
	b.WriteString(strings.ReplaceAll(extra, "ROOT", root))
	b.WriteString("</style>")
	return b.String()
}
