package chroma

import (
	"context"
	"net/http"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// Where a Chroma server keeps what was made before anybody spoke of tenants.
const (
	OldTenant   = "default_tenant"
	OldDatabase = "default_database"
)

// Movable are the collections that Migrate takes over: those that every org may read, and
// two that are kept with them and that no search reaches.
var Movable = []string{agent.CollectionContextVigilance, agent.CollectionChangelog, "claude-code-sessions", "claude-code-tool-traces"}

// migrateBatch is how many rows go at a time; with vectors they are large.
const migrateBatch = 200

// Migrated is what became of one collection.
type Migrated struct {
	Collection string
	Found      bool // whether the old place has it
	Rows       int  // that it has there, all of which are in the new place
}

// Migrate copies a collection of the old place into the global tenant: rows, ids and
// vectors as they are, each with the stamp of its new tenant. The old one is left as it
// is. Rows keep their ids, so that the same again changes nothing and one that broke off
// is mended; each batch is counted where it was written, and the whole against the old
// place. Told hears how far it is. Errors: invalid_input (a name that is not Movable),
// conflict (the old collection changed meanwhile, or the new one holds vectors of another
// model), unavailable, timeout.
func (c *Corpus) Migrate(ctx context.Context, from agent.Scope, told func(done, all int)) (Migrated, error) {
	m := Migrated{Collection: from.Collection}
	if !slices.Contains(Movable, from.Collection) {
		return m, agent.Errorf(agent.CodeInvalidInput, "There is no collection %s to take over.", from.Collection)
	}
	to, err := c.full(agent.Scope{Tenant: agent.GlobalTenant, Collection: from.Collection})
	if err != nil {
		return m, err
	}
	if !c.reached(to.Tenant) {
		return m, agent.Errorf(agent.CodeForbidden, "This server reaches its own tenant only.")
	}
	if err := c.Check(ctx); err != nil {
		return m, err
	}
	old, err := c.resolve(ctx, from)
	if old == nil || err != nil {
		return m, trouble(err)
	}
	m.Found = true
	m.Rows, err = c.migrate(ctx, old, to, told)
	return m, trouble(err)
}

func (c *Corpus) migrate(ctx context.Context, old *place, to agent.Scope, told func(done, all int)) (int, error) {
	target, err := c.ensureWith(ctx, to, old.model, old.space)
	if err != nil {
		return 0, err
	}
	if target.model != old.model || target.space != old.space || target.dimension != 0 && target.dimension != old.dimension {
		return 0, &agent.Error{Code: agent.CodeConflict, Message: "The collection " + to.Collection + " of " + to.Tenant + " holds vectors of another model.",
			Hint: "Name another database in the configuration, or remove that collection."}
	}
	var rows int
	if err := c.call(ctx, http.MethodGet, old.records("count"), nil, &rows); err != nil {
		return 0, err
	}
	done := 0
	for done < rows {
		var page got
		if err := c.call(ctx, http.MethodPost, old.records("get"), map[string]any{
			"include": []string{"documents", "metadatas", "embeddings"}, "limit": migrateBatch, "offset": done,
		}, &page); err != nil {
			return done, err
		}
		if len(page.IDs) == 0 {
			break
		}
		if err := c.take(ctx, target, page); err != nil {
			return done, err
		}
		done += len(page.IDs)
		told(done, rows)
	}
	var after int
	if err := c.call(ctx, http.MethodGet, old.records("count"), nil, &after); err != nil {
		return done, err
	}
	if done != rows || after != rows {
		return done, &agent.Error{Code: agent.CodeConflict, Message: "The old collection changed while it was read.", Hint: "Run the same command again."}
	}
	return rows, nil
}

// take writes a page of rows into their new place, and counts them there.
func (c *Corpus) take(ctx context.Context, target *place, page got) error {
	documents, metas := make([]*string, len(page.IDs)), make([]map[string]any, len(page.IDs))
	for i := range page.IDs {
		documents[i], metas[i] = page.document(i), restamped(target, page.document(i), page.meta(i))
	}
	if err := c.call(ctx, http.MethodPost, target.records("upsert"), map[string]any{
		"ids": page.IDs, "documents": documents, "metadatas": metas, "embeddings": page.Embeddings,
	}, nil); err != nil {
		return err
	}
	var there got
	if err := c.call(ctx, http.MethodPost, target.records("get"), map[string]any{
		"ids": page.IDs, "where": equal(metaTenant, target.scope.Tenant), "include": []string{},
	}, &there); err != nil {
		return err
	}
	if len(there.IDs) != len(page.IDs) {
		return agent.Errorf(agent.CodeUnavailable, "Of %d rows that were written, %d are there.", len(page.IDs), len(there.IDs))
	}
	return nil
}

// restamped gives the metadata of a row in its new place: its own, with what our rows
// carry. A row without a text is kept and never found.
func restamped(target *place, document *string, meta map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range meta {
		if value != nil {
			out[key] = value
		}
	}
	p := agent.Passage{Title: text(meta, metaTitle), SourcePath: text(meta, metaPath), SourceRepo: text(meta, metaRepo), Date: text(meta, metaDate), Tags: tagsOf(meta[metaTags])}
	if document != nil {
		p.Text = *document
	}
	if p.Title == "" {
		p.Title = p.SourcePath
	}
	for key, value := range Metadata(target.scope.Tenant, agent.Section{Passage: p}, number(meta, metaPosition)) {
		out[key] = value
	}
	return out
}
