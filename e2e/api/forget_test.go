package api

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// TestADeletedThreadIsNowhereButInTheAuditLog follows one word through everything that
// keeps words, before and after the conversation is deleted.
func TestADeletedThreadIsNowhereButInTheAuditLog(t *testing.T) {
	t.Parallel()
	const word = "Quastenflosser"
	rng, _ := harness.Seed(t)
	s := start(t, rng, calls("what we call it: "+word, call("cache.note", map[string]any{"topic": "names", "text": "They call the boat " + word + "."})))
	stream := s.lin.Chat(harness.Say("what we call it: " + word))
	stream.Completed()
	thread := string(stream.Thread())
	for _, job := range []string{agent.JobIngestTranscripts, agent.JobMirrorMemory} {
		if r := harness.Run(t, programs.Agent, "jobs", "run", job, "--data", s.Data); r.Code != 0 {
			t.Fatalf("%s: %d %s", job, r.Code, r.Stderr)
		}
	}
	corpus, err := embedded.Open(filepath.Join(s.Data, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = corpus.Close() }()
	holds := func(where string) bool {
		t.Helper()
		if table, found := strings.CutPrefix(where, "table "); found {
			return harness.Count(t, s.Server, `SELECT count(*) FROM `+table) > 0
		}
		if collection, found := strings.CutPrefix(where, "corpus "); found {
			scope := agent.Scope{Tenant: agent.ClientTenant("lingering-client"), Collection: collection}
			found, err := corpus.Search(t.Context(), []agent.Scope{scope}, agent.CorpusQuery{Query: word, Results: 5})
			if err != nil {
				t.Fatal(err)
			}
			return len(found) > 0
		}
		a := s.lin.Do(where, nil)
		return a.Status == http.StatusOK && strings.Contains(string(a.Body), word)
	}
	places := []string{
		"GET /threads/" + thread, "GET /threads/" + thread + "/export?format=md", "GET /threads?q=" + word, "GET /turns/" + string(stream.Turn()) + "/events",
		"table agent_transcripts", "table events", "table agent_memory_cache", "corpus " + agent.CollectionSessions, "corpus " + agent.CollectionNotes,
	}
	for _, where := range places {
		if !holds(where) {
			t.Errorf("before the delete %s does not hold it", where)
		}
	}
	s.lin.Must(http.StatusNoContent, "DELETE /threads/"+thread, nil)
	for _, where := range places {
		if holds(where) {
			t.Errorf("after the delete %s still holds it", where)
		}
	}
	if n := harness.Count(t, s.Server, `SELECT count(*) FROM audit_log WHERE action = '`+agent.AuditThreadDeleted+`' AND object = '`+thread+`'`); n != 1 {
		t.Errorf("the fact is in the log %d times", n)
	}
	if n := harness.Count(t, s.Server, `SELECT count(*) FROM audit_log WHERE detail LIKE '%`+word+`%'`); n != 0 {
		t.Errorf("%d rows of the log hold the word", n)
	}
}
