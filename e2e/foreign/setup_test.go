package foreign

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const rounds = "rounds.json"

// install brings the pinned packages, unless they are there already.
func install(tb testing.TB) {
	tb.Helper()
	var want struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	readJSON(tb, "package.json", &want)
	missing := len(want.Dependencies) == 0
	for name, version := range want.Dependencies {
		var have struct {
			Version string `json:"version"`
		}
		data, err := os.ReadFile(filepath.Join("node_modules", name, "package.json"))
		missing = missing || err != nil || json.Unmarshal(data, &have) != nil || have.Version != version
	}
	if !missing {
		return
	}
	ctx, cancel := context.WithTimeout(tb.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("the foreign clients could not be installed; these tests need npm and its registry: %v\n%s", err, out)
	}
}

// provider builds the fake provider and starts it as a process of its own.
func provider(tb testing.TB) (url string) {
	tb.Helper()
	binary := filepath.Join(tb.TempDir(), "fakeprovider")
	build := exec.CommandContext(tb.Context(), "go", "build", "-o", binary, "../fakeprovider")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("building the fake provider: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, "--listen", "127.0.0.1:0", "--script", rounds)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		tb.Fatalf("the fake provider said %q: %v", line, err)
	}
	return url
}

// playForeign lets the makers' SDKs play every round.
func playForeign(tb testing.TB, url string) []heard {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "play.mjs", url, rounds)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("the foreign clients failed: %v\n%s", err, errs.String())
	}
	var all []heard
	for line := range bytes.Lines(out) {
		var h heard
		if err := json.Unmarshal(line, &h); err != nil {
			tb.Fatalf("%s: %v", line, err)
		}
		all = append(all, h)
	}
	return all
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
