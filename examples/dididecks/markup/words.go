package markup

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Heading gives the words of the first heading, "" without one.
func Heading(src []byte) string {
	in := ""
	var b strings.Builder
	for t := range Tokens(src) {
		switch {
		case t.Type == html.StartTagToken && in == "" && len(t.Name) == 2 && t.Name[0] == 'h' && t.Name[1] >= '1' && t.Name[1] <= '6':
			in = t.Name
			b.Reset()
		case t.Type == html.EndTagToken && t.Name == in && in != "":
			if words := squeeze(b.String()); words != "" {
				return cut(words, 200)
			}
			in = ""
		case t.Type == html.TextToken && in != "":
			b.WriteString(html.UnescapeString(string(src[t.Start:t.End])))
		case in != "":
			b.WriteByte(' ')
		}
	}
	return ""
}

// Text gives the words that a source shows, without notes, line by line.
func Text(src []byte) string { text, _ := words(src); return text }

// Notes gives the speaker notes of a source: its aside elements of class notes.
func Notes(src []byte) string { _, notes := words(src); return notes }

var inline = set("a abbr b bdi bdo cite code data dfn em i kbd mark q s samp small span strong sub sup time u var wbr tspan")

func words(src []byte) (text, notes string) {
	var shown, said strings.Builder
	into := &shown
	hidden, asides := "", 0
	closed := false // the last piece was a closing tag
	for t := range Tokens(src) {
		if closed && t.Type == html.StartTagToken && inline[t.Name] {
			into.WriteByte(' ') // two labels side by side are two words
		}
		closed = t.Type == html.EndTagToken
		switch t.Type {
		case html.StartTagToken:
			if t.Name == "aside" && (asides > 0 || t.HasClass("notes") || t.HasClass("note")) {
				asides++
				into = &said
			}
			if t.Name == "style" || t.Name == "script" {
				hidden = t.Name
			}
		case html.EndTagToken:
			if t.Name == hidden {
				hidden = ""
			}
			if t.Name == "aside" && asides > 0 {
				if asides--; asides == 0 {
					into = &shown
				}
			}
		case html.TextToken:
			if hidden == "" {
				into.WriteString(html.UnescapeString(strings.ReplaceAll(string(src[t.Start:t.End]), "\n", " ")))
			}
			continue
		}
		if t.Name != "" && !inline[t.Name] {
			into.WriteByte('\n')
		}
	}
	return lines(shown.String()), lines(said.String())
}

func lines(s string) string {
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		if l = squeeze(l); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// cut shortens a text to a number of bytes at the border of a letter.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
