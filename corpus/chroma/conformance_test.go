package chroma_test

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/corpus/corpustest"
)

func TestChromaConformance(t *testing.T) {
	real(t)
	corpustest.Run(t, func(tb testing.TB) corpustest.Open {
		database := freshDatabase()
		return func(e agent.Embedder) agent.Finder {
			return open(tb, chroma.Config{Database: database, Embedder: e})
		}
	})
}
