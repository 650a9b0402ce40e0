package policy

import "strings"

// phoneWords say that a number is for calling, in the languages of our users.
var phoneWords = []string{"phone", "mobile", "cell", "call", "fax", "tel", "whatsapp", "sms", "handy", "mobil", "ruf", "appel", "portable", "llam", "móvil", "movil",
	"cellulare", "chiam", "ligue", "telem", "celular", "dzwo", "komór", "bel ", "телефон", "тел", "звон", "моб", "電話", "携帯", "电话", "電話", "手机", "手機",
	"전화", "휴대", "هاتف", "جوال", "اتصل", "موبايل", "फ़ोन", "फोन", "मोबाइल", "कॉल", "☎", "📞"}

// nationalLengths bounds the digits after a country's code where they are fixed;
// elsewhere 6 to 12 follow.
var nationalLengths = map[string][2]int{
	"1": {10, 10}, "7": {10, 10}, "20": {8, 10}, "27": {9, 9}, "30": {10, 10}, "31": {9, 9}, "32": {8, 9}, "33": {9, 9}, "34": {9, 9}, "36": {8, 9},
	"39": {6, 11}, "40": {9, 9}, "41": {9, 9}, "43": {7, 13}, "44": {9, 10}, "45": {8, 8}, "46": {7, 10}, "47": {8, 8}, "48": {9, 9}, "49": {7, 11}, "52": {10, 10},
	"54": {10, 11}, "55": {10, 11}, "56": {9, 9}, "57": {10, 10}, "60": {8, 10}, "61": {9, 9}, "62": {8, 12}, "63": {8, 10}, "64": {8, 10}, "65": {8, 8},
	"66": {8, 9}, "81": {9, 10}, "82": {8, 10}, "84": {9, 10}, "86": {10, 11}, "90": {10, 10}, "91": {10, 10}, "92": {9, 10}, "98": {10, 10},
	"212": {9, 9}, "213": {8, 9}, "216": {8, 8}, "351": {9, 9}, "352": {6, 9}, "353": {7, 9}, "358": {6, 11}, "380": {9, 9}, "420": {9, 9}, "421": {9, 9},
	"852": {8, 8}, "880": {10, 10}, "886": {8, 9}, "961": {7, 8}, "962": {8, 9}, "965": {8, 8}, "966": {9, 9}, "971": {8, 9}, "972": {8, 9}, "974": {8, 8},
}

// twoDigitCodes and the zones of three digits are what the ITU gave out.
const twoDigitCodes = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98 "

var threeDigitZones = []string{"21", "22", "23", "24", "25", "26", "29", "35", "37", "38", "42", "50", "59", "67", "68", "69", "80", "85", "87", "88", "96", "97", "99"}

// phoneNumber finds a number to call. One with a plus or two zeros and a country's code
// needs nothing else; one of a country alone needs its usual form, or a word that says
// what it is.
func phoneNumber(s *scan, n *number, last int) (end int) {
	d, g := n.take(last), n.groups[last]
	if len(d) < 7 || len(d) > 16 || !s.closed(n, last) {
		return 0
	}
	switch {
	case n.plus:
		if international(d) {
			return g.end
		}
		return 0
	case strings.HasPrefix(d, "00") && !strings.HasPrefix(d, "000"):
		if international(d[2:]) {
			return g.end
		}
		return 0
	case last >= 2 && n.isDate():
		return 0
	}
	if usual(n, d, last) {
		return g.end
	}
	if len(d) >= 7 && len(d) <= 12 && plainSigns(n, last) && s.saidBefore(n.groups[0].start, phoneWords) {
		return g.end
	}
	return 0
}

// international checks what follows a plus.
func international(d string) bool {
	code := ""
	switch {
	case d[0] == '1' || d[0] == '7':
		code = d[:1]
	case strings.Contains(twoDigitCodes, d[:2]+" "):
		code = d[:2]
	default:
		for _, zone := range threeDigitZones {
			if strings.HasPrefix(d, zone) {
				code = d[:3]
			}
		}
	}
	if code == "" {
		return false
	}
	bounds, known := nationalLengths[code]
	if !known {
		bounds = [2]int{6, 12}
	}
	rest := len(d) - len(code)
	if rest > 0 && d[len(code)] == '0' && code != "39" {
		rest-- // the zero of +44 (0)20
	}
	return rest >= bounds[0] && rest <= bounds[1] && len(d) <= 16
}

// usual reports whether a number without a country's code is written as people write
// the number of a phone, and hardly anything else.
func usual(n *number, d string, last int) bool {
	first := n.groups[0].upto
	shape := n.shape(last)
	switch {
	case n.bracket: // (030) 1234567, (555) 010-1234
		return first >= 2 && first <= 5 && len(d) >= 9 && len(d) <= 12 && last >= 1 && strings.HasPrefix(n.groups[1].before, ")")
	case d[0] == '0' && first >= 2: // 0151 23456789, 06 12 34 56 78, 03-1234-5678
		return len(d) >= 9 && len(d) <= 12 && d[1] != '0' && plainSigns(n, last)
	case d[0] == '8' && len(d) == 11 && first == 1: // 8 (912) 345-67-89
		return shape == "1-3-3-2-2" || shape == "1-3-3-4"
	case shape == "3-3-4": // 555-010-1234
		_, one := n.single(last)
		return one && d[0] >= '2'
	case shape == "1-3-3-4":
		return d[0] == '1' && d[1] >= '2'
	case shape == "3-4-4" || shape == "11": // 138 1234 5678
		return d[0] == '1' && d[1] >= '3' && plainSigns(n, last)
	case shape == "5-5" || shape == "10": // 98765 43210
		return d[0] >= '6' && plainSigns(n, last)
	}
	return false
}

// plainSigns refuses what lists, sums and versions have between their numbers.
func plainSigns(n *number, last int) bool {
	for _, g := range n.groups[1 : last+1] {
		if len(g.before) > 2 && strings.IndexByte(g.before, ' ') >= 0 && strings.TrimLeft(g.before, " ()-/") != "" {
			return false
		}
	}
	return true
}
