package crash

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// judgeRepo compares the deck's repository with the model: content, merges, commits
// that took one back, and the editor's own.
func (s *scene) judgeRepo() {
	var merges, undos, edits []string
	branch := s.repo.Working()
	out := s.repo.Git("log", "--first-parent", "--format=%H%x09%P%x09%(trailers:key=In-App-Agent-Key,valueonly,separator=%x20)", branch)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		switch {
		case len(strings.Fields(f[1])) == 2:
			merges = append(merges, strings.TrimSpace(f[2]))
		case strings.TrimSpace(f[2]) != "":
			undos = append(undos, strings.TrimSpace(f[2]))
		default:
			edits = append(edits, f[0])
		}
	}
	s.same("the merges", merges, sortedKeys(s.world.merges))
	s.same("the commits that take back", undos, sortedKeys(s.world.undos))
	for _, c := range s.world.commits {
		if !slices.Contains(edits, c) {
			s.t.Errorf("a commit of the editor's is lost: %s", s.repo.Git("show", "-s", "--format=%s", c))
		}
	}
	files := s.repo.Files(branch)
	for path, want := range s.world.files {
		if files[path] != want {
			s.t.Errorf("%s is %.120q, want %.120q", path, files[path], want)
		}
	}
	s.repo.Git("fsck", "--strict")
	s.judgeTree()
}

// judgeTree looks whether the work tree followed its branch. Where its lock was held
// by another program a note says so, and the next change brings it along.
func (s *scene) judgeTree() {
	notes, _ := os.ReadDir(filepath.Join(s.repo.Dir, ".git", "in-app-agent"))
	if status := s.repo.Git("status", "--porcelain"); status != "" && len(notes) == 0 {
		s.t.Errorf("the work tree: %s", status)
	}
	// A life that ends between side branches and their previews leaves them to the
	// clean-up job; nothing else does.
	if left, deaths := s.repo.Branches("chat/"), s.life.deaths(); len(left) > widest*deaths {
		s.t.Errorf("%d deaths left the side branches %v", deaths, left)
	}
}

// judgeSecrets looks for the key wherever it must not be.
func (s *scene) judgeSecrets() {
	for where, text := range map[string]string{"the log": s.server.Log(), "what users heard": s.server.Heard()} {
		if at := strings.Index(text, s.key); at >= 0 {
			s.t.Errorf("the key stands in %s", where)
		}
	}
	for _, path := range holding(s.t, s.server.Data, s.key) {
		s.t.Errorf("the key stands in %s", path)
	}
}

// holding gives the files below a folder that hold a text.
func holding(t interface{ Fatal(...any) }, root, text string) (paths []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), text) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
