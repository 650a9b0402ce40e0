package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// Repo is one repository. It is safe for concurrent use; writers of one process
// wait for each other, writers of several meet at compare and set.
type Repo struct {
	dir    string
	gitDir string
	mu     *sync.Mutex
	blobs  *blobCache
}

// ErrNotRepository tells that a folder is not the root of a git repository.
var ErrNotRepository = errors.New("not the root of a git repository")

// locks holds one lock a repository, whatever number of Repos stand for it.
var locks sync.Map

// Open opens the repository whose root is dir, bare or not. Errors:
// ErrNotRepository, unavailable (git is missing).
func Open(ctx context.Context, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRepository, err)
	}
	r := &Repo{dir: abs, blobs: newBlobCache(maxCachedBytes)}
	out, err := r.git(ctx, "rev-parse", "--absolute-git-dir", "--is-bare-repository", "--is-inside-work-tree", "--show-prefix")
	if err != nil {
		return nil, openError(err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 4 || lines[3] != "" {
		return nil, ErrNotRepository
	}
	if r.gitDir, err = filepath.EvalSymlinks(lines[0]); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if lines[2] != "true" && (lines[1] != "true" || r.gitDir != abs) {
		return nil, ErrNotRepository
	}
	mu, _ := locks.LoadOrStore(r.gitDir, &sync.Mutex{})
	r.mu = mu.(*sync.Mutex)
	return r, nil
}

func openError(err error) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	if strings.Contains(f.stderr, "dubious ownership") {
		return &agent.Error{
			Code: agent.CodeForbidden, Message: "The repository belongs to another user of this machine.",
			Hint: "Run as its owner, or copy the folder.", Cause: err,
		}
	}
	return fmt.Errorf("%w: %w", ErrNotRepository, err)
}

// Init makes a repository with a work tree in dir, which may exist, and no
// commit yet; branch is its first one.
func Init(ctx context.Context, dir, branch string) (*Repo, error) {
	if err := checkBranch(branch); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("init repository: %w", err)
	}
	if _, err := run(ctx, command{args: []string{"init", "-q", "--template=", "--initial-branch=" + branch, "."}, dir: dir}); err != nil {
		return nil, err
	}
	return Open(ctx, dir)
}

// Dir gives the root of the work tree, or the git folder of a bare repository.
func (r *Repo) Dir() string { return r.dir }

// quietly is the exit code of a -q command that found nothing; any other one is a fault.
const quietly = 1

// HeadBranch gives the branch that HEAD names, "" when it is detached. The branch
// need not have a commit.
func (r *Repo) HeadBranch(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "symbolic-ref", "-q", "--short", "HEAD")
	var f *failure
	if errors.As(err, &f) && f.code == quietly {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// Head gives the commit that HEAD stands on, not_found before the first one.
func (r *Repo) Head(ctx context.Context) (string, error) { return r.commit(ctx, "HEAD") }

// Tip gives the commit of a branch. Errors: not_found, invalid_input (name).
func (r *Repo) Tip(ctx context.Context, branch string) (string, error) {
	if err := checkBranch(branch); err != nil {
		return "", err
	}
	if id := r.loose(branch); id != "" {
		return id, nil
	}
	return r.commit(ctx, "refs/heads/"+branch)
}

// loose reads a branch that git keeps as a file of its own, which goes before any other
// place, or gives "". Every turn asks for a tip, and a process costs a thousand times more.
func (r *Repo) loose(branch string) string {
	data, err := os.ReadFile(filepath.Join(r.gitDir, "refs", "heads", filepath.FromSlash(branch)))
	id := strings.TrimSuffix(string(data), "\n")
	if err != nil || len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

func (r *Repo) commit(ctx context.Context, rev string) (string, error) {
	out, err := r.git(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{commit}")
	var f *failure
	if errors.As(err, &f) && f.code == quietly {
		e := agent.NotFound("branch or commit")
		e.Cause = err
		return "", e
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// checkBranch refuses names that git would refuse or read as something else.
func checkBranch(name string) error {
	bad := name == "" || len(name) > 200 || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "/") ||
		strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, ".lock") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") ||
		strings.Contains(name, "/.") || strings.HasPrefix(name, ".") || strings.Contains(name, ".lock/")
	for _, c := range []byte(name) {
		bad = bad || c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0
	}
	if bad {
		return agent.Errorf(agent.CodeInvalidInput, "%.60q is no name for a branch.", name)
	}
	return nil
}
