package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	agent "github.com/lossless-group/in-app-agent"
)

// memoryVersion is raised when files are cut in another way, so that all are cut again.
const memoryVersion = 1

// entry is a file that the corpus has.
type entry struct {
	Version int    `json:"v"`
	Key     string `json:"file"`
	SHA256  string `json:"sha256"`
	Source  string `json:"source"`
}

// memory remembers which files were put into one collection: a file of lines, one a
// file, the last one counts. A line is written once the corpus has the file, so a run
// that is killed has at most one line too few. Without a path it remembers nothing.
type memory struct {
	entries map[string]entry // by key
	out     *os.File
}

// openMemory reads what is remembered and writes it anew without what is outdated.
func openMemory(path string) (*memory, error) {
	m := &memory{entries: map[string]entry{}}
	if path == "" {
		return m, nil
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, forgets(err)
	}
	for line := range bytes.Lines(data) {
		var e entry
		whole := bytes.HasSuffix(line, []byte("\n")) // a torn one was the last of a killed run
		if whole && json.Unmarshal(line, &e) == nil && e.Version == memoryVersion && e.Key != "" {
			m.entries[e.Key] = e
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, forgets(err)
	}
	if err := m.rewrite(path); err != nil {
		return nil, forgets(err)
	}
	m.out, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, forgets(err)
	}
	return m, nil
}

// rewrite writes all entries to a new file that takes the old one's place at once.
func (m *memory) rewrite(path string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".memory-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // it is gone once it has its name
	w := bufio.NewWriter(tmp)
	enc := json.NewEncoder(w)
	for _, e := range m.entries {
		if err := enc.Encode(e); err != nil {
			return errors.Join(err, tmp.Close())
		}
	}
	if err := errors.Join(w.Flush(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// note remembers a file that the corpus has now.
func (m *memory) note(e entry) error {
	e.Version = memoryVersion
	m.entries[e.Key] = e
	if m.out == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return forgets(err)
	}
	if _, err := m.out.Write(append(line, '\n')); err != nil {
		return forgets(err)
	}
	return nil
}

func (m *memory) close() error {
	if m.out == nil {
		return nil
	}
	return m.out.Close()
}

func forgets(cause error) *agent.Error {
	e := agent.Wrap(agent.CodeUnavailable, cause, "The list of what was ingested cannot be kept.")
	e.Hint = "It stands beside the corpus in the data folder; check that this user may write there."
	return e
}
