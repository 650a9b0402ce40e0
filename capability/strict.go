package capability

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of a call's arguments.
const (
	MaxInputBytes  = 1 << 20
	MaxInputDepth  = 64  // objects and arrays inside one another
	MaxNumberBytes = 100 // the text of one number
	maxExponent    = 308
)

// syntaxError says in words what is wrong with the text of arguments, and where.
type syntaxError struct {
	at   int // byte offset
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s (at byte %d)", e.what, e.at) }

// parse reads exactly one JSON value and is stricter than encoding/json: it
// refuses duplicate names, invalid UTF-8, lone surrogates, numbers that no
// float64 can hold, deep nesting and big texts. Numbers come as json.Number in
// the one spelling of their value.
func parse(input []byte) (any, error) {
	if len(input) > MaxInputBytes {
		return nil, &syntaxError{MaxInputBytes, fmt.Sprintf("the arguments are larger than %d bytes", MaxInputBytes)}
	}
	if !utf8.Valid(input) {
		return nil, &syntaxError{0, "the arguments are not valid UTF-8"}
	}
	p := &parser{text: string(input)}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.fail("there is more text after the end of the JSON value")
	}
	return v, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) fail(format string, args ...any) error {
	return &syntaxError{p.at, fmt.Sprintf(format, args...)}
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek skips white space and gives the next byte, 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value(depth int) (any, error) {
	if depth > MaxInputDepth {
		return nil, p.fail("the arguments are nested deeper than %d levels", MaxInputDepth)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case p.word("true"):
		return true, nil
	case p.word("false"):
		return false, nil
	case p.word("null"):
		return nil, nil
	case p.at == len(p.text):
		return nil, p.fail("the JSON text is cut off")
	}
	return nil, p.fail("this is not JSON")
}

func (p *parser) word(w string) bool {
	if !strings.HasPrefix(p.text[p.at:], w) {
		return false
	}
	p.at += len(w)
	return true
}

func (p *parser) object(depth int) (any, error) {
	if depth > MaxInputDepth {
		return nil, p.fail("the arguments are nested deeper than %d levels", MaxInputDepth)
	}
	p.at++
	obj := map[string]any{}
	if p.peek() == '}' {
		p.at++
		return obj, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.fail("a member's name in double quotes is expected")
		}
		start := p.at
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		if _, twice := obj[name]; twice {
			p.at = start
			return nil, p.fail("the member %s stands twice in one object", clip(strconv.Quote(name), 80))
		}
		if p.peek() != ':' {
			return nil, p.fail("a colon is expected")
		}
		p.at++
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		obj[name] = v
		if done, err := p.more('}'); done || err != nil {
			return obj, err
		}
	}
}

func (p *parser) array(depth int) (any, error) {
	if depth > MaxInputDepth {
		return nil, p.fail("the arguments are nested deeper than %d levels", MaxInputDepth)
	}
	p.at++
	arr := []any{}
	if p.peek() == ']' {
		p.at++
		return arr, nil
	}
	for {
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
		if done, err := p.more(']'); done || err != nil {
			return arr, err
		}
	}
}

// more reads a comma or the closing byte.
func (p *parser) more(closing byte) (done bool, err error) {
	switch c := p.peek(); c {
	case ',':
		p.at++
		return false, nil
	case closing:
		p.at++
		return true, nil
	case 0:
		return true, p.fail("the JSON text is cut off")
	}
	return true, p.fail("a comma or %q is expected", closing)
}

func (p *parser) number() (any, error) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.at]) >= 0 {
		p.at++
	}
	num, what := plainNumber(p.text[start:p.at])
	if what != "" {
		p.at = start
		return nil, p.fail("%s", what)
	}
	return json.Number(num), nil
}
