package gitrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// begun is the time of every commit in these tests.
var begun = time.Unix(1_800_000_000, 0)

// newRepo makes a repository whose branch work holds some files and is checked out.
func newRepo(tb testing.TB, files map[string]string) *gitrepo.Repo {
	tb.Helper()
	ctx := tb.Context()
	r, err := gitrepo.Init(ctx, tb.TempDir(), "work")
	must(tb, err)
	content := map[string][]byte{}
	for p, text := range files {
		content[p] = []byte(text)
	}
	commit, err := r.Write(ctx, "", content, gitrepo.Message{Subject: "begin", When: begun})
	must(tb, err)
	must(tb, r.SetBranch(ctx, "work", "", commit))
	must(tb, r.CheckOut(ctx, "work"))
	return r
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func tip(tb testing.TB, r *gitrepo.Repo, branch string) string {
	tb.Helper()
	id, err := r.Tip(tb.Context(), branch)
	must(tb, err)
	return id
}

func content(tb testing.TB, r *gitrepo.Repo, branch, path string) string {
	tb.Helper()
	tree, err := r.Tree(tb.Context(), tip(tb, r, branch))
	must(tb, err)
	e, ok := tree[path]
	if !ok {
		return "(none)"
	}
	blobs, err := r.Blobs(tb.Context(), []string{e.Blob})
	must(tb, err)
	return string(blobs[e.Blob])
}

func onDisk(tb testing.TB, r *gitrepo.Repo, path string) string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join(r.Dir(), path))
	if errors.Is(err, os.ErrNotExist) {
		return "(none)"
	}
	must(tb, err)
	return string(raw)
}

// plainGit runs git as a user would, beside us.
func plainGit(tb testing.TB, r *gitrepo.Repo, args ...string) string {
	tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir()
	cmd.Env = append(gitrepo.Environment(), "GIT_AUTHOR_NAME=U", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=U", "GIT_COMMITTER_EMAIL=u@x")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestWhatIsWrittenIsReadBackByteForByte(t *testing.T) {
	r := newRepo(t, map[string]string{"keep.txt": "k"})
	want := map[string][]byte{
		"a.html": []byte("<p>\r\nLine\x00 ends\n"), "deep/er/ü 名.css": []byte("x"), "empty": {},
		"big.bin": bytes.Repeat([]byte("0123456789"), 100_000),
	}
	commit, err := r.Write(t.Context(), tip(t, r, "work"), want, gitrepo.Message{Subject: "s", When: begun})
	must(t, err)
	tree, err := r.Tree(t.Context(), commit)
	must(t, err)
	if len(tree) != len(want)+1 {
		t.Fatalf("the commit holds %d files, want %d", len(tree), len(want)+1)
	}
	for p, data := range want {
		blobs, err := r.Blobs(t.Context(), []string{tree[p].Blob})
		must(t, err)
		if !bytes.Equal(blobs[tree[p].Blob], data) || tree[p].Size != int64(len(data)) {
			t.Errorf("%s came back as %d bytes, want %d", p, len(blobs[tree[p].Blob]), len(data))
		}
	}
	if got := tip(t, r, "work"); got == commit {
		t.Error("writing moved a branch")
	}
}

func TestANilContentRemovesAFile(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "2"})
	commit, err := r.Write(t.Context(), tip(t, r, "work"), map[string][]byte{"a": nil}, gitrepo.Message{Subject: "s", When: begun})
	must(t, err)
	tree, err := r.Tree(t.Context(), commit)
	must(t, err)
	if _, ok := tree["a"]; ok || len(tree) != 1 {
		t.Fatalf("the tree holds %v, want b alone", tree)
	}
}

func TestHostilePathsAreRefused(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	for _, p := range []string{
		"", "/etc/passwd", "../x", "a/../../x", "slides/../../x", ".git/config", "x/.GIT/hooks/pre-commit", "a//b", "./a",
		"a\x00b", "a\nb", `a\b`, "x/", "dir /x", strings.Repeat("a", 1001),
	} {
		_, err := r.Write(t.Context(), "", map[string][]byte{p: []byte("x")}, gitrepo.Message{Subject: "s", When: begun})
		if agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("path %.40q: %v, want invalid_input", p, err)
		}
	}
	if _, err := r.Write(t.Context(), "", map[string][]byte{strings.Repeat("a", 1000): []byte("x")}, gitrepo.Message{Subject: "s", When: begun}); err != nil {
		t.Errorf("a path at the limit: %v", err)
	}
}

func TestHostileBranchNamesAreRefused(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	at := tip(t, r, "work")
	for _, name := range []string{
		"", "-x", "--delete", "a..b", "a b", "a\x00", "a~1", "a^", "a:b", "x.lock", "x.lock/y", "a//b", "/a", "a/", "a/.b", ".a", "a@{1}", "a?", "a*", "a[", `a\b`, "a.", strings.Repeat("a", 201),
	} {
		if err := r.SetBranch(t.Context(), name, "", at); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("branch %.40q: %v, want invalid_input", name, err)
		}
		if _, err := r.Tip(t.Context(), name); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("tip of %.40q: %v, want invalid_input", name, err)
		}
	}
}

func TestLinksAreNoFilesOfACommit(t *testing.T) {
	r := newRepo(t, map[string]string{"slides/01.html": "x"})
	must(t, os.Symlink("/etc/passwd", filepath.Join(r.Dir(), "slides", "02.html")))
	plainGit(t, r, "add", ".")
	plainGit(t, r, "commit", "-qm", "link")
	tree, err := r.Tree(t.Context(), tip(t, r, "work"))
	must(t, err)
	if _, ok := tree["slides/02.html"]; ok || len(tree) != 1 {
		t.Fatalf("the tree holds %v, want no link", tree)
	}
}

func TestOnlyTheRootOfARepositoryOpens(t *testing.T) {
	r := newRepo(t, map[string]string{"sub/a": "1"})
	if _, err := gitrepo.Open(t.Context(), r.Dir()); err != nil {
		t.Errorf("the root: %v", err)
	}
	bare := t.TempDir()
	plainGit(t, r, "clone", "-q", "--bare", r.Dir(), bare)
	if _, err := gitrepo.Open(t.Context(), bare); err != nil {
		t.Errorf("a bare repository: %v", err)
	}
	for _, dir := range []string{filepath.Join(r.Dir(), "sub"), t.TempDir(), filepath.Join(r.Dir(), "none"), filepath.Join(r.Dir(), ".git", "refs")} {
		if _, err := gitrepo.Open(t.Context(), dir); !errors.Is(err, gitrepo.ErrNotRepository) {
			t.Errorf("%s: %v, want ErrNotRepository", filepath.Base(dir), err)
		}
	}
}

func TestTheCallersEnvironmentAndTheRepositorysHooksDoNotReachGit(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	t.Setenv("GIT_DIR", t.TempDir())
	t.Setenv("GIT_INDEX_FILE", "/nowhere/index")
	t.Setenv("GIT_CONFIG_COUNT", "not a number")
	witness := filepath.Join(t.TempDir(), "ran")
	hooks := filepath.Join(r.Dir(), ".git", "hooks")
	must(t, os.MkdirAll(hooks, 0o755))
	script := "#!/bin/sh\ntouch " + witness + "\nexit 1\n"
	for _, h := range []string{"reference-transaction", "post-index-change", "pre-commit", "post-checkout"} {
		must(t, os.WriteFile(filepath.Join(hooks, h), []byte(script), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(r.Dir(), ".git", "config"), []byte("[core]\n\tfsmonitor = touch "+witness+"\n"), 0o644))
	side := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2"})
	if _, err := r.Apply(t.Context(), merge("k/1/apply", side)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(witness); err == nil {
		t.Fatal("a hook of the repository ran")
	}
	if got := content(t, r, "work", "a"); got != "2" {
		t.Fatalf("a holds %q, want 2", got)
	}
}

func TestAWordOfTheUserCannotForgeATrailer(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	at := tip(t, r, "work")
	commit, err := r.Write(t.Context(), at, map[string][]byte{"a": []byte("2")}, gitrepo.Message{
		Subject: "innocent\n\nIn-App-Agent-Key: stolen/key/apply\n", Author: "Eve <eve@x>\nIn-App-Agent-Key: no", When: begun,
		Trailers: map[string]string{gitrepo.TrailerCall: "call_1\nIn-App-Agent-Key: stolen/key/apply"},
	})
	must(t, err)
	must(t, r.SetBranch(t.Context(), "work", at, commit))
	found, err := r.Merged(t.Context(), "work", "stolen/key/apply")
	must(t, err)
	if found != "" {
		t.Fatal("a subject with line breaks was taken for a trailer")
	}
	log, err := r.Log(t.Context(), "work", 1)
	must(t, err)
	if strings.ContainsAny(log[0].Subject, "\n") || log[0].Key != "" {
		t.Fatalf("the log says %+v", log[0])
	}
}

func TestACancelledContextEndsACommand(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Head(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
}

func TestATakenNameOfAProposalGetsANumber(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	seen := map[string]bool{}
	for i := range 3 {
		p := propose(t, r, tip(t, r, "work"), "chat/same", map[string]string{"a": fmt.Sprint(i)})
		if seen[p.branch] {
			t.Fatalf("%s was given twice", p.branch)
		}
		seen[p.branch] = true
	}
	branches, err := r.Branches(t.Context(), "chat/")
	must(t, err)
	if len(branches) != 3 || !branches[0].Ours || branches[0].When != begun.Unix() {
		t.Fatalf("branches: %+v", branches)
	}
}
