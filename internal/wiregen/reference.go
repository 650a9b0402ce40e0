package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

const referenceHeading = `# HTTP reference

<!-- Written by internal/wiregen from the Go types. Do not edit: run "make generate". -->

Everything is under ` + "`" + httpapi.Base + "`" + `. Bodies are JSON (` + "`application/json`" + `) of at most 1 MiB; times are
milliseconds since the Unix epoch. A request needs a login session: its cookie, or
` + "`Authorization: Bearer`" + `. One that changes something needs, with a cookie, the page's own origin.

Errors are problem documents ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), ` + "`application/problem+json`" + `, with
` + "`code`, `message` for people, `hint?`, `pointer?` (RFC 6901) and `requestId`" + `. What belongs to somebody else is
` + "`not_found`" + `, as if it did not exist.

## Operations

| method | path | does | client |
| --- | --- | --- | --- |
`

const streamText = `
## Streams

An event stream (` + "`text/event-stream`" + `) begins with a comment of 2 KiB, has a comment each 15 s of silence, and is closed
after 30 min: come back with the last id. ` + "`event:`" + ` is the kind, ` + "`data:`" + ` the event, ` + "`id:`" + ` the place: ` + "`run:seq`" + ` on a turn's
stream, ` + "`turn:run:seq`" + ` on a thread's. Hand it back as ` + "`Last-Event-ID`" + ` or ` + "`?after=`" + `; a turn that has ended and has nothing
left answers 204. Only ` + "`turn.completed`, `turn.failed` and `turn.canceled`" + ` end a turn; a connection that closes without
one means: reconnect. Unknown kinds are to be ignored.

A ` + "`POST /chat`" + ` that streams holds its headers until the provider's first answer, 2 s at most, so that a refused key is an
HTTP 402; later, and on attach, ` + "`turn.failed`" + ` carries the same code and ` + "`status: 402`" + `.

Every event:

| member | type | |
| --- | --- | --- |
`

// reference gives the reference page; root is the folder of the module.
func reference(root string) (string, error) {
	src, err := readSource(root)
	if err != nil {
		return "", err
	}
	presenter, err := readSource(filepath.Join(root, "internal/httpapi"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(referenceHeading)
	for _, op := range httpapi.Operations {
		stream := ""
		if op.Stream {
			stream = " (stream)"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s%s | `%s` |\n", op.Method, op.Path, does[op.Client], stream, op.Client)
	}
	b.WriteString(streamText)
	members(&b, src, reflect.TypeFor[agent.Event]())
	b.WriteString("\n## Events\n")
	for _, p := range payloads {
		t := reflect.TypeOf(p)
		note := "a milestone: written before it is told"
		switch {
		case p.EventKind() == agent.EventThreadChanged:
			note = "on a thread's stream only, without an id"
		case p.EventKind().Terminal():
			note = "ends the turn"
		case p.EventKind().Live():
			note = "told first, written within 250 ms"
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s (%s)\n\n| member | type | |\n| --- | --- | --- |\n", p.EventKind(), src.types[t.Name()], note)
		members(&b, src, t)
	}
	b.WriteString("\n## Codes\n\n| code | HTTP status |\n| --- | --- |\n")
	for _, c := range agent.Codes {
		status := "only in events and results"
		if c.Status != 0 {
			status = fmt.Sprint(c.Status)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Code, status)
	}
	b.WriteString("\n## Shapes\n")
	for _, t := range []reflect.Type{reflect.TypeFor[agent.Thread](), reflect.TypeFor[agent.Turn](), reflect.TypeFor[agent.Artifact](),
		reflect.TypeFor[agent.Decision](), reflect.TypeFor[agent.Outcome](), reflect.TypeFor[agent.KeyInfo](), reflect.TypeFor[agent.KeyTest](),
		reflect.TypeFor[agent.UserSettings](), reflect.TypeFor[agent.SettingsView](), reflect.TypeFor[agent.CapabilityInfo](), reflect.TypeFor[httpapi.Problem]()} {
		from := src
		if t.PkgPath() != reflect.TypeFor[agent.Event]().PkgPath() {
			from = presenter
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| member | type | |\n| --- | --- | --- |\n", t.Name(), from.types[t.Name()])
		members(&b, from, t)
	}
	b.WriteString("\n## Limits\n\n| limit | value |\n| --- | --- |\n")
	for _, r := range limitRows() {
		fmt.Fprintf(&b, "| %s | %d |\n", r.words, r.value)
	}
	return b.String(), nil
}

// members writes a row for each member of a struct that goes on the wire.
func members(b *strings.Builder, src source, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		if f.Anonymous && tag[0] == "" {
			members(b, src, f.Type)
			continue
		}
		if tag[0] == "-" || !f.IsExported() {
			continue
		}
		name := tag[0]
		if name == "" {
			name = f.Name
		}
		optional := ""
		if strings.Contains(f.Tag.Get("json"), "omitempty") {
			optional = "?"
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", name, optional, wireWord(f.Type), src.fields[t.Name()+"."+f.Name])
	}
}

// wireWord names a type in JSON's words.
func wireWord(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return wireWord(t.Elem()) + " or null"
	case t.Name() == "RawMessage":
		return "JSON"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Slice:
		return "list of " + wireWord(t.Elem())
	case t.Kind() == reflect.Struct:
		return t.Name()
	default:
		return "number"
	}
}
