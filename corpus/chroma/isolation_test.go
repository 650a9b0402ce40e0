package chroma_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/corpus/corpustest"
)

// served is a server that answers what a test says: version, one collection, and rows.
func served(t *testing.T, version string, collection, rows map[string]any) *chroma.Corpus {
	t.Helper()
	answer := func(w http.ResponseWriter, v any) {
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/version"):
			answer(w, version)
		case strings.HasSuffix(r.URL.Path, "/count"):
			answer(w, 1)
		case strings.HasSuffix(r.URL.Path, "/get"):
			answer(w, rows)
		case r.Method == http.MethodGet:
			answer(w, collection)
		default:
			t.Errorf("%s %s was asked", r.Method, r.URL.Path)
		}
	}))
	t.Cleanup(srv.Close)
	return open(t, chroma.Config{URL: srv.URL, Database: "database"})
}

const someID = "0f8fad5b-d9cb-469f-a165-70867728950e"

func collectionOf(s agent.Scope) map[string]any {
	return map[string]any{"id": someID, "name": s.Collection, "tenant": s.Tenant, "database": "database", "configuration_json": map[string]any{}}
}

func TestARowIsShownOnlyWithTheStampOfItsTenant(t *testing.T) {
	for stamp, want := range map[any]int{acme.Tenant: 1, globex.Tenant: 0, "": 0, nil: 0, 7: 0} {
		rows := map[string]any{"ids": []string{"a"}, "documents": []string{"canary"}, "metadatas": []map[string]any{{"tenant": stamp, "source_path": "a.md"}}}
		found, err := served(t, "1.0.0", collectionOf(acme), rows).Search(context.Background(), []agent.Scope{acme}, agent.CorpusQuery{Query: "canary", Results: 5})
		if err != nil || len(found) != want {
			t.Errorf("stamp %v: %d passages, %v", stamp, len(found), err)
		}
	}
}

func TestACollectionOfAnotherPlaceIsRefused(t *testing.T) {
	rows := map[string]any{"ids": []string{"a"}, "documents": []string{"canary"}, "metadatas": []map[string]any{{"tenant": acme.Tenant}}}
	for member, value := range map[string]string{"tenant": globex.Tenant, "database": "other", "name": "agent-cache", "id": "../../client__globex"} {
		collection := collectionOf(acme)
		collection[member] = value
		_, err := served(t, "1.0.0", collection, rows).Search(context.Background(), []agent.Scope{acme}, agent.CorpusQuery{Query: "canary", Results: 5})
		if agent.ErrorCode(err) != agent.CodeUnavailable || strings.Contains(agent.ErrorMessage(err), "globex") {
			t.Errorf("%s %q: %v", member, value, err)
		}
	}
}

func TestAnOldServerIsRefused(t *testing.T) {
	for version, want := range map[string]agent.Code{"1.0.0": "", "2.1": "", "0.6.3": agent.CodeUnavailable, "": agent.CodeUnavailable, "new": agent.CodeUnavailable} {
		err := served(t, version, nil, nil).Check(context.Background())
		if (err != nil || want != "") && agent.ErrorCode(err) != want {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

func TestAServerThatFailsIsUnavailableAndItsWordsStayInTheLog(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "secret stack", http.StatusInternalServerError)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret stack")) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		},
		"no body":     func(http.ResponseWriter, *http.Request) {},
		"another one": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"a":1}`)) },
	} {
		srv := httptest.NewServer(handle)
		_, err := open(t, chroma.Config{URL: srv.URL}).Search(context.Background(), []agent.Scope{acme}, agent.CorpusQuery{Query: "x"})
		srv.Close()
		if agent.ErrorCode(err) != agent.CodeUnavailable || strings.Contains(agent.ErrorMessage(err), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOneTenantMayBeTheOnlyOne(t *testing.T) {
	real(t)
	ctx, database := context.Background(), freshDatabase()
	everywhere := open(t, chroma.Config{Database: database, Embedder: corpustest.NewEmbedder()})
	for _, s := range []agent.Scope{acme, globex} {
		if _, err := everywhere.Put(ctx, s, "a.md", []agent.Section{{Passage: agent.Passage{Text: "canary"}}}); err != nil {
			t.Fatal(err)
		}
	}
	only := open(t, chroma.Config{Database: database, Tenant: acme.Tenant, Embedder: corpustest.NewEmbedder()})
	found, err := only.Search(ctx, []agent.Scope{acme, globex}, agent.CorpusQuery{Query: "canary", Results: 5})
	if err != nil || len(found) != 1 {
		t.Errorf("found %d, %v", len(found), err)
	}
	if n, err := only.Put(ctx, globex, "a.md", nil); n != 0 || err != nil {
		t.Errorf("taking nothing away elsewhere: %d %v", n, err)
	}
	if _, err := only.Put(ctx, globex, "b.md", []agent.Section{{Passage: agent.Passage{Text: "x"}}}); agent.ErrorCode(err) != agent.CodeForbidden {
		t.Errorf("a Put elsewhere: %v", err)
	}
}

func TestAConfigurationThatCannotWorkIsRefused(t *testing.T) {
	for name, cfg := range map[string]chroma.Config{
		"no address":      {},
		"another scheme":  {URL: "file:///etc/passwd"},
		"credentials":     {URL: "http://a:b@127.0.0.1:1"},
		"a bad tenant":    {URL: "http://127.0.0.1:1", Tenant: "../x"},
		"a bad database":  {URL: "http://127.0.0.1:1", Database: "a/b"},
		"a short one":     {URL: "http://127.0.0.1:1", Database: "ab"},
		"no HTTP client":  {URL: "http://127.0.0.1:1"},
		"a query at hand": {URL: "http://127.0.0.1:1/?x=y"},
	} {
		if name != "no HTTP client" {
			cfg.HTTP = http.DefaultClient
		}
		if _, err := chroma.New(cfg); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingIsPutWithoutVectorsOrWithOthers(t *testing.T) {
	database := freshDatabase()
	section := []agent.Section{{Passage: agent.Passage{Text: "word"}}}
	if _, err := open(t, chroma.Config{Database: database}).Put(context.Background(), acme, "a.md", section); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Errorf("without an embedder: %v", err)
	}
	if _, err := open(t, chroma.Config{Database: database, Embedder: corpustest.NewEmbedder()}).Put(context.Background(), acme, "a.md", section); err != nil {
		t.Fatal(err)
	}
	other := &corpustest.Embedder{Name: "other", Dimensions: 384}
	if _, err := open(t, chroma.Config{Database: database, Embedder: other}).Put(context.Background(), acme, "a.md", section); agent.ErrorCode(err) != agent.CodeConflict {
		t.Errorf("with another model: %v", err)
	}
}
