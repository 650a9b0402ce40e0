package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

// MaxPageBytes bounds an exported page.
const MaxPageBytes = 64 << 20

// Page gives the whole deck as one self-contained HTML document: each slide is a
// frame of its own, so that the styles of one never reach another. Errors:
// too_large.
func Page(ctx context.Context, s *deck.Snapshot, kit deck.Kit) ([]byte, error) {
	var out bytes.Buffer
	w, h := s.Manifest.Width, s.Manifest.Height
	fmt.Fprintf(&out, `<!doctype html>
<html lang=%q>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s; frame-src 'self'">
<meta name="viewport" content="width=%d">
<title>%s</title>
<style>
@page { size: %dpx %dpx; margin: 0; }
html { background: #22252a; }
body { margin: 0; display: grid; justify-content: center; gap: 24px; padding: 24px 0; }
iframe { display: block; width: %dpx; height: %dpx; border: 0; background: #fff; break-inside: avoid; }
@media print { html { background: none; } body { display: block; padding: 0; } iframe { break-after: page; } iframe:last-child { break-after: auto; } }
</style>
</head>
<body>
`, s.Manifest.Lang, render.Policy, w, html.EscapeString(s.Title()), w, h, w, h)
	for _, sl := range s.Slides {
		doc, err := slideDocument(ctx, s, sl, kit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sl.Path, err)
		}
		height := h
		if n := len(steps(ctx, s, sl)); n > 1 {
			height = h * n
		}
		fmt.Fprintf(&out, "<iframe title=\"%s\" sandbox=\"allow-popups\" style=\"height: %dpx\" srcdoc=\"%s\"></iframe>\n",
			html.EscapeString(sl.Title), height, html.EscapeString(string(doc)))
		if out.Len() > MaxPageBytes {
			return nil, agent.Errorf(agent.CodeTooLarge, "The exported page is over %d MiB.", MaxPageBytes>>20)
		}
	}
	out.WriteString("</body>\n</html>\n")
	return out.Bytes(), nil
}

func steps(ctx context.Context, s *deck.Snapshot, sl deck.Slide) [][]byte {
	if s.Manifest.Reveal == nil {
		return nil
	}
	src, err := s.Read(ctx, sl.Path, deck.MaxSlideBytes)
	if err != nil {
		return nil
	}
	return reveal.Steps(src)
}

// slideDocument renders a slide; one that has no render shows its source.
func slideDocument(ctx context.Context, s *deck.Snapshot, sl deck.Slide, kit deck.Kit) ([]byte, error) {
	doc, err := render.Slide(ctx, s, sl, render.Options{Kit: kit, Links: true})
	if !errors.Is(err, render.ErrNoRender) || sl.Format != deck.Astro {
		return doc, err
	}
	src, err := s.Read(ctx, sl.Path, deck.MaxSlideBytes)
	if err != nil {
		return nil, err
	}
	return render.Document(ctx, s, render.Page{
		Title: sl.Title, Lang: s.Manifest.Lang, Width: s.Manifest.Width, Height: s.Manifest.Height, Path: sl.Path,
		Body: fmt.Appendf(nil, "<main style=\"padding:64px\"><p><code>%s</code> needs the deck's build; its source:</p><pre>%s</pre></main>",
			html.EscapeString(sl.Path), html.EscapeString(string(src))),
	})
}

// Source gives an imported reveal.js page with its slides as they are now: what
// was not touched is there byte for byte. Errors: invalid_input, too_large.
func Source(ctx context.Context, s *deck.Snapshot) ([]byte, error) {
	frame, err := s.Read(ctx, s.Manifest.Reveal.Frame, reveal.MaxPageBytes)
	if err != nil {
		return nil, err
	}
	var slides [][]byte
	for _, sl := range s.Slides {
		src, err := s.Read(ctx, sl.Path, deck.MaxSlideBytes)
		if err != nil {
			return nil, err
		}
		slides = append(slides, src)
	}
	return reveal.Join(frame, s.Manifest.Reveal.Marker, slides)
}

// Text gives the deck as Markdown: the words of every slide, its notes quoted.
func Text(ctx context.Context, s *deck.Snapshot) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", s.Title())
	if s.Manifest.Subtitle != "" {
		fmt.Fprintf(&out, "\n%s\n", s.Manifest.Subtitle)
	}
	for _, sl := range s.Slides {
		src, err := s.Read(ctx, sl.Path, deck.MaxSlideBytes)
		if err != nil {
			return nil, err
		}
		_, body := markup.FrontMatter(src)
		if sl.Format == deck.Markdown {
			fmt.Fprintf(&out, "\n---\n\n%s\n", bytes.TrimSpace(body))
			continue
		}
		out.WriteString("\n---\n\n")
		fmt.Fprintf(&out, "%s\n", ToMarkdown(body))
	}
	return out.Bytes(), nil
}
