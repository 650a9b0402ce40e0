package jobs

import (
	"strings"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// FuzzPieces checks that cutting loses nothing but blanks and keeps to the limit.
func FuzzPieces(f *testing.F) {
	f.Add("a b", 3)
	f.Add("Grüße 世界 🙂", 2000)
	f.Add("para\n\n", 1500)
	f.Add("\u2028 \u00a0", 900)
	f.Add("🙂", 1024)
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.ToValidUTF8(strings.Repeat(text, min(max(times, 0), 4000)), "?")
		if len(text) > 64<<10 {
			return
		}
		var all strings.Builder
		for _, p := range pieces(text) {
			if len(p) > maxPiece || p == "" || !utf8.ValidString(p) {
				t.Fatalf("a piece of %d bytes: %.40q", len(p), p)
			}
			all.WriteString(p)
		}
		if squeezed(all.String()) != squeezed(text) {
			t.Errorf("words were lost or doubled")
		}
	})
}

func TestATextIsCutAtTheLimitAndNotBelow(t *testing.T) {
	for n, want := range map[int]int{maxPiece - 1: 1, maxPiece: 1, maxPiece + 1: 2, 2 * maxPiece: 2, 2*maxPiece + 1: 3} {
		if got := len(pieces(strings.Repeat("x", n))); got != want {
			t.Errorf("%d bytes give %d pieces, want %d", n, got, want)
		}
	}
	if got := pieces(strings.Repeat("word ", 900) + "\n\nend"); len(got) != 2 || strings.HasSuffix(got[0], "wor") {
		t.Errorf("cut inside a word: %d, %.20q", len(got), got[1])
	}
}

func TestATitleIsOneLineWithinItsLimit(t *testing.T) {
	for _, c := range []struct{ title, want string }{
		{"", "Conversation › 1970-01-01"}, {" a\nb\t ", "a b › 1970-01-01"}, {"\xff", "\uFFFD › 1970-01-01"},
		{strings.Repeat("ü", maxTitle), strings.Repeat("ü", maxTitle/2) + " › 1970-01-01"},
	} {
		if got := titleOf(agent.DueTranscript{Title: c.title}); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
}
