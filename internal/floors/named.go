package floors

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var (
	namedTest = regexp.MustCompile("\\[`((?:Test|Fuzz)\\w+)`\\]\\(([^)]+)\\)")
	ruleOfRow = regexp.MustCompile(`^[|\s-]+$`)
)

// NamedTests checks a page whose tables name the tests of each case, as links to their
// files: every row names at least one, and each is a function of the file that the
// link, which is relative to the page's place, leads to.
func NamedTests(place string, page []byte, tree fs.FS) (breaches []string) {
	for row := range strings.Lines(string(page)) {
		if !strings.HasPrefix(row, "|") || ruleOfRow.MatchString(row) || strings.HasPrefix(row, "| case ") {
			continue
		}
		tests := namedTest.FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			breaches = append(breaches, fmt.Sprintf("%s: no test is named in %s", place, strings.TrimSpace(row)))
		}
		for _, m := range tests {
			name, file := m[1], path.Join(path.Dir(place), m[2])
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				breaches = append(breaches, fmt.Sprintf("%s: there is no file %s", place, file))
			} else if !strings.Contains("\n"+string(text), "\nfunc "+name+"(") {
				breaches = append(breaches, fmt.Sprintf("%s: %s has no function %s", place, file, name))
			}
		}
	}
	return breaches
}
