package embedded_test

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/corpustest"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

// place gives an empty folder that is opened with any embedder.
func place(tb testing.TB) corpustest.Open {
	dir := tb.TempDir()
	return func(e agent.Embedder) agent.Finder {
		var options []embedded.Option
		if e != nil {
			options = append(options, embedded.WithEmbedder(e))
		}
		c, err := embedded.Open(dir, options...)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() {
			if err := c.Close(); err != nil {
				tb.Error(err)
			}
		})
		return c
	}
}

func TestConformance(t *testing.T) { corpustest.Run(t, place) }
