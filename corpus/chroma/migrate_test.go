package chroma_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
)

// made makes a collection as it was made before tenants: by the server's defaults, with
// rows whose metadata are those of an earlier ingest. It gives its path.
func made(t *testing.T, database, collection string, rows int) string {
	t.Helper()
	var answer struct{ ID string }
	ask(t, http.MethodPost, "/tenants/"+chroma.OldTenant+"/databases", `{"name":"`+database+`"}`, &struct{}{})
	place := "/tenants/" + chroma.OldTenant + "/databases/" + database + "/collections"
	ask(t, http.MethodPost, place, `{"name":"`+collection+`"}`, &answer)
	place += "/" + answer.ID
	var ids, documents, metas, vectors []string
	for i := range rows {
		ids, documents = append(ids, fmt.Sprintf(`"row-%d"`, i)), append(documents, fmt.Sprintf(`"The lantern number %d hangs in the harbour."`, i))
		metas = append(metas, fmt.Sprintf(`{"source_path":"notes/%d.md","source_repo_slug":"old-repo","tags":"light, harbour","words":%d}`, i, i))
		vectors = append(vectors, "["+strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d,", i+1), 384), ",")+"]")
	}
	list := func(items []string) string { return "[" + strings.Join(items, ",") + "]" }
	ask(t, http.MethodPost, place+"/add", `{"ids":`+list(ids)+`,"documents":`+list(documents)+`,"metadatas":`+list(metas)+`,"embeddings":`+list(vectors)+`}`, &struct{}{})
	return place
}

func TestChromaCollectionsOfBeforeAreTakenOverOnceAndAgain(t *testing.T) {
	database := freshDatabase()
	old := made(t, database, agent.CollectionChangelog, 450)
	c := open(t, chroma.Config{Database: database})
	from := agent.Scope{Tenant: chroma.OldTenant, Database: database, Collection: agent.CollectionChangelog}
	var steps []int
	for range 2 {
		m, err := c.Migrate(t.Context(), from, func(done, _ int) { steps = append(steps, done) })
		if err != nil || !m.Found || m.Rows != 450 {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	if fmt.Sprint(steps) != "[200 400 450 200 400 450]" {
		t.Errorf("it told %v", steps)
	}
	found, err := c.Find(t.Context(), []agent.Scope{{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}}, agent.CorpusQuery{Query: "lantern number 449", Results: 10})
	if err != nil || len(found.Passages) == 0 || found.Passages[0].SourcePath != "notes/449.md" || found.Passages[0].SourceRepo != "old-repo" || len(found.Passages[0].Tags) != 2 {
		t.Errorf("found %+v, %v", found, err)
	}
	var rows int
	ask(t, http.MethodGet, old+"/count", "", &rows)
	if rows != 450 {
		t.Errorf("the old place has %d rows", rows)
	}
	var there struct {
		Metadatas  []map[string]any
		Embeddings [][]float64
	}
	taken := ids(t, database, agent.GlobalTenant)
	ask(t, http.MethodPost, fmt.Sprintf("/tenants/%s/databases/%s/collections/%s/get", agent.GlobalTenant, database, taken[0]), `{"ids":["row-7"],"include":["metadatas","embeddings"]}`, &there)
	if len(taken) != 1 || len(there.Embeddings) != 1 || there.Embeddings[0][0] != 8 || there.Metadatas[0]["words"] != 7.0 {
		t.Errorf("%d collections, row 7 is %+v", len(taken), there.Metadatas)
	}
}

func TestChromaTakesOverNothingElse(t *testing.T) {
	database := freshDatabase()
	made(t, database, "diary", 1)
	c := open(t, chroma.Config{Database: database})
	told := func(int, int) {}
	if m, err := c.Migrate(t.Context(), agent.Scope{Tenant: chroma.OldTenant, Database: database, Collection: agent.CollectionChangelog}, told); err != nil || m.Found {
		t.Errorf("what is not there: %+v, %v", m, err)
	}
	if _, err := c.Migrate(t.Context(), agent.Scope{Tenant: chroma.OldTenant, Database: database, Collection: "diary"}, told); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("another collection: %v", err)
	}
	own := open(t, chroma.Config{Database: database, Tenant: agent.ClientTenant("acme")})
	if _, err := own.Migrate(t.Context(), agent.Scope{Tenant: chroma.OldTenant, Database: database, Collection: agent.CollectionChangelog}, told); agent.ErrorCode(err) != agent.CodeForbidden {
		t.Errorf("by a server of one tenant: %v", err)
	}
}
