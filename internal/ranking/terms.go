package ranking

import (
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	maxTerms  = 32
	minPrefix = 4 // letters of a word that longer words may continue
)

// Terms gives the distinct folded words of a query, the first 32 of them.
func Terms(query string) []string {
	var terms []string
	for _, word := range Fold(query) {
		if !slices.Contains(terms, word) && len(terms) < maxTerms {
			terms = append(terms, word)
		}
	}
	return terms
}

// Extends says whether longer words may stand for a term: one of four letters or
// more.
func Extends(term string) bool { return len([]rune(term)) >= minPrefix }

// Embedded is the text of a passage as it is embedded: under its title, because a
// section seldom repeats what it is about.
func Embedded(p agent.Passage) string { return p.Title + "\n\n" + p.Text }
