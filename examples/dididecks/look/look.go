// Package look derives a visual look from a style word: a palette, a pair of
// typefaces, a texture. Known words have a look of their own; any other word has
// one that is always the same for it.
package look

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Look is what a style means in CSS values.
type Look struct {
	Name    string
	Paper   string // background, may be a gradient
	Ink     string
	Muted   string
	Accent  string
	Second  string
	Panel   string // background of boxes
	Display string // font families
	Text    string
	Radius  string
	Weight  int
	// Gradient paints headings with the accents.
	Gradient bool
}

const (
	sans  = `"Inter", "Helvetica Neue", "Segoe UI", system-ui, sans-serif`
	serif = `"Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif`
	mono  = `"JetBrains Mono", "SFMono-Regular", Consolas, "Liberation Mono", monospace`
	round = `"Nunito", "Avenir Next", "Trebuchet MS", system-ui, sans-serif`
)

var known = map[string]Look{
	"chroma": {
		Paper: "radial-gradient(1100px 700px at 85% 10%, #3b1d7a 0%, transparent 60%), radial-gradient(900px 700px at 5% 95%, #0a4a6b 0%, transparent 55%), #0b0a17",
		Ink:   "#f4f1ff", Muted: "#b9b2d9", Accent: "#ff4d9d", Second: "#35e0ff", Panel: "rgb(255 255 255 / 0.07)",
		Display: sans, Text: sans, Radius: "18px", Weight: 800, Gradient: true,
	},
	"casual": {
		Paper: "#fff6e9", Ink: "#3a2a1f", Muted: "#7d6655", Accent: "#e4572e", Second: "#2a9d8f", Panel: "#ffffff",
		Display: round, Text: round, Radius: "22px", Weight: 800,
	},
	"minimal": {
		Paper: "#fbfbfa", Ink: "#17181a", Muted: "#6b6e74", Accent: "#17181a", Second: "#9a9da3", Panel: "transparent",
		Display: sans, Text: sans, Radius: "0", Weight: 500,
	},
	"brutalist": {
		Paper: "#f2f200", Ink: "#000000", Muted: "#000000", Accent: "#0000ff", Second: "#ff0000", Panel: "#ffffff",
		Display: mono, Text: mono, Radius: "0", Weight: 900,
	},
	"editorial": {
		Paper: "#f7f3ec", Ink: "#1d1b18", Muted: "#6f675b", Accent: "#a4262c", Second: "#33546b", Panel: "#fffdf8",
		Display: serif, Text: serif, Radius: "2px", Weight: 600,
	},
	"dark": {
		Paper: "#14171c", Ink: "#f2f4f7", Muted: "#a3abb8", Accent: "#7cc4ff", Second: "#ffd479", Panel: "rgb(255 255 255 / 0.06)",
		Display: sans, Text: sans, Radius: "12px", Weight: 700,
	},
	"light": {
		Paper: "#ffffff", Ink: "#1b2330", Muted: "#5a6575", Accent: "#2563eb", Second: "#0f9d76", Panel: "#f3f6fa",
		Display: sans, Text: sans, Radius: "12px", Weight: 700,
	},
	"retro": {
		Paper: "linear-gradient(#2b1055, #7597de)", Ink: "#fff4d6", Muted: "#e6cfe8", Accent: "#ffb347", Second: "#ff6f91", Panel: "rgb(0 0 0 / 0.25)",
		Display: round, Text: round, Radius: "10px", Weight: 800, Gradient: true,
	},
	"swiss": {
		Paper: "#ffffff", Ink: "#111111", Muted: "#555555", Accent: "#e30613", Second: "#111111", Panel: "#f4f4f4",
		Display: sans, Text: sans, Radius: "0", Weight: 800,
	},
}

var same = map[string]string{
	"neon": "chroma", "vivid": "chroma", "playful": "casual", "friendly": "casual", "warm": "casual", "human": "casual",
	"clean": "minimal", "simple": "minimal", "quiet": "minimal", "magazine": "editorial", "elegant": "editorial",
	"night": "dark", "bright": "light", "synthwave": "retro", "vintage": "retro", "modernist": "swiss", "bold": "swiss",
	"brutal": "brutalist",
}

// Of gives the look of a style, always the same for the same words.
func Of(style string) Look {
	words := strings.Fields(strings.ToLower(style))
	for _, w := range words {
		w = strings.Trim(w, ".,!?\"'-")
		if to, ok := same[w]; ok {
			w = to
		}
		if l, ok := known[w]; ok {
			l.Name = w
			return l
		}
	}
	return derived(strings.Join(words, " "))
}

// derived makes a look from the hash of a word: a dark or a light paper, two
// accents that stand apart on the colour wheel, one of the typefaces.
func derived(style string) Look {
	h := fnv.New32a()
	_, _ = h.Write([]byte(style))
	n := h.Sum32()
	hue, away := int(n%360), 110+int(n>>9%90)
	faces := []string{sans, serif, round}
	face := faces[int(n>>16)%len(faces)]
	l := Look{Name: style, Display: face, Text: face, Radius: fmt.Sprintf("%dpx", int(n>>20)%24), Weight: 700}
	if n>>28%2 == 0 {
		l.Paper, l.Ink, l.Muted = hsl(hue, 35, 11), hsl(hue, 30, 96), hsl(hue, 18, 74)
		l.Accent, l.Second, l.Panel = hsl(hue+away, 88, 66), hsl(hue+2*away, 80, 70), "rgb(255 255 255 / 0.07)"
	} else {
		l.Paper, l.Ink, l.Muted = hsl(hue, 45, 96), hsl(hue, 40, 13), hsl(hue, 18, 36)
		l.Accent, l.Second, l.Panel = hsl(hue+away, 72, 38), hsl(hue+2*away, 65, 40), "#ffffff"
	}
	return l
}

func hsl(h, s, l int) string { return fmt.Sprintf("hsl(%d %d%% %d%%)", h%360, s, l) }
