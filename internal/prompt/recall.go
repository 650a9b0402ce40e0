package prompt

import (
	_ "embed"
	"regexp"
)

//go:embed recall.md
var recallHedge string

// recallCapability is the one whose results are the agent's own guesses.
const recallCapability = "cache.recall"

var endOfNotes = regexp.MustCompile(`(?i)</(recalled-notes)`)

// hedged puts the recalled notes below the words that tell what they are. They stand in
// the conversation, below every slab, so that a new note moves no cached byte.
func hedged(capability, text string, ok bool) string {
	if capability != recallCapability || !ok {
		return text
	}
	return "<recalled-notes>\n" + recallHedge + endOfNotes.ReplaceAllString(text, `<\/$1`) + "\n</recalled-notes>"
}
