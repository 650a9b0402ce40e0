package embedded_test

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/corpustest"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

func TestNoSearchOfOneOrgReadsTheOther(t *testing.T) {
	open := place(t)
	n := corpustest.Wanted(!testing.Short() && !embedded.UnderRace, true)
	corpustest.Isolation(t, open(corpustest.NewEmbedder()), n, nil)
	corpustest.Isolation(t, open(nil), corpustest.Attempts{Fuzzed: n.Fuzzed / 5, Hostile: n.Hostile / 5}, nil)
	t.Logf("%d fuzzed and %d hostile searches", n.Fuzzed+n.Fuzzed/5, n.Hostile+n.Hostile/5)
}

// leaking looks in both tenants, whoever asks.
type leaking struct{ agent.Finder }

func (c leaking) Find(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
	return c.Finder.Find(ctx, append(scopes, acme, globex), q)
}

func TestALeakIsSeenByFewSearches(t *testing.T) {
	var v verdict
	done := make(chan struct{})
	go func() {
		defer close(done)
		corpustest.Isolation(&v, leaking{place(t)(corpustest.NewEmbedder())}, corpustest.Attempts{Fuzzed: 20, Hostile: 20}, nil)
	}()
	<-done
	if len(v.failed) < 10 {
		t.Errorf("a leak was seen %d times", len(v.failed))
	}
}
