package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// writeString writes a JSON string without the escapes meant for HTML.
func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes, and a buffer always takes it
	b.Truncate(b.Len() - 1)
}

// system joins the slabs in their order; this wire has no breakpoints, its
// caches match the longest common beginning by themselves.
func system(slabs []agent.Slab) string {
	var texts []string
	for _, s := range slabs {
		if !blank(s.Text) {
			texts = append(texts, s.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// writeFunction writes the members of a tool that both APIs share. Schemas are
// the host's own, so the strict subset is not asked for.
func writeFunction(b *bytes.Buffer, t agent.ToolSchema) {
	b.WriteString(`"name":`)
	writeString(b, t.Name)
	if t.Description != "" {
		b.WriteString(`,"description":`)
		writeString(b, t.Description)
	}
	b.WriteString(`,"parameters":`)
	if json.Valid(t.Schema) {
		b.Write(t.Schema)
	} else {
		b.WriteString(`{"type":"object","properties":{}}`)
	}
	b.WriteString(`,"strict":false}`)
}

func isObject(input json.RawMessage) bool {
	text := bytes.TrimSpace(input)
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// arguments gives the text of a call's arguments for replay. Servers parse it,
// so what does not parse is shown to the model inside an object.
func arguments(input json.RawMessage) string {
	switch {
	case blank(string(input)):
		return "{}"
	case isObject(input):
		return string(input)
	}
	var b bytes.Buffer
	b.WriteString(`{"INVALID_JSON":`)
	writeString(&b, string(input))
	b.WriteByte('}')
	return b.String()
}

// list writes the items of a JSON array between its brackets.
type list struct {
	b bytes.Buffer
	n int
}

// next separates an item from the one before it.
func (l *list) next() *bytes.Buffer {
	if l.n > 0 {
		l.b.WriteByte(',')
	}
	l.n++
	return &l.b
}
