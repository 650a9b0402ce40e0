package dididecks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/demo"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
	"github.com/lossless-group/in-app-agent/examples/dididecks/importer"
)

var validID = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Open opens a deck, or makes it on the first run: the demo deck and what is
// imported become fresh repositories in the data folder, a git repository with
// slides is worked on where it is. A folder that has not taken up an accepted change
// catches up now, and is tried again until ctx ends. Errors: invalid_input (nothing there is a deck;
// the Hint says what would be), not_found, too_large, unavailable (git is missing),
// policy_denied (the working branch is published).
func Open(ctx context.Context, o Options) (*App, error) {
	if o.DeckID == "" {
		o.DeckID = DemoDeckID
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.DataDir == "" {
		return nil, agent.Errorf(agent.CodeInvalidInput, "The decks need a data folder.")
	}
	if !validID.MatchString(o.DeckID) {
		return nil, agent.Errorf(agent.CodeInvalidInput, "%.40q is no id for a deck: use lower case, digits and hyphens.", o.DeckID)
	}
	var err error
	if o.DataDir, err = filepath.Abs(o.DataDir); err != nil {
		return nil, fmt.Errorf("open decks: %w", err)
	}
	a := &App{opts: o, log: o.Log, now: o.Now, chrome: export.Chromium{Path: o.Chromium}}
	if o.Path != "" {
		repo, err := a.openPath(ctx, o.Path)
		if err != nil {
			return nil, err
		}
		return a, a.add(ctx, repo, o.Orgs)
	}
	for _, org := range o.Orgs {
		if !validID.MatchString(org) {
			return nil, agent.Errorf(agent.CodeInvalidInput, "%.40q is no slug of an org.", org)
		}
		repo, err := a.ours(ctx, filepath.Join("orgs", org, o.DeckID), demoFiles)
		if err != nil {
			return nil, err
		}
		if err := a.add(ctx, repo, []string{org}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *App) add(ctx context.Context, repo *gitrepo.Repo, orgs []string) error {
	d, err := openDeck(ctx, a.opts.DeckID, repo, orgs, newFollower(ctx, repo, a.log, a.opts.after))
	if err == nil {
		a.decks = append(a.decks, d)
	}
	return err
}

// Copied tells whether Path was no repository, so that a copy of it is worked on.
func (a *App) Copied() bool { return a.copied }

// openPath opens what a person pointed at.
func (a *App) openPath(ctx context.Context, path string) (*gitrepo.Repo, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open deck: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		e := agent.NotFound("file or folder")
		e.Cause = err
		return nil, e
	}
	if info.IsDir() && importer.HasSlides(abs) {
		repo, err := gitrepo.Open(ctx, abs)
		if err == nil || !errors.Is(err, gitrepo.ErrNotRepository) {
			return repo, err
		}
		a.copied = true
		return a.ours(ctx, importedName(a.opts.DeckID, abs), func() (importer.Files, error) { return importer.Folder(abs) })
	}
	if page := importer.PageOf(abs); page != "" {
		a.copied = true
		return a.ours(ctx, importedName(a.opts.DeckID, abs), func() (importer.Files, error) { return importer.Page(page) })
	}
	if info.IsDir() {
		// A repository whose work tree is elsewhere or bare holds its slides in git.
		if repo, err := gitrepo.Open(ctx, abs); err == nil {
			return repo, nil
		}
	}
	return nil, &agent.Error{
		Code: agent.CodeInvalidInput, Message: "Nothing there is a deck.",
		Hint: "Give a folder with slides/01-name.html, a git repository of one, or a reveal.js page.",
	}
}

// importedName keeps imports of different places apart, and the same one together.
func importedName(id, abs string) string {
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join("imported", id+"-"+hex.EncodeToString(sum[:5]))
}

// ours opens a repository of ours, or makes it. What is half made never has the
// final name, so a crash leaves nothing that would be opened.
func (a *App) ours(ctx context.Context, name string, files func() (importer.Files, error)) (*gitrepo.Repo, error) {
	dir := filepath.Join(a.opts.DataDir, "decks", name)
	if _, err := os.Stat(dir); err == nil {
		repo, err := gitrepo.Open(ctx, dir)
		if err != nil {
			return nil, &agent.Error{Code: agent.CodeUnavailable, Message: "The deck's repository " + dir + " is damaged.",
				Hint: "Move the folder away, and a fresh one is made; or mend it with git.", Cause: err}
		}
		return repo, nil
	}
	content, err := files()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return nil, unwritable(dir, err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	repo, err := gitrepo.Init(ctx, temp, "main")
	if err != nil {
		return nil, err
	}
	commit, err := repo.Write(ctx, "", content, gitrepo.Message{
		Subject: "Begin the deck", Author: "In-App Agent", When: time.Unix(firstCommit, 0),
	})
	if err != nil {
		return nil, err
	}
	if err := begin(ctx, repo, commit, content[deck.ManifestPath]); err != nil {
		return nil, err
	}
	if err := os.Rename(temp, dir); err != nil {
		return nil, unwritable(dir, err)
	}
	return gitrepo.Open(ctx, dir)
}

func unwritable(dir string, err error) error {
	return &agent.Error{Code: agent.CodeUnavailable, Message: "The deck's folder " + dir + " cannot be made.",
		Hint: "Check that the data folder is one that you may write to, and that the disk has room.", Cause: err}
}

// begin gives a new repository its branches: main, and the working branch, of the
// manifest or "draft", which is the one that is checked out.
func begin(ctx context.Context, repo *gitrepo.Repo, commit string, manifest []byte) error {
	m, err := deck.ParseManifest(manifest)
	if err != nil {
		return err
	}
	if err := repo.SetBranch(ctx, "main", "", commit); err != nil {
		return err
	}
	branch := cmp.Or(m.Working, draftBranch)
	if branch != "main" {
		if err := repo.SetBranch(ctx, branch, "", commit); err != nil {
			return err
		}
	}
	return repo.CheckOut(ctx, branch)
}

// firstCommit dates the first commit of every deck that we make, so that the same
// content gives the same commit on each machine.
const firstCommit = 1_767_225_600

// demoFiles reads the built-in deck.
func demoFiles() (importer.Files, error) {
	files := importer.Files{}
	root := demo.Deck()
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[p], err = fs.ReadFile(root, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the demo deck: %w", err)
	}
	return files, nil
}
