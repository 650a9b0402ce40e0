package server_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheGuidesPageIsBuilt builds the guide's page as it stands there, with what npm
// has put beside the example's page.
func TestTheGuidesPageIsBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a bundler")
	}
	modules, err := filepath.Abs("../examples/dididecks/web/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	vite := filepath.Join(modules, "vite/bin/vite.js")
	for _, needed := range []string{vite, filepath.Join(modules, "@lossless/in-app-agent/dist/ui.js")} {
		if _, err := os.Stat(needed); err != nil {
			t.Skipf("npm has not installed or built %s yet", needed)
		}
	}
	dir := filepath.Join(t.TempDir(), "page")
	n := 0
	for name, text := range guideFiles(t, "../docs/guides/embed-go.md") {
		under, ok := strings.CutPrefix(name, "page/")
		if !ok {
			continue
		}
		n++
		path := filepath.Join(dir, under)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n != 4 {
		t.Fatalf("the guide shows %d files of a page", n)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", vite, "build")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "dist/index.html"))
	if err != nil || !strings.Contains(string(page), "/assets/") {
		t.Errorf("the built page is %q, %v", page, err)
	}
}
