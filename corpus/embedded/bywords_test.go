package embedded

import "testing"

func TestTheRarestWordsFindTheCandidates(t *testing.T) {
	terms := []string{"the", "rare", "word", "nowhere"}
	for name, tt := range map[string]struct {
		holding  []int64
		sections int64
		fused    bool
		want     string
	}{
		"few sections":          {[]int64{100, 3, 50, 0}, 100, false, `"rare" * OR "word" * OR "the"`},
		"a common word":         {[]int64{900, 3, 50, 0}, 1_000, false, `"rare" * OR "word" *`},
		"the budget":            {[]int64{0, 3_000, 2_001, 0}, 100_000, false, `"word" *`},
		"just in the budget":    {[]int64{0, 3_000, 2_000, 0}, 100_000, false, `"word" * OR "rare" *`},
		"common words alone":    {[]int64{90_000, 0, 0, 0}, 100_000, false, `"the"`},
		"left to the meaning":   {[]int64{90_000, 0, 0, 0}, 100_000, true, ``},
		"common, but not quite": {[]int64{20_000, 0, 0, 0}, 100_000, true, `"the"`},
		"nothing anywhere":      {[]int64{0, 0, 0, 0}, 100_000, false, ``},
	} {
		if got := expression(terms, tt.holding, tt.sections, tt.fused); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
