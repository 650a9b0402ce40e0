package ranking

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTermsAreDistinctAndFew(t *testing.T) {
	if got := Terms("How do I, how do i: Café cafe?"); !slices.Equal(got, []string{"how", "do", "i", "cafe"}) {
		t.Errorf("got %q", got)
	}
	for n, want := range map[int]int{maxTerms - 1: maxTerms - 1, maxTerms: maxTerms, maxTerms + 1: maxTerms} {
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf("w%d", i))
		}
		if got := Terms(strings.Join(words, " ")); len(got) != want {
			t.Errorf("%d words give %d terms", n, len(got))
		}
	}
	for term, want := range map[string]bool{"": false, "abc": false, "abcd": true, "日本語": false, "日本語学": true} {
		if Extends(term) != want {
			t.Errorf("Extends(%q) is %v", term, !want)
		}
	}
}
