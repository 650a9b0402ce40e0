package scripted

import (
	"encoding/json"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Result is a capability's result as a model reads it. Name is the wire name of
// the capability that gave it, Input the arguments of the call, nil where the call
// is not in the conversation.
type Result struct {
	Name  string
	Input json.RawMessage
	Text  string
	Error bool
}

// LastUserText gives the words of the user that are being answered: the last
// block of text in the last user message that carries no results, or carries them
// before it, as a wire joins the results of a turn that was stopped with the words
// that came next. Blocks before it are context that the prompt puts beside the
// message.
func LastUserText(req agent.ModelRequest) string {
	if i := lastUser(req); i >= 0 {
		return lastText(req.Messages[i])
	}
	return ""
}

// Step gives the number of this model call since the user spoke, from 1.
func Step(req agent.ModelRequest) int {
	n := 1
	for _, m := range req.Messages[lastUser(req)+1:] {
		if m.Role == agent.RoleAssistant {
			n++
		}
	}
	return n
}

// LastResults gives the results in the last message, in order; none when the
// last message is or ends with the user's own words.
func LastResults(req agent.ModelRequest) []Result {
	if len(req.Messages) == 0 || spokenLast(req.Messages[len(req.Messages)-1]) {
		return nil
	}
	calls := map[string]agent.Block{}
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockCall {
				calls[b.WireID] = b
			}
		}
	}
	var out []Result
	for _, b := range req.Messages[len(req.Messages)-1].Blocks {
		if b.Kind != agent.BlockResult {
			continue
		}
		name := b.Name
		if name == "" {
			name = calls[b.WireID].Name
		}
		out = append(out, Result{Name: name, Input: calls[b.WireID].Input, Text: b.Text, Error: b.Error})
	}
	return out
}

// Offered finds an offered capability by its own name or its wire name and
// gives the wire name.
func Offered(req agent.ModelRequest, name string) (wire string, ok bool) {
	want := normal(name)
	for _, t := range req.Tools {
		if normal(t.Name) == want {
			return t.Name, true
		}
	}
	return want, false
}

// SameName reports whether two names mean one capability: slide.edit is
// slide_edit.
func SameName(a, b string) bool { return normal(a) == normal(b) }

// OneShot reports whether the request is a capability's one-shot question and no
// step of a turn.
func OneShot(req agent.ModelRequest) bool {
	return req.Purpose != "" && req.Purpose != "step"
}

// normal writes each run of what is no letter and no digit as one underscore,
// which makes a capability's name and its wire name equal.
func normal(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if ('a' <= r && r <= 'z') || ('0' <= r && r <= '9') {
			b.WriteRune(r)
			gap = false
		} else if !gap {
			b.WriteByte('_')
			gap = true
		}
	}
	return b.String()
}

// lastUser finds the message that holds the user's last words, or -1. A message
// that carries results counts only where no other one has words.
func lastUser(req agent.ModelRequest) int {
	mixed := -1
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := req.Messages[i]
		if m.Role != agent.RoleUser || lastText(m) == "" {
			continue
		}
		if !hasResult(m) || spokenLast(m) {
			return i
		}
		if mixed < 0 {
			mixed = i
		}
	}
	return mixed
}

func hasResult(m agent.ModelMessage) bool {
	return slices.ContainsFunc(m.Blocks, func(b agent.Block) bool { return b.Kind == agent.BlockResult })
}

// spokenLast reports whether words stand after the last result of a message.
func spokenLast(m agent.ModelMessage) bool {
	for _, b := range slices.Backward(m.Blocks) {
		if b.Kind == agent.BlockText && b.Text != "" {
			return hasResult(m)
		}
		if b.Kind == agent.BlockResult {
			return false
		}
	}
	return false
}

func lastText(m agent.ModelMessage) string {
	for _, b := range slices.Backward(m.Blocks) {
		if b.Kind == agent.BlockText {
			return b.Text
		}
	}
	return ""
}
