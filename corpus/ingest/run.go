package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// Config says where files go. Corpus, Scope and Cut are needed.
type Config struct {
	Corpus agent.Corpus
	Scope  agent.Scope
	// Cut cuts a Markdown text into its sections; the source path of a section is the
	// one given, unless the text says another.
	Cut func(markdown []byte, sourcePath string) []agent.Section
	// Memory is the file in which it is kept what the collection has; "" keeps nothing,
	// and each file is put again, which changes nothing but takes its time.
	Memory string
	// Again puts every file again, whatever is remembered: after a corpus was lost.
	Again bool
	// Tell is told how far it is, after each file.
	Tell func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int // files
	Sections    int // put so far
}

// Summary is what a run did. Files = Unchanged + Ingested + len(Problems) of files,
// unless the run was ended.
type Summary struct {
	Files     int // found
	Unchanged int // as they were when they were put before
	Ingested  int // put
	Sections  int // of those that were put
	Changed   int // sections that the corpus did not have, or has no more
	Problems  []Problem
}

// Run puts every Markdown file of the paths into the scope. A file that cannot be
// ingested is a problem of the summary and no error. The summary is right also beside
// an error. Errors: too_large (too many files), unavailable and what else the corpus
// says of itself, and the context's.
func Run(ctx context.Context, c Config, paths []string) (Summary, error) {
	f, err := find(ctx, paths)
	if err != nil {
		return Summary{}, err
	}
	defer f.close()
	m, err := openMemory(c.Memory)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = m.close() }() // each line was written when it was noted
	r := &run{Config: c, memory: m, claimed: map[string]string{}}
	r.sum.Files, r.sum.Problems = len(f.files), f.problems
	for i, one := range f.files {
		if err := ctx.Err(); err != nil {
			return r.sum, err
		}
		if err := r.file(ctx, one); err != nil {
			if ctx.Err() != nil || fatal(err) {
				return r.sum, err
			}
			r.sum.Problems = append(r.sum.Problems, Problem{one.key, err})
		}
		if c.Tell != nil {
			c.Tell(Progress{Done: i + 1, Total: len(f.files), Sections: r.sum.Sections})
		}
	}
	return r.sum, nil
}

// down marks a failure of the corpus or of the memory, which no other file would
// survive either.
type down struct{ error }

// Unwrap gives the failure.
func (d down) Unwrap() error { return d.error }

func fatal(err error) bool {
	var d down
	return errors.As(err, &d)
}

type run struct {
	Config
	memory  *memory
	sum     Summary
	claimed map[string]string // source path: the file that has it in this run
}

// file puts one file.
func (r *run) file(ctx context.Context, f file) error {
	data, err := f.read()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	now := entry{Key: f.key, SHA256: hex.EncodeToString(sum[:]), Source: f.key}
	before, known := r.memory.entries[f.key]
	if known && !r.Again && before.SHA256 == now.SHA256 {
		if err := r.claim(before.Source, f.key); err != nil {
			return err
		}
		r.sum.Unchanged++
		return nil
	}
	sections := r.Cut(data, f.key)
	if len(sections) > 0 {
		now.Source = sections[0].SourcePath
	}
	if err := checkSourcePath(now.Source); err != nil {
		return err
	}
	if err := r.claim(now.Source, f.key); err != nil {
		return err
	}
	changed, err := r.put(ctx, now.Source, sections)
	if err != nil {
		return err
	}
	if known && before.Source != now.Source {
		if err := r.leave(ctx, before.Source); err != nil {
			return err
		}
	}
	if err := r.memory.note(now); err != nil {
		return down{err}
	}
	r.sum.Ingested++
	r.sum.Sections += len(sections)
	r.sum.Changed += changed
	return nil
}

// claim lets a source path be one file's only: two would replace each other's sections
// at each run.
func (r *run) claim(source, key string) error {
	if other, taken := r.claimed[source]; taken {
		return &agent.Error{Code: agent.CodeConflict, Message: fmt.Sprintf("It has the source path %s, and so has %s.", source, other),
			Hint: "Give one of the two another source_path in its front matter, or another name."}
	}
	r.claimed[source] = key
	return nil
}

// leave takes out what a file had under its old source path, unless another file of
// this run has that now. A file that comes later and has it is put again.
func (r *run) leave(ctx context.Context, source string) error {
	if _, taken := r.claimed[source]; taken {
		return nil
	}
	for key, e := range r.memory.entries {
		if e.Source == source {
			delete(r.memory.entries, key)
		}
	}
	changed, err := r.put(ctx, source, nil)
	r.sum.Changed += changed
	return err
}

// put puts sections; what the corpus says of itself ends the run.
func (r *run) put(ctx context.Context, source string, sections []agent.Section) (int, error) {
	changed, err := r.Corpus.Put(ctx, r.Scope, source, sections)
	switch agent.ErrorCode(err) {
	case agent.CodeTooLarge, agent.CodeInvalidInput:
		return changed, err
	}
	if err != nil {
		return changed, down{err}
	}
	return changed, nil
}
