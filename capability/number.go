package capability

import (
	"strconv"
	"strings"
)

// maxPlainDigits is how long a number is written out; it holds every 64-bit integer.
const maxPlainDigits = 21

// plainNumber gives the one spelling of a JSON number's exact value, so that
// equal arguments have equal digests and 1.0 reads as an integer: digits as far
// as maxPlainDigits go, else an exponent. what tells why a number is refused.
func plainNumber(s string) (number, what string) {
	if len(s) > MaxNumberBytes {
		return "", "a number is longer than any that is meant"
	}
	neg, whole, frac, exp, ok := splitNumber(s)
	if !ok {
		return "", "this is not a JSON number"
	}
	if exp > maxExponent || exp < -maxExponent {
		return "", "a number's exponent is out of range"
	}
	if len(s) == len(neg)+len(whole) && len(whole) <= maxPlainDigits && whole != "0" {
		return s, ""
	}
	digits := strings.TrimLeft(whole+frac, "0")
	scale := len(frac) - exp // the value is digits × 10^-scale
	if trimmed := strings.TrimRight(digits, "0"); trimmed != digits {
		scale -= len(digits) - len(trimmed)
		digits = trimmed
	}
	if digits == "" {
		return "0", ""
	}
	if top := len(digits) - scale - 1; top > maxExponent || top < -maxExponent {
		return "", "a number is out of range"
	}
	return neg + spell(digits, scale), ""
}

// spell writes digits × 10^-scale; digits neither begin nor end with 0.
func spell(digits string, scale int) string {
	n := len(digits)
	switch {
	case scale <= 0 && n-scale <= maxPlainDigits:
		return digits + strings.Repeat("0", -scale)
	case scale > 0 && scale < n && n <= maxPlainDigits:
		return digits[:n-scale] + "." + digits[n-scale:]
	case scale >= n && scale <= maxPlainDigits:
		return "0." + strings.Repeat("0", scale-n) + digits
	}
	exp := strconv.Itoa(n - scale - 1)
	if n == 1 {
		return digits + "e" + exp
	}
	return digits[:1] + "." + digits[1:] + "e" + exp
}

// splitNumber takes a number apart by the JSON grammar.
func splitNumber(s string) (neg, whole, frac string, exp int, ok bool) {
	if strings.HasPrefix(s, "-") {
		neg, s = "-", s[1:]
	}
	whole, s = leadingDigits(s)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return
	}
	if strings.HasPrefix(s, ".") {
		if frac, s = leadingDigits(s[1:]); frac == "" {
			return
		}
	}
	if s == "" {
		return neg, whole, frac, 0, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return
	}
	digits := strings.TrimLeft(s[1:], "+-")
	if len(s)-1-len(digits) > 1 || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return
	}
	exp, err := strconv.Atoi(s[1:])
	if err != nil {
		exp = maxExponent + 1 // too long for an int is out of range, too
	}
	return neg, whole, frac, exp, true
}

func leadingDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}
