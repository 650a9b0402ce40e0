package floors

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// The lengths of Go files, in lines.
const (
	MaxLines  = 600
	MaxMedian = 130
)

// Files reads the files of a tree that a name ends in. Hidden folders, what npm
// unpacked, what was built and the data of tests are left out.
func Files(tree fs.FS, suffix string) (map[string][]byte, error) {
	found := map[string][]byte{}
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "dist", "bin", "target", "testdata"}, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && strings.HasSuffix(name, suffix) {
			found[path], err = fs.ReadFile(tree, path)
		}
		return err
	})
	return found, err
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// Lengths names the Go files that are too long and a median that is. What is
// generated does not count.
func Lengths(files map[string][]byte) []string {
	var breaches []string
	var lengths []int
	for path, text := range files {
		if generated.Match(text) {
			continue
		}
		n := bytes.Count(text, []byte("\n"))
		lengths = append(lengths, n)
		if n > MaxLines {
			breaches = append(breaches, fmt.Sprintf("%s has %d lines, and %d is the limit: split it by topic", path, n, MaxLines))
		}
	}
	slices.Sort(lengths)
	if len(lengths) > 0 {
		if median := lengths[len(lengths)/2]; median > MaxMedian {
			breaches = append(breaches, fmt.Sprintf("the median Go file has %d lines, and %d is the limit", median, MaxMedian))
		}
	}
	slices.Sort(breaches)
	return breaches
}

var htmlSink = regexp.MustCompile(`\{\s*@html\b`)

// RawHTML names the Svelte files that put text into the page as HTML.
func RawHTML(files map[string][]byte) []string {
	var breaches []string
	for path, text := range files {
		if at := htmlSink.FindIndex(text); at != nil {
			breaches = append(breaches, fmt.Sprintf("%s:%d uses {@html}: text of others would run as ours", path, 1+bytes.Count(text[:at[0]], []byte("\n"))))
		}
	}
	slices.Sort(breaches)
	return breaches
}

var quotedPath = regexp.MustCompile("`([a-z][a-zA-Z0-9_.-]*(?:/[a-zA-Z0-9_.-]+)+|[a-z][a-zA-Z0-9_]*\\.go)`")

// TurnPaths names the paths in docs/turn.md, given in backticks, that the tree
// does not have.
func TurnPaths(page []byte, tree fs.FS) []string {
	var breaches []string
	for _, match := range quotedPath.FindAllSubmatch(page, -1) {
		path := string(match[1])
		if _, err := fs.Stat(tree, path); err != nil {
			breaches = append(breaches, fmt.Sprintf("docs/turn.md names %s, which does not exist", path))
		}
	}
	slices.Sort(breaches)
	return slices.Compact(breaches)
}
