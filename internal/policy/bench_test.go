package policy

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// What it takes to bound and to guess a prompt of 100 KB.
func BenchmarkAPromptOf100KB(b *testing.B) {
	req := agent.ModelRequest{Messages: []agent.ModelMessage{{Blocks: []agent.Block{{Text: strings.Repeat("The quick brown fox; ", 5000)}}}}}
	for b.Loop() {
		if PromptBound(req) < PromptGuess(req) {
			b.Fatal("it is bounded below its guess")
		}
	}
}
