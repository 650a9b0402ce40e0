package deck

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

// Format is how a slide is written.
type Format string

// The formats of slides.
const (
	HTML     Format = "html"
	Markdown Format = "md"
	Astro    Format = "astro"
)

// Limits of slides.
const (
	MaxSlides     = 500
	MaxSlideBytes = 512 << 10
)

// Slide is one slide of a snapshot.
type Slide struct {
	// ID is the number as written in the file's name, "04"; where two slides share
	// it, or there is none, the file's name without its ending.
	ID     string
	Number int // -1 without one
	Stem   string
	Path   string
	Format Format
	Title  string
	Blob   string
	Size   int64
	// CSS is the path of the style sheet beside it, "" without one.
	CSS     string
	CSSBlob string
}

var slideName = regexp.MustCompile(`^slides/(([0-9]{1,4})?[-_.]?[^/]*)\.(html|md|astro)$`)

// slideOf reads a path as a slide's.
func slideOf(p string) (Slide, bool) {
	m := slideName.FindStringSubmatch(p)
	if m == nil || m[1] == "" || strings.HasPrefix(m[1], ".") || strings.HasPrefix(m[1], "_") {
		return Slide{}, false
	}
	s := Slide{Stem: m[1], Path: p, Format: Format(m[3]), Number: -1, ID: m[1]}
	if m[2] != "" {
		s.Number, _ = strconv.Atoi(m[2])
		s.ID = m[2]
	}
	return s, true
}

// order sorts slides as they are shown and gives doubled numbers their names as ids.
func order(slides []Slide) {
	slices.SortFunc(slides, func(a, b Slide) int {
		if (a.Number < 0) != (b.Number < 0) {
			return cmp.Compare(b.Number, a.Number) // those without a number come last
		}
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Stem, b.Stem), cmp.Compare(a.Path, b.Path))
	})
	seen := map[int]int{}
	stems := map[string]int{}
	for _, s := range slides {
		seen[s.Number]++
		stems[s.Stem]++
	}
	for i := range slides {
		s := &slides[i]
		if s.Number >= 0 && seen[s.Number] > 1 {
			s.ID = s.Stem
		}
		if s.ID == s.Stem && stems[s.Stem] > 1 {
			s.ID = path.Base(s.Path)
		}
	}
}

// Find finds a slide as a person or a model would name it: "04", "4", "slide 4",
// its file's name or its path. Errors: not_found, invalid_input (several fit).
func (s *Snapshot) Find(id string) (Slide, error) {
	want := strings.TrimSpace(id)
	if rest, ok := strings.CutPrefix(strings.ToLower(want), "slide"); ok && strings.TrimLeft(rest, " #-") != "" {
		if _, err := strconv.Atoi(strings.TrimLeft(rest, " #-")); err == nil {
			want = strings.TrimLeft(rest, " #-")
		}
	}
	for _, sl := range s.Slides {
		if sl.ID == want || sl.Path == want || sl.Stem == want || path.Base(sl.Path) == want {
			return sl, nil
		}
	}
	n, err := strconv.Atoi(strings.TrimPrefix(want, "#"))
	var fit []Slide
	for _, sl := range s.Slides {
		if err == nil && n >= 0 && sl.Number == n {
			fit = append(fit, sl)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		e := agent.NotFound("slide")
		e.Hint = "Name one of these: " + strings.Join(s.ids(), ", ") + "."
		return Slide{}, e
	}
	e := agent.Errorf(agent.CodeInvalidInput, "Several slides have the number %d. Name one by its file: %s or %s.", n, fit[0].Stem, fit[1].Stem)
	e.Pointer = "/slide_id"
	return Slide{}, e
}

func (s *Snapshot) ids() []string {
	var out []string
	for _, sl := range s.Slides[:min(len(s.Slides), 60)] {
		out = append(out, sl.ID)
	}
	return out
}

// Title gives what a slide calls itself: its front matter, its first heading, or
// words made of its file's name.
func Title(s Slide, src []byte) string {
	front, body := markup.FrontMatter(src)
	if front != nil && s.Format == Markdown {
		var meta struct {
			Title string `yaml:"title"`
		}
		if yaml.Unmarshal(bytes.Trim(front, "-\r\n \t"), &meta) == nil && meta.Title != "" {
			return meta.Title
		}
	}
	if s.Format == Markdown {
		for l := range bytes.Lines(body) {
			if h := bytes.TrimLeft(l, "#"); len(h) < len(l) && len(l)-len(h) <= 6 && len(h) > 1 && h[0] == ' ' {
				return strings.Trim(strings.TrimSpace(string(h)), "*_`")
			}
		}
	}
	if h := markup.Heading(body); h != "" && !(s.Format == Astro && strings.Contains(h, "{")) {
		return h
	}
	words := strings.TrimLeft(s.Stem, "0123456789-_. ")
	if words == "" {
		return "Slide " + s.Stem
	}
	return strings.ToUpper(words[:1]) + strings.NewReplacer("-", " ", "_", " ").Replace(words[1:])
}
