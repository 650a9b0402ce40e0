package httpapi

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// str takes a string and gives what it means, so that two spellings of one key
// are seen to be the same.
func (s *scanner) str() (string, error) {
	s.i++
	from := s.i
	for s.i < len(s.b) { // the quick road: nothing escaped
		switch s.b[s.i] {
		case '"':
			s.i++
			return string(s.b[from : s.i-1]), nil
		case '\\':
			return s.escaped(append([]byte(nil), s.b[from:s.i]...))
		default:
			if err := s.rune(); err != nil {
				return "", err
			}
		}
	}
	return "", s.bad()
}

// rune takes one character that stands for itself.
func (s *scanner) rune() error {
	c := s.b[s.i]
	if c < 0x20 {
		return s.bad()
	}
	if c < utf8.RuneSelf {
		s.i++
		return nil
	}
	r, n := utf8.DecodeRune(s.b[s.i:])
	if r == utf8.RuneError && n == 1 {
		return fmt.Errorf("is not UTF-8 at byte %d", s.i)
	}
	s.i += n
	return nil
}

func (s *scanner) escaped(out []byte) (string, error) {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case '"':
			s.i++
			return string(out), nil
		case '\\':
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		default:
			from := s.i
			if err := s.rune(); err != nil {
				return "", err
			}
			out = append(out, s.b[from:s.i]...)
		}
	}
	return "", s.bad()
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape takes one escape sequence, or the two of a surrogate pair.
func (s *scanner) escape() (rune, error) {
	at := s.i
	s.i++
	if s.i == len(s.b) {
		return 0, s.bad()
	}
	if s.b[s.i] != 'u' {
		r, ok := escapes[s.b[s.i]]
		if !ok {
			return 0, s.bad()
		}
		s.i++
		return r, nil
	}
	r, err := s.hex()
	if err != nil {
		return 0, err
	}
	if r == 0 {
		return 0, fmt.Errorf("has a NUL character at byte %d", at)
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if s.i+1 < len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
		s.i++
		low, err := s.hex()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
	}
	return 0, fmt.Errorf("has half a surrogate pair at byte %d", at)
}

// hex takes the u of an escape and its four digits.
func (s *scanner) hex() (rune, error) {
	s.i++
	var r rune
	for range 4 {
		if s.i == len(s.b) {
			return 0, s.bad()
		}
		c := s.b[s.i]
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, s.bad()
		}
		s.i++
	}
	return r, nil
}
