package importer

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/html"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

// FrameFile is where the page around imported slides is kept. It stands at the
// root of the deck, so that its references mean what they meant.
const FrameFile = "reveal-frame.html"

// Page reads a reveal.js page and the styles, images and fonts that it refers to
// below its folder. Errors: invalid_input (it is no such page), too_large,
// not_found.
func Page(file string) (Files, error) {
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		e := agent.NotFound("folder")
		e.Cause = err
		return nil, e
	}
	defer func() { _ = root.Close() }()
	r := reader{root: root, files: Files{}}
	name := filepath.Base(file)
	if found, err := r.read(name); err != nil || !found {
		if err == nil {
			err = agent.NotFound("page")
		}
		return nil, err
	}
	src := r.files[name]
	page, err := reveal.Split(src)
	if err != nil {
		return nil, err
	}
	delete(r.files, name)
	if err := r.follow(name, src); err != nil {
		return nil, err
	}
	return assemble(r.files, page)
}

func assemble(files Files, p reveal.Page) (Files, error) {
	digits := max(2, len(fmt.Sprint(len(p.Slides))))
	for i, s := range p.Slides {
		title := markup.Heading(s)
		if title == "" {
			title = "slide"
		}
		files[fmt.Sprintf("slides/%0*d-%s.html", digits, i+1, deck.Slug(title))] = s
	}
	title := p.Title
	if title == "" {
		title = "Imported deck"
	}
	manifest, err := yaml.Marshal(struct {
		Title  string       `yaml:"title"`
		Width  int          `yaml:"width"`
		Height int          `yaml:"height"`
		Reveal *deck.Reveal `yaml:"reveal"`
	}{title, 960, 700, &deck.Reveal{Frame: FrameFile, Marker: p.Marker}})
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	files[deck.ManifestPath] = manifest
	files[FrameFile] = p.Frame
	return files, nil
}

var (
	cssRef = regexp.MustCompile(`(?i)url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']`)
	refs   = []string{"href", "src", "data-src", "poster", "data-background", "data-background-image"}
)

// maxQueued bounds how many references of a page are looked at.
const maxQueued = 5_000

// follow reads what a page refers to, and what its style sheets refer to.
func (r *reader) follow(name string, src []byte) error {
	queue := pageRefs(name, src)
	seen := map[string]bool{}
	for n := 0; n < len(queue) && n < maxQueued; n++ {
		p := queue[n]
		ext := strings.ToLower(path.Ext(p))
		if seen[p] || !kept[ext] || ext == ".html" || ext == ".js" || strings.HasPrefix(p, "slides/") || p == deck.ManifestPath {
			continue
		}
		seen[p] = true
		found, err := r.read(p)
		if err != nil {
			return err
		}
		if found && ext == ".css" {
			queue = append(queue, cssRefs(p, string(r.files[p]))...)
		}
	}
	return nil
}

func pageRefs(from string, src []byte) []string {
	var out []string
	style := false
	for t := range markup.Tokens(src) {
		if t.Name == "style" {
			style = t.Type == html.StartTagToken
		}
		if style && t.Type == html.TextToken {
			out = append(out, cssRefs(from, string(src[t.Start:t.End]))...)
		}
		for _, key := range refs {
			if v, ok := t.Value(key); ok && t.Name != "a" && t.Name != "script" {
				out = appendRef(out, from, v)
			}
		}
		if v, ok := t.Value("style"); ok {
			out = append(out, cssRefs(from, v)...)
		}
	}
	return out
}

func cssRefs(from, css string) []string {
	var out []string
	for _, m := range cssRef.FindAllStringSubmatch(css, -1) {
		out = appendRef(out, from, m[1]+m[2])
	}
	return out
}

// appendRef adds the path that a local reference means, below the folder.
func appendRef(out []string, from, ref string) []string {
	if ref = strings.TrimSpace(ref); ref == "" || strings.HasPrefix(ref, "data:") || markup.Remote(ref) || strings.HasPrefix(ref, "/") {
		return out
	}
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	p := path.Join(path.Dir(from), ref)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") || strings.ContainsAny(p, "\x00\\\n") {
		return out
	}
	return append(out, p)
}

// PageOf gives the reveal.js page that a path means: the file itself, or the
// index.html of a folder; "" when it is neither.
func PageOf(file string) string {
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		file = filepath.Join(file, "index.html")
		info, err = os.Stat(file)
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > reveal.MaxPageBytes {
		return ""
	}
	ext := strings.ToLower(filepath.Ext(file))
	if ext != ".html" && ext != ".htm" {
		return ""
	}
	src, err := os.ReadFile(file)
	if err != nil || !reveal.IsPage(bytes.TrimSpace(src)) {
		return ""
	}
	return file
}
