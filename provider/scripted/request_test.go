package scripted_test

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestWordsThatAWireJoinedToOldResultsAreTheUsersWords(t *testing.T) {
	text := func(s string) agent.Block { return agent.Block{Kind: agent.BlockText, Text: s} }
	ask := func(last ...agent.Block) agent.ModelRequest {
		req := answered(said("make it bold"), "slide_variant", "c1", "discarded")
		n := len(req.Messages) - 1
		req.Messages[n].Blocks = append(req.Messages[n].Blocks, last...)
		return req
	}
	for _, c := range []struct {
		name    string
		req     agent.ModelRequest
		words   string
		step    int
		results int
	}{
		{"results alone", ask(), "make it bold", 2, 1},
		{"results, then words", ask(text("leave it")), "leave it", 1, 0},
		{"results, then context and words", ask(text("<context>"), text("leave it")), "leave it", 1, 0},
		{"results, then nothing said", ask(text("")), "make it bold", 2, 1},
	} {
		words, step, results := scripted.LastUserText(c.req), scripted.Step(c.req), scripted.LastResults(c.req)
		if words != c.words || step != c.step || len(results) != c.results {
			t.Errorf("%s: %q at step %d with %d results, want %q at %d with %d", c.name, words, step, len(results), c.words, c.step, c.results)
		}
	}
	before := ask()
	n := len(before.Messages) - 1
	before.Messages[n].Blocks = append([]agent.Block{text("note")}, before.Messages[n].Blocks...)
	if got := scripted.LastResults(before); len(got) != 1 || scripted.LastUserText(before) != "make it bold" {
		t.Errorf("text before the results made them %v of %q", got, scripted.LastUserText(before))
	}
}
