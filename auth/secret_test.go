package auth

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestASecretIsMadeOnceAndReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.secret")
	first, err := LoadOrCreateSecret(path)
	if err != nil || len(first) != SecretBytes {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	again, err := LoadOrCreateSecret(path)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the second run has another secret: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	other, err := LoadOrCreateSecret(filepath.Join(t.TempDir(), "s"))
	if err != nil || bytes.Equal(first, other) {
		t.Errorf("two apps share a secret: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".secret-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTwoProgramsThatStartAtOnceShareTheSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.secret")
	var wg sync.WaitGroup
	got := make([][]byte, 8)
	for i := range got {
		wg.Go(func() { got[i], _ = LoadOrCreateSecret(path) })
	}
	wg.Wait()
	for _, s := range got {
		if len(s) != SecretBytes || !bytes.Equal(s, got[0]) {
			t.Fatal("they do not agree")
		}
	}
}

func TestASecretFileThatIsWrongSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	good := strings.Repeat("A", 43) + "=\n"
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		write("group", good, 0o640):                          "chmod 600",
		write("world", good, 0o604):                          "chmod 600",
		write("empty", "", 0o600):                            "Remove the file",
		write("short", "AAAA", 0o600):                        "Remove the file",
		write("long", strings.Repeat("A", 44)+"AAAA", 0o600): "Remove the file",
		write("text", "password", 0o600):                     "Remove the file",
		filepath.Join(dir, "no/such/folder"):                 "writable",
		dir:                                                  "not a file",
	} {
		_, err := LoadOrCreateSecret(path)
		if err == nil || !strings.Contains(agent.ErrorMessage(err), want) || strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %v, want %q", filepath.Base(path), err, want)
		}
	}
	if _, err := LoadOrCreateSecret(write("good", good, 0o600)); err != nil {
		t.Errorf("a good file: %v", err)
	}
}
