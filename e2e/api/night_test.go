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

// checkNight runs the nightly job beside the server and looks for the conversation in
// the client's own sessions, and in nobody else's; deleted, it leaves them.
func checkNight(t *testing.T, s *harness.Server, lin *harness.User, thread agent.ThreadID, sc scene) {
	t.Helper()
	night := func(want string) {
		t.Helper()
		r := harness.Run(t, programs.Agent, "jobs", "run", agent.JobIngestTranscripts, "--data", s.Data)
		if r.Code != 0 || !strings.HasPrefix(r.Stdout, agent.JobIngestTranscripts+": "+want) {
			t.Errorf("the job ended with %d and said %q %q, want %q", r.Code, r.Stdout, r.Stderr, want)
		}
	}
	corpus, err := embedded.Open(filepath.Join(s.Data, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = corpus.Close() }()
	sessions := func(org string) (found []agent.Passage) {
		t.Helper()
		scope := agent.Scope{Tenant: agent.ClientTenant(org), Collection: agent.CollectionSessions}
		found, err := corpus.Search(t.Context(), []agent.Scope{scope}, agent.CorpusQuery{Query: sc.words, Results: 10})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if n := len(sessions("lingering-client")); n != 0 {
		t.Errorf("before the night the client's sessions hold %d passages", n)
	}
	night("2 turns of 1 org ingested")
	night("0 turns of 0 orgs ingested")
	told := 0
	for _, p := range sessions("lingering-client") {
		if strings.Contains(p.Text, sc.words) && strings.Contains(p.Text, "The variant is in the deck now.") && strings.Contains(p.Text, "slide.variant (accepted)") {
			told++
		}
		if !strings.HasPrefix(p.SourcePath, "sessions/"+string(thread)+"/") {
			t.Errorf("a passage comes from %s", p.SourcePath)
		}
	}
	if told != 1 {
		t.Errorf("the conversation is told %d times in the client's own sessions", told)
	}
	for _, org := range []string{"demo", "paying-client"} {
		if n := len(sessions(org)); n != 0 {
			t.Errorf("the sessions of %s hold %d passages of another org", org, n)
		}
	}
	lin.Must(http.StatusNoContent, "DELETE /threads/"+string(thread), nil)
	if n := len(sessions("lingering-client")); n != 0 {
		t.Errorf("a deleted conversation left %d passages", n)
	}
	night("0 turns of 0 orgs ingested.")
}
