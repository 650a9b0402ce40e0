package capability

import (
	"regexp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var validGlob = regexp.MustCompile(`^[a-z0-9_.*]+$`)

// Match gives the names that a whitelist of globs selects, sorted, and the globs
// that select nothing. In a glob * stands for any run of characters, dots
// included, so "slide.*" is everything of slide and "*" is everything; any other
// character stands for itself. Nil globs select everything. Shared capabilities
// are always among the names, besides the globs.
func (r *Registry) Match(globs []string) (names []string, unmatched []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	hit := make([]bool, len(globs))
	for _, e := range r.sorted {
		offered := globs == nil || e.Shared
		for i, glob := range globs {
			if globMatch(glob, e.Name) {
				hit[i], offered = true, true
			}
		}
		if offered {
			names = append(names, e.Name)
		}
	}
	for i, glob := range globs {
		if !hit[i] {
			unmatched = append(unmatched, glob)
		}
	}
	slices.Sort(unmatched)
	return names, slices.Compact(unmatched)
}

// globMatch takes the leftmost place for each literal between two stars, which
// finds a match whenever there is one, in linear steps and without recursion.
func globMatch(glob, name string) bool {
	if len(glob) > MaxName || !validGlob.MatchString(glob) {
		return false
	}
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, last)
}

// Tools gives the tool schemas of the named capabilities as a provider gets
// them: sorted by name and equal byte for byte from turn to turn, whatever the
// order of names. Unknown names are left out.
func (r *Registry) Tools(names []string) []agent.ToolSchema {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	tools := make([]agent.ToolSchema, 0, len(sorted))
	for _, name := range slices.Compact(sorted) {
		if e := r.find(name); e != nil {
			tools = append(tools, agent.ToolSchema{Name: e.wire, Description: e.Description, Schema: e.Input})
		}
	}
	return tools
}
