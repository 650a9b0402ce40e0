package policy

import (
	"bytes"
	"encoding/json"
	"strings"
)

// form says how a part stands in its text, and so how another value is put there.
type form uint8

const (
	plain   form = iota // as it reads
	quoted              // inside a JSON string: escaped
	numeric             // a JSON number: becomes a string
)

// part is a stretch of a text that is looked at by itself: all of a plain text, or one
// value or name of JSON.
type part struct {
	start, end int
	value      string // as it reads
	form       form
	before     string // the name of the member whose value it is
}

// parts visits every part of a text. JSON is read by its quotes alone, so that one
// that is cut or broken is looked at all the same.
func parts(text string, isJSON bool, visit func(part)) {
	if !isJSON {
		visit(part{end: len(text), value: text})
		return
	}
	name := ""
	for i := 0; i < len(text); {
		next := strings.IndexByte(text[i:], '"')
		if next < 0 {
			next = len(text) - i
		}
		outside(text, i, i+next, name, visit)
		if i += next; i == len(text) {
			return
		}
		start, end := i+1, stringEnd(text, i+1)
		p := part{start: start, end: end, value: text[start:end], form: quoted}
		if strings.IndexByte(p.value, '\\') >= 0 {
			p.value = unescape(p.value)
		}
		i = min(end+1, len(text))
		if isName(text[i:]) {
			name = p.value
		} else {
			p.before = name
		}
		visit(p)
	}
}

// stringEnd gives where the JSON string ends whose content begins at i: at its quote,
// at a line break, which none may hold, or at the end of a text that was cut.
func stringEnd(text string, i int) int {
	for i < len(text) && text[i] != '"' && text[i] != '\n' {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		i++
	}
	return min(i, len(text))
}

// isName reports whether the string before was the name of a member.
func isName(rest string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
}

// unescape reads the content of a JSON string; of one that was cut within an escape it
// reads what is whole.
func unescape(content string) string {
	var s string
	for cut := 0; cut <= min(6, len(content)); cut++ {
		if json.Unmarshal([]byte(`"`+content[:len(content)-cut]+`"`), &s) == nil {
			return s + content[len(content)-cut:]
		}
	}
	return content
}

// outside visits what stands outside of strings: numbers, and whatever JSON has no
// place for.
func outside(text string, start, end int, name string, visit func(part)) {
	for i := start; i < end; i++ {
		b := text[i]
		switch {
		case classes[b] == digit:
			from := i
			for i < end && (isAlnum(text[i]) || text[i] == '.' || text[i] == '+' || text[i] == '-') {
				i++
			}
			if i-from >= 7 {
				visit(part{start: from, end: i, value: text[from:i], form: numeric, before: name})
			}
			i--
		case strings.IndexByte(" \t\r\n{}[]:,-truefalsn", b) < 0:
			visit(part{start: i, end: end, value: text[i:end]})
			return
		}
	}
}

// write puts a value where the part stood.
func (f form) write(out *strings.Builder, value string) {
	switch f {
	case plain:
		out.WriteString(value)
	case quoted:
		out.WriteString(escape(value))
	default:
		out.WriteString(`"` + escape(value) + `"`)
	}
}

// escape writes a value as the content of a JSON string.
func escape(value string) string {
	clean := true
	for i := range len(value) {
		if b := value[i]; b < ' ' || b == '"' || b == '\\' || b >= 0x80 {
			clean = false
			break
		}
	}
	if clean {
		return value
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}
