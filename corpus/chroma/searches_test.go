package chroma_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/corpus/corpustest"
)

// ids gives the ids of the collections of a tenant, as an attacker may know them.
func ids(t *testing.T, database, tenant string) (out []string) {
	t.Helper()
	var list []struct{ ID string }
	ask(t, http.MethodGet, fmt.Sprintf("/tenants/%s/databases/%s/collections", tenant, database), "", &list)
	for _, c := range list {
		out = append(out, c.ID)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no collections", tenant)
	}
	return out
}

func ask(t *testing.T, method, path, body string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, real(t)+"/api/v2"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(out); err != nil || res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s: %d %v", method, path, res.StatusCode, err)
	}
}

// TestChromaSearchesOfOneOrgNeverReadTheOther runs against a server that itself hands
// one tenant's rows to another who knows an id, which the test shows first.
func TestChromaSearchesOfOneOrgNeverReadTheOther(t *testing.T) {
	database := freshDatabase()
	c := open(t, chroma.Config{Database: database, Embedder: corpustest.NewEmbedder()})
	for _, s := range []agent.Scope{acme, globex} {
		if _, err := c.Put(context.Background(), s, "first.md", []agent.Section{{Passage: agent.Passage{Text: "secret of " + s.Tenant}}}); err != nil {
			t.Fatal(err)
		}
	}
	known := append(ids(t, database, acme.Tenant), ids(t, database, globex.Tenant)...)
	var stolen struct{ Documents []string }
	ask(t, http.MethodPost, fmt.Sprintf("/tenants/%s/databases/%s/collections/%s/get", acme.Tenant, database, known[1]), `{"include":["documents"]}`, &stolen)
	if len(stolen.Documents) != 1 || !strings.Contains(stolen.Documents[0], "globex") {
		t.Logf("this server no longer resolves a collection by its id alone: %q", stolen.Documents)
	}
	n := corpustest.Wanted(os.Getenv("CORPUS_ISOLATION") != "", testing.Short())
	corpustest.Isolation(t, c, n, known)
	t.Logf("%d fuzzed and %d hostile searches", n.Fuzzed, n.Hostile)
}
