package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// MaxFiles bounds how many files one run takes.
const MaxFiles = 200_000

// Problem is a file, or a folder, that was not ingested.
type Problem struct {
	Path string
	Err  error // an *agent.Error
}

// file is a Markdown file on its way: its name within an opened folder, and the name
// that it has in the corpus unless its front matter says another.
type file struct {
	root *os.Root
	name string
	key  string
}

// found are the files of a run. close closes their folders.
type found struct {
	files    []file
	problems []Problem
	roots    []*os.Root
}

func (f *found) close() {
	for _, r := range f.roots {
		_ = r.Close() // it was only read
	}
}

func (f *found) problem(path string, err error) {
	f.problems = append(f.problems, Problem{path, err})
}

// find lists the Markdown files of paths, each a file or a folder. A file is read
// through its opened folder, which no link leads out of, whatever is swapped
// meanwhile. Hidden files and folders are left out.
func find(ctx context.Context, paths []string) (*found, error) {
	f := &found{}
	for _, p := range paths {
		if err := f.add(ctx, p); err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

func (f *found) add(ctx context.Context, given string) error {
	abs, err := filepath.Abs(given)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs) // what is named on purpose may be a link
	}
	if err != nil {
		f.problem(given, unreadable(err))
		return nil
	}
	info, err := os.Stat(abs)
	if err != nil {
		f.problem(given, unreadable(err))
		return nil
	}
	dir := abs
	if !info.IsDir() {
		dir = filepath.Dir(abs)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.problem(given, unreadable(err))
		return nil
	}
	f.roots = append(f.roots, root)
	if info.IsDir() {
		return f.walk(ctx, root, given, filepath.Base(abs))
	}
	name := filepath.Base(abs)
	switch {
	case !info.Mode().IsRegular():
		f.problem(given, notRegular())
	case !markdown(name):
		f.problem(given, &agent.Error{Code: agent.CodeUnsupportedMedia, Message: "It is no Markdown file.", Hint: "Its name must end in .md or .markdown."})
	default:
		return f.take(file{root, name, name})
	}
	return nil
}

func (f *found) take(one file) error {
	if len(f.files) >= MaxFiles {
		return agent.Errorf(agent.CodeTooLarge, "One run takes %d files at most.", MaxFiles)
	}
	f.files = append(f.files, one)
	return nil
}

// walk goes through a folder in the order of names. base is the first part of what its
// files are called.
func (f *found) walk(ctx context.Context, root *os.Root, given, base string) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		shown := filepath.Join(given, filepath.FromSlash(name))
		if err != nil {
			f.problem(shown, unreadable(err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		hidden := name != "." && strings.HasPrefix(d.Name(), ".")
		switch {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden:
		case d.Type()&fs.ModeSymlink != 0:
			f.link(root, name, shown)
		case !markdown(name):
		case !d.Type().IsRegular():
			f.problem(shown, notRegular())
		default:
			return f.take(file{root, name, path.Join(base, name)})
		}
		return nil
	})
}

// link looks at a link. One that stays inside is left out without a word: what it
// leads to is found at its own place, and once.
func (f *found) link(root *os.Root, name, shown string) {
	_, err := root.Stat(filepath.FromSlash(name))
	if err == nil {
		return
	}
	target, outside := os.Stat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	folder := outside == nil && target.IsDir()
	switch {
	case !folder && !markdown(name):
	case errors.Is(err, fs.ErrNotExist):
		f.problem(shown, unreadable(err))
	default:
		f.problem(shown, &agent.Error{Code: agent.CodeForbidden, Message: "It is a link that leads out of the folder.",
			Hint: "Name what it leads to itself, if it is to be ingested.", Cause: err})
	}
}

func markdown(name string) bool {
	return slices.Contains([]string{".md", ".markdown"}, strings.ToLower(path.Ext(name)))
}

func unreadable(cause error) *agent.Error {
	e := agent.Wrap(agent.CodeUnavailable, cause, "It cannot be read.")
	switch {
	case errors.Is(cause, fs.ErrNotExist):
		e.Code, e.Message = agent.CodeNotFound, "It is not there."
	case errors.Is(cause, fs.ErrPermission):
		e.Code, e.Message, e.Hint = agent.CodeForbidden, "This user may not read it.", "Give the user that runs this command the right to read it."
	}
	return e
}

func notRegular() *agent.Error {
	return agent.Errorf(agent.CodeUnsupportedMedia, "It is no regular file.")
}
