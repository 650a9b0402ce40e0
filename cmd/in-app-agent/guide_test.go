package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks gives the code of a guide in one language.
func blocks(t *testing.T, guide, language string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/guides", guide))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	return found
}

func TestTheConfigurationsOfTheGuidesAreTaken(t *testing.T) {
	for _, guide := range []string{"demo.md", "operate.md"} {
		shown := blocks(t, guide, "yaml")
		if len(shown) == 0 {
			t.Errorf("%s shows no configuration", guide)
		}
		for _, text := range shown {
			file := filepath.Join(t.TempDir(), "agent.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := common{Config: file}.settings()
			if err != nil || cfg.Providers[0].ID != "local" || cfg.Model.Default == "" {
				t.Errorf("%s: %+v, %v", guide, cfg, err)
			}
		}
	}
}

// TestTheVerbsOfTheGuideRunAsTheyStandThere runs each line of the guides' commands
// in a shell, beside a data folder with the name that they take by default.
func TestTheVerbsOfTheGuideRunAsTheyStandThere(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("it links the program, and runs that")
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "in-app-agent"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	d, err := openDeck(t.Context(), common{Data: filepath.Join(dir, "demo-data")}, "", nil, common{}.logger(&env{stderr: os.Stderr}))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "key.txt"), []byte("sk-ant-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "notes"), 0o700), os.WriteFile(filepath.Join(dir, "notes", "first.md"), []byte("# First\n\nA note.\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, guide := range []string{"operate.md", "per-org-reminders-convention.md"} {
		for _, block := range blocks(t, guide, "sh") {
			lines = append(lines, strings.Split(strings.TrimSpace(block), "\n")...)
		}
	}
	if len(lines) < 9 {
		t.Fatalf("the guide shows %d commands", len(lines))
	}
	for _, page := range []string{"../../README.md", "../../docs/guides/demo.md"} { // how to see the deck's history
		text, err := os.ReadFile(page)
		found := regexp.MustCompile("git -C [^`\n]+").FindString(string(text))
		if err != nil || found == "" {
			t.Errorf("%s shows no way to the deck's history: %v", page, err)
		}
		lines = append(lines, found+" --")
	}
	for _, line := range lines {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "SLUG", "paying-client"))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "0123456789") {
			t.Errorf("%s: %v\n%s", line, err, said)
		}
	}
}
