package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/corpus/chroma/chromatest"
)

// old makes a collection of two rows in the default place of a Chroma server.
func old(t *testing.T, url, name string) {
	t.Helper()
	place := url + "/api/v2/tenants/default_tenant/databases/default_database/collections"
	post := func(path, body string) (answer struct{ ID string }) {
		res, err := http.Post(path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%d %s %v", res.StatusCode, raw, err)
		}
		_ = json.Unmarshal(raw, &answer) // an answer without an id is empty
		return answer
	}
	id := post(place, `{"name":"`+name+`"}`).ID
	post(place+"/"+id+"/add", `{"ids":["a","b"],"documents":["one lantern","two lanterns"],"metadatas":[{"source_path":"a.md"},{"source_path":"b.md"}],"embeddings":[[1,0,0],[0,1,0]]}`)
}

func TestChromaIsTakenOverByAVerb(t *testing.T) {
	server := chromatest.Start("../..")
	defer server.Stop()
	url := server.URL(t)
	old(t, url, "lossless-changelog")
	old(t, url, "claude-code-sessions")
	config := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(config, []byte("corpus: {url: \""+url+"\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "context-vigilance-corpus: not there\nlossless-changelog: 2 rows, all of them in lossless__global\n" +
		"claude-code-sessions: 2 rows, all of them in lossless__global\nclaude-code-tool-traces: not there\n4 rows."
	for range 2 {
		if code, stdout, stderr := out(t, "", "migrate", "chroma", "--config", config); code != exitOK || !strings.HasPrefix(stdout, want) || !strings.Contains(stderr, "lossless-changelog: 2 of 2 rows") {
			t.Errorf("exit %d\n%s%s", code, stdout, stderr)
		}
	}
}

func TestNothingIsTakenOverWithoutAChromaServer(t *testing.T) {
	if code, _, stderr := out(t, "", "migrate", "chroma", "--data", t.TempDir()); code != exitFailed || !strings.Contains(stderr, "No Chroma server is configured") {
		t.Errorf("exit %d %s", code, stderr)
	}
	config := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(config, []byte("corpus: {url: \"http://127.0.0.1:1\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := out(t, "", "migrate", "chroma", "--config", config); code != exitFailed || !strings.Contains(stderr, "Run the same command again") && !strings.Contains(stderr, "reached") {
		t.Errorf("a server that is down: exit %d %s", code, stderr)
	}
}
