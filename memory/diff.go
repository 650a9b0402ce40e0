package memory

import "github.com/aymanbagabas/go-udiff"

// Diff gives the unified difference of two texts of a file, "" where there is none.
func Diff(path, before, after string) string {
	return udiff.Unified("a/"+path, "b/"+path, before, after)
}
