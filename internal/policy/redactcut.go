package policy

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Whole gives the detail that a cut at a place of a text would part, so that the cut is
// made beside it: half of a detail has no form that is known, and would leave. Where the
// place parts none, from and to are the place itself.
func (d *Redaction) Whole(text string, isJSON bool, at int) (from, to int) {
	key := place{planned{text, isJSON}, at}
	if c, ok := d.cuts[key]; ok && c.entries == len(d.entries) {
		return c.from, c.to
	}
	c := cut{entries: len(d.entries), from: at, to: at}
	for _, m := range d.withKnown(text, isJSON, d.plan(text, isJSON)) {
		if m.start < at && at < m.end {
			c.from, c.to = m.around(text, at)
		}
	}
	d.cuts[key] = c
	return c.from, c.to
}

// place is where a text is to be cut, and cut how it is when the thread has so many
// entries: the same results are sent step after step.
type (
	place struct {
		planned
		at int
	}
	cut struct{ entries, from, to int }
)

// around gives the detail of a part that a cut would part, or the place itself.
func (m marked) around(text string, at int) (from, to int) {
	content, near := text[m.start:m.end], at-m.start
	if m.form == quoted {
		_, near = walk(content, len(content), near)
	}
	for _, f := range m.found {
		if near < f.Start || near > f.End {
			continue
		}
		start, end := f.Start, f.End
		if m.form == quoted {
			start, end = rawAt(content, start), rawAt(content, end)
		}
		if start, end = m.start+start, m.start+end; start < at && at < end {
			return start, end
		}
	}
	return at, at
}

// rawAt gives the place in the content of a JSON string at which n bytes of its value
// have been written.
func rawAt(content string, n int) int {
	i, _ := walk(content, n, len(content))
	return min(i, len(content))
}

// walk reads the content of a JSON string until n bytes of its value, or so many of its
// own, were read, and gives how many of each there were.
func walk(content string, n, most int) (raw, value int) {
	for value < n && raw < most && raw < len(content) {
		r, v := escapeAt(content[raw:])
		raw, value = raw+r, value+v
	}
	return raw, value
}

// escapeAt gives how many bytes the first character of a JSON string's content takes, and
// how many of its value it stands for.
func escapeAt(content string) (raw, size int) {
	if content[0] != '\\' || len(content) < 2 {
		r, n := utf8.DecodeRuneInString(content)
		return n, utf8.RuneLen(r) // a byte that is no UTF-8 is read as U+FFFD
	}
	if content[1] != 'u' {
		return 2, 1
	}
	first, ok := unit(content)
	if !ok {
		return 2, 1
	}
	if second, ok := unit(content[6:]); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
		return 12, utf8.RuneLen(utf16.DecodeRune(first, second))
	}
	if utf16.IsSurrogate(first) {
		first = utf8.RuneError
	}
	return 6, utf8.RuneLen(first)
}

// unit reads \uXXXX at the beginning of a text.
func unit(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}
