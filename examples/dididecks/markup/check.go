package markup

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"
)

// Problem is one fault of a source; Line counts from 1.
type Problem struct {
	Line int
	Text string
}

// maxProblems bounds how many faults are told of one source.
const maxProblems = 50

type openTag struct {
	name string
	at   int
}

// Problems tells which tags of a source do not close, close nothing, or close
// themselves where a browser would not let them. Tags that HTML lets one leave
// open are no fault.
func Problems(src []byte) []Problem {
	var found []Problem
	var stack []openTag
	outside := 0 // how many svg and math elements are open
	report := func(at int, format string, args ...any) {
		if len(found) < maxProblems {
			found = append(found, Problem{Line: line(src, at), Text: fmt.Sprintf(format, args...)})
		}
	}
	pop := func(n int) {
		for _, t := range stack[n:] {
			if foreign[t.name] {
				outside--
			}
		}
		stack = stack[:n]
	}
	for t := range Tokens(src) {
		switch t.Type {
		case html.ErrorToken:
			report(t.Start, "the source ends inside a tag")
		case html.CommentToken, html.DoctypeToken:
			if !commentCloses(src[t.Start:t.End]) {
				report(t.Start, "a comment is not closed")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if void[t.Name] || (t.Type == html.SelfClosingTagToken && (outside > 0 || foreign[t.Name])) {
				continue
			}
			if t.Type == html.SelfClosingTagToken {
				report(t.Start, "<%s/> does not close itself: a browser reads it as an opening tag", t.Name)
			}
			stack = append(stack, openTag{t.Name, t.Start})
			if foreign[t.Name] {
				outside++
			}
		case html.EndTagToken:
			n := opener(stack, t.Name)
			if n < 0 {
				if t.Name != "p" && t.Name != "br" {
					report(t.Start, "</%s> closes nothing", t.Name)
				}
				continue
			}
			for _, open := range stack[n+1:] {
				if !optional[open.name] {
					report(open.at, "<%s> is not closed", open.name)
				}
			}
			pop(n)
		}
	}
	for _, open := range stack {
		if !optional[open.name] {
			report(open.at, "<%s> is not closed", open.name)
		}
	}
	return found
}

// commentCloses reports whether a comment or declaration ends before the source does.
func commentCloses(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("<!--")) {
		return bytes.HasSuffix(text, []byte(">"))
	}
	return bytes.HasSuffix(text, []byte("-->")) || bytes.HasSuffix(text, []byte("--!>")) || string(text) == "<!-->"
}

func opener(stack []openTag, name string) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i].name == name {
			return i
		}
	}
	return -1
}

// line gives the line of a byte offset, from 1.
func line(src []byte, at int) int { return 1 + bytes.Count(src[:min(at, len(src))], []byte("\n")) }

// TopLevel gives the elements that stand at the top of a source, with their
// places. Text between them is not told.
func TopLevel(src []byte) []Element {
	var found []Element
	depth := 0
	var name string
	for t := range Tokens(src) {
		switch {
		case t.Type == html.StartTagToken && !void[t.Name]:
			if depth == 0 {
				name = t.Name
				found = append(found, Element{Name: name, Start: t.Start, Open: t.End, End: len(src)})
				depth = 1
			} else if t.Name == name {
				depth++
			}
		case t.Type == html.EndTagToken && depth > 0 && t.Name == name:
			if depth--; depth == 0 {
				found[len(found)-1].End = t.End
			}
		case depth == 0 && (t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken):
			found = append(found, Element{Name: t.Name, Start: t.Start, Open: t.End, End: t.End})
		}
	}
	return found
}

// Element is one element of a source: src[Start:Open] is its opening tag,
// src[Start:End] all of it.
type Element struct {
	Name             string
	Start, Open, End int
}
