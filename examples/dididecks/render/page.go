package render

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of a rendered document and of one asset in it.
const (
	MaxDocumentBytes = agent.MaxArtifactBytes
	MaxAssetBytes    = 4 << 20
)

// Policy is the content security policy of every document that we render.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"

// Assets are the files that a page may show.
type Assets interface {
	// Resolve gives the file that a reference in another file means, "" for none.
	Resolve(from, ref string) string
	// Read gives the content of a file of at most limit bytes.
	Read(ctx context.Context, path string, limit int64) ([]byte, error)
}

// Sheet is a style sheet; Path is where its references start from.
type Sheet struct{ Path, Text string }

// Page is what a document is made of.
type Page struct {
	Title, Lang   string
	Width, Height int
	Sheets        []Sheet // before the page's own styles
	After         string  // our own styles, after them
	Path          string  // where the references of Body start from
	Body          []byte  // a fragment or a whole document
	// Links keeps web links alive, in new windows; without it they only show.
	Links bool
}

//go:embed base.css
var baseCSS string

// Document renders a page. Errors: too_large (over MaxDocumentBytes).
func Document(ctx context.Context, assets Assets, p Page) ([]byte, error) {
	root, err := html.Parse(bytes.NewReader(p.Body))
	if err != nil {
		return nil, agent.Wrap(agent.CodeToolError, err, "The slide cannot be read as HTML.")
	}
	w := &walker{ctx: ctx, assets: assets, page: p, left: MaxDocumentBytes}
	var css strings.Builder
	fmt.Fprintf(&css, ":root { --slide-width: %dpx; --slide-height: %dpx; }\n", p.Width, p.Height)
	css.WriteString(baseCSS)
	for _, s := range p.Sheets {
		css.WriteString(w.sheet(s.Path, s.Text, 0) + "\n")
	}
	w.clean(root)
	head, body := parts(root)
	for _, n := range head {
		if attr(n, inlined) != "" {
			css.WriteString(textOf(n) + "\n")
		} else {
			css.WriteString(w.sheet(p.Path, textOf(n), 0) + "\n")
		}
	}
	css.WriteString(p.After)
	var out bytes.Buffer
	fmt.Fprintf(&out, "<!doctype html>\n<html lang=%q>\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<meta name=\"viewport\" content=\"width=%d\">\n"+
		"<title>%s</title>\n<style>\n%s</style>\n</head>\n", p.Lang, Policy, p.Width, html.EscapeString(p.Title), closed(css.String()))
	if err := html.Render(&out, body); err != nil {
		return nil, agent.Wrap(agent.CodeToolError, err, "The slide cannot be written as HTML.")
	}
	out.WriteString("\n</html>\n")
	if out.Len() > MaxDocumentBytes {
		return nil, agent.Errorf(agent.CodeTooLarge, "The rendered slide is over %d MiB.", MaxDocumentBytes>>20)
	}
	return out.Bytes(), w.ctx.Err()
}

// parts gives the style elements of the head and the body.
func parts(root *html.Node) (styles []*html.Node, body *html.Node) {
	for n := range root.Descendants() {
		switch {
		case n.DataAtom == atom.Body && body == nil:
			body = n
		case n.DataAtom == atom.Style && n.Parent != nil && n.Parent.DataAtom == atom.Head:
			styles = append(styles, n)
		}
	}
	if body == nil {
		body = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	}
	return styles, body
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// closed keeps a style sheet from ending its element.
func closed(css string) string { return strings.ReplaceAll(css, "</", `<\/`) }
