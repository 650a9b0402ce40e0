package export

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

// ToMarkdown gives the words of an HTML slide as Markdown: headings, paragraphs,
// lists, tables, quotations and images by their alternative text.
func ToMarkdown(src []byte) string {
	root, err := html.Parse(bytes.NewReader(src))
	if err != nil {
		return markup.Text(src)
	}
	w := &mdWriter{}
	w.block(root, "")
	w.flush("")
	return strings.TrimSpace(w.out.String())
}

// mdWriter collects running text and writes it out where a block ends.
type mdWriter struct {
	out  strings.Builder
	line strings.Builder
}

func (w *mdWriter) flush(prefix string) {
	text := strings.Join(strings.Fields(w.line.String()), " ")
	w.line.Reset()
	if text != "" {
		w.out.WriteString(prefix + text + "\n\n")
	}
}

var mdSkip = map[atom.Atom]bool{
	atom.Style: true, atom.Script: true, atom.Template: true, atom.Title: true, atom.Head: true, atom.Svg: true,
}

func (w *mdWriter) block(n *html.Node, prefix string) {
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			w.line.WriteString(c.Data)
			continue
		}
		if c.Type != html.ElementNode && c.Type != html.DocumentNode {
			continue
		}
		w.element(c, prefix)
	}
}

func (w *mdWriter) element(n *html.Node, prefix string) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush(prefix)
		level := min(int(n.Data[1]-'0')+1, 6)
		w.block(n, prefix)
		w.flush(prefix + strings.Repeat("#", level) + " ")
	case atom.Ul, atom.Ol:
		w.flush(prefix)
		number := 0
		for li := range n.ChildNodes() {
			if li.DataAtom != atom.Li {
				continue
			}
			number++
			mark := "- "
			if n.DataAtom == atom.Ol {
				mark = fmt.Sprintf("%d. ", number)
			}
			item := &mdWriter{}
			item.block(li, "")
			item.flush("")
			body := strings.ReplaceAll(strings.TrimSpace(item.out.String()), "\n", "\n"+prefix+strings.Repeat(" ", len(mark)))
			w.out.WriteString(prefix + mark + body + "\n")
		}
		w.out.WriteString("\n")
	case atom.Blockquote, atom.Aside:
		w.flush(prefix)
		w.block(n, prefix+"> ")
		w.flush(prefix + "> ")
	case atom.Table:
		w.flush(prefix)
		w.table(n, prefix)
	case atom.Img:
		if alt := attrOf(n, "alt"); alt != "" {
			w.line.WriteString(" [image: " + alt + "] ")
		}
	case atom.Br:
		w.line.WriteString(" ")
	case atom.Strong, atom.B:
		w.around(n, "**")
	case atom.Em, atom.I:
		w.around(n, "*")
	case atom.Code:
		w.around(n, "`")
	case atom.A, atom.Span, atom.Small, atom.Sub, atom.Sup, atom.Mark, atom.Abbr, atom.Time, atom.U:
		w.block(n, prefix)
	default:
		if mdSkip[n.DataAtom] && n.DataAtom != atom.Head {
			return
		}
		w.flush(prefix)
		w.block(n, prefix)
		w.flush(prefix)
	}
}

func (w *mdWriter) around(n *html.Node, mark string) {
	inner := &mdWriter{}
	inner.block(n, "")
	text := strings.Join(strings.Fields(inner.line.String()), " ")
	if text != "" {
		w.line.WriteString(mark + text + mark)
	}
}

func (w *mdWriter) table(n *html.Node, prefix string) {
	rows := 0
	for r := range n.Descendants() {
		if r.DataAtom != atom.Tr {
			continue
		}
		var cells []string
		for c := range r.ChildNodes() {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				inner := &mdWriter{}
				inner.block(c, "")
				inner.flush("")
				cells = append(cells, strings.ReplaceAll(strings.Join(strings.Fields(inner.out.String()), " "), "|", `\|`))
			}
		}
		w.out.WriteString(prefix + "| " + strings.Join(cells, " | ") + " |\n")
		if rows++; rows == 1 {
			w.out.WriteString(prefix + "|" + strings.Repeat(" --- |", len(cells)) + "\n")
		}
	}
	w.out.WriteString("\n")
}

func attrOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
