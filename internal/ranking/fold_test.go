package ranking

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	long := strings.Repeat("x", maxWordBytes)
	for text, want := range map[string]string{
		"":                     "",
		"Hello, World! it's 4": "hello world it s 4",
		"Café CAFE\u0301":      "cafe cafe",
		"Straße ΣΊΣΥΦΟΣ İi":    "strase σισυφοσ ii",
		"ﬁle ①② ４２":            "file 12 42",
		"日本 go ไทย":            "日 本 go ไ ท ย",
		"a_b-c.d/e":            "a b c d e",
		long + "yy":            long,
		"é" + long + "y":       "e" + long[1:],
		"\x00\t\n":             "",
	} {
		if got := strings.Join(Fold(text), " "); got != want {
			t.Errorf("Fold(%q) is %q, want %q", text, got, want)
		}
	}
}

func FuzzFoldGivesWordsThatFoldToThemselves(f *testing.F) {
	for _, seed := range []string{"Hello World", "Ünïcödé ﬀ", "日本語", "a\xffb", "ΑΙΓΑΊΟ", "ǅ", "\u0345", strings.Repeat("é", 100)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := Fold(text)
		for _, word := range words {
			if word == "" || strings.ContainsAny(word, `" *^:()`) || !utf8.ValidString(word) {
				t.Fatalf("%q gives the word %q", text, word)
			}
		}
		if again := Fold(strings.Join(words, " ")); !slices.Equal(again, words) {
			t.Fatalf("%q gives %q, then %q", text, words, again)
		}
	})
}
