package brain

import (
	"encoding/json"
	"regexp"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// talk is a request as this brain sees it.
type talk struct {
	req      agent.ModelRequest
	words    string   // what the user said last
	earlier  []string // what they said before, newest first
	deckID   string   // of the open project, "" when unknown
	attached []string // ids of attached slides
	step     int      // from 1
	results  []scripted.Result
}

var (
	projectLine = regexp.MustCompile(`(?m)^Open project: .*\(\S+, id (\S+)\)$`)
	slideLine   = regexp.MustCompile(`(?m)^Attached slide (\S+):`)
)

func read(req agent.ModelRequest) talk {
	t := talk{req: req, step: scripted.Step(req), results: scripted.LastResults(req)}
	first := true
	for i := len(req.Messages) - 1; i >= 0; i-- {
		context, words := spoken(req.Messages[i])
		if words == "" {
			continue
		}
		if !first {
			t.earlier = append(t.earlier, words)
			continue
		}
		first = false
		t.words = words
		if m := projectLine.FindStringSubmatch(context); m != nil {
			t.deckID = m[1]
		}
		for _, m := range slideLine.FindAllStringSubmatch(context, -1) {
			t.attached = append(t.attached, m[1])
		}
	}
	return t
}

// spoken splits a user's message into the context that the engine put beside it
// and the words themselves; both are "" for any other message.
func spoken(m agent.ModelMessage) (context, words string) {
	if m.Role != agent.RoleUser {
		return "", ""
	}
	var said []string
	for i, b := range m.Blocks {
		switch {
		case b.Kind == agent.BlockResult:
			return "", ""
		case b.Kind != agent.BlockText:
		case i == 0 && strings.HasPrefix(b.Text, "<context>") && len(m.Blocks) > 1:
			context = b.Text
		default:
			said = append(said, b.Text)
		}
	}
	return context, strings.TrimSpace(strings.Join(said, "\n"))
}

// offered reports whether the turn may use a capability.
func (t talk) offered(name string) bool {
	_, ok := scripted.Offered(t.req, name)
	return ok
}

// call makes a call with the open deck's id, where it is known.
func (t talk) call(name string, input map[string]any) scripted.Call {
	if t.deckID != "" && (strings.HasPrefix(name, "slide.") || strings.HasPrefix(name, "deck.")) {
		input["deck_id"] = t.deckID
	}
	raw, err := json.Marshal(input)
	if err != nil {
		raw = json.RawMessage("{}")
	}
	return scripted.Call{Name: name, Input: raw}
}

func say(text string, calls ...scripted.Call) scripted.Round {
	return scripted.Round{Text: scripted.Text{text}, Calls: calls}
}
