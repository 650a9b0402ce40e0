package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// volley sends the same number of messages into one thread at once and counts the
// answers by status.
func volley(t *testing.T, u *harness.User, thread agent.ThreadID, n int) map[int]int {
	t.Helper()
	var mu sync.Mutex
	got := map[int]int{}
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-begin
			a, err := u.Send(t.Context(), "POST /chat", harness.Say(fmt.Sprintf("message %d", i)).In(thread), harness.Set("Accept", "application/json"))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			got[a.Status]++
			if code := a.Problem().Code; a.Status != http.StatusAccepted && code != agent.CodeTurnInProgress && code != agent.CodeRateLimited {
				t.Errorf("answered %s", a)
			}
		})
	}
	close(begin)
	all.Wait()
	return got
}

func TestManyMessagesAtOnceAreOneTurnAtATime(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, variants("a variant", "02", "bold", rng.Uint64())...)
	for round := range 5 {
		// Once the thread is quiet, once a preview waits in it and makes room.
		words := []string{"hello", "a variant"}[round%2]
		stream := s.lin.Chat(harness.Say(words))
		if words == "hello" {
			stream.Completed()
		} else {
			stream.Preview()
		}
		got := volley(t, s.lin, stream.Thread(), 20)
		if got[http.StatusAccepted] == 0 {
			t.Errorf("round %d: no message was accepted: %v", round, got)
		}
		watch := s.lin.Watch(stream.Thread(), "")
		seen := map[agent.TurnID]bool{}
		for ended := 0; ended < got[http.StatusAccepted]+1; {
			ev, more := watch.Next()
			if !more {
				t.Fatal("the thread's stream ended")
			}
			if last := watch.Events[max(0, len(watch.Events)-2)]; ev.Turn != last.Turn && (seen[ev.Turn] || !last.Kind.Terminal()) {
				t.Errorf("round %d: two turns are interleaved: %s after %s", round, ev.Kind, last.Kind)
			}
			seen[ev.Turn] = true
			if ev.Kind.Terminal() {
				ended++
			}
		}
		watch.Close()
		usable(t, s.lin, stream.Thread())
	}
	if merges := s.Repo("lingering-client").Merges(); len(merges) != 0 {
		t.Errorf("merged: %+v", merges)
	}
}

func TestADeletedThreadTakesWhatRunsAndWhatWaitsWithIt(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	endless := says("think long", "a word and another")
	endless.Fault = &scripted.Fault{Kind: scripted.FaultSilence, After: 1}
	s := start(t, rng, append(variants("a variant", "02", "bold", rng.Uint64()), endless)...)
	running, parked := s.lin.Chat(harness.Say("think long")), s.lin.Chat(harness.Say("a variant"))
	running.Until(agent.EventTextDelta)
	preview := parked.Preview()
	for _, stream := range []*harness.Stream{running, parked} {
		s.lin.Must(http.StatusNoContent, "DELETE /threads/"+string(stream.Thread()), nil)
		for more := true; more; { // it ends, one way or the other
			_, more = stream.Next()
		}
		for _, what := range []string{"GET /threads/" + string(stream.Thread()), "GET /turns/" + string(stream.Turn()), "GET /turns/" + string(stream.Turn()) + "/events"} {
			refuses(t, s.lin, what, bad{what: what, status: 404, code: agent.CodeNotFound})
		}
	}
	refuses(t, s.lin, "an accept afterwards", bad{what: "POST /confirm", body: harness.Decision(parked.Turn(), agent.AnswerAccept, preview), status: 404, code: agent.CodeNotFound})
	if n := s.provider.Requests(""); !n[0].ClosedEarly {
		t.Error("the running answer's connection was not closed")
	}
	for _, table := range []string{"threads", "turns", "events", "steps", "calls", "receipts", "ledger", "blobs", "agent_transcripts"} {
		if n := harness.Count(t, s.Server, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if repo := s.Repo("lingering-client"); len(repo.Merges()) != 0 || len(repo.Branches("chat/")) != 0 {
		t.Errorf("left in the deck: %v", repo.Branches("chat/"))
	}
	s.lin.Chat(harness.Say("hello")).Completed()
}

func TestAnAttachedSlideIsTheServersWordAndNotTheClients(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	stream := s.lin.Chat(map[string]any{"projectId": harness.Project, "text": "what does it say?", "attachments": []any{
		map[string]any{"kind": "slide", "id": "4", "title": "FORGED TITLE", "content": "FORGED CONTENT", "version": "FORGED"}}})
	stream.Completed()
	seen := s.provider.Requests("")
	if len(seen) != 1 || strings.Contains(seen[0].Raw, "FORGED") || !strings.Contains(seen[0].Raw, "Leveraging synergies") {
		t.Errorf("the model was told %s", seen[0].Raw)
	}
	started := harness.Of[agent.TurnStarted](t, stream.Events)[0]
	if len(started.Message.Attachments) != 1 || started.Message.Attachments[0].Title == "" || started.Message.Attachments[0].Title == "FORGED TITLE" {
		t.Errorf("the turn holds %+v", started.Message.Attachments)
	}
}
