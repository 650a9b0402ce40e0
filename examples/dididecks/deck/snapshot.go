package deck

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// Snapshot is a deck as it stands in one commit. It is safe for concurrent use.
type Snapshot struct {
	Commit   string
	Manifest Manifest
	Slides   []Slide
	Kits     []Kit

	repo  *gitrepo.Repo
	files map[string]gitrepo.Entry

	last atomic.Pointer[gitrepo.Commit] // read once somebody asks
}

// Load reads a commit as a deck. A deck without slides is one. Errors: not_found,
// invalid_input (deck.yaml), too_large (over MaxSlides).
func Load(ctx context.Context, repo *gitrepo.Repo, commit string) (*Snapshot, error) {
	files, err := repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Commit: commit, repo: repo, files: files}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		sl, ok := slideOf(p)
		if !ok {
			continue
		}
		sl.Blob, sl.Size = files[p].Blob, files[p].Size
		if css, ok := files[strings.TrimSuffix(p, path.Ext(p))+".css"]; ok {
			sl.CSS, sl.CSSBlob = css.Path, css.Blob
		}
		if s.Slides = append(s.Slides, sl); len(s.Slides) > MaxSlides {
			return nil, agent.Errorf(agent.CodeTooLarge, "A deck has at most %d slides.", MaxSlides)
		}
	}
	order(s.Slides)
	if err := s.readAll(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// readAll reads manifest, kits and the slides' titles in one run of git.
func (s *Snapshot) readAll(ctx context.Context) error {
	var ids []string
	if m, ok := s.files[ManifestPath]; ok && m.Size <= MaxManifestBytes {
		ids = append(ids, m.Blob)
	}
	for _, sl := range s.Slides {
		if sl.Size <= MaxSlideBytes {
			ids = append(ids, sl.Blob)
		}
	}
	kits := s.kitFiles()
	for _, f := range kits {
		ids = append(ids, f.Blob)
	}
	blobs, err := s.repo.Blobs(ctx, ids)
	if err != nil {
		return err
	}
	m, ok := s.files[ManifestPath]
	if ok && m.Size > MaxManifestBytes {
		return agent.Errorf(agent.CodeTooLarge, "%s is over %d KiB.", ManifestPath, MaxManifestBytes>>10)
	}
	if s.Manifest, err = ParseManifest(blobs[m.Blob]); err != nil {
		return err
	}
	for i := range s.Slides {
		s.Slides[i].Title = Title(s.Slides[i], blobs[s.Slides[i].Blob])
	}
	s.Kits = readKits(kits, blobs)
	return nil
}

// LastChange gives the commit that the deck stands in.
func (s *Snapshot) LastChange(ctx context.Context) (gitrepo.Commit, error) {
	if c := s.last.Load(); c != nil {
		return *c, nil
	}
	c, err := s.repo.Commit(ctx, s.Commit)
	if err == nil {
		s.last.Store(&c)
	}
	return c, err
}

// Title gives the deck's title, or its first slide's.
func (s *Snapshot) Title() string {
	switch {
	case s.Manifest.Title != "":
		return s.Manifest.Title
	case len(s.Slides) > 0:
		return s.Slides[0].Title
	}
	return "Untitled deck"
}

// Stat gives the entry of a file.
func (s *Snapshot) Stat(p string) (gitrepo.Entry, bool) {
	e, ok := s.files[p]
	return e, ok
}

// Paths gives every file of the deck, sorted.
func (s *Snapshot) Paths() []string { return slices.Sorted(maps.Keys(s.files)) }

// Read gives the content of a file of at most limit bytes. Errors: not_found,
// too_large.
func (s *Snapshot) Read(ctx context.Context, p string, limit int64) ([]byte, error) {
	e, ok := s.files[p]
	if !ok {
		return nil, agent.NotFound("file in the deck")
	}
	if e.Size > limit {
		return nil, agent.Errorf(agent.CodeTooLarge, "%s has %d KiB; the limit here is %d KiB.", p, e.Size>>10, limit>>10)
	}
	blobs, err := s.repo.Blobs(ctx, []string{e.Blob})
	if err != nil {
		return nil, err
	}
	return blobs[e.Blob], nil
}

// Source gives a slide's source and, where it has one, its style sheet's. Errors:
// too_large (over MaxSlideBytes).
func (s *Snapshot) Source(ctx context.Context, sl Slide) (src, css []byte, err error) {
	if src, err = s.Read(ctx, sl.Path, MaxSlideBytes); err != nil || sl.CSS == "" {
		return src, nil, err
	}
	css, err = s.Read(ctx, sl.CSS, MaxSlideBytes)
	return src, css, err
}

// Resolve gives the file that a reference in another file means, "" when it is
// none of the deck's.
func (s *Snapshot) Resolve(from, ref string) string {
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	if ref == "" {
		return ""
	}
	p := inside(from, ref)
	if _, ok := s.files[p]; ok {
		return p
	}
	return ""
}
