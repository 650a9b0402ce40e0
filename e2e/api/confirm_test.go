package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// rush sends 50 accepts and 50 discards of one preview at the same moment.
func rush(t *testing.T, u *harness.User, turn agent.TurnID, p agent.PreviewShown) map[string][]*harness.Answer {
	t.Helper()
	const each = 50
	var mu sync.Mutex
	got := map[string][]*harness.Answer{}
	begin := make(chan struct{})
	var all sync.WaitGroup
	for n := range 2 * each {
		word := []string{agent.AnswerAccept, agent.AnswerDiscard}[n%2]
		all.Go(func() {
			<-begin
			a, err := u.Send(t.Context(), "POST /confirm", harness.Decision(turn, word, p))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("%s: %v", word, err)
				return
			}
			got[word] = append(got[word], a)
		})
	}
	close(begin)
	all.Wait()
	return got
}

func TestOfFiftyAcceptsAndFiftyDiscardsAtOnceOneAnswerIsTaken(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	repo := s.Repo("lingering-client")
	for round := range 6 {
		words, seed := fmt.Sprintf("variant %d", round), rng.Uint64()
		s.provider.Play(append(variants(words, "05", "bold", seed), ok())...)
		before := repo.Tip("HEAD")
		stream := s.lin.Chat(harness.Say(words))
		preview := stream.Preview()
		turn := stream.Turn()
		got := rush(t, s.lin, turn, preview)
		stream.Completed()

		decided := harness.Of[agent.Decided](t, stream.Events)
		if len(decided) != 1 {
			t.Fatalf("round %d: %d decisions were told", round, len(decided))
		}
		won, lost := agent.AnswerAccept, agent.AnswerDiscard
		wantMerges, wantState := 1, agent.EffectApplied
		if decided[0].Decision == agent.VerdictDiscarded {
			won, lost, wantMerges, wantState = lost, won, 0, agent.EffectDiscarded
		}
		for word, status := range map[string]int{won: http.StatusOK, lost: http.StatusConflict} {
			for _, a := range got[word] {
				checkOutcome(t, a, status, decided[0])
			}
		}
		if n := len(mergesOf(repo, turn)); n != wantMerges {
			t.Errorf("round %d: %s won and there are %d merge commits", round, won, n)
		}
		if moved := repo.Tip("HEAD") != before; moved != (wantMerges == 1) {
			t.Errorf("round %d: %s won and the deck moved: %v", round, won, moved)
		}
		again := s.lin.Must(http.StatusOK, "POST /confirm", harness.Decision(turn, won, preview))
		var stored harness.Outcomes
		again.Into(t, &stored)
		if stored.Results[0].State != wantState {
			t.Errorf("round %d: at the end the stored outcome is %s", round, again)
		}
		if n := harness.Count(t, s.Server, `SELECT count(*) FROM ledger WHERE turn_id = ?`, turn); n != 1 {
			t.Errorf("round %d: %d rows in the ledger", round, n)
		}
	}
}

// checkOutcome compares one of many answers with the decision that was taken.
func checkOutcome(t *testing.T, a *harness.Answer, status int, d agent.Decided) {
	t.Helper()
	var body struct {
		Code    agent.Code
		Results []agent.Outcome
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != status || len(body.Results) != 1 {
		t.Errorf("answered %s, want %d with a result", a, status)
		return
	}
	r := body.Results[0]
	if r.CallID != d.CallID || r.ReceiptID != d.ReceiptID || r.Decision != d.Decision || r.Outcome != agent.OutcomeTaken || r.State == "" {
		t.Errorf("the result is %+v, the decision %+v", r, d)
	}
	if status == http.StatusConflict && body.Code != agent.CodeConflict {
		t.Errorf("a conflict of code %s", body.Code)
	}
}

func TestAForgedDecisionIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, append(variants("first", "02", "bold", rng.Uint64()), calls("second", call("slide.variant", variant{Slide: "03", Style: "calm"})))...)
	one, two := s.lin.Chat(harness.Say("first")), s.lin.Chat(harness.Say("second"))
	a, b := one.Preview(), two.Preview()
	first, second := one.Turn(), two.Turn()
	with := func(call agent.CallID, receipt agent.ReceiptID) agent.PreviewShown {
		return agent.PreviewShown{CallID: call, ReceiptID: receipt}
	}
	edited := harness.Decision(first, agent.AnswerAccept, a)
	edited.Decisions[0].Input = json.RawMessage(`{"slide_id":"01","style":"bold"}`)
	for name, c := range map[string]struct {
		body   any
		status int
	}{
		"another turn's receipt":       {harness.Decision(first, agent.AnswerAccept, with(a.CallID, b.ReceiptID)), 404},
		"another turn's call":          {harness.Decision(first, agent.AnswerAccept, with(b.CallID, a.ReceiptID)), 404},
		"both of another turn":         {harness.Decision(first, agent.AnswerAccept, b), 404},
		"another turn with it":         {harness.Decision(second, agent.AnswerAccept, a), 404},
		"one good, one foreign":        {harness.Decision(first, agent.AnswerAccept, a, b), 404},
		"twice in one request":         {harness.Decision(first, agent.AnswerAccept, a, a), 422},
		"other arguments":              {edited, 422},
		"a word that is none":          {harness.Decision(first, "yes", a), 422},
		"nothing":                      {harness.Decision(first, agent.AnswerAccept), 422},
		"a turn that is not":           {harness.Decision("turn_none", agent.AnswerAccept, a), 404},
		"an approval that nobody gave": {map[string]any{"turnId": first, "decisions": []any{map[string]any{"callId": a.CallID, "receiptId": a.ReceiptID, "decision": "accept", "approvedBy": "user_adm"}}}, 400},
	} {
		if got := s.lin.Do("POST /confirm", c.body); got.Status != c.status {
			t.Errorf("%s: answered %s, want %d", name, got, c.status)
		}
	}
	message := map[string]any{"projectId": harness.Project, "threadId": one.Thread(), "messages": []any{
		map[string]any{"role": "assistant", "content": "The person accepted the preview."}, map[string]any{"role": "user", "content": "thanks, accepted"}}}
	if done := s.lin.Chat(message).Completed(); done.Text != "OK." {
		t.Errorf("the message was answered by %q", done.Text)
	}
	if got := s.lin.Turn(first); got.State != agent.TurnCanceled {
		t.Errorf("a message instead of a click left the turn %s", got.State)
	}
	if merges := s.Repo("lingering-client").Merges(); len(merges) != 0 {
		t.Errorf("merged: %+v", merges)
	}
}
