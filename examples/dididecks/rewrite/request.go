package rewrite

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
)

// System is what the model is told about the work, whatever the slide.
//
//go:embed system.md
var System string

// Request asks for a new version of a slide.
type Request struct {
	Path   string
	Format string // html, md or astro
	Reveal bool   // a section of an imported page
	// Wish is what the user asked for. Style, where set, names the look of a variant.
	Wish   string
	Style  string
	Title  string
	Source string
	CSS    string // of the sheet beside it, "" without one
	Kit    string // the brand kit's custom properties
}

// Prompt gives the request as text. Everything that others wrote stands between
// lines that hold a word which none of it contains.
func (r Request) Prompt() string {
	word := r.boundary()
	var b strings.Builder
	fmt.Fprintf(&b, "Boundary: %s\nPath: %s\nFormat: %s\n", word, line(r.Path), line(r.Format))
	if r.Reveal {
		b.WriteString("Page: reveal\n")
	}
	fmt.Fprintf(&b, "Title: %s\n", line(r.Title))
	if r.Style != "" {
		fmt.Fprintf(&b, "Style: %s\n", line(r.Style))
	}
	for _, part := range r.parts() {
		if *part.text != "" {
			fmt.Fprintf(&b, "%s begin %s\n%s\n%s end %s\n", word, part.name, *part.text, word, part.name)
		}
	}
	return b.String()
}

type part struct {
	name string
	text *string
}

func (r *Request) parts() []part {
	return []part{{"wish", &r.Wish}, {"source", &r.Source}, {"css", &r.CSS}, {"kit", &r.Kit}}
}

func (r Request) boundary() string {
	all := r.Path + r.Title + r.Style + r.Wish + r.Source + r.CSS + r.Kit
	sum := sha256.Sum256([]byte(all))
	word := "-----" + hex.EncodeToString(sum[:8])
	for strings.Contains(all, word) {
		sum = sha256.Sum256(sum[:])
		word = "-----" + hex.EncodeToString(sum[:8])
	}
	return word
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Parse reads a prompt back; ok is false when it is none of ours.
func Parse(prompt string) (r Request, ok bool) {
	head, rest, _ := strings.Cut(prompt, "\n")
	word, ok := strings.CutPrefix(head, "Boundary: ")
	if !ok || len(word) < 10 {
		return Request{}, false
	}
	for {
		l, after, more := strings.Cut(rest, "\n")
		if name, ok := strings.CutPrefix(l, word+" begin "); ok {
			text, tail, ok := strings.Cut(after, "\n"+word+" end "+name+"\n")
			if !ok {
				return Request{}, false
			}
			for _, p := range r.parts() {
				if p.name == name {
					*p.text = text
				}
			}
			rest = tail
			continue
		}
		switch key, value, _ := strings.Cut(l, ": "); key {
		case "Path":
			r.Path = value
		case "Format":
			r.Format = value
		case "Page":
			r.Reveal = value == "reveal"
		case "Title":
			r.Title = value
		case "Style":
			r.Style = value
		}
		if rest = after; !more {
			return r, r.Path != ""
		}
	}
}
