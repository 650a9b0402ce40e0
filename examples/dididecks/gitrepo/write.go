package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/plant"
)

// The trailers of our commits. Only a merge and a commit that takes one back carry
// the key.
const (
	TrailerKey        = "In-App-Agent-Key"
	TrailerCall       = "In-App-Agent-Call"
	TrailerCapability = "In-App-Agent-Capability"
)

// Message is the text of a commit and who stands behind it.
type Message struct {
	Subject  string // cut to one line of 100 characters
	Body     string // paragraphs of ours, never words of a user
	Trailers map[string]string
	Author   string
	When     time.Time
}

// zeroID stands for "no such ref" in update-ref.
const zeroID = "0000000000000000000000000000000000000000"

// Write puts files over the tree of a parent commit ("" is the empty tree) and
// gives the new commit, which no branch names yet. A nil content removes a file.
func (r *Repo) Write(ctx context.Context, parent string, files map[string][]byte, m Message) (string, error) {
	ids, err := r.store(ctx, files)
	if err != nil {
		return "", err
	}
	var index bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := checkPath(path); err != nil {
			return "", err
		}
		if files[path] == nil {
			fmt.Fprintf(&index, "0 %s\t%s\x00", zeroID, path)
			continue
		}
		fmt.Fprintf(&index, "100644 %s\t%s\x00", ids[path], path)
	}
	var parents []string
	if parent != "" {
		parents = []string{parent}
	}
	return r.commitIndex(ctx, parent, index.Bytes(), parents, m)
}

// store writes contents as objects, all of them in one run of git, and gives
// their ids by path.
func (r *Repo) store(ctx context.Context, files map[string][]byte) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "deck-marks-")
	if err != nil {
		return nil, fmt.Errorf("write files: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var stream bytes.Buffer
	var order []string
	for path, data := range files {
		if data != nil {
			order = append(order, path)
			fmt.Fprintf(&stream, "blob\nmark :%d\ndata %d\n", len(order), len(data))
			stream.Write(data)
			stream.WriteByte('\n')
		}
	}
	ids := map[string]string{}
	if len(order) == 0 {
		return ids, nil
	}
	stream.WriteString("done\n")
	marks := filepath.Join(dir, "marks")
	if _, err := r.run(ctx, command{args: []string{"fast-import", "--quiet", "--done", "--export-marks=" + marks}, stdin: stream.Bytes()}); err != nil {
		return nil, fmt.Errorf("write files: %w", err)
	}
	list, err := os.ReadFile(marks)
	if err != nil {
		return nil, fmt.Errorf("write files: %w", err)
	}
	for l := range strings.Lines(string(list)) {
		mark, id, _ := strings.Cut(strings.TrimSpace(l), " ")
		n, err := strconv.Atoi(strings.TrimPrefix(mark, ":"))
		if err != nil || n < 1 || n > len(order) {
			return nil, fmt.Errorf("fast-import wrote the mark %.40q", l)
		}
		ids[order[n-1]] = id
	}
	return ids, nil
}

// commitIndex applies index records to the tree of a commit in a private index
// and commits the outcome.
func (r *Repo) commitIndex(ctx context.Context, tree string, records []byte, parents []string, m Message) (string, error) {
	dir, err := os.MkdirTemp("", "deck-index-")
	if err != nil {
		return "", fmt.Errorf("make a private index: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if tree != "" {
		if _, err := r.run(ctx, command{args: []string{"read-tree", tree}, env: env}); err != nil {
			return "", fmt.Errorf("read the base: %w", err)
		}
	}
	if _, err := r.run(ctx, command{args: []string{"update-index", "-z", "--index-info"}, env: env, stdin: records}); err != nil {
		return "", fmt.Errorf("stage: %w", err)
	}
	written, err := r.run(ctx, command{args: []string{"write-tree"}, env: env})
	if err != nil {
		return "", fmt.Errorf("write tree: %w", err)
	}
	args := []string{"commit-tree", strings.TrimSpace(string(written)), "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := r.run(ctx, command{args: args, env: m.identity(), stdin: []byte(m.text())})
	if err != nil {
		return "", fmt.Errorf("commit: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// text lays the message out so that the trailers stand alone in its last
// paragraph, whatever the subject says.
func (m Message) text() string {
	var b strings.Builder
	b.WriteString(oneLine(m.Subject, 100) + "\n")
	if m.Body != "" {
		b.WriteString("\n" + strings.TrimSpace(m.Body) + "\n")
	}
	b.WriteString("\n")
	for _, name := range slices.Sorted(maps.Keys(m.Trailers)) {
		b.WriteString(name + ": " + oneLine(m.Trailers[name], 400) + "\n")
	}
	return b.String()
}

func (m Message) identity() []string {
	author := oneLine(strings.Map(func(c rune) rune {
		if c == '<' || c == '>' || c == '"' {
			return -1
		}
		return c
	}, m.Author), 80)
	if strings.Trim(author, ".,:; ") == "" {
		author = "In-App Agent"
	}
	date := "@" + strconv.FormatInt(max(m.When.Unix(), 0), 10) + " +0000"
	return []string{
		"GIT_AUTHOR_NAME=" + author, "GIT_AUTHOR_EMAIL=user@in-app-agent.invalid", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=In-App Agent", "GIT_COMMITTER_EMAIL=agent@in-app-agent.invalid", "GIT_COMMITTER_DATE=" + date,
	}
}

// oneLine cuts a text to one line without control characters.
func oneLine(s string, limit int) string {
	runes := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(c rune) bool {
		return c <= ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029
	}), " "))
	if len(runes) > limit {
		runes = append(runes[:limit-1], '…')
	}
	return string(runes)
}

// SetBranch moves a branch from one commit to another, or makes it where from is
// "". Errors: conflict (the branch is elsewhere), invalid_input (name).
func (r *Repo) SetBranch(ctx context.Context, branch, from, to string) error {
	if err := checkBranch(branch); err != nil {
		return err
	}
	if from == "" {
		from = zeroID
	}
	args := []string{"update-ref", "--create-reflog", "refs/heads/" + branch, to, from}
	if from != zeroID && plant.Planted(noCompare) {
		args = args[:len(args)-1]
	}
	_, err := r.git(ctx, args...)
	return refError(err)
}

// DeleteBranch removes a branch that stands on a commit; one that does not exist
// is no error. Errors: conflict (it stands elsewhere).
func (r *Repo) DeleteBranch(ctx context.Context, branch, at string) error {
	tip, err := r.Tip(ctx, branch)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if at != "" && tip != at {
		return agent.Errorf(agent.CodeConflict, "The branch %s has moved since.", branch)
	}
	_, err = r.git(ctx, "update-ref", "-d", "refs/heads/"+branch, tip)
	return refError(err)
}

func refError(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return agent.Wrap(agent.CodeConflict, err, "The branch was changed by somebody else at the same moment.")
	}
	return err
}

// checkPath refuses paths that could leave the tree or that git keeps for itself.
func checkPath(path string) error {
	bad := path == "" || len(path) > 1000 || strings.HasPrefix(path, "/") || strings.ContainsAny(path, "\x00\n\\")
	for part := range strings.SplitSeq(path, "/") {
		bad = bad || part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.HasSuffix(part, " ")
	}
	if bad {
		return agent.Errorf(agent.CodeInvalidInput, "%.80q is no path in a deck.", path)
	}
	return nil
}
