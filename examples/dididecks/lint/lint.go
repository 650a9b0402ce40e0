// Package lint looks for what is wrong with a deck: references that lead nowhere,
// tags that do not close, images without alternative text, numbers used twice.
package lint

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
)

// Severity says how bad a finding is.
type Severity string

// The severities: the deck shows wrongly, or could be better.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one thing that is wrong. Line counts from 1; 0 means the whole file.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Path     string   `json:"path"`
	Line     int      `json:"line,omitempty"`
	Message  string   `json:"message"`
}

// Deck gives the findings of a snapshot, slide by slide.
func Deck(ctx context.Context, s *deck.Snapshot) ([]Finding, error) {
	found := numbers(s)
	for _, ref := range s.Manifest.Styles {
		if s.Resolve(deck.ManifestPath, ref) == "" {
			found = append(found, Finding{Error, "missing_style", deck.ManifestPath, 0, fmt.Sprintf("names the style sheet %s, which does not exist", ref)})
		}
	}
	if kit := s.Manifest.BrandKit; kit != "" {
		if _, err := s.Kit(kit); err != nil {
			found = append(found, Finding{Error, "missing_kit", deck.ManifestPath, 0, fmt.Sprintf("names the brand kit %s, which does not exist", kit)})
		}
	}
	for _, sl := range s.Slides {
		if sl.Size > deck.MaxSlideBytes {
			found = append(found, Finding{Error, "too_large", sl.Path, 0, fmt.Sprintf("is over %d KiB", deck.MaxSlideBytes>>10)})
			continue
		}
		src, css, err := s.Source(ctx, sl)
		if err != nil {
			return nil, err
		}
		found = append(found, slide(s, sl, src)...)
		if sl.CSS != "" {
			found = append(found, sheet(s, sl.CSS, string(css), 1)...)
		}
	}
	return found, nil
}

func numbers(s *deck.Snapshot) []Finding {
	var found []Finding
	seen := map[int]string{}
	for _, sl := range s.Slides {
		if first, ok := seen[sl.Number]; ok && sl.Number >= 0 {
			found = append(found, Finding{Warning, "duplicate_number", sl.Path, 0, fmt.Sprintf("has the same number as %s", first)})
		} else {
			seen[sl.Number] = sl.Path
		}
	}
	return found
}

func slide(s *deck.Snapshot, sl deck.Slide, src []byte) []Finding {
	var found []Finding
	body := src
	if sl.Format == deck.Markdown {
		rendered, err := render.FromMarkdown(src)
		if err != nil {
			return []Finding{{Error, "unreadable", sl.Path, 0, "does not read as Markdown"}}
		}
		body = rendered
	}
	lines := sl.Format == deck.HTML // of rendered Markdown they would mislead
	if sl.Format != deck.Astro {
		for _, p := range markup.Problems(body) {
			found = append(found, Finding{Error, "unclosed_tag", sl.Path, lineOf(lines, p.Line), p.Text})
		}
	}
	from := sl.Path
	if s.Manifest.Reveal != nil {
		from = s.Manifest.Reveal.Frame
	}
	inStyle := false
	for t := range markup.Tokens(body) {
		at := lineOf(lines, 1+strings.Count(string(body[:t.Start]), "\n"))
		if t.Name == "style" {
			inStyle = t.Type == html.StartTagToken
		}
		if inStyle && t.Type == html.TextToken {
			for _, f := range sheet(s, from, string(body[t.Start:t.End]), at) {
				f.Path = sl.Path
				found = append(found, f)
			}
		}
		if t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken {
			found = append(found, tag(s, sl.Path, from, t, at)...)
		}
	}
	return found
}

func lineOf(known bool, line int) int {
	if known {
		return line
	}
	return 0
}

func tag(s *deck.Snapshot, file, from string, t markup.Token, line int) []Finding {
	var found []Finding
	if t.Name == "img" {
		if _, ok := t.Value("alt"); !ok {
			found = append(found, Finding{Warning, "missing_alt", file, line, "an image has no alternative text (alt)"})
		}
	}
	for _, key := range []string{"src", "poster", "data-src", "data-background-image"} {
		if v, ok := t.Value(key); ok && t.Name != "script" && t.Name != "iframe" {
			found = append(found, reference(s, file, from, v, line)...)
		}
	}
	if v, ok := t.Value("href"); ok && (t.Name == "link" || t.Name == "image") {
		found = append(found, reference(s, file, from, v, line)...)
	}
	if v, ok := t.Value("style"); ok {
		for _, f := range sheet(s, from, v, line) {
			f.Path = file
			found = append(found, f)
		}
	}
	return found
}

// reference tells of one that leads nowhere, or out of the deck.
func reference(s *deck.Snapshot, file, from, ref string, line int) []Finding {
	ref = strings.TrimSpace(ref)
	switch {
	case ref == "" || strings.HasPrefix(ref, "#") || strings.HasPrefix(strings.ToLower(ref), "data:") || strings.Contains(ref, "{"):
		return nil
	case markup.Remote(ref):
		return []Finding{{Warning, "remote_asset", file, line, fmt.Sprintf("loads %.120s from elsewhere; previews and exports leave it out", ref)}}
	case s.Resolve(from, ref) == "":
		return []Finding{{Error, "missing_asset", file, line, fmt.Sprintf("refers to %.120s, which does not exist", path.Clean(ref))}}
	}
	return nil
}

var cssURL = regexp.MustCompile(`(?i)url\(\s*["']?([^"')]+)["']?\s*\)`)

func sheet(s *deck.Snapshot, file, css string, line int) []Finding {
	var found []Finding
	for _, m := range cssURL.FindAllStringSubmatchIndex(css, -1) {
		at := 0
		if line > 0 {
			at = line + strings.Count(css[:m[0]], "\n")
		}
		found = append(found, reference(s, file, file, css[m[2]:m[3]], at)...)
	}
	return found
}
