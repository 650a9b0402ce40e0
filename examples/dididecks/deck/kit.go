package deck

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// Kit is a brand kit: colours and fonts by name (brand-kits/NAME.yaml), a style
// sheet (brand-kits/NAME.css), or both.
type Kit struct {
	Name        string
	Title       string            `yaml:"title"`
	Description string            `yaml:"description"`
	Colors      map[string]string `yaml:"colors"`
	Fonts       map[string]string `yaml:"fonts"`
	CSSPath     string
	Version     string // changes with its files
}

const (
	kitFolder   = "brand-kits/"
	maxKits     = 50
	maxKitBytes = 64 << 10
)

// kitFiles gives the YAML and CSS files of brand kits, by path.
func (s *Snapshot) kitFiles() []gitrepo.Entry {
	var out []gitrepo.Entry
	for p, e := range s.files {
		ext := path.Ext(p)
		if path.Dir(p)+"/" == kitFolder && (ext == ".yaml" || ext == ".css") && e.Size <= maxKitBytes {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b gitrepo.Entry) int { return strings.Compare(a.Path, b.Path) })
	return out[:min(len(out), 2*maxKits)]
}

func readKits(files []gitrepo.Entry, blobs map[string][]byte) []Kit {
	byName := map[string]*Kit{}
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		k := byName[name]
		if k == nil {
			k = &Kit{Name: name}
			byName[name] = k
		}
		k.Version += f.Blob
		if path.Ext(f.Path) == ".css" {
			k.CSSPath = f.Path
			continue
		}
		// A kit that does not read keeps its name, so that diagnostics can tell of it.
		var read Kit
		if yaml.Unmarshal(blobs[f.Blob], &read) == nil {
			k.Title, k.Description, k.Colors, k.Fonts = read.Title, read.Description, read.Colors, read.Fonts
		}
	}
	var kits []Kit
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		k := *byName[name]
		if k.Title == "" {
			k.Title = k.Name
		}
		kits = append(kits, k)
	}
	return kits
}

// Kit finds a brand kit by name, or gives the deck's default for "". A deck
// without kits has the zero Kit as its default. Errors: not_found.
func (s *Snapshot) Kit(name string) (Kit, error) {
	want := name
	if want == "" {
		want = s.Manifest.BrandKit
	}
	var names []string
	for _, k := range s.Kits {
		if k.Name == want || strings.EqualFold(k.Title, want) {
			return k, nil
		}
		names = append(names, k.Name)
	}
	if name == "" {
		if len(s.Kits) > 0 {
			return s.Kits[0], nil
		}
		return Kit{}, nil
	}
	e := agent.NotFound("brand kit")
	if len(names) > 0 {
		e.Hint = "Name one of these: " + strings.Join(names, ", ") + "."
	} else {
		e.Hint = "The deck has none: leave it out, or add one under brand-kits/."
	}
	return Kit{}, e
}

var (
	validName  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,40}$`)
	validValue = regexp.MustCompile(`^[-#%.,()/'" A-Za-z0-9]{1,200}$`)
)

// Variables gives the kit as CSS custom properties: --brand-NAME for colours and
// --brand-font-NAME for fonts. Values that are no plain CSS values are left out.
func (k Kit) Variables() string {
	var b strings.Builder
	write := func(prefix string, values map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if validName.MatchString(name) && validValue.MatchString(values[name]) {
				fmt.Fprintf(&b, "  --brand-%s%s: %s;\n", prefix, name, values[name])
			}
		}
	}
	write("", k.Colors)
	write("font-", k.Fonts)
	if b.Len() == 0 {
		return ""
	}
	return ":root {\n" + b.String() + "}\n"
}

// Value gives a colour of the kit that is a plain CSS value, "" without one.
func (k Kit) Value(color string) string { return plain(k.Colors[color]) }

// Font gives a font of the kit that is a plain CSS value, "" without one.
func (k Kit) Font(name string) string { return plain(k.Fonts[name]) }

func plain(v string) string {
	if validValue.MatchString(v) {
		return v
	}
	return ""
}
