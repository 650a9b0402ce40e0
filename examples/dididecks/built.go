package dididecks

import (
	"context"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
)

// builtSlide renders a slide through the deck's build.
func (a *App) builtSlide(ctx context.Context, d *Deck, snap *deck.Snapshot, sl deck.Slide) ([]byte, error) {
	var doc []byte
	report, err := a.runBuild(ctx, d, snap, func(dir string) error {
		root, err := os.OpenRoot(filepath.Join(dir, filepath.FromSlash(path.Clean("/"+snap.Manifest.BuildOutput))))
		if err != nil {
			return nil // no output: there is no render
		}
		defer func() { _ = root.Close() }()
		for _, name := range []string{sl.Stem + ".html", sl.Stem + "/index.html", "slides/" + sl.Stem + ".html", "slides/" + sl.Stem + "/index.html"} {
			body, err := readRoot(root, name, render.MaxDocumentBytes)
			if err != nil {
				continue
			}
			doc, err = render.Document(ctx, built{root}, render.Page{
				Title: sl.Title, Lang: snap.Manifest.Lang, Width: snap.Manifest.Width, Height: snap.Manifest.Height, Path: name, Body: body,
			})
			return err
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !report.OK:
		return nil, &agent.Error{Code: agent.CodeUnavailable, Message: "The build of the deck failed, so there is the source only.", Hint: "Ask why the build failed."}
	case doc == nil:
		return nil, render.ErrNoRender
	}
	return doc, nil
}

// built is the output folder of a build as the assets of its pages.
type built struct{ root *os.Root }

func (b built) Resolve(from, ref string) string {
	if ref == "" {
		return ""
	}
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	p := path.Join(path.Dir(from), ref)
	if strings.HasPrefix(ref, "/") {
		p = strings.TrimPrefix(path.Clean(ref), "/")
	}
	if info, err := b.root.Stat(p); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return p
}

func (b built) Read(_ context.Context, p string, limit int64) ([]byte, error) {
	return readRoot(b.root, p, limit)
}

func readRoot(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = agent.Errorf(agent.CodeTooLarge, "%s is too large.", name)
	}
	return data, err
}
