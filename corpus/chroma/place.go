package chroma

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	agent "github.com/lossless-group/in-app-agent"
)

// MiniLM is the model that collections without the name of one were made with.
const MiniLM = "all-MiniLM-L6-v2"

// The metadata of a collection that say how its vectors were made.
const (
	metaModel      = "embedding_model"
	metaDimensions = "embedding_dimensions"
)

var collectionID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// place is a collection that was resolved under its own tenant.
type place struct {
	scope     agent.Scope // its database filled in
	id        string
	space     string
	model     agent.EmbeddingModel
	dimension int
}

// answered is a collection as the server tells it.
type answered struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Tenant    string         `json:"tenant"`
	Database  string         `json:"database"`
	Dimension *int           `json:"dimension"`
	Metadata  map[string]any `json:"metadata"`
	Config    struct {
		HNSW *struct {
			Space string `json:"space"`
		} `json:"hnsw"`
	} `json:"configuration_json"`
}

// full gives a checked scope with its database.
func (c *Corpus) full(s agent.Scope) (agent.Scope, error) {
	s.Database = orElse(s.Database, c.cfg.Database)
	return s, s.Check()
}

// reached tells whether the configuration lets a tenant be reached.
func (c *Corpus) reached(tenant string) bool { return c.cfg.Tenant == "" || c.cfg.Tenant == tenant }

func databasePath(s agent.Scope) string {
	return "/tenants/" + url.PathEscape(s.Tenant) + "/databases/" + url.PathEscape(s.Database)
}

// resolve finds a collection under its tenant and database; nil where there is none.
func (c *Corpus) resolve(ctx context.Context, s agent.Scope) (*place, error) {
	var a answered
	err := c.call(ctx, http.MethodGet, databasePath(s)+"/collections/"+url.PathEscape(s.Collection), nil, &a)
	if hasStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.check(s)
}

// check refuses a collection that is not the one asked for: a server that resolves
// carelessly must not decide who reads what.
func (a answered) check(s agent.Scope) (*place, error) {
	if a.Tenant != s.Tenant || a.Database != s.Database || a.Name != s.Collection || !collectionID.MatchString(a.ID) {
		return nil, fmt.Errorf("chroma: asked for %s/%s/%s, the server answered with a collection of another place", s.Tenant, s.Database, s.Collection)
	}
	p := &place{scope: s, id: a.ID, space: "l2"}
	if a.Config.HNSW != nil && a.Config.HNSW.Space != "" {
		p.space = a.Config.HNSW.Space
	}
	if a.Dimension != nil {
		p.dimension = *a.Dimension
	}
	p.model.Name, _ = a.Metadata[metaModel].(string)
	if n, ok := a.Metadata[metaDimensions].(float64); ok {
		p.model.Dimensions = int(n)
	}
	if p.model.Name == "" {
		p.model = agent.EmbeddingModel{Name: MiniLM, Dimensions: 384}
	}
	return p, nil
}

// comparable tells whether vectors of a model can be compared with the collection's.
func (p *place) comparable(m agent.EmbeddingModel) bool {
	return p.model == m && (p.dimension == 0 || p.dimension == m.Dimensions)
}

// ensure makes tenant, database and collection where they are missing. Making what
// is there is no error, so two servers may do it at once.
func (c *Corpus) ensure(ctx context.Context, s agent.Scope) (*place, error) {
	return c.ensureWith(ctx, s, c.cfg.Embedder.Model(), "cosine")
}

// ensureWith makes a collection for vectors of a model, compared in a space.
func (c *Corpus) ensureWith(ctx context.Context, s agent.Scope, m agent.EmbeddingModel, space string) (*place, error) {
	p, err := c.resolve(ctx, s)
	if p != nil || err != nil {
		return p, err
	}
	for _, make := range []struct{ path, name string }{
		{"/tenants", s.Tenant}, {"/tenants/" + url.PathEscape(s.Tenant) + "/databases", s.Database},
	} {
		err := c.call(ctx, http.MethodPost, make.path, map[string]any{"name": make.name}, nil)
		if err != nil && !hasStatus(err, http.StatusConflict) {
			return nil, err
		}
	}
	var a answered
	err = c.call(ctx, http.MethodPost, databasePath(s)+"/collections", map[string]any{
		"name": s.Collection, "get_or_create": true,
		"configuration": map[string]any{"hnsw": map[string]any{"space": space}},
		"metadata":      map[string]any{metaModel: m.Name, metaDimensions: m.Dimensions},
	}, &a)
	if err != nil {
		return nil, err
	}
	return a.check(s)
}

// records is the path of the collection's rows.
func (p *place) records(verb string) string {
	return databasePath(p.scope) + "/collections/" + p.id + "/" + verb
}
