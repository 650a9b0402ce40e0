package server

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// shared is a corpus that asks another tenant as well.
type shared struct{ agent.Corpus }

func (c shared) Search(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) ([]agent.Passage, error) {
	return c.Corpus.Search(ctx, append(scopes, agent.Scope{Tenant: agent.ClientTenant(isolationSlugs[0]), Collection: agent.CollectionSessions}), q)
}

// empty is one that finds nothing.
type empty struct{ agent.Corpus }

func (empty) Search(context.Context, []agent.Scope, agent.CorpusQuery) ([]agent.Passage, error) {
	return nil, nil
}

func TestTheIsolationCheckSeesALeakAndLeavesNothing(t *testing.T) {
	ctx := context.Background()
	c, done, err := OpenCorpus(Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	report, err := CheckIsolation(ctx, c, []string{"acme"}, "x1")
	if err != nil || len(report.Leaks) != 0 || report.Searches != 14 || report.ByID {
		t.Errorf("%+v %v", report, err)
	}
	report, err = CheckIsolation(ctx, shared{c}, []string{"acme"}, "x2")
	if err != nil || len(report.Leaks) == 0 {
		t.Errorf("a leak gives %+v %v", report, err)
	}
	if _, err := CheckIsolation(ctx, empty{c}, nil, "x3"); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Errorf("a corpus that finds nothing proves %v", err)
	}
	for _, slug := range isolationSlugs {
		found, err := c.Search(ctx, []agent.Scope{{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionSessions}}, agent.CorpusQuery{Query: "canary isolation check"})
		if err != nil || len(found) != 0 {
			t.Errorf("%s still has %+v %v", slug, found, err)
		}
	}
}

func TestACorpusThatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	for name, at := range map[string]Config{
		"two embedders":        {Embed: &Embed{Folder: "/x", BaseURL: "http://127.0.0.1:1/v1"}},
		"no model in a folder": {Embed: &Embed{Folder: t.TempDir()}},
		"no dimensions":        {Embed: &Embed{BaseURL: "http://127.0.0.1:1/v1", Model: "m"}},
		"an odd address":       {Embed: &Embed{BaseURL: "ftp://127.0.0.1/v1", Model: "m", Dimensions: 3}},
		"no server":            {Chroma: &ChromaServer{}},
		"an odd tenant":        {Chroma: &ChromaServer{URL: "http://127.0.0.1:1", Tenant: "A"}},
	} {
		at.Data = t.TempDir()
		if _, _, err := OpenCorpus(at); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, done, err := OpenCorpus(Config{Data: t.TempDir(), Chroma: &ChromaServer{URL: "http://127.0.0.1:1", Database: "other"}, Embed: &Embed{}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	if _, err := c.Search(context.Background(), []agent.Scope{{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}}, agent.CorpusQuery{Query: "x"}); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Errorf("a server that is not there gives %v", err)
	}
}
