package main

import (
	"os"
	"path/filepath"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

// takeCorpusSecrets reads what no file holds.
func takeCorpusSecrets(c *server.ChromaServer, e *server.Embed) {
	if c != nil {
		c.Token = agent.NewSecret(os.Getenv("IN_APP_AGENT_CHROMA_TOKEN"))
	}
	if e != nil {
		e.Key = agent.NewSecret(os.Getenv("IN_APP_AGENT_EMBED_KEY"))
		if e.Folder != "" && !filepath.IsAbs(e.Folder) {
			if abs, err := filepath.Abs(e.Folder); err == nil {
				e.Folder = abs
			}
		}
	}
}

// openCorpus opens the corpus that the server of this configuration has.
func (c common) openCorpus() (agent.Corpus, func() error, error) {
	cfg, err := c.settings()
	if err != nil {
		return nil, nil, err
	}
	return server.OpenCorpus(server.Config{Data: c.Data, Chroma: cfg.Corpus, Embed: cfg.Embed})
}
