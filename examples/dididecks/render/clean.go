package render

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

// walker cleans a tree and puts assets into it. left is what the document may
// still grow by.
type walker struct {
	ctx    context.Context
	assets Assets
	page   Page
	left   int
}

var dropped = map[string]bool{
	"script": true, "iframe": true, "frame": true, "frameset": true, "object": true, "embed": true, "applet": true,
	"base": true, "meta": true, "portal": true, "noscript": true, "noembed": true, "noframes": true, "template": true,
	"plaintext": true, "xmp": true, "title": true,
}

// clean walks a subtree: what runs or frames is removed, what is local comes in.
func (w *walker) clean(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.Type {
		case html.CommentNode, html.DoctypeNode:
			n.RemoveChild(c)
		case html.ElementNode:
			w.element(n, c)
		}
		c = next
	}
}

func (w *walker) element(parent, n *html.Node) {
	inSVG := n.Namespace != ""
	switch {
	case n.DataAtom == atom.Link && !inSVG:
		w.link(parent, n)
		return
	case dropped[strings.ToLower(n.Data)] && !(inSVG && n.Data == "title"):
		parent.RemoveChild(n)
		return
	case n.Data == "style" && inSVG:
		css := w.sheet(w.page.Path, textOf(n), 0)
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: css})
	case n.DataAtom == atom.Style:
		if parent.DataAtom != atom.Head {
			css := closed(w.sheet(w.page.Path, textOf(n), 0))
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
			n.AppendChild(&html.Node{Type: html.TextNode, Data: css})
		}
		w.attributes(n)
		return
	}
	w.attributes(n)
	w.clean(n)
}

// inlined marks a style element whose references came in already.
const inlined = "data-inlined"

// link turns a local style sheet into a style element and drops every other link.
func (w *walker) link(parent, n *html.Node) {
	rel, href := attr(n, "rel"), attr(n, "href")
	if strings.EqualFold(strings.TrimSpace(rel), "stylesheet") {
		if p := w.assets.Resolve(w.page.Path, href); p != "" && !markup.Remote(href) {
			if css, err := w.assets.Read(w.ctx, p, MaxAssetBytes); err == nil {
				style := &html.Node{Type: html.ElementNode, Data: "style", DataAtom: atom.Style, Attr: []html.Attribute{{Key: inlined, Val: "1"}}}
				style.AppendChild(&html.Node{Type: html.TextNode, Data: closed(w.sheet(p, string(css), 0))})
				parent.InsertBefore(style, n)
			}
		}
	}
	parent.RemoveChild(n)
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (w *walker) attributes(n *html.Node) {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		key := strings.ToLower(a.Key)
		switch {
		case strings.HasPrefix(key, "on"), key == "srcdoc", key == "srcset", key == "ping", key == "action",
			key == "formaction", key == "autofocus", key == "data", key == "background", key == "http-equiv", key == "target":
			continue
		case key == "style":
			a.Val = w.sheet(w.page.Path, a.Val, 0)
		case key == "href" && n.DataAtom == atom.A:
			kept = append(kept, w.anchor(a)...)
			continue
		case key == "src" || key == "poster" || key == "href":
			if strings.HasPrefix(a.Val, "#") {
				break
			}
			uri := w.dataURI(w.page.Path, a.Val)
			if uri == "" {
				continue
			}
			a.Val = uri
		}
		kept = append(kept, a)
	}
	n.Attr = kept
}

// anchor keeps a web link where links are alive and shows its address otherwise.
func (w *walker) anchor(a html.Attribute) []html.Attribute {
	v := strings.TrimSpace(a.Val)
	lower := strings.ToLower(v)
	web := strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "mailto:")
	switch {
	case !web:
		return nil
	case !w.page.Links:
		return []html.Attribute{{Key: "title", Val: v}, {Key: "data-href", Val: v}}
	}
	return []html.Attribute{{Key: "href", Val: v}, {Key: "target", Val: "_blank"}, {Key: "rel", Val: "noopener noreferrer"}}
}
