package floors

import (
	"fmt"
	"slices"
	"strings"
)

// Check compares packages with the import table and gives a line for each breach.
func Check(packages []Package) []string {
	var breaches []string
	for _, p := range packages {
		path := below(p.ImportPath)
		floor := floorOf(path)
		if floor == nil {
			breaches = append(breaches, fmt.Sprintf("%s stands on no floor: give it a row in internal/floors/table.go", path))
			continue
		}
		for _, imported := range p.Imports {
			breaches = append(breaches, floor.breach(path, imported, false)...)
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			breaches = append(breaches, floor.breach(path, imported, true)...)
		}
	}
	slices.Sort(breaches)
	return slices.Compact(breaches)
}

func floorOf(path string) *Floor {
	for i := range Floors {
		if matches(Floors[i].Packages, path) {
			return &Floors[i]
		}
	}
	return nil
}

// breach says why one import is forbidden, or nothing.
func (f *Floor) breach(path, imported string, test bool) []string {
	who := path
	if test {
		who += " (in a test)"
	}
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case imported == module || strings.HasPrefix(imported, module+"/"):
		ours := below(imported)
		if ours == path || matches(f.Ours, ours) || test && matches(f.TestOurs, ours) {
			return nil
		}
		return []string{fmt.Sprintf("%s may not import %s (floor %s: %s)", who, ours, f.Name, f.Reason)}
	case !strings.Contains(first, "."), f.Free: // the standard library has no dot
		return nil
	case wraps(Wraps[path], imported), test && wraps(TestTools, imported):
		return nil
	}
	return []string{fmt.Sprintf("%s may not import %s (third party: what a package wraps is listed in Wraps)", who, imported)}
}

func wraps(modules []string, imported string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") })
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if under, ok := strings.CutSuffix(pattern, "/..."); ok {
			return path == under || strings.HasPrefix(path, under+"/")
		}
		if under, ok := strings.CutSuffix(pattern, "/*"); ok {
			rest, inside := strings.CutPrefix(path, under+"/")
			return inside && !strings.Contains(rest, "/")
		}
		return path == pattern
	})
}

// below gives a package's path below the module, "." for the root.
func below(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}
