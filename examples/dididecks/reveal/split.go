package reveal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

// MaxPageBytes bounds a page that is imported.
const MaxPageBytes = 8 << 20

// Page is a reveal.js page in pieces. Frame is the page with a mark in the place
// of each slide.
type Page struct {
	Title  string
	Frame  []byte
	Marker string
	Slides [][]byte
}

// span is a part of the source.
type span struct{ from, to int }

// IsPage reports whether a source looks like a reveal.js page with slides.
func IsPage(src []byte) bool {
	spans, _ := sections(src)
	return len(spans) > 0
}

// Split cuts a page into its frame and its slides. Errors: invalid_input (it is
// no reveal.js page, or a section does not close), too_large.
func Split(src []byte) (Page, error) {
	if len(src) > MaxPageBytes {
		return Page{}, agent.Errorf(agent.CodeTooLarge, "The page is over %d MiB.", MaxPageBytes>>20)
	}
	spans, title := sections(src)
	if len(spans) == 0 {
		return Page{}, &agent.Error{
			Code: agent.CodeInvalidInput, Message: "This is no reveal.js page: no section stands in an element of class slides.",
			Hint: "Give a page of reveal.js, or a folder with slides/*.html.",
		}
	}
	p := Page{Title: title, Marker: marker(src)}
	at := 0
	for i, s := range spans {
		p.Frame = append(p.Frame, src[at:s.from]...)
		p.Frame = append(p.Frame, mark(p.Marker, i)...)
		p.Slides = append(p.Slides, bytes.Clone(src[s.from:s.to]))
		at = s.to
	}
	p.Frame = append(p.Frame, src[at:]...)
	return p, nil
}

// marker makes a word that the source does not hold, the same for the same source.
func marker(src []byte) string {
	sum := sha256.Sum256(src)
	for n := 6; ; n += 2 {
		word := "slide-" + hex.EncodeToString(sum[:min(n, len(sum))])
		if !bytes.Contains(src, []byte(word)) || n >= len(sum) {
			return word
		}
	}
}

func mark(marker string, i int) []byte { return fmt.Appendf(nil, "<!--%s:%d-->", marker, i) }

// sections finds the top-level sections inside the first element of class slides,
// and the page's title.
func sections(src []byte) (spans []span, title string) {
	var within string // name of the slides element, "" before it
	depth, nested, from := 0, 0, 0
	inTitle := false
	for t := range markup.Tokens(src) {
		switch {
		case within == "" && t.Type == html.StartTagToken && t.Name == "title":
			inTitle = true
		case inTitle && t.Type == html.TextToken:
			title = strings.Join(strings.Fields(html.UnescapeString(string(src[t.Start:t.End]))), " ")
			inTitle = false
		case within == "" && t.Type == html.StartTagToken && t.HasClass("slides"):
			within, depth = t.Name, 1
		case within == "":
		case t.Name == "section" && t.Type != html.EndTagToken:
			if nested == 0 {
				from = t.Start
			}
			nested++
		case t.Name == "section" && nested > 0:
			if nested--; nested == 0 {
				spans = append(spans, span{from, t.End})
			}
		case nested > 0: // only sections count inside a section
		case t.Name == within && t.Type == html.StartTagToken:
			depth++
		case t.Name == within && t.Type == html.EndTagToken:
			if depth--; depth == 0 {
				return spans, title
			}
		}
	}
	return spans, title
}

// Join puts slides back into their frame. With the slides of Split it gives the
// page that was split, byte for byte. A slide beyond the marks stands after the
// last one. Errors: invalid_input (the frame has no marks).
func Join(frame []byte, word string, slides [][]byte) ([]byte, error) {
	var out bytes.Buffer
	rest := frame
	for i, s := range slides {
		m := mark(word, i)
		before, after, ok := bytes.Cut(rest, m)
		if !ok {
			if i == 0 {
				return nil, agent.Errorf(agent.CodeInvalidInput, "The frame of the imported page has lost its marks.")
			}
			out.WriteString("\n")
			out.Write(s)
			continue
		}
		out.Write(before)
		out.Write(s)
		rest = after
	}
	for i := len(slides); ; i++ { // slides that were removed leave nothing behind
		before, after, ok := bytes.Cut(rest, mark(word, i))
		if !ok {
			break
		}
		out.Write(before)
		rest = after
	}
	out.Write(rest)
	return out.Bytes(), nil
}

// Steps gives the sections of a vertical stack in order, or the slide itself.
func Steps(slide []byte) [][]byte {
	var steps [][]byte
	depth, from := 0, 0
	for t := range markup.Tokens(slide) {
		if t.Name != "section" {
			continue
		}
		if t.Type == html.EndTagToken {
			if depth == 2 {
				steps = append(steps, slide[from:t.End])
			}
			depth--
			continue
		}
		if depth++; depth == 2 {
			from = t.Start
		}
	}
	if len(steps) == 0 {
		return [][]byte{slide}
	}
	return steps
}

// CheckSlide reports whether a new slide can stand in its frame: one section and
// nothing beside it.
func CheckSlide(slide []byte) error {
	top := markup.TopLevel(slide)
	trimmed := bytes.TrimSpace(slide)
	if len(top) != 1 || top[0].Name != "section" || len(markup.Problems(slide)) > 0 ||
		!bytes.HasPrefix(trimmed, []byte("<")) || !bytes.HasSuffix(trimmed, []byte(">")) ||
		len(bytes.TrimSpace(slide[:top[0].Start])) > 0 || len(bytes.TrimSpace(slide[top[0].End:])) > 0 {
		return agent.Errorf(agent.CodeToolError, "A slide of this deck is exactly one section element, with everything else inside it.")
	}
	return nil
}
