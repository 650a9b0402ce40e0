package anthropic

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// maxBreakpoints is the API's limit of cache breakpoints in one request.
const maxBreakpoints = 4

const breakpoint = `,"cache_control":{"type":"ephemeral"}}`

// body writes the request by hand, not through the SDK's types, so that the same
// step is always the same bytes and replayed blocks stay exactly what they were.
func body(req agent.ModelRequest) []byte {
	maxTokens := req.MaxTokens
	if maxTokens <= 0 {
		maxTokens = DefaultMaxTokens
	}
	turns := turnsOf(req.Messages)
	skip := breakpoints(req, turns) - maxBreakpoints
	mark := func(wanted bool) bool {
		if wanted && skip > 0 {
			skip--
			return false
		}
		return wanted
	}
	var b bytes.Buffer
	b.WriteString(`{"model":`)
	writeString(&b, req.Model)
	b.WriteString(`,"max_tokens":` + strconv.Itoa(maxTokens) + `,"stream":true`)
	if len(req.Tools) > 0 {
		b.WriteString(`,"tools":`)
		writeTools(&b, req.Tools, mark(req.CacheTools))
	}
	writeSystem(&b, req.System, mark)
	b.WriteString(`,"messages":[`)
	for i, t := range turns {
		if i > 0 {
			b.WriteByte(',')
		}
		t.write(&b, mark)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// breakpoints counts what the request asks for. Beyond the limit the first ones
// are left out: a later breakpoint covers what stands before it.
func breakpoints(req agent.ModelRequest, turns []turn) int {
	n := 0
	if req.CacheTools && len(req.Tools) > 0 {
		n++
	}
	for _, s := range req.System {
		if s.Cache && !blank(s.Text) {
			n++
		}
	}
	for _, t := range turns {
		n += len(t.marks)
	}
	return n
}

func writeTools(b *bytes.Buffer, tools []agent.ToolSchema, cache bool) {
	for i, t := range tools {
		b.WriteByte("[,"[min(i, 1)])
		b.WriteString(`{"name":`)
		writeString(b, t.Name)
		if t.Description != "" {
			b.WriteString(`,"description":`)
			writeString(b, t.Description)
		}
		b.WriteString(`,"input_schema":`)
		if json.Valid(t.Schema) {
			b.Write(t.Schema)
		} else {
			b.WriteString(`{"type":"object"}`)
		}
		closeBlock(b, cache && i == len(tools)-1)
	}
	b.WriteByte(']')
}

func writeSystem(b *bytes.Buffer, slabs []agent.Slab, mark func(bool) bool) {
	n := 0
	for _, s := range slabs {
		if blank(s.Text) {
			continue
		}
		if n == 0 {
			b.WriteString(`,"system":[`)
		} else {
			b.WriteByte(',')
		}
		n++
		b.WriteString(`{"type":"text","text":`)
		writeString(b, s.Text)
		closeBlock(b, mark(s.Cache))
	}
	if n > 0 {
		b.WriteByte(']')
	}
}

func closeBlock(b *bytes.Buffer, cache bool) {
	if cache {
		b.WriteString(breakpoint)
		return
	}
	b.WriteByte('}')
}

// writeString writes a JSON string without the escapes meant for HTML.
func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes, and a buffer always takes it
	b.Truncate(b.Len() - 1)
}

// blank texts are refused by the API, so they are never sent.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
