package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// responsesBody writes a Responses request. Nothing is stored at the provider,
// so reasoning is asked for in its encrypted form, to be replayed.
func (m *Model) responsesBody(req agent.ModelRequest) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":`)
	writeString(&b, req.Model)
	if req.MaxTokens > 0 {
		b.WriteString(`,"max_output_tokens":` + strconv.Itoa(req.MaxTokens))
	}
	b.WriteString(`,"stream":true,"store":false`)
	if reasons(req.Model) {
		b.WriteString(`,"include":["reasoning.encrypted_content"]`)
	}
	if len(req.Tools) > 0 {
		b.WriteString(`,"tools":[`)
		for i, t := range req.Tools {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"type":"function",`)
			writeFunction(&b, t)
		}
		b.WriteByte(']')
	}
	if text := system(req.System); text != "" {
		b.WriteString(`,"instructions":`)
		writeString(&b, text)
	}
	var items list
	for _, message := range req.Messages {
		m.responsesItems(&items, message)
	}
	b.WriteString(`,"input":[`)
	b.Write(items.b.Bytes())
	b.WriteString(`]}`)
	return b.Bytes()
}

// reasons tells the models that refuse to be asked for encrypted reasoning from
// the others, by the families that were closed before reasoning came.
func reasons(model string) bool {
	for _, family := range []string{"gpt-3", "gpt-4", "chatgpt-4"} {
		if strings.HasPrefix(model, family) {
			return false
		}
	}
	return true
}

// responsesItems writes one message of ours as the items that it is made of.
func (m *Model) responsesItems(l *list, message agent.ModelMessage) {
	if message.Provider == m.config.ProviderID {
		var raw []json.RawMessage
		if err := json.Unmarshal(message.Raw, &raw); err == nil {
			for _, item := range raw {
				l.next().Write(item)
			}
			return
		}
	}
	for _, block := range message.Blocks {
		switch block.Kind {
		case agent.BlockText:
			if !blank(block.Text) {
				chatText(l.next(), role(message.Role), block.Text)
			}
		case agent.BlockCall:
			b := l.next()
			b.WriteString(`{"type":"function_call","call_id":`)
			writeString(b, block.WireID)
			b.WriteString(`,"name":`)
			writeString(b, block.Name)
			b.WriteString(`,"arguments":`)
			writeString(b, arguments(block.Input))
			b.WriteByte('}')
		case agent.BlockResult:
			b := l.next()
			b.WriteString(`{"type":"function_call_output","call_id":`)
			writeString(b, block.WireID)
			b.WriteString(`,"output":`)
			writeString(b, block.Text)
			b.WriteByte('}')
		}
	}
}

func role(r agent.ModelRole) string {
	if r == agent.RoleAssistant {
		return "assistant"
	}
	return "user"
}
