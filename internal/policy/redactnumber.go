package policy

import (
	"strings"
	"unicode/utf8"
)

// Bounds of a number that is written in groups of digits.
const (
	maxGroups = 10
	maxDigits = 24
	minDigits = 7
)

// number is what may be one: groups of digits with signs between them, from a place in
// a text. Digits of other scripts count as what they mean.
type number struct {
	plus, bracket bool
	digits        string // '0' to '9'
	groups        []group
}

// group is a run of digits: of the text from start to end, of the digits up to upto.
type group struct {
	start, end, upto int
	before           string // the signs before it
}

// number tries the kinds of numbers at i and gives the place to go on from.
func (s *scan) number(i int) int {
	n := &s.n
	*n = number{groups: n.groups[:0]}
	if !n.read(s.text, i) {
		return i + 1
	}
	first := n.groups[0]
	if i == first.start && i > 0 && isAlnum(s.text[i-1]) {
		return s.past(first)
	}
	if n.upto() < minDigits {
		return s.past(first)
	}
	for _, try := range [...]struct {
		on   bool
		kind string
		find func(*scan, *number, int) (end int)
	}{{s.r.card, kindCard, cardNumber}, {s.r.national, kindNational, nationalNumber}, {s.r.phone, kindPhone, phoneNumber}} {
		if !try.on {
			continue
		}
		for last := len(n.groups) - 1; last >= 0 && n.groups[last].upto >= minDigits; last-- {
			if end := try.find(s, n, last); end > 0 {
				start := i
				if try.kind != kindPhone {
					start = first.start
				}
				s.found(try.kind, start, end)
				return end
			}
		}
	}
	if n.isDate() {
		return n.groups[2].end
	}
	return s.past(first)
}

// past gives the place after a group, and after the letters that run into it.
func (s *scan) past(g group) int {
	if g.end < len(s.text) && isAlnum(s.text[g.end]) {
		return s.wordEnd(g.end)
	}
	return g.end
}

// read takes the groups at i.
func (n *number) read(text string, i int) bool {
	if text[i] == '+' || text[i] == '(' {
		n.plus, n.bracket = text[i] == '+', text[i] == '('
		i++
		if n.plus && i < len(text) && text[i] == '(' || n.bracket && i < len(text) && text[i] == '+' {
			n.plus, n.bracket = true, true
			i++
		}
	}
	var digits [maxDigits]byte
	count, before := 0, ""
	for len(n.groups) < maxGroups {
		g := group{start: i, before: before}
		for i < len(text) {
			d, size := digitAt(text, i)
			if size == 0 {
				break
			}
			if count == maxDigits {
				n.digits = string(digits[:n.upto()])
				return len(n.groups) > 0 // the last group is too long to be part of it
			}
			digits[count] = d
			count, i = count+1, i+size
		}
		if i == g.start {
			break
		}
		g.end, g.upto = i, count
		n.groups = append(n.groups, g)
		next := signsAt(text, i)
		if next == i {
			break
		}
		before, i = text[i:next], next
	}
	if count >= minDigits {
		n.digits = string(digits[:count])
	}
	return len(n.groups) > 0
}

// upto counts the digits of all groups.
func (n *number) upto() int {
	if len(n.groups) == 0 {
		return 0
	}
	return n.groups[len(n.groups)-1].upto
}

// digitAt gives the digit at i; size is 0 where there is none.
func digitAt(text string, i int) (d byte, size int) {
	b := text[i]
	if b < utf8.RuneSelf {
		if classes[b] == digit {
			return b, 1
		}
		return 0, 0
	}
	if classes[b] != high {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	for _, zero := range [...]rune{'٠', '۰', '०', '０'} {
		if r >= zero && r <= zero+9 {
			return '0' + byte(r-zero), size
		}
	}
	return 0, 0
}

// signsAt gives the end of the signs that may stand between two groups.
func signsAt(text string, i int) int {
	start := i
	for count := 0; count < 3 && i < len(text); count++ {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(" -./()\u00a0\u2009\u202f\u2010\u2011\u2012\u2013－　", r) {
			break
		}
		i += size
	}
	if i == len(text) {
		return start
	}
	return i
}

// take gives the digits up to a group.
func (n *number) take(last int) string { return n.digits[:n.groups[last].upto] }

// shape writes how the digits up to a group are grouped, such as 3-2-4.
func (n *number) shape(last int) string {
	var room [2 * maxGroups]byte
	out := room[:0]
	from := 0
	for i, g := range n.groups[:last+1] {
		if i > 0 {
			out = append(out, '-')
		}
		size := g.upto - from
		if size > 9 {
			out = append(out, '0'+byte(size/10))
		}
		out = append(out, '0'+byte(size%10))
		from = g.upto
	}
	return string(out)
}

// single reports whether every group up to the last follows one sign, and gives it
// where it is always the same.
func (n *number) single(last int) (sign string, ok bool) {
	if last == 0 {
		return "", true
	}
	sign = n.groups[1].before
	for _, g := range n.groups[1 : last+1] {
		if g.before != sign || utf8.RuneCountInString(g.before) != 1 {
			return "", false
		}
	}
	return sign, true
}

// closed reports whether the number ends with a group: no letter or digit follows.
func (s *scan) closed(n *number, last int) bool {
	end := n.groups[last].end
	return end == len(s.text) || !isAlnum(s.text[end])
}

// isDate reports whether the number begins with a date.
func (n *number) isDate() bool {
	if len(n.groups) < 3 {
		return false
	}
	if _, ok := n.single(2); !ok {
		return false
	}
	d := n.take(2)
	switch n.shape(2) {
	case "2-2-4":
		return isMonth(d[2:4]) && isDay(d[0:2]) || isMonth(d[0:2]) && isDay(d[2:4])
	case "4-2-2":
		return isMonth(d[4:6]) && isDay(d[6:8])
	}
	return false
}

func isMonth(two string) bool { return two >= "01" && two <= "12" }
func isDay(two string) bool   { return two >= "01" && two <= "31" }
