package policy

import (
	"slices"
	"strings"
)

// nationalID is how a country numbers its people: how many digits, in which shapes, and
// what makes a number one. A number whose check is weak and whose shape is anybody's
// needs one of the words before it.
type nationalID struct {
	country string
	count   int
	shapes  []string // "" is any; the whole in one piece is written as the count
	// bare are the shapes that need no word.
	bare  []string
	words []string
	valid func(d string) bool
}

var nationalIDs = []nationalID{
	{country: "US", count: 9, shapes: []string{"3-2-4", "9"}, bare: []string{"3-2-4"}, words: []string{"ssn", "social security", "seguro social"}, valid: validSSN},
	{country: "NL", count: 9, shapes: []string{"9", "4-2-3", "3-3-3"}, bare: []string{"4-2-3"}, words: []string{"bsn", "burgerservice", "sofi"}, valid: validBSN},
	{country: "PT", count: 9, shapes: []string{"9", "3-3-3"}, words: []string{"nif", "contribuinte", "fiscal"}, valid: validNIF},
	{country: "CA", count: 9, shapes: []string{"9", "3-3-3"}, words: []string{"sin", "social insurance", "assurance sociale"}, valid: luhn},
	{country: "SE", count: 10, shapes: []string{"6-4"}, bare: []string{"6-4"}, valid: func(d string) bool { return dayMonth(d[4:6], d[2:4]) && luhn(d) }},
	{country: "SE", count: 12, shapes: []string{"8-4", "12"}, bare: []string{"8-4", "12"}, valid: func(d string) bool {
		return (d[:2] == "19" || d[:2] == "20") && dayMonth(d[6:8], d[4:6]) && luhn(d[2:])
	}},
	{country: "PL", count: 11, shapes: []string{"11"}, bare: []string{"11"}, valid: validPESEL},
	{country: "DE", count: 11, shapes: []string{"11", "2-3-3-3"}, bare: []string{"11", "2-3-3-3"}, valid: validSteuerID},
	{country: "BR", count: 11, shapes: []string{"11", "3-3-3-2"}, bare: []string{"11", "3-3-3-2"}, valid: validCPF},
	{country: "BE", count: 11, shapes: []string{"11", "2-2-2-3-2", "6-3-2"}, bare: []string{"11", "2-2-2-3-2", "6-3-2"}, valid: validRijksregister},
	{country: "TR", count: 11, shapes: []string{"11"}, bare: []string{"11"}, valid: validTCKN},
	{country: "IN", count: 12, shapes: []string{"12", "4-4-4"}, bare: []string{"12", "4-4-4"}, valid: func(d string) bool { return d[0] >= '2' && verhoeff(d) }},
	{country: "JP", count: 12, shapes: []string{"12", "4-4-4"}, bare: []string{"12", "4-4-4"}, valid: validMyNumber},
	{country: "CH", count: 13, shapes: []string{"13", "3-4-4-2"}, bare: []string{"13", "3-4-4-2"}, valid: func(d string) bool { return d[:3] == "756" && ean13(d) }},
	{country: "KR", count: 13, shapes: []string{"6-7"}, bare: []string{"6-7"}, valid: func(d string) bool { return dayMonth(d[4:6], d[2:4]) && d[6] >= '1' && d[6] <= '8' }},
	{country: "FR", count: 15, shapes: []string{"15", "13-2", "1-2-2-2-3-3-2"}, bare: []string{"15", "13-2", "1-2-2-2-3-3-2"}, valid: validNIR},
	{country: "CN", count: 18, shapes: []string{"18", "6-8-4"}, bare: []string{"18", "6-8-4"}, valid: func(d string) bool { return validResident(d[:17], d[17]) }},
}

// nationalNumber finds a number that a state gave a person.
func nationalNumber(s *scan, n *number, last int) (end int) {
	if n.plus || n.bracket {
		return 0
	}
	d, g := n.take(last), n.groups[last]
	if end := checkLetter(s, n, d, last); end > 0 {
		return end
	}
	if !s.closed(n, last) || allSame(d) || s.goesOn(n, last) {
		return 0
	}
	shape := ""
	for i := range nationalIDs {
		id := &nationalIDs[i]
		if id.count != len(d) {
			continue
		}
		if shape == "" {
			shape = n.shape(last)
		}
		if !slices.Contains(id.shapes, shape) || !id.valid(d) {
			continue
		}
		if slices.Contains(id.bare, shape) {
			return g.end
		}
		if s.saidBefore(n.groups[0].start, id.words) {
			return g.end
		}
	}
	return 0
}

// checkLetter finds numbers that end with a letter: a Spanish one of eight digits, a
// Chinese one whose check digit is X.
func checkLetter(s *scan, n *number, d string, last int) int {
	i := n.groups[last].end
	if last != 0 || i >= len(s.text) || len(d) != 8 && len(d) != 17 {
		return 0
	}
	if len(d) == 8 && s.text[i] == '-' && i+1 < len(s.text) {
		i++
	}
	if classes[s.text[i]] != letter || i+1 < len(s.text) && isAlnum(s.text[i+1]) {
		return 0
	}
	check := upper(s.text[i : i+1])[0]
	if len(d) == 8 && validDNI(d, check) || len(d) == 17 && check == 'X' && validResident(d, check) {
		return i + 1
	}
	return 0
}

// goesOn reports whether groups of the same kind stand before or after, so that these
// are a piece of something longer.
func (s *scan) goesOn(n *number, last int) bool {
	sign, same := n.single(last)
	if last == 0 || !same {
		return false
	}
	if last+1 < len(n.groups) && n.groups[last+1].before == sign {
		return true
	}
	rest, ok := strings.CutSuffix(s.text[:n.groups[0].start], sign)
	return ok && rest != "" && classes[rest[len(rest)-1]] == digit
}

func allSame(d string) bool {
	for i := range len(d) {
		if d[i] != d[0] {
			return false
		}
	}
	return true
}

func dayMonth(d, m string) bool { return isDay(d) && isMonth(m) }

// lettered gives the length of a number that begins with a letter, 0 for none: a
// British one (QQ 12 34 56 C), a Spanish one of a foreigner (X1234567L), an Italian one
// (RSSMRA85T10A562S). word is how many letters and digits stand together there.
func lettered(text string, word int) int {
	n := 0
	switch {
	case word == 16:
		n = italianCode(text)
	case word == 9 || word <= 2:
		if n = britishNumber(text); n == 0 {
			n = foreignerNumber(text)
		}
	}
	if n < len(text) && n > 0 && isAlnum(text[n]) {
		return 0
	}
	return n
}

func britishNumber(text string) int {
	if len(text) < 9 || !oneOf(text[0], "ABCEGHJKLMNOPRSTWXYZ") || !oneOf(text[1], "ABCEGHJKLMNPRSTWXYZ") {
		return 0
	}
	if slices.Contains([]string{"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}, text[:2]) {
		return 0
	}
	i := 2
	for range 3 {
		if i < len(text) && text[i] == ' ' {
			i++
		}
		if i+2 > len(text) || classes[text[i]] != digit || classes[text[i+1]] != digit {
			return 0
		}
		i += 2
	}
	if i < len(text) && text[i] == ' ' {
		i++
	}
	if i >= len(text) || !oneOf(text[i], "ABCD") {
		return 0
	}
	return i + 1
}

func oneOf(b byte, of string) bool {
	for i := range len(of) {
		if of[i] == b {
			return true
		}
	}
	return false
}

func foreignerNumber(text string) int {
	if len(text) < 9 || !oneOf(text[0], "XYZxyz") {
		return 0
	}
	i := 1
	if text[1] == '-' {
		i++
	}
	if len(text) < i+8 {
		return 0
	}
	d := text[i : i+7]
	for j := range len(d) {
		if classes[d[j]] != digit {
			return 0
		}
	}
	if i += 7; text[i] == '-' && i+1 < len(text) {
		i++
	}
	if classes[text[i]] != letter {
		return 0
	}
	lead := string('0' + upper(text[:1])[0] - 'X')
	if !validDNI(lead+d, upper(text[i : i+1])[0]) {
		return 0
	}
	return i + 1
}
