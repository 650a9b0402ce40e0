package ranking

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordBytes cuts what is no word anyway: a hash, a data URL.
const maxWordBytes = 64

// Fold gives the words of a text as they are indexed and searched: lower case,
// without diacritics, compatibility forms resolved; letters and digits only. A
// sign of a script that is written without spaces is a word by itself.
func Fold(text string) []string {
	if words, ok := foldASCII(text); ok {
		return words
	}
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.M, r):
			continue // a diacritic or a vowel sign of the letter before
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			end()
			words = append(words, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if word.Len() < maxWordBytes {
				word.WriteRune(lower(r))
			}
		default:
			end()
		}
	}
	end()
	return words
}

// foldASCII is Fold for the usual text, without copying its words.
func foldASCII(text string) (words []string, ok bool) {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return nil, false
		}
	}
	text = strings.ToLower(text)
	words = make([]string, 0, len(text)/6)
	for start, i := -1, 0; i <= len(text); i++ {
		inside := i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9')
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			words = append(words, text[start:min(i, start+maxWordBytes)])
			start = -1
		}
	}
	return words, true
}

// lower also folds what has no lower case of one rune.
func lower(r rune) rune {
	switch r {
	case 'ß', 'ẞ':
		return 's' // as in "strase": the same on both sides is all that counts
	case 'ı', 'İ':
		return 'i'
	case 'ς':
		return 'σ'
	}
	return unicode.ToLower(r)
}
