package foreign

import (
	"net/http/httptest"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/anthropic"
	"github.com/lossless-group/in-app-agent/provider/openai"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

var providerIDs = map[string]string{"messages": anthropic.ID, "chat": openai.ID, "responses": openai.ID}

// TestEveryAnswerIsAcceptedBack sends each answer back as the next turn's
// history: the fake checks signatures, sealed reasoning, and that every call has
// its result, so what it accepts was replayed as it came.
func TestEveryAnswerIsAcceptedBack(t *testing.T) {
	for name, round := range loadRounds(t) {
		if round.Fault != nil {
			continue
		}
		round.When = &scripted.When{Step: 1}
		if name == "big" {
			round.Text, round.Calls = scripted.Text{"big"}, nil
		}
		srv := fake.New(fake.Options{Script: scripted.NewScript(round, scripted.Round{Text: scripted.Text{"went on"}})})
		s := httptest.NewServer(srv)
		defer s.Close()
		for wire, m := range ours(s.URL) {
			for _, id := range []string{providerIDs[wire], "another"} {
				req := ask(name)
				req.Messages[0].Cache = true
				back(t, name+" on "+wire+" to "+id, m, req, id)
			}
		}
	}
}

func back(t *testing.T, name string, m agent.Model, req agent.ModelRequest, id string) {
	t.Helper()
	answer := answerOf(t, name, m, req)
	if len(answer.Blocks) == 0 {
		return // There is nothing to send back.
	}
	said := agent.ModelMessage{Role: agent.RoleAssistant, Blocks: answer.Blocks, Provider: id, Raw: answer.Raw}
	next := agent.ModelMessage{Role: agent.RoleUser, Cache: true}
	for _, b := range answer.Blocks {
		if b.Kind == agent.BlockCall {
			next.Blocks = append(next.Blocks, agent.Block{Kind: agent.BlockResult, WireID: b.WireID, Name: b.Name, Text: `{"ok":true}`})
		}
	}
	if len(next.Blocks) == 0 {
		next.Blocks = []agent.Block{{Kind: agent.BlockText, Text: "go on"}}
	}
	req.Messages = append(req.Messages, said, next)
	if got := answerOf(t, name, m, req); len(got.Blocks) == 0 {
		t.Errorf("%s: the next answer is empty", name)
	}
}

func answerOf(t *testing.T, name string, m agent.Model, req agent.ModelRequest) *agent.Answer {
	t.Helper()
	for d, err := range m.Stream(t.Context(), req) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.Kind == agent.DeltaDone {
			return d.Answer
		}
	}
	t.Fatalf("%s: the stream ended without an answer", name)
	return nil
}
