package openai

import (
	"bytes"
	"strconv"

	agent "github.com/lossless-group/in-app-agent"
)

// chatBody writes a Chat Completions request.
func (m *Model) chatBody(req agent.ModelRequest) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":`)
	writeString(&b, req.Model)
	if req.MaxTokens > 0 {
		name := "max_tokens" // what other servers know
		if m.own {
			name = "max_completion_tokens"
		}
		b.WriteString(`,"` + name + `":` + strconv.Itoa(req.MaxTokens))
	}
	b.WriteString(`,"stream":true,"stream_options":{"include_usage":true}`)
	if len(req.Tools) > 0 {
		b.WriteString(`,"tools":[`)
		for i, t := range req.Tools {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"type":"function","function":{`)
			writeFunction(&b, t)
			b.WriteByte('}')
		}
		b.WriteByte(']')
	}
	var messages list
	if text := system(req.System); text != "" {
		chatText(messages.next(), "system", text)
	}
	for _, message := range req.Messages {
		m.chatMessages(&messages, message)
	}
	b.WriteString(`,"messages":[`)
	b.Write(messages.b.Bytes())
	b.WriteString(`]}`)
	return b.Bytes()
}

// chatMessages writes one message of ours, which may be several of theirs:
// results come first, because they answer the calls before them.
func (m *Model) chatMessages(l *list, message agent.ModelMessage) {
	if message.Provider == m.config.ProviderID && isObject(message.Raw) {
		l.next().Write(message.Raw)
		return
	}
	if message.Role == agent.RoleAssistant {
		chatAssistant(l, message.Blocks)
		return
	}
	var text string
	for _, block := range message.Blocks {
		switch block.Kind {
		case agent.BlockResult:
			b := l.next()
			b.WriteString(`{"role":"tool","tool_call_id":`)
			writeString(b, block.WireID)
			b.WriteString(`,"content":`)
			writeString(b, block.Text)
			b.WriteByte('}')
		case agent.BlockText:
			text = join(text, block.Text)
		}
	}
	if text != "" {
		chatText(l.next(), "user", text)
	}
}

func chatText(b *bytes.Buffer, role, text string) {
	b.WriteString(`{"role":"` + role + `","content":`)
	writeString(b, text)
	b.WriteByte('}')
}

func chatAssistant(l *list, blocks []agent.Block) {
	var text string
	var calls list
	for _, block := range blocks {
		switch block.Kind {
		case agent.BlockText:
			text = join(text, block.Text)
		case agent.BlockCall:
			chatCall(calls.next(), block.WireID, block.Name, arguments(block.Input))
		}
	}
	if text != "" || calls.n > 0 {
		chatAnswer(l.next(), text, "", &calls)
	}
}

// chatAnswer writes an assistant message.
func chatAnswer(b *bytes.Buffer, text, reasoning string, calls *list) {
	b.WriteString(`{"role":"assistant","content":`)
	if text == "" {
		b.WriteString(`null`)
	} else {
		writeString(b, text)
	}
	if reasoning != "" {
		b.WriteString(`,"reasoning_content":`)
		writeString(b, reasoning)
	}
	if calls.n > 0 {
		b.WriteString(`,"tool_calls":[`)
		b.Write(calls.b.Bytes())
		b.WriteByte(']')
	}
	b.WriteByte('}')
}

func chatCall(b *bytes.Buffer, id, name, arguments string) {
	b.WriteString(`{"id":`)
	writeString(b, id)
	b.WriteString(`,"type":"function","function":{"name":`)
	writeString(b, name)
	b.WriteString(`,"arguments":`)
	writeString(b, arguments)
	b.WriteString(`}}`)
}

// join puts the texts of a message together; blank ones are left out.
func join(text, more string) string {
	switch {
	case blank(more):
		return text
	case text == "":
		return more
	}
	return text + "\n\n" + more
}
