package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxWord cuts what is no word anyway.
const maxWord = 64

// words gives the words of a text as they are compared: lower case, without diacritics,
// letters and digits only, and an English plural as its singular. A sign of a script
// that is written without spaces is a word by itself.
func words(text string) (list []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, singular(word.String()))
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.M, r):
			continue // a diacritic of the letter before
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if word.Len() < maxWord {
				word.WriteRune(unicode.ToLower(r))
			}
		default:
			end()
		}
	}
	end()
	return list
}

func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// common are English words that say nothing of what a text is about.
var common = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a about after all an and any are as at be been before but by can could did do does for from had has have
		he her his how i if in into is it its like may me my no not of on or our out over she should so some than that the their them then
		there these they this to up us very was we were what when where which who whom why will with would you your`) {
		set[singular(w)] = true
	}
	return set
}()

// telling gives the words of a query, each once, without the common ones where others
// are left.
func telling(query string) (list []string) {
	seen, every := map[string]bool{}, []string(nil)
	for _, w := range words(query) {
		if seen[w] {
			continue
		}
		seen[w] = true
		every = append(every, w)
		if !common[w] {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return every
	}
	return list
}
