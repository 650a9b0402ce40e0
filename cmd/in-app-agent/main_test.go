package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// out runs the program and gives exit code, standard output and standard error.
func out(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var o, e strings.Builder
	code = run(context.Background(), args, strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String()
}

func TestWordsThatAreNoneExitWithTwoAndSayWhatToDo(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	data := t.TempDir()
	bad := filepath.Join(data, "bad.yaml")
	if err := os.WriteFile(bad, []byte("providers: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	typo := filepath.Join(data, "typo.yaml")
	if err := os.WriteFile(typo, []byte("modell: {default: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		code  int
		says  string
	}{
		{"no verb", "", nil, exitUsage, "--help"},
		{"an unknown verb", "", []string{"fly"}, exitUsage, "--help"},
		{"an unknown job", "", []string{"jobs", "run", "sleep"}, exitUsage, "clean-branches"},
		{"an address that others reach", "", []string{"demo", "--listen", "0.0.0.0:0", "--data", data}, exitUsage, "this machine only"},
		{"an address without a port", "", []string{"demo", "--listen", "localhost", "--data", data}, exitUsage, "HOST:PORT"},
		{"a port that is none", "", []string{"demo", "--listen", "127.0.0.1:99999", "--data", data}, exitUsage, "from 0 to 65535"},
		{"a port below zero", "", []string{"demo", "--listen", "127.0.0.1:-1", "--data", data}, exitUsage, "from 0 to 65535"},
		{"a data folder without a name", "", []string{"demo", "--listen", "127.0.0.1:0", "--data="}, exitUsage, "name of a folder"},
		{"keys of a folder without a name", "", []string{"keys", "list", "--org", "demo", "--data="}, exitUsage, "name of a folder"},
		{"a job on a folder without a name", "", []string{"jobs", "run", "expire", "--data="}, exitUsage, "name of a folder"},
		{"a port that is taken", "", []string{"demo", "--listen", busy.Addr().String(), "--data", data}, exitFailed, "--listen"},
		{"a deck that is none", "", []string{"demo", "--listen", "127.0.0.1:0", "--data", data, "--deck", bad}, exitFailed, "slides"},
		{"a deck that is not there", "", []string{"demo", "--listen", "127.0.0.1:0", "--data", data, "--deck", data + "/nowhere"}, exitFailed, "no such"},
		{"a configuration that is no YAML", "", []string{"demo", "--listen", "127.0.0.1:0", "--data", data, "--config", bad}, exitFailed, "YAML"},
		{"a member that the configuration does not know", "", []string{"demo", "--listen", "127.0.0.1:0", "--data", data, "--config", typo}, exitFailed, "not known: modell."},
		{"a job on a folder without a database", "", []string{"jobs", "run", "expire", "--data", data + "/none"}, exitFailed, "--data"},
		{"keys without a database", "sk-0123456789", []string{"keys", "set", "--org", "demo", "--provider", "anthropic", "--data", data + "/none"}, exitFailed, "--data"},
		{"a key that is none", "x y", []string{"keys", "set", "--org", "demo", "--provider", "anthropic", "--data", data}, exitUsage, "one line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := out(t, c.stdin, c.args...)
			if code != c.code || !strings.Contains(stderr, c.says) {
				t.Fatalf("exit %d: %s", code, stderr)
			}
		})
	}
}

func TestHelpIsFoundHoweverItIsAsked(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"help"}, "demo"}, {[]string{"help", "keys", "list"}, "--org"}, {[]string{"--version"}, "in-app-agent"}, {[]string{"help", "demo"}, "--listen"},
	} {
		if code, stdout, stderr := out(t, "", c.args...); code != exitOK || !strings.Contains(stdout, c.says) {
			t.Errorf("%v: exit %d %s%s", c.args, code, stdout, stderr)
		}
	}
	for _, verb := range []string{"list", "remove"} { // one of the two is enough
		_, stdout, _ := out(t, "", "keys", verb, "--help")
		if words := strings.Join(strings.Fields(stdout), " "); strings.Contains(words, "--org=SLUG --user=ID") || !strings.Contains(words, "Either this or --user") {
			t.Errorf("keys %s: %s", verb, stdout)
		}
	}
}

func TestAFolderWithoutANameLeavesTheCurrentOneAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	out(t, "", "demo", "--listen", "127.0.0.1:0", "--data=")
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestAHintOfThePortIsAboutWhatIsWrongWithIt(t *testing.T) {
	for want, err := range map[string]error{
		"Another program": fmt.Errorf("listen: %w", syscall.EADDRINUSE), "above 1023": fmt.Errorf("listen: %w", syscall.EACCES), "another address": errors.New("x"),
	} {
		if got := listenHint(err); !strings.Contains(got, want) || want != "Another program" && strings.Contains(got, "program") {
			t.Errorf("%v: %s", err, got)
		}
	}
}

func TestHelpAndVersionAnswer(t *testing.T) {
	if code, stdout, _ := out(t, "", "--help"); code != exitOK || !strings.Contains(stdout, "demo") {
		t.Fatalf("exit %d: %s", code, stdout)
	}
	if code, stdout, _ := out(t, "", "version"); code != exitOK || !strings.Contains(stdout, "in-app-agent") {
		t.Fatalf("exit %d: %s", code, stdout)
	}
}

func TestTheDemoServesItsPageStopsAndStartsAgainAndTheVerbsWorkOnItsData(t *testing.T) {
	data := t.TempDir()
	for range 2 {
		ctx, stop := context.WithCancel(context.Background())
		r, w := io.Pipe()
		done := make(chan int, 1)
		var stderr strings.Builder
		go func() {
			done <- run(ctx, []string{"demo", "--listen", "127.0.0.1:0", "--data", data}, strings.NewReader(""), w, &stderr)
		}()
		line := make([]byte, 200)
		n, err := r.Read(line)
		if err != nil || !strings.HasPrefix(string(line[:n]), "listening on http://127.0.0.1:") {
			t.Fatalf("%q, %v, %s", line[:n], err, stderr.String())
		}
		url := strings.Fields(string(line[:n]))[2]
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 200 || !strings.Contains(string(page), "<!doctype html>") || !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Fatalf("%d %s", res.StatusCode, page)
		}
		if code, stdout, stderr := out(t, "sk-ant-0123456789\n", "keys", "set", "--org", "paying-client", "--provider", "anthropic", "--data", data); code != exitOK || strings.Contains(stdout, "0123456789") {
			t.Fatalf("keys set beside the server: exit %d %s %s", code, stdout, stderr)
		}
		stop()
		if code := <-done; code != exitOK {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
	}
	for _, job := range []string{"expire", "clean-branches"} {
		if code, stdout, stderr := out(t, "", "jobs", "run", job, "--data", data); code != exitOK || !strings.Contains(stdout, job+": 0") {
			t.Fatalf("%s: exit %d %s %s", job, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := out(t, "", "keys", "rotate-master", "--data", data); code != exitOK || !strings.Contains(stdout, "sealed 2 ") {
		t.Fatalf("rotate: exit %d %s %s", code, stdout, stderr)
	}
}

func TestTheConfigurationNamesDatabasesAndProviders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "agent.yaml")
	text := "model: {default: local-one}\napp: {database: " + dir + "/a.db}\nauth: {database: " + dir + "/b.db}\n" +
		"providers:\n  - {id: local, kind: openai, baseUrl: 'http://127.0.0.1:9/v1/', models: [local-one], keyless: true}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := openDeck(context.Background(), common{Data: dir, Config: file}, "", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := out(t, "", "jobs", "run", "expire", "--data", dir, "--config", file); code != exitOK {
		t.Fatalf("exit %d %s %s", code, stdout, stderr)
	}
	for _, name := range []string{"a.db", "b.db"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s was not made: %v", name, err)
		}
	}
	cfg, err := common{Config: file}.settings()
	if err != nil || cfg.Providers[0].ID != "local" || !cfg.Providers[0].Keyless || len(cfg.Providers) != 4 {
		t.Fatalf("%+v, %v", cfg.Providers, err)
	}
}
