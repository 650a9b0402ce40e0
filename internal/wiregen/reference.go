package main

import (
	_ "embed" // the page's own words
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"text/template"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

//go:embed http.md.tmpl
var referenceText string

// reference gives the reference page; root is the folder of the module.
func reference(root string) (string, error) {
	p, err := readPage(root)
	if err != nil {
		return "", err
	}
	text, err := template.New("http.md").Funcs(template.FuncMap{
		"base": func() string { return httpapi.Base }, "list": p.list, "operations": p.operations, "always": p.always,
		"table": func(name string) (string, error) { return p.named(name) }, "events": p.events,
		"codes": p.codes, "shapes": p.allShapes, "limits": p.limits,
	}).Parse(referenceText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := text.Execute(&b, nil); err != nil {
		return "", err
	}
	return b.String(), nil
}

func readPage(root string) (*page, error) {
	p := &page{}
	for folder, src := range map[string]*source{".": &p.vocabulary, "internal/wiregen": &p.wire,
		"internal/httpapi": &p.presenter, "internal/account": &p.account, "internal/engine": &p.engine} {
		var err error
		if *src, err = readSource(filepath.Join(root, folder)); err != nil {
			return nil, err
		}
	}
	var err error
	p.handlers, err = readPresenter(filepath.Join(root, "internal/httpapi"))
	return p, err
}

// list is the short table of every operation.
func (p *page) list() string {
	var b strings.Builder
	b.WriteString("| method | path | does | client |\n| --- | --- | --- | --- |\n")
	for _, op := range httpapi.Operations {
		stream := ""
		if op.Stream {
			stream = " (stream)"
		}
		anchor := strings.ToLower(op.Method) + "-" + strings.NewReplacer("/", "", "{", "", "}", "").Replace(op.Path)
		fmt.Fprintf(&b, "| %s | [`%s`](#%s) | %s%s | `%s` |\n", op.Method, op.Path, anchor, does(op.Client), stream, op.Client)
	}
	return b.String()
}

func (p *page) operations() (string, error) {
	var all []string
	for _, op := range httpapi.Operations {
		text, err := p.operation(op)
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n"), nil
}

func (p *page) always() string {
	var b strings.Builder
	b.WriteString("| status | when |\n| --- | --- |\n")
	b.WriteString(faults(always))
	b.WriteString("| 405 `invalid_request` | the address does not take this method; `Allow` lists those it takes. HEAD is taken wherever GET is, but for streams |\n")
	b.WriteString("| 421 `invalid_request` | the server does not answer for this `Host` |\n")
	return b.String()
}

// named is a table of a type that the page's words ask for.
func (p *page) named(name string) (string, error) {
	switch name {
	case "Event":
		return p.table(reflect.TypeFor[agent.Event]()), nil
	case "Problem":
		return p.table(reflect.TypeFor[httpapi.Problem]()), nil
	}
	return "", fmt.Errorf("the page has no table of %s", name)
}

func (p *page) events() string {
	var all []string
	for _, d := range payloads {
		t, kind := reflect.TypeOf(d), d.EventKind()
		note := "A milestone: written before it is told."
		switch {
		case kind == agent.EventThreadChanged:
			note = "On a thread's stream only, without an id."
		case kind.Terminal():
			note = "It ends the turn."
		case kind.Live():
			note = "Told first, written within 250 ms."
		}
		text := p.comment(t)
		if rest, ok := strings.CutPrefix(text, t.Name()+" "); ok {
			text = "This " + rest // a reader of the wire does not know the Go type
		}
		all = append(all, fmt.Sprintf("### Event `%s`\n\n%s %s\n\n%s", kind, text, note, p.table(t)))
	}
	return strings.Join(all, "\n")
}

func (p *page) codes() string {
	var b strings.Builder
	b.WriteString("| code | HTTP status | means |\n| --- | --- | --- |\n")
	for _, c := range agent.Codes {
		status := "only in events and results"
		if c.Status != 0 {
			status = fmt.Sprint(c.Status)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, status, codeWords[c.Code])
	}
	return b.String()
}

// allShapes writes every shape that a table above has named, and what those name.
// Event and Problem have their tables in chapters of their own.
func (p *page) allShapes() string {
	var all []string
	for i := 0; i < len(p.shapes); i++ {
		t := p.shapes[i]
		if t == reflect.TypeFor[agent.Event]() {
			continue // its chapter is among the streams
		}
		all = append(all, fmt.Sprintf("### %s\n\n%s\n\n%s", typeName(t), p.comment(t), p.table(t)))
	}
	return strings.Join(all, "\n")
}
