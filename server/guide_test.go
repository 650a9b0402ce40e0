package server_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheGuideShowsWhatTheExampleRuns holds the guide's Go blocks to the example
// that a test runs, line by line.
func TestTheGuideShowsWhatTheExampleRuns(t *testing.T) {
	guide, err := os.ReadFile("../docs/guides/embed-go.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(string(example), b[1]) {
			t.Errorf("the example does not have this block of the guide:\n%s", b[1])
		}
	}
}
