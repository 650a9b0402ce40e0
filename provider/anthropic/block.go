package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// part is one content block on its way in. Its index among the blocks that the
// caller sees is minted when it first shows something.
type part struct {
	opening
	verbatim  json.RawMessage // the opening as it came
	text      strings.Builder // text, thinking, or the arguments of a call
	signature strings.Builder
	closed    bool
	altered   bool // a delta was skipped, or bytes were dropped
	index     int  // -1 until shown
}

// raw writes the block as it is replayed; false when that cannot be exact.
func (p *part) raw(b *bytes.Buffer) bool {
	if p.altered {
		return false
	}
	switch p.Type {
	case "text":
		b.WriteString(`{"type":"text","text":`)
		writeString(b, p.text.String())
	case "thinking":
		b.WriteString(`{"type":"thinking","thinking":`)
		writeString(b, p.text.String())
		b.WriteString(`,"signature":`)
		writeString(b, p.signature.String())
	case "tool_use":
		input := []byte(p.input())
		if input[0] != '{' || !json.Valid(input) {
			return false
		}
		b.WriteString(`{"type":"tool_use","id":`)
		writeString(b, p.ID)
		b.WriteString(`,"name":`)
		writeString(b, p.Name)
		b.WriteString(`,"input":`)
		b.Write(input)
	default:
		b.Write(p.verbatim)
		return true
	}
	b.WriteByte('}')
	return true
}

// clean drops what no store and no terminal should see, and remembers that it did.
func (p *part) clean(text string) string {
	if strings.Contains(text, "\x00") {
		p.altered = true
		return strings.ReplaceAll(text, "\x00", "")
	}
	return text
}

// input gives the arguments as they came; where none came, those of the opening,
// and an empty object where that has none either.
func (p *part) input() string {
	if text := p.text.String(); strings.TrimSpace(text) != "" {
		return text
	}
	if text := string(p.Input); text != "" && text != "null" {
		return text
	}
	return "{}"
}

// block gives the part as the caller sees it.
func (p *part) block() agent.Block {
	switch p.Type {
	case "tool_use":
		return agent.Block{Kind: agent.BlockCall, WireID: p.ID, Name: p.Name, Input: json.RawMessage(p.input())}
	case "thinking":
		return agent.Block{Kind: agent.BlockReasoning, Text: p.text.String()}
	}
	return agent.Block{Kind: agent.BlockText, Text: p.text.String()}
}
