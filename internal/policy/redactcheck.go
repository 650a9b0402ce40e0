package policy

// The checks here are those that the states publish for their numbers; each is given
// digits only, as many as the number has.

// weigh sums digits times weights.
func weigh(d string, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += int(d[i]-'0') * w
	}
	return sum
}

func value(d string) (v int) {
	for i := range len(d) {
		v = v*10 + int(d[i]-'0')
	}
	return v
}

func validSSN(d string) bool {
	return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000"
}

func validBSN(d string) bool { return weigh(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0 }

func validNIF(d string) bool {
	check := 11 - weigh(d, 9, 8, 7, 6, 5, 4, 3, 2)%11
	if check > 9 {
		check = 0
	}
	return d[0] != '0' && d[0] != '4' && int(d[8]-'0') == check
}

// validPESEL checks date and check digit; the month tells the century.
func validPESEL(d string) bool {
	m := value(d[2:4]) % 20
	return m >= 1 && m <= 12 && isDay(d[4:6]) && weigh(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
}

// validSteuerID checks by ISO 7064 MOD 11,10; of its first ten digits one or two are
// there more than once.
func validSteuerID(d string) bool {
	var times [10]int
	product := 10
	for i := range 10 {
		n := int(d[i] - '0')
		times[n]++
		sum := (n + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	missing := 0
	for _, t := range times {
		if t > 3 {
			return false
		}
		if t == 0 {
			missing++
		}
	}
	check := 11 - product
	if check == 10 {
		check = 0
	}
	return d[0] != '0' && (missing == 1 || missing == 2) && int(d[10]-'0') == check
}

func validCPF(d string) bool {
	first := weigh(d, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weigh(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return int(d[9]-'0') == first && int(d[10]-'0') == second
}

// validRijksregister checks the date and the remainder, of which there are two: one of
// those born since 2000.
func validRijksregister(d string) bool {
	if value(d[2:4]) > 12 || value(d[4:6]) > 31 {
		return false
	}
	n, check := value(d[:9]), value(d[9:])
	return 97-n%97 == check || 97-(2_000_000_000+n)%97 == check
}

func validTCKN(d string) bool {
	odd, even := weigh(d, 1, 0, 1, 0, 1, 0, 1, 0, 1), weigh(d, 0, 1, 0, 1, 0, 1, 0, 1)
	tenth := ((odd*7-even)%10 + 10) % 10
	return d[0] != '0' && int(d[9]-'0') == tenth && (odd+even+tenth)%10 == int(d[10]-'0')
}

func validMyNumber(d string) bool {
	rest := weigh(d, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
	check := 0
	if rest > 1 {
		check = 11 - rest
	}
	return int(d[11]-'0') == check
}

func ean13(d string) bool { return weigh(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0 }

// validNIR checks sex, month and key; months past twelve stand for births that were
// recorded later or abroad.
func validNIR(d string) bool {
	m := value(d[3:5])
	return (d[0] == '1' || d[0] == '2') && (m >= 1 && m <= 12 || m >= 20 && m <= 42 || m >= 50) && 97-value(d[:13])%97 == value(d[13:])
}

// validResident checks a Chinese number by ISO 7064 MOD 11-2.
func validResident(d string, check byte) bool {
	if !isMonth(d[10:12]) || !isDay(d[12:14]) || d[6:8] != "19" && d[6:8] != "20" {
		return false
	}
	return "10X98765432"[weigh(d, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == check
}

func validDNI(d string, check byte) bool { return "TRWAGMYFPDXBNJZSQVHLCKE"[value(d)%23] == check }

// italianCode gives the length of an Italian code, 0 for none. Its date is written with
// a letter for the month; digits may be letters where two people would have the same.
func italianCode(text string) int {
	const length = 16
	if len(text) < length {
		return 0
	}
	code := upper(text[:length])
	sum := 0
	for i := range length {
		b := code[i]
		isDigit := classes[b] == digit || oneOf(b, "LMNPQRSTUV")
		switch {
		case !isAlnum(b):
			return 0
		case i < 6 || i == 8 || i == 11 || i == 15:
			if b < 'A' || b > 'Z' || i == 8 && !oneOf(b, "ABCDEHLMPRST") {
				return 0
			}
		case !isDigit:
			return 0
		}
		if i == length-1 {
			break
		}
		sum += italianValue(b, i)
	}
	if code[length-1] != byte('A'+sum%26) {
		return 0
	}
	return length
}

// italianOdd holds what characters at odd places count, by the digit or the place in
// the alphabet.
var italianOdd = [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}

func italianValue(b byte, i int) int {
	n := int(b - '0')
	if b >= 'A' {
		n = int(b - 'A')
	}
	if i%2 == 0 { // the first place is odd
		return italianOdd[n]
	}
	return n
}

// verhoeff checks a number by the scheme of Verhoeff, which works in the group of the
// symmetries of a pentagon.
func verhoeff(d string) bool {
	permute := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	check := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			n = permute[n]
		}
		check = pentagon(check, n)
	}
	return check == 0
}

// pentagon multiplies two symmetries: 0 to 4 are turns, 5 to 9 turns of the mirrored one.
func pentagon(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b+5)%5
	default:
		return (a - b + 10) % 5
	}
}
