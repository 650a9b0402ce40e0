package importer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of an import.
const (
	MaxFiles     = 2_000
	MaxFileBytes = 4 << 20
	MaxBytes     = 64 << 20
)

// Files is an imported deck by path.
type Files map[string][]byte

var kept = map[string]bool{
	".html": true, ".md": true, ".astro": true, ".css": true, ".yaml": true, ".yml": true, ".json": true, ".js": true,
	".svg": true, ".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".avif": true,
	".woff": true, ".woff2": true, ".ttf": true, ".otf": true, ".txt": true,
}

// HasSlides reports whether a folder holds slides of its own.
func HasSlides(dir string) bool {
	for _, pattern := range []string{"*.html", "*.md", "*.astro"} {
		found, err := fs.Glob(os.DirFS(dir), "slides/"+pattern)
		if err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// Folder reads a folder with slides: files of the kinds that a deck is made of,
// no hidden ones, no node_modules, no links. Errors: too_large, not_found.
func Folder(dir string) (Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		e := agent.NotFound("folder")
		e.Cause = err
		return nil, e
	}
	defer func() { _ = root.Close() }()
	r := reader{root: root, files: Files{}}
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case strings.ContainsAny(p, "\\\n") || strings.HasSuffix(p, " "):
			return nil
		case !d.Type().IsRegular() || !kept[strings.ToLower(path.Ext(p))]:
			return nil
		}
		_, err = r.read(p)
		return err
	})
	if err != nil {
		return nil, readError(err)
	}
	return r.files, nil
}

func readError(err error) error {
	var e *agent.Error
	if errors.As(err, &e) {
		return err
	}
	return agent.Wrap(agent.CodeInvalidInput, err, "The folder cannot be read as a deck.")
}

// reader reads files below a root and keeps the limits.
type reader struct {
	root  *os.Root
	files Files
	size  int64
}

// read takes a file in; one that is a link, is missing or leaves the folder is not
// read and not told as an error: found is false.
func (r *reader) read(p string) (found bool, err error) {
	if _, ok := r.files[p]; ok {
		return true, nil
	}
	if info, err := r.root.Lstat(p); err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	f, err := r.root.Open(p)
	if err != nil {
		return false, nil
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return false, fmt.Errorf("read %s: %w", p, err)
	}
	if len(data) > MaxFileBytes {
		return false, agent.Errorf(agent.CodeTooLarge, "%s is over %d MiB.", p, MaxFileBytes>>20)
	}
	if r.size += int64(len(data)); r.size > MaxBytes || len(r.files) >= MaxFiles {
		return false, agent.Errorf(agent.CodeTooLarge, "The deck has more than %d files or %d MiB.", MaxFiles, MaxBytes>>20)
	}
	r.files[p] = data
	return true, nil
}
