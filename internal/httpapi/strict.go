package httpapi

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// maxDepth bounds how deep a body may nest.
const maxDepth = 64

// strict checks a JSON text more sternly than the standard library: no duplicate
// keys, no lone surrogates, no invalid UTF-8, no NUL, bounded depth, nothing after
// the value. encoding/json repairs or ignores each of these silently, and whoever
// reads the same bytes next may see another message.
func strict(body []byte) error {
	s := scanner{b: body}
	if len(body) >= 3 && string(body[:3]) == "\xef\xbb\xbf" {
		return errors.New("begins with a byte order mark")
	}
	if err := s.value(0); err != nil {
		return err
	}
	s.space()
	if s.i < len(s.b) {
		return fmt.Errorf("goes on after its end, at byte %d", s.i)
	}
	return nil
}

// repeated is the fault of a member that stands twice. Its pointer is made on the way
// out, so that a body without a fault costs nothing.
type repeated struct {
	name    string
	pointer string
}

func (r *repeated) Error() string {
	return fmt.Sprintf("has the member %s twice in one object", quote(r.name))
}

// within puts one step in front of the pointer of a fault. A name that looks like none
// is not repeated, see quote: the pointer ends at the object around it.
func within(err error, step string) error {
	if r, ok := errors.AsType[*repeated](err); ok {
		if plainName.MatchString(step) || isIndex(step) {
			r.pointer = "/" + step + r.pointer
		} else {
			r.pointer = ""
		}
	}
	return err
}

func isIndex(step string) bool {
	_, err := strconv.ParseUint(step, 10, 32)
	return err == nil
}

type scanner struct {
	b []byte
	i int
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek gives the next byte after white space, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.i == len(s.b) {
		return 0
	}
	return s.b[s.i]
}

func (s *scanner) bad() error {
	if s.i >= len(s.b) {
		return errors.New("is cut off")
	}
	return fmt.Errorf("is not JSON at byte %d", s.i)
}

func (s *scanner) value(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nests deeper than %d levels", maxDepth)
	}
	switch c := s.peek(); c {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	case '"':
		_, err := s.str()
		return err
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *scanner) word(w string) error {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return s.bad()
	}
	s.i += len(w)
	return nil
}

func (s *scanner) object(depth int) error {
	s.i++
	if s.peek() == '}' {
		s.i++
		return nil
	}
	seen := make(map[string]struct{})
	for {
		if s.peek() != '"' {
			return s.bad()
		}
		key, err := s.str()
		if err != nil {
			return err
		}
		if _, twice := seen[key]; twice {
			return within(&repeated{name: key}, key)
		}
		seen[key] = struct{}{}
		if s.peek() != ':' {
			return s.bad()
		}
		s.i++
		if err := s.value(depth + 1); err != nil {
			return within(err, key)
		}
		if more, err := s.next('}'); !more || err != nil {
			return err
		}
	}
}

func (s *scanner) array(depth int) error {
	s.i++
	if s.peek() == ']' {
		s.i++
		return nil
	}
	for i := 0; ; i++ {
		if err := s.value(depth + 1); err != nil {
			return within(err, strconv.Itoa(i))
		}
		if more, err := s.next(']'); !more || err != nil {
			return err
		}
	}
}

// next takes a comma, or the end of the object or array.
func (s *scanner) next(end byte) (more bool, err error) {
	switch s.peek() {
	case ',':
		s.i++
		return true, nil
	case end:
		s.i++
		return false, nil
	default:
		return false, s.bad()
	}
}

func (s *scanner) number() error {
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if !s.digits() {
		return s.bad()
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.digits() {
			return s.bad()
		}
	}
	if s.i < len(s.b) && (s.b[s.i] == 'e' || s.b[s.i] == 'E') {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		if !s.digits() {
			return s.bad()
		}
	}
	return nil
}

// digits takes one digit or more.
func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}

// plainName is what a member of ours could be called.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,31}$`)

// quote quotes a member's name for a message. What looks like no name is not
// repeated: somebody may have pasted a key in the wrong place.
func quote(key string) string {
	if plainName.MatchString(key) {
		return `"` + key + `"`
	}
	return "with an odd name"
}
