package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// turn is what the API calls a message: every block of neighbours that have the
// same role, each block as JSON.
type turn struct {
	role   agent.ModelRole
	blocks [][]byte
	marks  []int // the blocks that a breakpoint is asked after, ascending
}

// turnsOf groups messages by role and leaves out those that hold nothing.
func turnsOf(messages []agent.ModelMessage) []turn {
	var turns []turn
	for _, m := range messages {
		blocks := blocksOf(m)
		if len(blocks) == 0 {
			continue
		}
		if len(turns) == 0 || turns[len(turns)-1].role != m.Role {
			turns = append(turns, turn{role: m.Role})
		}
		t := &turns[len(turns)-1]
		t.blocks = append(t.blocks, blocks...)
		if m.Cache {
			t.markEnd(len(blocks))
		}
	}
	return turns
}

// markEnd asks for a breakpoint after the last of the newest n blocks that can
// carry one; thinking cannot.
func (t *turn) markEnd(n int) {
	for i := len(t.blocks) - 1; i >= len(t.blocks)-n; i-- {
		if !uncacheable(t.blocks[i]) {
			t.marks = append(t.marks, i)
			return
		}
	}
}

func uncacheable(block []byte) bool {
	var head struct{ Type string }
	if err := json.Unmarshal(block, &head); err != nil {
		return true
	}
	return head.Type == "thinking" || head.Type == "redacted_thinking"
}

func (t turn) write(b *bytes.Buffer, mark func(bool) bool) {
	b.WriteString(`{"role":`)
	writeString(b, string(t.role))
	b.WriteString(`,"content":[`)
	marks := t.marks
	for i, block := range t.blocks {
		if i > 0 {
			b.WriteByte(',')
		}
		wanted := len(marks) > 0 && marks[0] == i
		if wanted {
			marks = marks[1:]
		}
		if !mark(wanted) {
			b.Write(block)
			continue
		}
		b.Write(block[:len(block)-1]) // without its closing brace
		b.WriteString(breakpoint)
	}
	b.WriteString(`]}`)
}

// blocksOf gives the blocks of a message: the raw ones where they are this
// provider's own, else ours translated.
func blocksOf(m agent.ModelMessage) [][]byte {
	if m.Provider == ID && len(m.Raw) > 0 {
		var raw []json.RawMessage
		if err := json.Unmarshal(m.Raw, &raw); err == nil {
			return replayed(raw)
		}
	}
	var results, others [][]byte // the API wants results first
	for _, b := range m.Blocks {
		switch block := encode(b); {
		case block == nil:
		case b.Kind == agent.BlockResult:
			results = append(results, block)
		default:
			others = append(others, block)
		}
	}
	return append(results, others...)
}

// replayed leaves out only what the API gives but does not take: blank text.
func replayed(raw []json.RawMessage) [][]byte {
	blocks := make([][]byte, 0, len(raw))
	for _, block := range raw {
		var head struct{ Type, Text string }
		if err := json.Unmarshal(block, &head); err != nil || head.Type == "text" && blank(head.Text) {
			continue
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// encode writes one block; nil for what the API would refuse: blank text, and
// reasoning without its signature.
func encode(block agent.Block) []byte {
	var b bytes.Buffer
	switch block.Kind {
	case agent.BlockText:
		if blank(block.Text) {
			return nil
		}
		b.WriteString(`{"type":"text","text":`)
		writeString(&b, block.Text)
	case agent.BlockCall:
		b.WriteString(`{"type":"tool_use","id":`)
		writeString(&b, wireID(block.WireID))
		b.WriteString(`,"name":`)
		writeString(&b, block.Name)
		b.WriteString(`,"input":`)
		b.Write(object(block.Input))
	case agent.BlockResult:
		b.WriteString(`{"type":"tool_result","tool_use_id":`)
		writeString(&b, wireID(block.WireID))
		if block.Text != "" {
			b.WriteString(`,"content":`)
			writeString(&b, block.Text)
		}
		if block.Error {
			b.WriteString(`,"is_error":true`)
		}
	default:
		return nil
	}
	b.WriteByte('}')
	return b.Bytes()
}

// object gives arguments as the JSON object that the API wants. Arguments that
// do not parse are shown to the model inside of one, as Anthropic advises.
func object(input json.RawMessage) []byte {
	text := bytes.TrimSpace(input)
	switch {
	case len(text) == 0:
		return []byte(`{}`)
	case text[0] == '{' && json.Valid(text):
		return text
	}
	var b bytes.Buffer
	b.WriteString(`{"INVALID_JSON":`)
	writeString(&b, string(input))
	b.WriteByte('}')
	return b.Bytes()
}

// wireID maps an id of another provider to the letters that this API takes.
func wireID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
}
