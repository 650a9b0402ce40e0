package capability

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string; one without escapes shares the memory of the text.
func (p *parser) str() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], nil
		case c == '\\':
			return p.escaped(p.text[start:p.at])
		case c < 0x20:
			return "", p.fail("a control character must be escaped")
		default:
			p.at++
		}
	}
	return "", p.fail("the JSON text is cut off inside a string")
}

func (p *parser) escaped(head string) (string, error) {
	out := []byte(head)
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(out), nil
		case c < 0x20:
			return "", p.fail("a control character must be escaped")
		case c != '\\':
			out = append(out, c)
			p.at++
		default:
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", p.fail("the JSON text is cut off inside a string")
}

const (
	escapeLetters = `"\/bfnrt`
	escapeMeaning = "\"\\/\b\f\n\r\t"
)

func (p *parser) escape() (rune, error) {
	if p.at+1 == len(p.text) {
		return 0, p.fail("the JSON text is cut off inside a string")
	}
	c := p.text[p.at+1]
	if i := strings.IndexByte(escapeLetters, c); i >= 0 {
		p.at += 2
		return rune(escapeMeaning[i]), nil
	}
	if c != 'u' {
		return 0, p.fail("there is no such escape in a string")
	}
	r, ok := p.hex(p.at)
	if !ok {
		return 0, p.fail("four hexadecimal digits are expected")
	}
	if !utf16.IsSurrogate(r) {
		p.at += 6
		return r, nil
	}
	low, ok := p.hex(p.at + 6)
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, p.fail("half a surrogate pair is no character")
	}
	p.at += 12
	return r, nil
}

// hex reads the \uXXXX at an offset.
func (p *parser) hex(at int) (rune, bool) {
	if at+6 > len(p.text) || p.text[at] != '\\' || p.text[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[at+2:at+6], 16, 16)
	return rune(n), err == nil
}
