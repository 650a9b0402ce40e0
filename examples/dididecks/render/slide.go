package render

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

//go:embed markdown.css
var markdownCSS string

//go:embed reveal.css
var revealCSS string

// ErrNoRender tells that a slide's format only shows as source: a component file
// needs the deck's build.
var ErrNoRender = &agent.Error{
	Code: agent.CodeUnavailable, Message: "This slide needs the deck's build to be shown; there is its source only.",
	Hint: "Set build: in deck.yaml and let the operator allow it.",
}

// Options choose how a slide is rendered.
type Options struct {
	Kit   deck.Kit
	Links bool
}

// Slide renders a slide of a snapshot. Errors: ErrNoRender, too_large.
func Slide(ctx context.Context, s *deck.Snapshot, sl deck.Slide, o Options) ([]byte, error) {
	if sl.Format == deck.Astro {
		return nil, ErrNoRender
	}
	src, css, err := s.Source(ctx, sl)
	if err != nil {
		return nil, err
	}
	p := Page{
		Title: sl.Title, Lang: s.Manifest.Lang, Width: s.Manifest.Width, Height: s.Manifest.Height,
		Path: sl.Path, Links: o.Links,
	}
	if p.Sheets, err = sheets(ctx, s, o.Kit); err != nil {
		return nil, err
	}
	switch {
	case sl.Format == deck.Markdown:
		p.Sheets = append([]Sheet{{Text: markdownCSS}}, p.Sheets...)
		if p.Body, err = FromMarkdown(src); err != nil {
			return nil, err
		}
	case s.Manifest.Reveal != nil:
		if err := reveal(ctx, s, &p, src); err != nil {
			return nil, err
		}
	default:
		p.Body = src
	}
	if sl.CSS != "" {
		p.Sheets = append(p.Sheets, Sheet{Path: sl.CSS, Text: string(css)})
	}
	return Document(ctx, s, p)
}

// sheets gives what every slide of a deck is styled with: the kit's variables,
// the deck's style sheets, the kit's own.
func sheets(ctx context.Context, s *deck.Snapshot, kit deck.Kit) ([]Sheet, error) {
	out := []Sheet{{Path: deck.ManifestPath, Text: kit.Variables()}}
	files := s.Manifest.Styles
	if kit.CSSPath != "" {
		files = append(files[:len(files):len(files)], kit.CSSPath)
	}
	for _, ref := range files {
		p := s.Resolve(deck.ManifestPath, ref)
		if p == "" {
			continue // diagnostics tells of it; a slide shows without.
		}
		css, err := s.Read(ctx, p, MaxAssetBytes)
		if err != nil {
			return nil, err
		}
		out = append(out, Sheet{Path: p, Text: string(css)})
	}
	return out, nil
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe()))

// FromMarkdown gives the HTML of a Markdown slide, its notes (after a line
// "Note:") in an aside. Raw HTML stays in it: what takes the result cleans it.
func FromMarkdown(src []byte) ([]byte, error) {
	_, body := markup.FrontMatter(src)
	shown, notes := body, []byte(nil)
	for _, mark := range []string{"\nNote:", "\nNotes:"} {
		if i := bytes.Index(body, []byte(mark)); i >= 0 {
			shown, notes = body[:i+1], body[i+len(mark):]
			break
		}
	}
	var out bytes.Buffer
	out.WriteString("<section class=\"slide markdown\">\n")
	if err := markdown.Convert(shown, &out); err != nil {
		return nil, agent.Wrap(agent.CodeToolError, err, "The slide cannot be read as Markdown.")
	}
	if notes = bytes.TrimSpace(notes); len(notes) > 0 {
		fmt.Fprintf(&out, "<aside class=\"notes\">%s</aside>\n", html.EscapeString(string(notes)))
	}
	out.WriteString("</section>\n")
	return out.Bytes(), nil
}

// reveal puts an imported section into the page that it came from: the styles of
// its frame, and Markdown templates rendered.
func reveal(ctx context.Context, s *deck.Snapshot, p *Page, src []byte) error {
	frame, err := s.Read(ctx, s.Manifest.Reveal.Frame, MaxAssetBytes)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	inStyle := false
	for t := range markup.Tokens(frame) {
		rel, _ := t.Value("rel")
		switch {
		case t.Name == "link" && strings.EqualFold(rel, "stylesheet"), t.Name == "style":
			body.Write(frame[t.Start:t.End])
			inStyle = t.Name == "style" && t.Type == nethtml.StartTagToken
		case inStyle && t.Type == nethtml.TextToken:
			body.Write(frame[t.Start:t.End])
		}
	}
	body.WriteString("<body class=\"reveal-viewport\"><div class=\"reveal\"><div class=\"slides\">\n")
	body.Write(templates(src))
	body.WriteString("</div></div></body>")
	p.Body, p.After = body.Bytes(), revealCSS
	p.Path = s.Manifest.Reveal.Frame
	return nil
}

// templates replaces the templates of a section by what they show: Markdown where
// the section says so, else their text, as code is written down in reveal.js.
func templates(src []byte) []byte {
	var out bytes.Buffer
	inside, asMarkdown := "", false
	for t := range markup.Tokens(src) {
		piece := src[t.Start:t.End]
		_, template := t.Value("data-template")
		kind, _ := t.Value("type")
		if _, marked := t.Value("data-markdown"); t.Name == "section" {
			asMarkdown = marked && t.Type == nethtml.StartTagToken
		}
		switch {
		case inside == "" && t.Type == nethtml.StartTagToken &&
			((t.Name == "script" && strings.HasPrefix(kind, "text/")) || (t.Name == "textarea" && template)) &&
			kind != "text/javascript":
			inside = t.Name
		case inside != "" && t.Type == nethtml.EndTagToken && t.Name == inside:
			inside = ""
		case inside != "" && t.Type == nethtml.TextToken:
			text := piece
			if inside == "textarea" {
				text = []byte(html.UnescapeString(string(piece)))
			}
			if !asMarkdown || markdown.Convert(dedent(text), &out) != nil {
				out.WriteString(html.EscapeString(string(dedent(text))))
			}
		default:
			out.Write(piece)
		}
	}
	return out.Bytes()
}

// dedent takes off the indent that all lines of a template share.
func dedent(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	shared := -1
	for _, l := range lines {
		if trimmed := bytes.TrimLeft(l, " \t"); len(bytes.TrimSpace(trimmed)) > 0 && (shared < 0 || len(l)-len(trimmed) < shared) {
			shared = len(l) - len(trimmed)
		}
	}
	for i, l := range lines {
		lines[i] = l[min(len(l), max(shared, 0)):]
	}
	return bytes.Join(lines, []byte("\n"))
}
