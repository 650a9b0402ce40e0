package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of an address: of the part before the at sign, and of a label after it.
const (
	maxLocal = 64
	maxLabel = 63
)

// addresses finds e-mail addresses, and passwords inside web addresses, which have the
// same sign in them.
func (s *scan) addresses() {
	for at := 0; ; at++ {
		n := strings.IndexByte(s.text[at:], '@')
		if n < 0 {
			return
		}
		at += n
		if s.r.secret && s.login(at) {
			continue
		}
		if s.r.email {
			if start, end := s.localStart(at), s.domainEnd(at+1); start < at && end > 0 {
				s.found(kindEmail, start, end)
			}
		}
	}
}

// localStart gives where the part before an at sign begins. Scripts that put no spaces
// between words end it, unless the part is of such a script itself.
func (s *scan) localStart(at int) int {
	start, dense := at, false
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(s.text[:start])
		if start == at {
			dense = spaceless(r)
		}
		if !inLocal(r) || (spaceless(r) && !dense) || at-(start-size) > maxLocal*utf8.UTFMax {
			break
		}
		start -= size
	}
	for start < at && (s.text[start] == '.' || s.text[start] == '\'') {
		start++
	}
	return start
}

func inLocal(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r)) || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~.", r)
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// spaceless reports whether a letter is of a script that is written without spaces, or
// whose endings are written right after a word.
func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 'ー' || r >= 0xFF00 && r <= 0xFFEF
}

// domainEnd gives where the domain at i ends, 0 where there is none: two labels at
// least, the last one of letters.
func (s *scan) domainEnd(i int) int {
	end, labels := 0, 0
	for {
		stop, letters := s.label(i)
		if stop == i {
			break
		}
		labels++
		if labels > 1 && letters && utf8.RuneCountInString(s.text[i:stop]) > 1 {
			end = stop
		} else if labels > 1 && !strings.HasPrefix(s.text[stop:], ".") {
			break
		}
		if !strings.HasPrefix(s.text[stop:], ".") {
			break
		}
		i = stop + 1
	}
	return end
}

// label gives where a label of a domain ends, and whether it may be the last one.
func (s *scan) label(i int) (end int, letters bool) {
	letters, dense := true, false
	start := i
	for i < len(s.text) && i-start < maxLabel*utf8.UTFMax {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if i == start {
			dense = spaceless(r)
		}
		switch {
		case r < utf8.RuneSelf && isAlnum(byte(r)), r == '-' && i > start:
			letters = letters && (classes[byte(r)] == letter || strings.HasPrefix(s.text[start:], "xn--"))
		case r == utf8.RuneError || r < utf8.RuneSelf, spaceless(r) && !dense, !unicode.IsLetter(r) && !unicode.IsMark(r):
			return trimDash(s.text, start, i), letters
		}
		i += size
	}
	return trimDash(s.text, start, i), letters
}

func trimDash(text string, start, end int) int {
	for end > start && text[end-1] == '-' {
		end--
	}
	return end
}
