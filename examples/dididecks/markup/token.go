package markup

import (
	"bytes"
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// Token is one piece of a source with its place: src[Start:End] is the piece,
// byte for byte, and the pieces follow each other without a gap.
type Token struct {
	Type       html.TokenType
	Name       string // of a tag, lower case
	Attr       []html.Attribute
	Start, End int
}

// Value gives an attribute of a tag.
func (t Token) Value(name string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// HasClass reports whether a tag has a class.
func (t Token) HasClass(class string) bool {
	v, _ := t.Value("class")
	for f := range strings.FieldsSeq(v) {
		if f == class {
			return true
		}
	}
	return false
}

// Tokens yields the pieces of a source in order. A source that ends inside a
// tag ends with a piece of type ErrorToken.
func Tokens(src []byte) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		z := html.NewTokenizer(bytes.NewReader(src))
		at := 0
		for {
			kind := z.Next()
			if kind == html.ErrorToken {
				if at < len(src) { // the source ends inside a tag
					yield(Token{Type: html.ErrorToken, Start: at, End: len(src)})
				}
				return
			}
			t := Token{Type: kind, Start: at, End: at + len(z.Raw())}
			at = t.End
			if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
				tok := z.Token()
				t.Name, t.Attr = tok.Data, tok.Attr
			}
			if !yield(t) {
				return
			}
		}
	}
}

// set makes a lookup from words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

var (
	void     = set("area base br col embed hr img input link meta param source track wbr")
	optional = set("p li dt dd tr td th thead tbody tfoot option optgroup rp rt rb rtc colgroup caption html head body")
	foreign  = set("svg math")
	rawText  = set("script style textarea title iframe noembed noframes noscript plaintext xmp")
)
