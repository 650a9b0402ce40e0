package chroma

import (
	"context"
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// How many rows one request carries.
const (
	writeBatch = 100
	readBatch  = 1000
)

// Put writes what is new first and removes what is gone last, so that a reader sees a
// section twice rather than not at all, and a Put that broke off is mended by the same
// again. Besides the port's errors: invalid_input (a name), too_large, conflict (the
// collection holds vectors of another model).
func (c *Corpus) Put(ctx context.Context, scope agent.Scope, sourcePath string, sections []agent.Section) (changed int, err error) {
	scope, err = c.full(scope)
	if err != nil {
		return 0, err
	}
	if err := agent.CheckSections(sections); err != nil {
		return 0, err
	}
	if !c.reached(scope.Tenant) && len(sections) == 0 {
		return 0, nil // there is nothing of it here
	}
	if !c.reached(scope.Tenant) {
		return 0, agent.Errorf(agent.CodeForbidden, "This server keeps documents of its own tenant only.")
	}
	if c.cfg.Embedder == nil {
		return 0, &agent.Error{Code: agent.CodeUnavailable, Message: "Nothing can be put into Chroma without an embedder.",
			Hint: "Configure embed: a folder with a model, or an endpoint."}
	}
	if err := c.Check(ctx); err != nil {
		return 0, err
	}
	changed, err = c.put(ctx, scope, sourcePath, sections)
	return changed, trouble(err)
}

func (c *Corpus) put(ctx context.Context, scope agent.Scope, path string, sections []agent.Section) (int, error) {
	p, err := c.resolve(ctx, scope)
	if err != nil {
		return 0, err
	}
	if p == nil { // also where nothing is put in: that makes the place
		if p, err = c.ensure(ctx, scope); err != nil {
			return 0, err
		}
	}
	if m := c.cfg.Embedder.Model(); !p.comparable(m) {
		return 0, &agent.Error{Code: agent.CodeConflict, Message: "This collection holds vectors of another model.",
			Hint: "Put its documents into a new database, or configure the model that it was made with: " + p.model.Name + "."}
	}
	old, err := c.stored(ctx, p, path)
	if err != nil {
		return 0, err
	}
	w := writer{c: c, p: p, old: old, done: map[string]bool{}}
	for i, s := range sections {
		s.SourcePath = path // where it stands is where it is put
		if err := w.add(ctx, s, i); err != nil {
			return 0, err
		}
	}
	if err := w.flush(ctx); err != nil {
		return 0, err
	}
	gone, err := w.remove(ctx)
	return max(w.added, gone), err
}

// stored gives the positions of a path's rows by id.
func (c *Corpus) stored(ctx context.Context, p *place, path string) (map[string]int, error) {
	found := map[string]int{}
	for offset := 0; ; offset += readBatch {
		var page got
		err := c.call(ctx, http.MethodPost, p.records("get"), map[string]any{
			"where":   all(equal(metaTenant, p.scope.Tenant), equal(metaPath, path)),
			"include": []string{"metadatas"}, "limit": readBatch, "offset": offset,
		}, &page)
		if err != nil {
			return nil, err
		}
		for i, id := range page.IDs {
			if meta := page.meta(i); stamped(p, meta) {
				found[id] = number(meta, metaPosition)
			}
		}
		if len(page.IDs) < readBatch {
			return found, nil
		}
	}
}

// writer collects the rows of one Put.
type writer struct {
	c     *Corpus
	p     *place
	old   map[string]int
	done  map[string]bool
	added int

	ids       []string
	documents []string
	metas     []map[string]any
	texts     []string
}

func (w *writer) add(ctx context.Context, s agent.Section, position int) error {
	hash := hashOf(s)
	s.Hash = hash
	id := rowID(s.SourcePath, hash)
	if w.done[id] {
		return nil
	}
	w.done[id] = true
	if at, stays := w.old[id]; stays {
		delete(w.old, id)
		if at == position {
			return nil
		}
		return w.c.call(ctx, http.MethodPost, w.p.records("update"), map[string]any{
			"ids": []string{id}, "metadatas": []map[string]any{{metaPosition: position}},
		}, nil)
	}
	w.added++
	w.ids, w.documents = append(w.ids, id), append(w.documents, s.Text)
	w.metas, w.texts = append(w.metas, Metadata(w.p.scope.Tenant, s, position)), append(w.texts, ranking.Embedded(s.Passage))
	if len(w.ids) == writeBatch {
		return w.flush(ctx)
	}
	return nil
}

// flush embeds and writes what was collected.
func (w *writer) flush(ctx context.Context) error {
	if len(w.ids) == 0 {
		return nil
	}
	vectors, err := agent.EmbedAll(ctx, w.c.cfg.Embedder, w.texts)
	if err != nil {
		return err
	}
	err = w.c.call(ctx, http.MethodPost, w.p.records("upsert"), map[string]any{
		"ids": w.ids, "documents": w.documents, "metadatas": w.metas, "embeddings": vectors,
	}, nil)
	w.ids, w.documents, w.metas, w.texts = nil, nil, nil, nil
	return err
}

// remove takes away what the path had and has no more.
func (w *writer) remove(ctx context.Context) (gone int, err error) {
	var ids []string
	for id := range w.old {
		ids = append(ids, id)
	}
	for start := 0; start < len(ids); start += readBatch {
		batch := ids[start:min(start+readBatch, len(ids))]
		if err := w.c.call(ctx, http.MethodPost, w.p.records("delete"), map[string]any{
			"ids": batch, "where": equal(metaTenant, w.p.scope.Tenant),
		}, nil); err != nil {
			return gone, err
		}
		gone += len(batch)
	}
	return gone, nil
}
