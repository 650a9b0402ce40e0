package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// open names the string types whose values a newer server may extend; the others
// are closed lists.
var open = map[string]bool{"EventKind": true, "ArtifactKind": true}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// writer collects declarations: a named type is written once, when it is first met.
type writer struct {
	src  []source
	seen map[string]reflect.Type
	out  []string
}

// declare writes a named type and whatever it refers to, and gives its name.
func (w *writer) declare(t reflect.Type) (string, error) {
	name := typeName(t)
	if old, ok := w.seen[name]; ok {
		if old != t {
			return "", fmt.Errorf("two types are called %s: %v and %v", name, old, t)
		}
		return name, nil
	}
	w.seen[name] = t
	at := len(w.out)
	w.out = append(w.out, "")
	var text string
	var err error
	switch t.Kind() {
	case reflect.Struct:
		text, err = w.structure(name, t)
	case reflect.String:
		text = w.union(name)
	default:
		err = fmt.Errorf("%v has no TypeScript form", t)
	}
	w.out[at] = text
	return name, err
}

// typeName gives the TypeScript name; Page[Turn] becomes TurnPage.
func typeName(t reflect.Type) string {
	name, arg, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	arg = strings.TrimSuffix(arg, "]")
	return arg[strings.LastIndex(arg, ".")+1:] + name
}

func (w *writer) union(name string) string {
	var values []string
	for _, s := range w.src {
		for _, v := range s.enums[name] {
			values = append(values, quote(v))
		}
	}
	text := doc("", w.comment(name))
	if len(values) == 0 {
		return text + fmt.Sprintf("export type %s = string;\n", name)
	}
	if open[name] {
		values = append(values, "(string & {})")
	}
	return text + fmt.Sprintf("export type %s =\n\t| %s;\n", name, strings.Join(values, "\n\t| "))
}

func (w *writer) structure(name string, t reflect.Type) (string, error) {
	var b strings.Builder
	var parents []string
	var body strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || tag == "-" {
			continue
		}
		if f.Anonymous && tag == "" {
			parent, err := w.declare(f.Type)
			if err != nil {
				return "", err
			}
			parents = append(parents, parent)
			continue
		}
		if tag == "" {
			return "", fmt.Errorf("%s.%s has no json name", name, f.Name)
		}
		line, err := w.member(tag, strings.Contains(opts, "omitempty"), f.Type)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", name, f.Name, err)
		}
		body.WriteString(doc("\t", w.fieldComment(t.Name(), f.Name)))
		body.WriteString(line)
	}
	b.WriteString(doc("", w.comment(t.Name())))
	fmt.Fprintf(&b, "export interface %s ", name)
	if len(parents) > 0 {
		fmt.Fprintf(&b, "extends %s ", strings.Join(parents, ", "))
	}
	fmt.Fprintf(&b, "{\n%s}\n", body.String())
	return b.String(), nil
}

// member writes one field. What Go leaves out when empty is optional; a pointer
// or slice that Go does not leave out may be null.
func (w *writer) member(name string, optional bool, t reflect.Type) (string, error) {
	nullable := t.Kind() == reflect.Pointer || (t.Kind() == reflect.Slice && t != rawMessage)
	text, err := w.reference(t)
	if err != nil {
		return "", err
	}
	switch {
	case optional:
		return fmt.Sprintf("\t%s?: %s;\n", name, text), nil
	case nullable:
		return fmt.Sprintf("\t%s: %s | null;\n", name, text), nil
	default:
		return fmt.Sprintf("\t%s: %s;\n", name, text), nil
	}
}

func (w *writer) reference(t reflect.Type) (string, error) {
	switch {
	case t == rawMessage:
		return "unknown", nil
	case t.Kind() == reflect.Pointer:
		return w.reference(t.Elem())
	case t.Kind() == reflect.Slice:
		elem, err := w.reference(t.Elem())
		return elem + "[]", err
	case t.Kind() == reflect.Struct, t.Kind() == reflect.String && t.PkgPath() != "":
		return w.declare(t)
	case t.Kind() == reflect.String:
		return "string", nil
	case t.Kind() == reflect.Bool:
		return "boolean", nil
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		return "number", nil
	}
	return "", fmt.Errorf("%v has no TypeScript form", t)
}

func (w *writer) comment(name string) string {
	for _, s := range w.src {
		if text := s.types[name]; text != "" {
			return text
		}
	}
	return ""
}

func (w *writer) fieldComment(owner, field string) string {
	for _, s := range w.src {
		if text := s.fields[owner+"."+field]; text != "" {
			return text
		}
	}
	return ""
}

func doc(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(text, "*/", "* /") + " */\n"
}

// quote writes a TypeScript string literal; JSON's form is one.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}
