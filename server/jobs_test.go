package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// corpusOf is a corpus in memory; down makes it fail.
type corpusOf struct {
	mu   sync.Mutex
	docs map[string]string // tenant/collection/path
	down bool
}

func (c *corpusOf) Search(context.Context, []agent.Scope, agent.CorpusQuery) ([]agent.Passage, error) {
	return nil, nil
}

func (c *corpusOf) Put(_ context.Context, s agent.Scope, path string, sections []agent.Section) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return 0, agent.Errorf(agent.CodeUnavailable, "Down.")
	}
	key := s.Tenant + "/" + s.Collection + "/" + path
	delete(c.docs, key)
	for _, sec := range sections {
		c.docs[key] += sec.Text
	}
	return len(sections), nil
}

func (c *corpusOf) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []string
	for k, v := range c.docs {
		keys = append(keys, k+": "+v)
	}
	return strings.Join(keys, "\n")
}

// talk says something and waits for the answer.
func talk(t *testing.T, s *Server, words string) (thread string) {
	t.Helper()
	ctx := agent.WithPrincipal(t.Context(), agent.Principal{UserID: "user_demo", OrgID: "org_demo", OrgSlug: "demo", Tier: agent.TierUser, Scopes: []agent.CredentialScope{agent.ScopeChat}})
	turn, err := s.Agent().StartTurn(ctx, agent.TurnRequest{ProjectID: "p", Message: agent.Message{Text: words}, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Agent().Events(ctx, turn.ID, agent.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return string(turn.ThreadID)
}

func TestADeletedConversationLeavesTheCorpusAlsoWhereItWasDown(t *testing.T) {
	corpus := &corpusOf{docs: map[string]string{}}
	c := config(t.TempDir())
	c.Corpus = corpus
	s := open(t, c)
	cookie := signIn(t, s, "demo")
	one, two := talk(t, s, "of the heron"), talk(t, s, "of the walrus")
	if row, err := s.RunJob(t.Context(), agent.JobIngestTranscripts); err != nil || row.Message != "2 turns of 1 org ingested." {
		t.Fatalf("%+v, %v", row, err)
	}
	if all := corpus.all(); strings.Count(all, "client__demo/client-app-sessions/sessions/") != 2 || !strings.Contains(all, "of the heron") {
		t.Errorf("the corpus holds %s", all)
	}
	remove := func(thread string) {
		t.Helper()
		if w := ask(s, "DELETE", "/api/agent/threads/"+thread, "", "Cookie", cookie, "Origin", "http://example.test"); w.Code != 204 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	remove(one)
	if all := corpus.all(); strings.Contains(all, "heron") || !strings.Contains(all, "walrus") {
		t.Errorf("after the delete the corpus holds %s", all)
	}
	corpus.down = true
	remove(two)
	corpus.down = false
	if row, err := s.RunJob(t.Context(), agent.JobIngestTranscripts); err != nil || !strings.Contains(row.Message, "1 deleted turn taken out") || corpus.all() != "" {
		t.Errorf("%+v, %v: %s", row, err, corpus.all())
	}
}

// TestTheServerRunsItsJobsEachNight lives in a bubble whose clock runs as fast as it can.
func TestTheServerRunsItsJobsEachNight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log bytes.Buffer
		var nights []time.Time
		corpus := &corpusOf{docs: map[string]string{}}
		c := config(t.TempDir())
		c.Corpus, c.Log = corpus, slog.New(slog.NewTextHandler(writer{&mu, &log}, nil))
		c.Schedule = Schedule{At: "00:30", Off: []string{agent.JobExpire}}
		c.HostJobs = []Job{{Name: agent.JobCleanBranches, Run: func(context.Context) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			nights = append(nights, time.Now().UTC())
			return "Clean.", nil
		}}}
		s := open(t, c)
		talk(t, s, "of the heron")
		time.Sleep(25 * time.Hour) // in the bubble
		mu.Lock()
		defer mu.Unlock()
		if len(nights) != 2 || !nights[0].Equal(time.Date(2000, 1, 1, 0, 30, 0, 0, time.UTC)) || !nights[1].Equal(nights[0].Add(24*time.Hour)) {
			t.Errorf("the host's job ran at %v", nights)
		}
		if !strings.Contains(corpus.all(), "of the heron") {
			t.Errorf("the corpus holds %q", corpus.all())
		}
		for _, says := range []string{`msg="a job is planned" job=ingest-transcripts next=2000-01-01T00:30:00.000Z`, `msg="a job is off" job=expire`,
			`msg="a job ended" job=ingest-transcripts run=1 state=done`, `did="1 turn of 1 org ingested."`} {
			if !strings.Contains(log.String(), says) {
				t.Errorf("the log does not say %s:\n%s", says, log.String())
			}
		}
		rows, err := s.store.Jobs(t.Context())
		if err != nil || len(rows) != 4 {
			t.Errorf("the rows are %+v, %v", rows, err)
		}
	})
}

type writer struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func TestAServerForJobsAloneRunsNoneByTheClockAndNamesEachOnce(t *testing.T) {
	c := config(t.TempDir())
	c.Jobs = true
	s := open(t, c)
	if rows, err := s.store.Jobs(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("planned %+v, %v", rows, err)
	}
	if row, err := s.RunJob(t.Context(), agent.JobExpire); err != nil || row.Message != "0 previews ended or cleaned up, 0 notes forgotten." {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := s.RunJob(t.Context(), "sleep"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("an unknown job: %v", err)
	}
	twice := config(t.TempDir())
	twice.HostJobs = []Job{{Name: agent.JobExpire, Run: func(context.Context) (string, error) { return "", nil }}}
	if s, err := New(t.Context(), twice); err == nil {
		_ = s.Close(t.Context())
		t.Error("a job of the house was replaced")
	}
}

func TestJobsBesideAServerShareItsClaims(t *testing.T) {
	c := config(t.TempDir())
	began, end := make(chan struct{}), make(chan struct{})
	s := open(t, c)
	corpus := &corpusOf{docs: map[string]string{}}
	talk(t, s, "of the heron")
	slow := c
	slow.Corpus = holdsUp{corpus, began, end}
	beside, err := OpenJobs(t.Context(), slow)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = beside.Close() }()
	done := make(chan error, 1)
	go func() { _, err := beside.Run(context.Background(), agent.JobIngestTranscripts); done <- err }()
	<-began
	if _, err := s.RunJob(t.Context(), agent.JobIngestTranscripts); agent.ErrorCode(err) != agent.CodeConflict {
		t.Errorf("while it runs beside: %v", err)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	rows, err := beside.List(t.Context())
	if err != nil || len(rows) == 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err := OpenJobs(t.Context(), config(filepath.Join(t.TempDir(), "none"))); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("without a database: %v", err)
	}
}

// holdsUp tells that a Put began, and waits.
type holdsUp struct {
	agent.Corpus
	began, end chan struct{}
}

func (h holdsUp) Put(ctx context.Context, s agent.Scope, path string, sections []agent.Section) (int, error) {
	close(h.began)
	select {
	case <-h.end:
	case <-ctx.Done():
		return 0, errors.Join(ctx.Err())
	}
	return h.Corpus.Put(ctx, s, path, sections)
}
