// Command wiregen writes ui/src/lib/protocol.gen.ts and docs/reference/http.md
// from the Go types, so that browser, server and documentation cannot mean
// different things by the same word.
// Structs come by reflection; string constants and comments come from the source
// of the root package, because reflection does not know them.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . -root ../..

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	for _, f := range files {
		if err := run(*root, f.path, f.make); err != nil {
			fmt.Fprintln(os.Stderr, "wiregen:", err)
			os.Exit(1)
		}
	}
}

// files are what is generated, under the folder of the module.
var files = []struct {
	path string
	make func(root string) (string, error)
}{
	{"ui/src/lib/protocol.gen.ts", generate},
	{"docs/reference/http.md", reference},
}

// run generates and writes the file; an unchanged file keeps its time.
func run(root, out string, make func(root string) (string, error)) error {
	text, err := make(root)
	if err != nil {
		return err
	}
	path := filepath.Join(root, out)
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", out, err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	return nil
}
