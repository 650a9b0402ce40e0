package policy

import (
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Sent is what a provider was given in place of details, in one request. Only that is
// restored in what it answers: a placeholder that it makes up means nothing, even if
// another branch of the thread has one of that name.
type Sent struct{ values map[string]string }

// Empty reports whether nothing was replaced, so that nothing has to be restored.
func (s *Sent) Empty() bool { return len(s.values) == 0 }

// Count gives how many details were replaced, each once; what only looked like a
// placeholder is none.
func (s *Sent) Count() (n int) {
	for name, value := range s.values {
		if name != value {
			n++
		}
	}
	return n
}

// Text puts the values back into a whole text.
func (s *Sent) Text(text string) string {
	if s.Empty() || strings.IndexByte(text, '[') < 0 {
		return text
	}
	r := Restorer{sent: s}
	return r.Write(text) + r.Close()
}

// JSON puts the values back into JSON, each as a string may hold it. Text that is no
// JSON is given back as far as it can be read.
func (s *Sent) JSON(input json.RawMessage) json.RawMessage {
	text := string(input)
	if s.Empty() || strings.IndexByte(text, '[') < 0 && !strings.Contains(text, `\u005`) {
		return input
	}
	var out strings.Builder
	at := 0
	parts(text, true, func(p part) {
		if p.form != quoted {
			return
		}
		if restored := s.Text(p.value); restored != p.value {
			out.WriteString(text[at:p.start])
			p.form.write(&out, restored)
			at = p.end
		}
	})
	if at == 0 {
		return input
	}
	out.WriteString(text[at:])
	return json.RawMessage(out.String())
}

// Answer puts the values back into an answer. Its raw bytes stay as the provider wrote
// them, because they go back to it.
func (s *Sent) Answer(a agent.Answer) agent.Answer {
	if s.Empty() {
		return a
	}
	blocks := append([]agent.Block(nil), a.Blocks...)
	for i := range blocks {
		blocks[i].Text = s.Text(blocks[i].Text)
		blocks[i].Input = s.JSON(blocks[i].Input)
	}
	a.Blocks = blocks
	return a
}

// Restorer puts the values back into a text that comes in pieces. It holds back less
// than one placeholder, wherever the pieces are cut.
type Restorer struct {
	sent *Sent
	held string
}

// Restorer begins a text.
func (s *Sent) Restorer() *Restorer { return &Restorer{sent: s} }

// Write takes a piece and gives what can be told of the text by now.
func (r *Restorer) Write(piece string) string {
	text := piece
	if r.held != "" {
		text = r.held + piece
		r.held = ""
	}
	first := strings.IndexByte(text, '[')
	if first < 0 {
		return text
	}
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '[')
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i])
		text = text[i:]
		_, size, what := readPlaceholder(text)
		switch what {
		case isPart:
			r.held = text
			return out.String()
		case isNone:
			size = 1
			out.WriteByte('[')
		case isWhole:
			if value, ok := r.sent.values[text[:size]]; ok {
				out.WriteString(value)
			} else {
				out.WriteString(text[:size])
			}
		}
		text = text[size:]
	}
}

// Close ends the text and gives what was held back.
func (r *Restorer) Close() string {
	held := r.held
	r.held = ""
	return held
}
