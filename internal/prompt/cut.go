package prompt

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// Bounds of what the model reads of results, in bytes.
const (
	maxResultBytes   = 64 << 10
	minResultBytes   = 256
	shortResultBytes = 400 // of a step before Turn.CutBefore
)

// limits bounds what the model reads of one result and of what was attached. They
// depend on the window and on the step alone, so that a result is cut in the same
// place whenever it is sent.
type limits struct {
	window int
	whole  func(text string, isJSON bool, at int) (from, to int)
}

// result is the limit of one of n results of a step: an eighth of the window, and
// together a quarter.
func (l limits) result(n int) int {
	share := l.window * bytesPerToken / 4 / max(n, 1)
	return max(minResultBytes, min(maxResultBytes, l.window*bytesPerToken/8, share))
}

// context is the limit of what stands beside a message: a quarter of the window.
func (l limits) context() int { return l.window * bytesPerToken / 4 }

// resultText is what the model reads of a result.
func (l limits) resultText(r agent.Result, limit int) string {
	if r.Error != nil {
		text, err := json.Marshal(map[string]any{"error": r.Error})
		if err != nil {
			return `{"error":{"code":"tool_error"}}`
		}
		return l.headAndTail(string(text), true, limit)
	}
	if len(r.Output) == 0 {
		return `{"ok":true}`
	}
	return l.headAndTail(string(r.Output), true, limit)
}

// headAndTail keeps two thirds of the limit from the beginning of a text and one from
// its end, cut between characters and beside what must stay whole, with a note between them.
func (l limits) headAndTail(text string, isJSON bool, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit-limit/3, len(text)-limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	if l.whole != nil {
		head, _ = l.whole(text, isJSON, head)
		_, tail = l.whole(text, isJSON, tail)
	}
	return fmt.Sprintf("%s\n[cut here: %d of %d bytes are left out; the person can read all of it in the chat]\n%s",
		text[:head], tail-head, len(text), text[tail:])
}
