package deck

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	agent "github.com/lossless-group/in-app-agent"
)

// ManifestPath is where a deck says what it is.
const ManifestPath = "deck.yaml"

// Size of a slide where the manifest gives none, in CSS pixels.
const (
	DefaultWidth  = 1280
	DefaultHeight = 720
)

// Manifest is deck.yaml. Every field may be missing.
type Manifest struct {
	Title       string `yaml:"title"`
	Subtitle    string `yaml:"subtitle"`
	Description string `yaml:"description"`
	Lang        string `yaml:"lang"`
	Width       int    `yaml:"width"`
	Height      int    `yaml:"height"`
	// BrandKit names the kit that slides are rendered with by default.
	BrandKit string `yaml:"brand_kit"`
	// Styles are style sheets of all slides, in order.
	Styles []string `yaml:"styles"`
	// Working is the branch that accepted changes go to; Published are branches
	// that they never go to.
	Working   string  `yaml:"working"`
	Published Strings `yaml:"published"`
	// Build is the operator's command, split at spaces and run without a shell;
	// BuildOutput is the folder where it leaves its pages.
	Build       string `yaml:"build"`
	BuildOutput string `yaml:"build_output"`
	// Facts are what the deck's owner wants the agent to know, by name.
	Facts map[string]string `yaml:"facts"`
	// Reveal is set on a deck that was imported from a reveal.js page.
	Reveal *Reveal `yaml:"reveal,omitempty"`
}

// Reveal says where the page around imported slides is kept, and the word that
// marks their places in it.
type Reveal struct {
	Frame  string `yaml:"frame"`
	Marker string `yaml:"marker"`
}

// Strings is one word or a list of them.
type Strings []string

// UnmarshalYAML reads a scalar or a sequence.
func (s *Strings) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*s = Strings{n.Value}
		return nil
	}
	return n.Decode((*[]string)(s))
}

// Limits of a manifest.
const (
	MaxManifestBytes = 64 << 10
	maxSide          = 4096
)

// ParseManifest reads deck.yaml; empty input gives the defaults. Errors:
// invalid_input, too_large.
func ParseManifest(src []byte) (Manifest, error) {
	m := Manifest{}
	if len(src) > MaxManifestBytes {
		return m, agent.Errorf(agent.CodeTooLarge, "%s is over %d KiB.", ManifestPath, MaxManifestBytes>>10)
	}
	if len(bytes.TrimSpace(src)) > 0 {
		if err := yaml.Unmarshal(src, &m); err != nil {
			e := agent.Wrap(agent.CodeInvalidInput, err, "%s does not read as YAML.", ManifestPath)
			e.Hint = fmt.Sprintf("Compare it with the reference in the README; the parser says: %.200s", err)
			return m, e
		}
	}
	if m.Width <= 0 || m.Width > maxSide {
		m.Width = DefaultWidth
	}
	if m.Height <= 0 || m.Height > maxSide {
		m.Height = DefaultHeight
	}
	if !validLang.MatchString(m.Lang) {
		m.Lang = "en"
	}
	return m, nil
}

var validLang = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// IsPublished reports whether a branch must never be changed.
func (m Manifest) IsPublished(branch string) bool { return slices.Contains(m.Published, branch) }

// Slug makes a word for branch and file names of any text: lower case, digits
// and single hyphens, at most 32 characters, "x" where nothing is left.
func Slug(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		if (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') {
			b.WriteRune(c)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
		if b.Len() >= 32 {
			break
		}
	}
	if out := strings.Trim(b.String(), "-"); out != "" {
		return out
	}
	return "x"
}

// inside gives the path of a reference from a file, "" when it leaves the deck.
func inside(from, ref string) string {
	if strings.HasPrefix(ref, "/") {
		ref = strings.TrimLeft(ref, "/")
		from = ""
	}
	p := path.Join(path.Dir(from), ref)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/") {
		return ""
	}
	return p
}
