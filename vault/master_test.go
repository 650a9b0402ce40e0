package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// bytesOf gives the bytes of one version.
func bytesOf(m MasterKeys, version int) string { return string(m.keys[version].raw()) }

func TestMasterKeysAreReadInEveryUsualForm(t *testing.T) {
	for text, want := range map[string][]int{
		master1: {1}, " " + master1 + "\n": {1}, strings.TrimRight(master1, "="): {1}, "v3:" + master1: {3},
		"v1:" + master1 + ",v2:" + master2: {1, 2}, "v2:" + master2 + "\r\nv1:" + master1 + "\n": {1, 2},
		strings.NewReplacer("+", "-", "/", "_").Replace(master2): {1},
	} {
		m, err := ParseMaster(text)
		if err != nil || !reflect.DeepEqual(m.Versions(), want) || m.Current() != want[len(want)-1] {
			t.Errorf("%q: %v, %v", text, m.Versions(), err)
		}
	}
}

func TestAMalformedMasterKeySaysWhatToDoAndQuotesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"": "no master key", " \n": "no master key", ",": "no master key", "not base64 at all!": "not base64", "QUJD": "3 bytes",
		strings.Repeat("A", 42): "31 bytes", strings.Repeat("A", 44): "33 bytes", "v0:" + master1: "no version", "1:" + master1: "no version",
		"vv1:" + master1: "no version", "v-1:" + master1: "no version", "v1:" + master1 + ",v1:" + master2: "twice",
		master1 + "," + master2: "needs one", "v1:": "0 bytes", "SECRETWORD": "bytes",
	} {
		_, err := ParseMaster(text)
		var e *agent.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want) || !strings.Contains(e.Hint, MasterEnv) || strings.Contains(e.Error(), "SECRETWORD") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAMasterKeyFileIsMadeOnceAndGrowsByVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	if _, err := LoadMaster(path); !errors.Is(err, fs.ErrNotExist) || agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Errorf("before: %v", err)
	}
	first, err := LoadOrCreateMaster(path)
	if err != nil || first.Current() != 1 {
		t.Fatal(err)
	}
	again, err := LoadOrCreateMaster(path)
	if err != nil || bytesOf(again, 1) != bytesOf(first, 1) {
		t.Errorf("the second run has another key: %v", err)
	}
	second, err := AddMaster(path)
	if err != nil || second.Current() != 2 || bytesOf(second, 1) != bytesOf(first, 1) ||
		bytesOf(second, 2) == bytesOf(first, 1) {
		t.Errorf("after adding: %v, %v", second, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".master-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := AddMaster(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a version was added to nothing")
	}
}

func TestTheEnvironmentsMasterKeyComesBeforeTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	if m, err := OpenMaster("v7:"+master1, path); err != nil || m.Current() != 7 {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := OpenMaster("typo", path); err == nil {
		t.Error("a malformed value was passed over")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	if m, err := OpenMaster("", path); err != nil || m.Current() != 1 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestTwoProgramsThatStartAtOnceShareTheMaster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	var wg sync.WaitGroup
	got := make([]MasterKeys, 8)
	for i := range got {
		wg.Go(func() { got[i], _ = LoadOrCreateMaster(path) })
	}
	wg.Wait()
	for _, m := range got {
		if m.Current() != 1 || bytesOf(m, 1) != bytesOf(got[0], 1) {
			t.Fatal("they do not agree")
		}
	}
}

func TestAMasterKeyFileThatIsWrongSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		write("group", master1, 0o640): "chmod 600", write("world", master1, 0o601): "chmod 600",
		write("empty", "", 0o600): "malformed", write("text", "SECRETWORD", 0o600): "malformed",
		filepath.Join(dir, "no/folder"): "writable", dir: "not a file",
	} {
		_, err := LoadOrCreateMaster(path)
		if err == nil || !strings.Contains(agent.ErrorMessage(err), want) || strings.Contains(err.Error(), "SECRETWORD") {
			t.Errorf("%s: %v, want %q", filepath.Base(path), err, want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "text")); err != nil || string(text) != "SECRETWORD" {
		t.Error("a file that could not be read was replaced")
	}
}

// FuzzMasterKeysAreTakenWholeOrNotAtAll feeds the parser any text.
func FuzzMasterKeysAreTakenWholeOrNotAtAll(f *testing.F) {
	f.Add("v1:" + master1 + ",v2:" + master2)
	f.Add(master1)
	f.Add("v1::,")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMaster(text)
		if (err == nil) != (m.Current() > 0) || err == nil && m.keys[m.Current()].aead == nil {
			t.Fatalf("%q: version %d, %v", text, m.Current(), err)
		}
	})
}
