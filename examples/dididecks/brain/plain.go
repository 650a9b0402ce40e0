package brain

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainTable holds a word of office talk and a plainer one on each line.
//
//go:embed plain.tsv
var plainTable string

var (
	plainFor  = map[string]string{}
	plainWord *regexp.Regexp
)

func init() {
	var words []string
	for line := range strings.Lines(plainTable) {
		from, to, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if ok {
			plainFor[from] = to
			words = append(words, regexp.QuoteMeta(from))
		}
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) }) // the longest first
	plainWord = regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
}

// plainer replaces office talk by plain words and keeps the capital at a start.
func plainer(text string) string {
	return plainWord.ReplaceAllStringFunc(text, func(found string) string {
		to := plainFor[strings.ToLower(found)]
		first, _ := utf8.DecodeRuneInString(found)
		if unicode.IsUpper(first) && to != "" {
			return strings.ToUpper(to[:1]) + to[1:]
		}
		return to
	})
}
