package scripted

import (
	"strings"
	"unicode/utf8"
)

// maxChunk bounds a chunk of a long run without spaces, in bytes.
const maxChunk = 256

// Chunks gives the pieces in which the text is streamed; none is empty and
// together they are the whole text. A single string is cut after each word.
func (t Text) Chunks() []string {
	if len(t) != 1 {
		out := make([]string, 0, len(t))
		for _, s := range t {
			if s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	var out []string
	for _, word := range strings.SplitAfter(t[0], " ") {
		for len(word) > maxChunk {
			cut := maxChunk
			for cut > maxChunk-utf8.UTFMax && !utf8.RuneStart(word[cut]) {
				cut--
			}
			out = append(out, word[:cut])
			word = word[cut:]
		}
		if word != "" {
			out = append(out, word)
		}
	}
	return out
}

// String gives the whole text.
func (t Text) String() string { return strings.Join(t, "") }

// clean gives the text as every adapter gives it: a broken letter is replaced,
// and a NUL is gone.
func (t Text) clean() Text {
	out := make(Text, len(t))
	for i, s := range t {
		out[i] = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
	}
	return out
}
