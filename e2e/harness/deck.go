package harness

import (
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Deck is a folder with slides that was made from a seed.
type Deck struct {
	Folder string
	Title  string
	Slides []Slide
}

// Slide is one slide of a made deck.
type Slide struct {
	ID     string // two digits
	Path   string
	Source string
}

var (
	brands    = strings.Fields("Kestrel Oakline Brightwater Fernley Halcyon Marrow Quillon Saltgrass Tamarack Verdigris")
	nouns     = strings.Fields("orchard ledger harbour meadow turbine archive lantern reservoir workshop observatory")
	adjective = strings.Fields("quiet northern patient brisk modular coastal early honest portable seasonal")
)

// Pick gives one of a list.
func Pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// MakeDeck makes a deck whose title, words, number of slides and file names come
// from the generator. It is a plain folder, as a person has one on their disk.
func MakeDeck(tb testing.TB, rng *rand.Rand) Deck {
	tb.Helper()
	d := Deck{Folder: tb.TempDir(), Title: Pick(rng, brands) + " " + Pick(rng, nouns)}
	kit := strings.ToLower(Pick(rng, brands))
	d.write(tb, "deck.yaml", fmt.Sprintf("title: %s\nbrand_kit: %s\nstyles: [theme.css]\nworking: draft\npublished: [main]\n", d.Title, kit))
	d.write(tb, "theme.css", fmt.Sprintf("section { padding: %dpx; color: var(--brand-ink); }\n", 20+rng.IntN(40)))
	d.write(tb, "brand-kits/"+kit+".yaml", fmt.Sprintf("title: %s\ncolors:\n  paper: \"#%06x\"\n  ink: \"#%06x\"\n  accent: \"#%06x\"\n",
		kit, rng.IntN(1<<24), rng.IntN(1<<24), rng.IntN(1<<24)))
	for n := range 4 + rng.IntN(6) {
		id := fmt.Sprintf("%02d", n+1)
		s := Slide{ID: id, Path: fmt.Sprintf("slides/%s-%s-%s.html", id, Pick(rng, adjective), Pick(rng, nouns)), Source: section(rng)}
		d.Slides = append(d.Slides, s)
		d.write(tb, s.Path, s.Source)
	}
	return d
}

func section(rng *rand.Rand) string {
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = Pick(rng, adjective) + " " + Pick(rng, nouns)
		}
		return html.EscapeString(strings.Join(out, ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<section class=\"slide\">\n  <h2>%s</h2>\n  <ul>\n", words(1))
	for range 1 + rng.IntN(4) {
		fmt.Fprintf(&b, "    <li>%s &mdash; %d%%</li>\n", words(2), rng.IntN(100))
	}
	b.WriteString("  </ul>\n</section>\n")
	return b.String()
}

func (d Deck) write(tb testing.TB, path, text string) {
	tb.Helper()
	full := filepath.Join(d.Folder, filepath.FromSlash(path))
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(text), 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
