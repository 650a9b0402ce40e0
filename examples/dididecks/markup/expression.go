package markup

import (
	"bytes"

	"golang.org/x/net/html"
)

// FrontMatter splits a source that begins with a block between two lines of
// three hyphens. front holds both lines; it is nil when there is no block.
func FrontMatter(src []byte) (front, body []byte) {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("---"))
	if !ok || len(rest) == 0 || (rest[0] != '\n' && rest[0] != '\r') {
		return nil, src
	}
	at := len(src) - len(rest)
	for l := range bytes.Lines(rest) {
		at += len(l)
		if bytes.Equal(bytes.TrimRight(l, " \t\r\n"), []byte("---")) {
			return src[:at], src[at:]
		}
	}
	return nil, src
}

// Expressions gives the {…} expressions of a component source, outside of style
// sheets. A build runs them as code.
func Expressions(body []byte) []string {
	var found []string
	style := false
	var open []int
	for t := range Tokens(body) {
		if t.Name == "style" {
			style = t.Type == html.StartTagToken
		}
		if style && t.Type == html.TextToken {
			continue
		}
		for i := t.Start; i < t.End; i++ {
			switch body[i] {
			case '{':
				open = append(open, i)
			case '}':
				if len(open) == 0 {
					continue
				}
				from := open[len(open)-1]
				if open = open[:len(open)-1]; len(open) == 0 {
					found = append(found, "expression "+squeeze(string(body[from:i+1])))
				}
			}
		}
	}
	if len(open) > 0 {
		found = append(found, "expression "+squeeze(string(body[open[0]:])))
	}
	return found
}
