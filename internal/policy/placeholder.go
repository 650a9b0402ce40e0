package policy

import (
	"fmt"
	"strings"
)

// maxNumber bounds the digits of a placeholder's number.
const maxNumber = 6

// MaxPlaceholder is the longest placeholder, in bytes: what a restorer holds back at
// most.
const MaxPlaceholder = len("[") + maxKindName + len("_") + maxNumber + len("]")

// placeholder writes one, such as [EMAIL_1].
func placeholder(kind string, n int) string { return fmt.Sprintf("[%s_%d]", kind, n) }

// reading is what a text may hold at a bracket.
type reading uint8

const (
	isNone reading = iota
	isPart         // the text ends within what may become one
	isWhole
)

// readPlaceholder reads a placeholder at the beginning of a text.
func readPlaceholder(text string) (kind string, size int, what reading) {
	i := 1
	for i < len(text) && i < MaxPlaceholder && inPlaceholder(text[i], i == 1) {
		i++
	}
	switch {
	case i == len(text) && i < MaxPlaceholder:
		return "", 0, isPart
	case i == len(text) || text[i] != ']':
		return "", 0, isNone
	}
	body := text[1:i]
	cut := strings.LastIndexByte(body, '_')
	if cut < 1 || cut > maxKindName || !isNumber(body[cut+1:]) {
		return "", 0, isNone
	}
	return body[:cut], i + 1, isWhole
}

func inPlaceholder(b byte, first bool) bool {
	return b >= 'A' && b <= 'Z' || !first && (b == '_' || b >= '0' && b <= '9')
}

func isNumber(s string) bool {
	if s == "" || len(s) > maxNumber || s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// eachPlaceholder visits what reads like one in a text.
func eachPlaceholder(text string, visit func(kind string, start, end int)) {
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '[')
		if n < 0 {
			return
		}
		i += n
		kind, size, what := readPlaceholder(text[i:])
		if what != isWhole {
			i++
			continue
		}
		visit(kind, i, i+size)
		i += size
	}
}
