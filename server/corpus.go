package server

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/corpus/embed"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/corpus/minilm"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// corpusFolder is the embedded corpus inside the data folder.
const corpusFolder = "corpus"

// ChromaServer says that the corpus is on a Chroma server.
type ChromaServer struct {
	URL string `koanf:"url"`
	// Tenant, when set, is the only tenant that is reached.
	Tenant string `koanf:"tenant"`
	// Database is where collections are; "" means in-app-agent.
	Database string `koanf:"database"`
	// Token is sent as a bearer token; it comes from the environment.
	Token agent.Secret `koanf:"-"`
}

// Embed says what makes vectors: a model in a folder, or an endpoint.
type Embed struct {
	// Folder holds config.json, tokenizer.json and model.safetensors. It excludes BaseURL.
	Folder string `koanf:"folder"`
	// BaseURL is an OpenAI-compatible endpoint up to /v1. It may be private.
	BaseURL string `koanf:"baseUrl"`
	// Model is the endpoint's model, or what the folder's vectors are called.
	Model      string `koanf:"model"`
	Dimensions int    `koanf:"dimensions"`
	// Shorten asks the endpoint for Dimensions members where it could give more.
	Shorten bool `koanf:"shorten"`
	// Key is the endpoint's; it comes from the environment.
	Key agent.Secret `koanf:"-"`
}

// OpenCorpus opens the corpus of a data folder as a server with the same
// configuration does: of it, Data, Corpus, Chroma and Embed are read. It must be closed.
// Errors: invalid_input (the configuration), unavailable.
func OpenCorpus(c Config) (agent.Corpus, func() error, error) { return openCorpus(c, nil) }

// openCorpus opens it beside the orgs' policies, by which texts go to an embedding
// endpoint.
func openCorpus(c Config, policies agent.Policies) (agent.Corpus, func() error, error) {
	if c.Corpus != nil {
		return c.Corpus, func() error { return nil }, nil
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	embedder, err := c.Embed.open(c.Now, policies)
	if err != nil {
		return nil, nil, err
	}
	if c.Chroma != nil {
		return c.Chroma.open(embedder, c.Now)
	}
	var options []embedded.Option
	if embedder != nil {
		options = append(options, embedded.WithEmbedder(embedder))
	}
	corpus, err := embedded.Open(filepath.Join(c.Data, corpusFolder), options...)
	if err != nil {
		return nil, nil, err
	}
	return corpus, corpus.Close, nil
}

func (s *ChromaServer) open(embedder agent.Embedder, now func() time.Time) (agent.Corpus, func() error, error) {
	client, err := privateClient(s.URL, "corpus", now)
	if err != nil {
		return nil, nil, err
	}
	c, err := chroma.New(chroma.Config{URL: s.URL, Tenant: s.Tenant, Database: s.Database, Token: s.Token, Embedder: embedder, HTTP: client})
	if err != nil {
		return nil, nil, err
	}
	return c, func() error { client.CloseIdleConnections(); return nil }, nil
}

// open gives no embedder where none is configured.
func (e *Embed) open(now func() time.Time, policies agent.Policies) (agent.Embedder, error) {
	switch {
	case e == nil || e.Folder == "" && e.BaseURL == "" && e.Model == "":
		return nil, nil
	case e.Folder != "" && e.BaseURL != "":
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "embed names both a folder and an endpoint.", Hint: "Leave out folder or baseUrl."}
	case e.Folder != "":
		return minilm.Open(e.Folder, e.Model)
	}
	client, err := privateClient(e.BaseURL, "embed", now)
	if err != nil {
		return nil, err
	}
	far, err := embed.New(embed.Config{BaseURL: e.BaseURL, Model: e.Model, Dimensions: e.Dimensions, Shorten: e.Shorten, Key: e.Key, HTTP: client})
	if err != nil {
		return nil, err
	}
	return discreet{far, policies}, nil
}

// privateClient reaches the one host that the operator configured, which may be private.
func privateClient(base, purpose string, now func() time.Time) (*http.Client, error) {
	host, err := outbound.HostOf(base, true)
	if err != nil {
		return nil, agent.Wrap(agent.CodeInvalidInput, err, "The configured address %q cannot be used.", base)
	}
	return outbound.NewClient(outbound.Policy{Hosts: []outbound.Host{host}, Purpose: purpose, Now: now, Record: recordEgress}), nil
}

func (s *Server) openCorpus(ctx context.Context) error {
	c, done, err := openCorpus(s.cfg, s.store)
	if err != nil {
		return err
	}
	s.corpus = c
	s.close = append(s.close, done)
	if far, ok := c.(*chroma.Corpus); ok {
		if err := far.Check(ctx); err != nil { // turns without a search need no corpus
			s.log.Warn("the corpus is not reached yet", "error", err)
		}
	}
	return nil
}
