package scripted

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
)

// HTML asks for a slide that is made from a seed: the same seed gives the same
// bytes, so that a test can look for them in a diff.
type HTML struct {
	Seed uint64 `json:"seed"`
}

var slideWords = strings.Fields(`revenue orchard lantern margin river signal harbour cohort ` +
	`meadow runway copper retention glacier pipeline saffron forecast & "quoted" <angled> naïve 東京`)

// Slide gives one valid HTML section: a heading, a paragraph, a list and a note,
// with attributes, entities and letters outside ASCII.
func (h HTML) Slide() string {
	rng := rand.New(rand.NewPCG(h.Seed, 0x5eed))
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = slideWords[rng.IntN(len(slideWords))]
		}
		return html.EscapeString(strings.Join(out, " "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<section class=\"slide\" data-seed=\"%d\" style=\"--hue: %d\">\n", h.Seed, rng.IntN(360))
	fmt.Fprintf(&b, "  <h1>%s</h1>\n", words(3+rng.IntN(3)))
	fmt.Fprintf(&b, "  <p>%s.</p>\n  <ul>\n", words(8+rng.IntN(8)))
	for range 2 + rng.IntN(4) {
		fmt.Fprintf(&b, "    <li>%s</li>\n", words(2+rng.IntN(4)))
	}
	fmt.Fprintf(&b, "  </ul>\n  <aside class=\"note\">%s</aside>\n</section>\n", words(5))
	return b.String()
}
