package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rounds.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestItTellsWhereItListensAndServesUntilItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"--script", script(t, `{"rounds":[{"text":"from the file"}]}`), "--accept", "sk-a,sk-b"}, in, io.Discard)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("it said %q, %v", line, err)
	}
	for key, want := range map[string]string{"sk-b-1": "from the file", "sk-c-1": "invalid_api_key"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"x"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || !bytes.Contains(body, []byte(want)) {
			t.Errorf("with %s it answered %s, %v", key, body, err)
		}
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("it ended with %d, want 0", got)
	}
}

func TestWrongUsageIsToldAndHasItsExitCode(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"an unknown flag", []string{"--port", "1"}, 2, "port"},
		{"a word", []string{"serve"}, 2, "flags only"},
		{"help", []string{"--help"}, 0, "listen"},
		{"no such file", []string{"--script", "nowhere.json"}, 1, "nowhere.json"},
		{"a bad script", []string{"--script", script(t, `{"rounds":[{"times":-1}]}`)}, 1, "round 0"},
		{"an address that cannot be", []string{"--listen", "256.0.0.1:0"}, 1, "256.0.0.1"},
	} {
		var errs bytes.Buffer
		if got := run(t.Context(), c.args, io.Discard, &errs); got != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: ended with %d and said %q", c.name, got, errs.String())
		}
	}
}
