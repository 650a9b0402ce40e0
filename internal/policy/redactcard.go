package policy

// luhn checks a number whose last digit is its check digit by ISO/IEC 7812-1.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// cardNumber finds the number of a payment card: 13 to 19 digits of a card scheme, the
// check digit right, in one piece or in groups of 3 to 7.
func cardNumber(s *scan, n *number, last int) (end int) {
	count := n.groups[last].upto
	if count < 13 || count > 19 || n.plus || n.bracket || !s.closed(n, last) {
		return 0
	}
	if _, ok := n.single(last); !ok {
		return 0
	}
	from := 0
	for _, g := range n.groups[:last+1] {
		if size := g.upto - from; last > 0 && (size < 3 || size > 7) {
			return 0
		}
		from = g.upto
	}
	d := n.take(last)
	if d[0] < '2' || d[0] > '6' || !luhn(d) {
		return 0
	}
	return n.groups[last].end
}

// ibanLengths holds the length of an account number by its country.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28,
	"CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
	"GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32,
	"LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18,
	"NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19,
	"SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// account gives the end of an account number at i, 0 where there is none: the length of
// its country and the check digits of ISO 13616, in one piece or with single spaces or
// dashes.
func (s *scan) account(i int) int {
	text := s.text[i:]
	if len(text) < 15 || classes[text[1]] != letter || classes[text[2]] != digit || classes[text[3]] != digit {
		return 0
	}
	want := ibanLengths[upper(text[:2])]
	if want == 0 {
		return 0
	}
	var flat [34]byte
	count, end := 0, 0
	for end < len(text) && count < want {
		b := text[end]
		switch {
		case isAlnum(b):
			flat[count] = upper(text[end : end+1])[0]
			count++
		case (b == ' ' || b == '-') && end > 0 && isAlnum(text[end-1]):
		default:
			return 0
		}
		end++
	}
	if count < want || (end < len(text) && isAlnum(text[end])) || mod97(flat[:count]) != 1 {
		return 0
	}
	return i + end
}

func upper(s string) string {
	out := []byte(s)
	for i, b := range out {
		if 'a' <= b && b <= 'z' {
			out[i] = b - 'a' + 'A'
		}
	}
	return string(out)
}

// mod97 is the remainder of ISO 7064 of an account number, its first four characters
// put last and letters read as 10 to 35.
func mod97(account []byte) int {
	rest := 0
	for i := range account {
		b := account[(i+4)%len(account)]
		if b >= 'A' {
			rest = (rest*100 + int(b-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(b-'0')) % 97
		}
	}
	return rest
}
