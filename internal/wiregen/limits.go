package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

// officeLimits are constants of the account package that a caller meets, with the
// words that stand for them.
var officeLimits = []struct{ constant, words, unit string }{
	{"maxThreads", "conversations of a page, at most", ""},
	{"maxTurns", "turns of a page of a conversation, at most", ""},
	{"defaultTurns", "turns of a page of a conversation where none is asked for", ""},
	{"maxVersions", "versions of a reminder file of a page, at most", ""},
	{"defaultVersions", "versions of a page where none is asked for", ""},
	{"defaultExport", "an exported conversation", "bytes"},
	{"maxNote", "note of a feedback", "bytes"},
	{"minKeyBytes", "a key, at least", "bytes"},
	{"maxKeyBytes", "a key, at most", "bytes"},
	{"maxLabelChars", "label of a key", "characters"},
	{"maxKeys", "keys of a user", ""},
	{"testsAtOnce", "key tests of a user at once", ""},
	{"testsInWindow", "key tests of a user in a minute", ""},
}

// limits is the table of every limit that a caller can meet, from the constants.
func (p *page) limits() (string, error) {
	var b strings.Builder
	b.WriteString("| limit | value |\n| --- | --- |\n")
	row := func(words, value string) { fmt.Fprintf(&b, "| %s | %s |\n", words, value) }
	for _, r := range limitRows() {
		words, unit := r.words, ""
		for _, u := range []string{"bytes", "characters"} {
			if strings.Contains(words, ", "+u) {
				words, unit = strings.Replace(words, ", "+u, "", 1), u
			}
		}
		row(words, amount(int64(r.value), unit))
	}
	for _, l := range officeLimits {
		value, ok := p.account.numbers[l.constant]
		if !ok {
			return "", fmt.Errorf("the package account has no constant %s", l.constant)
		}
		row(l.words, amount(value, l.unit))
	}
	row("streams of a user at once", amount(httpapi.DefaultMaxStreams, ""))
	row("life of a stream; then it is closed and the client comes back", span(httpapi.DefaultMaxStream))
	row("silence on a stream before a comment is sent", span(httpapi.DefaultHeartbeat))
	row("one write to a client that does not read", span(httpapi.DefaultStall))
	row("how long a stream outlives the end of its session", "5 s")
	for _, name := range p.engine.order["Limits"] {
		words, value, ok := strings.Cut(p.engine.fields["Limits."+name], ";")
		value = strings.TrimSpace(value)
		if !ok {
			return "", fmt.Errorf("the comment of engine.Limits.%s does not say its value", name)
		}
		if !strings.Contains(value, ".") { // a constant of the vocabulary has its row
			row(words, value)
		}
	}
	return b.String(), nil
}

// amount writes a number in groups of three, and bytes in their larger unit too.
func amount(n int64, unit string) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if unit == "" {
		return text
	}
	text += " " + unit
	switch {
	case unit != "bytes":
	case n >= 1<<20 && n%(1<<20) == 0:
		text += fmt.Sprintf(" (%d MiB)", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		text += fmt.Sprintf(" (%d KiB)", n>>10)
	}
	return text
}

func span(d time.Duration) string {
	if d >= time.Minute {
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}
