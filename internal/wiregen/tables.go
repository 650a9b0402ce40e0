package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

// page writes the tables of the reference page. Shapes that a table names are
// collected, so that each of them gets a table of its own.
type page struct {
	vocabulary, wire, presenter, account, engine source
	handlers                                     presenter
	shapes                                       []reflect.Type
}

// member is a field of a struct as it goes on the wire.
type member struct {
	name     string
	field    string // owner.field in Go
	typ      reflect.Type
	optional bool
}

// membersOf gives the members of a struct, those of embedded ones in their place.
func membersOf(t reflect.Type) (list []member) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			list = append(list, membersOf(f.Type)...)
		case name != "-" && f.IsExported():
			owner, _, _ := strings.Cut(t.Name(), "[")
			list = append(list, member{name, owner + "." + f.Name, f.Type, strings.Contains(opts, "omitempty")})
		}
	}
	return list
}

// table writes a row for each member.
func (p *page) table(t reflect.Type) string {
	var b strings.Builder
	b.WriteString("| member | type | |\n| --- | --- | --- |\n")
	for _, m := range membersOf(t) {
		mark := ""
		if m.optional {
			mark = "?"
		}
		fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", m.name, mark, p.cell(m), p.says(t, m))
	}
	return b.String()
}

// bodyTable is table for a request, with what must be there.
func (p *page) bodyTable(e entry, required map[string]bool) string {
	var b strings.Builder
	b.WriteString("| member | type | needed | |\n| --- | --- | --- | --- |\n")
	for _, m := range membersOf(e.body) {
		need := "no"
		if required[m.name] {
			need = "yes"
		}
		if words := e.needs[m.name]; words != "" {
			need = words
		}
		m.optional = true // null counts as not there
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.name, p.cell(m), need, p.says(e.body, m))
	}
	return b.String()
}

// says gives the words for a member: the page's own for it, the comment of the Go
// field, or those that fit the name wherever it stands; and the values of a list.
func (p *page) says(t reflect.Type, m member) string {
	owner, _, _ := strings.Cut(t.Name(), "[")
	text := memberWords[owner+"."+m.name]
	for _, src := range []source{p.vocabulary, p.wire, p.presenter} {
		if text == "" {
			text = src.fields[m.field]
		}
	}
	// A comment begins with the name in Go.
	if rest, ok := strings.CutPrefix(text, m.field[strings.Index(m.field, ".")+1:]+" "); ok {
		text = "`" + m.name + "` " + rest
	}
	if text == "" {
		text = memberWords[m.name]
	}
	if values := p.vocabulary.enums[m.typ.Name()]; len(values) > 0 && m.typ.Kind() == reflect.String && !listedElsewhere[m.typ.Name()] {
		text = strings.TrimSpace(sentence(text) + " One of `" + strings.Join(values, "`, `") + "`.")
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// listedElsewhere are the string types whose values have a chapter of their own.
var listedElsewhere = map[string]bool{"EventKind": true, "Code": true}

func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func (p *page) cell(m member) string {
	text := p.wireWord(m.typ)
	if !m.optional && (m.typ.Kind() == reflect.Pointer || m.typ.Kind() == reflect.Slice && m.typ != rawMessage) {
		text += " or null"
	}
	return text
}

// wireWord names a type in JSON's words.
func (p *page) wireWord(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return p.wireWord(t.Elem())
	case t == rawMessage:
		return "any JSON"
	case t == reflect.TypeFor[agent.Code]():
		return "[code](#codes)"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Slice:
		return "list of " + p.wireWord(t.Elem())
	case t.Kind() == reflect.Struct:
		return p.link(t)
	case t.Kind() == reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

// link names a shape and sees to it that it has a chapter.
func (p *page) link(t reflect.Type) string {
	known := false
	for _, have := range p.shapes {
		known = known || have == t
	}
	if !known {
		p.shapes = append(p.shapes, t)
	}
	name := typeName(t)
	return "[" + name + "](#" + strings.ToLower(name) + ")"
}

// comment gives the words for a shape: the page's own, or the comment of the Go type.
func (p *page) comment(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if text := shapeWords[name]; text != "" {
		return text
	}
	for _, src := range []source{p.vocabulary, p.wire, p.presenter} {
		if text := src.types[name]; text != "" {
			return text
		}
	}
	return ""
}

// operation writes the chapter of one operation.
func (p *page) operation(op httpapi.Operation) (string, error) {
	e := entries[op.Client]
	used, err := p.handlers.handler(op.Client)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s\n\n`%s %s%s`: %s\n", op.Method, op.Path, op.Method, httpapi.Base, op.Path, strings.TrimSpace(e.does+" "+e.more))
	words := func(title string, list []word) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n| %s | |\n| --- | --- |\n", title)
			for _, w := range list {
				fmt.Fprintf(&b, "| `%s` | %s |\n", w.name, w.words)
			}
		}
	}
	words("query parameter", e.query)
	words("request header", e.headers)
	if e.body != nil {
		fmt.Fprintf(&b, "\nBody: %s\n\n%s", p.comment(e.body), p.bodyTable(e, used.required))
	}
	b.WriteString("\n| status | answer |\n| --- | --- |\n")
	for _, a := range e.answers {
		fmt.Fprintf(&b, "| %d %s | %s |\n", a.status, http.StatusText(a.status), p.answer(a))
	}
	b.WriteString(faults(e.errors))
	return b.String(), nil
}

// faults writes a row for each error, by status.
func faults(list []fault) string {
	var b strings.Builder
	for _, f := range slices.SortedStableFunc(slices.Values(list), func(a, b fault) int { return a.code.Status() - b.code.Status() }) {
		if f.words == "" {
			f.words = codeWords[f.code]
		}
		fmt.Fprintf(&b, "| %d `%s` | %s |\n", f.code.Status(), f.code, f.words)
	}
	return b.String()
}

func (p *page) answer(a answer) string {
	switch {
	case a.shape == nil:
		return a.words
	case a.words == "":
		return p.link(a.shape)
	default:
		return p.link(a.shape) + "; " + a.words
	}
}
