// Command wiregen writes ui/src/lib/protocol.gen.ts from the Go types, so that
// the browser and the server cannot mean different things by the same word.
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
	out := flag.String("out", "ui/src/lib/protocol.gen.ts", "file to write, under the root")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "wiregen:", err)
		os.Exit(1)
	}
}

// run generates and writes the file; an unchanged file keeps its time.
func run(root, out string) error {
	text, err := generate(root)
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
