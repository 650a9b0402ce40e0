package policy

import (
	"strings"
	"unicode/utf8"
)

// Found is a detail in a text: the bytes from Start to End.
type Found struct {
	Start, End int
	Kind       string // as placeholders carry it, such as EMAIL
}

// scan looks for details in one text.
type scan struct {
	r *Redactor
	// before is what stands before the text, such as the name of its member in JSON.
	before string
	text   string
	out    []Found
	n      number // of the place that is looked at
	// valueEnd is where the value ends that was looked at last.
	valueEnd int
}

// Find gives the details of a text in order, none of them overlapping another. before
// is what gives the text its meaning, such as the name of the member that it is the
// value of; it may be "".
func (r *Redactor) Find(before, text string) []Found {
	s := scan{r: r, before: before, text: text}
	if r.secret && isSecretName(before) && secretValue(text) && !strings.ContainsAny(text, " \n") {
		s.found(kindSecret, 0, len(text))
	}
	if r.email || r.secret {
		s.addresses()
	}
	if r.secret || r.iban || r.national || r.card || r.phone {
		s.words()
	}
	for _, p := range r.patterns {
		for _, at := range p.re.FindAllStringIndex(text, -1) {
			s.found(p.kind, at[0], at[1])
		}
	}
	return disjoint(s.out)
}

func (s *scan) found(kind string, start, end int) {
	if start < end {
		s.out = append(s.out, Found{Start: start, End: end, Kind: kind})
	}
}

// disjoint joins findings that overlap, so that no byte of any is left over. The
// longest one gives its kind to the whole.
func disjoint(list []Found) []Found {
	if len(list) < 2 {
		return list
	}
	sortFound(list)
	out := list[:1]
	longest := list[0].End - list[0].Start
	for _, f := range list[1:] {
		last := &out[len(out)-1]
		if f.Start >= last.End {
			out = append(out, f)
			longest = f.End - f.Start
			continue
		}
		if n := f.End - f.Start; n > longest {
			longest, last.Kind = n, f.Kind
		}
		last.End = max(last.End, f.End)
	}
	return out
}

// class says what may begin at a byte.
type class uint8

const (
	nothing class = iota
	letter        // a word
	digit         // a number
	opens         // a number, by a plus or a bracket
	names         // the value of what stands before it: a colon or an equals sign
	dash          // a block of a key
	high          // a digit of another script
)

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			c[b] = letter
		case '0' <= b && b <= '9':
			c[b] = digit
		}
	}
	for _, b := range "+(" {
		c[b] = opens
	}
	for _, b := range ":=" {
		c[b] = names
	}
	c['-'] = dash
	// The bytes that digits of Arabic, Devanagari and full width begin with.
	for _, b := range []byte{0xD9, 0xDB, 0xE0, 0xEF} {
		c[b] = high
	}
	return c
}()

func isAlnum(b byte) bool { return classes[b] == letter || classes[b] == digit }

// words goes once through the text and tries what may begin at each place.
func (s *scan) words() {
	numbers := s.r.phone || s.r.card || s.r.national
	for i := 0; i < len(s.text); {
		next := i + 1
		switch classes[s.text[i]] {
		case letter:
			next = s.word(i)
		case digit, opens, high:
			if numbers {
				next = s.number(i)
			} else if classes[s.text[i]] == digit {
				next = s.wordEnd(i)
			}
		case names:
			if s.r.secret {
				next = s.named(i)
			}
		case dash:
			if s.r.secret {
				next = s.keyBlock(i)
			}
		}
		i = next
	}
}

// wordEnd gives the end of the letters and digits at i.
func (s *scan) wordEnd(i int) int {
	for i < len(s.text) && isAlnum(s.text[i]) {
		i++
	}
	return i
}

// word tries what a word may be and gives the place to go on from.
func (s *scan) word(i int) int {
	if s.r.secret {
		if end := max(s.token(i), s.bearer(i)); end > i {
			return end
		}
	}
	if s.r.iban {
		if end := s.account(i); end > i {
			s.found(kindIBAN, i, end)
			return end
		}
	}
	end := s.wordEnd(i)
	if s.r.national {
		if n := lettered(s.text[i:], end-i); n > 0 {
			s.found(kindNational, i, i+n)
			return i + n
		}
	}
	return end
}

// contextBytes is how far back a word may stand that gives a number its meaning.
const contextBytes = 48

// saidBefore reports whether one of the words stands shortly before a place, or in
// what gives the text its meaning.
func (s *scan) saidBefore(i int, words []string) bool {
	from := max(0, i-contextBytes)
	for from > 0 && !utf8.RuneStart(s.text[from]) {
		from--
	}
	near := s.text[from:i]
	if i < contextBytes {
		near = s.before + " " + near
	}
	near = strings.ToLower(near)
	for _, w := range words {
		if strings.Contains(near, w) {
			return true
		}
	}
	return false
}
