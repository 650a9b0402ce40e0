package minilm

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the longest word, in runes, that is cut into pieces; a longer one is
// unknown.
const maxWord = 100

// vocabulary cuts texts into pieces of words as BERT does: lower case, without
// diacritics, signs apart, then the longest pieces that it has.
type vocabulary struct {
	ids                map[string]int
	begin, end, absent int
}

func openVocabulary(file []byte) (*vocabulary, error) {
	var t struct {
		Model struct {
			Type  string         `json:"type"`
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &t); err != nil {
		return nil, err
	}
	v := &vocabulary{ids: t.Model.Vocab}
	for word, id := range map[string]*int{"[CLS]": &v.begin, "[SEP]": &v.end, "[UNK]": &v.absent} {
		n, ok := v.ids[word]
		if !ok {
			return nil, errors.New("the vocabulary has no " + word)
		}
		*id = n
	}
	return v, nil
}

// tokens gives at most limit pieces, with the two that stand around every text.
func (v *vocabulary) tokens(text string, limit int) []int {
	out := []int{v.begin}
	for _, word := range words(text) {
		out = v.pieces(out, word)
		if len(out) >= limit {
			break
		}
	}
	return append(out[:min(len(out), limit-1)], v.end)
}

// words are runs of letters and digits, and every sign by itself.
func words(text string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(lower(text)) {
		switch {
		case r == 0 || r == unicode.ReplacementChar || unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			end()
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		case ideograph(r) || sign(r):
			end()
			out = append(out, string(r))
		default:
			word.WriteRune(r)
		}
	}
	end()
	return out
}

// lower leaves out what is no text before it folds case, so that nothing invalid is
// turned into something else.
func lower(text string) string { return strings.ToLower(strings.ToValidUTF8(text, "")) }

// sign is punctuation, or any sign of ASCII.
func sign(r rune) bool {
	if r < unicode.MaxASCII {
		return r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

func ideograph(r rune) bool {
	for _, block := range [][2]rune{{0x4E00, 0x9FFF}, {0x3400, 0x4DBF}, {0x20000, 0x2A6DF}, {0x2A700, 0x2CEAF}, {0xF900, 0xFAFF}, {0x2F800, 0x2FA1F}} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}

// pieces adds the longest known pieces of a word, or the unknown one.
func (v *vocabulary) pieces(out []int, word string) []int {
	letters := []rune(word)
	if len(letters) > maxWord {
		return append(out, v.absent)
	}
	start := len(out)
	for from := 0; from < len(letters); {
		to := len(letters)
		for ; to > from; to-- {
			piece := string(letters[from:to])
			if from > 0 {
				piece = "##" + piece
			}
			if id, ok := v.ids[piece]; ok {
				out = append(out, id)
				break
			}
		}
		if to == from {
			return append(out[:start], v.absent)
		}
		from = to
	}
	return out
}
