package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestAKeyThatTheProviderRejectsIsA402WithTheKeysID(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, scripted.Round{When: &scripted.When{LastUser: "^revoked there$"}, Fault: &scripted.Fault{Kind: scripted.FaultStatus, Status: 401}})
	var keys agent.Page[agent.KeyInfo]
	s.lin.Must(http.StatusOK, "GET /keys", nil).Into(t, &keys)

	p := s.lin.Must(http.StatusPaymentRequired, "POST /chat", harness.Say("revoked there")).Problem()
	if p.Code != agent.CodeKeyInvalid || p.KeyID != keys.Items[0].ID || p.Provider != "anthropic" || p.Panel != "byok" || p.TurnID == "" {
		t.Errorf("the answer is %+v, the key %s", p, keys.Items[0].ID)
	}
	if n := len(s.provider.Requests("")); n != 1 {
		t.Errorf("a rejected key was tried %d times", n)
	}
	failed := s.lin.Attach(p.TurnID, "").Failed()
	if failed.Code != agent.CodeKeyInvalid || failed.Status != http.StatusPaymentRequired || failed.KeyID != p.KeyID {
		t.Errorf("on attach it is %+v", failed)
	}
	usable(t, s.lin, s.lin.Turn(p.TurnID).ThreadID)
}

func TestAKeyThatDoesNotPassItsTestIsNotStored(t *testing.T) {
	t.Parallel()
	s, provider := bare(t, harness.Options{})
	lin := s.SignIn("lin")
	p := lin.Must(http.StatusPaymentRequired, "POST /keys", map[string]string{"provider": "anthropic", "key": "sk-ant-this-is-invalid-0001"}).Problem()
	if p.Code != agent.CodeKeyInvalid || p.Panel != "byok" {
		t.Errorf("the answer is %+v", p)
	}
	if n := len(provider.Requests("")); n != 1 {
		t.Errorf("it was tested by %d calls", n)
	}
	if list := lin.Must(http.StatusOK, "GET /keys", nil); !strings.Contains(string(list.Body), `"items":[]`) {
		t.Errorf("stored all the same: %s", list)
	}
}

func TestACapabilityOutsideTheWhitelistIsRefusedAndTheModelAnswersInText(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	const words = "sneak an edit in"
	for _, name := range []string{"slide.edit", "slide.readx", "corpus.search_cross_client", "shell"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, rng, calls(words, call(name, map[string]any{"slide_id": "04", "instruction": "x", "command": "id"})),
				scripted.Round{When: &scripted.When{LastResult: "not_executed", Purpose: "step"}, Text: scripted.Text{"I may not do that here."}})
			message := harness.Say(words)
			message.Tools = []string{"slide.read", "deck.*"}
			before := s.Repo("lingering-client").Tip("HEAD")
			stream := s.lin.Chat(message)
			if done := stream.Completed(); done.Text != "I may not do that here." {
				t.Errorf("the answer is %q", done.Text)
			}
			done := harness.Of[agent.CapabilityDone](t, stream.Events)
			if len(done) != 1 || done[0].OK || done[0].Error == nil || done[0].Error.Code != agent.CodeNotExecuted {
				t.Errorf("the call ended as %+v", done)
			}
			if n := len(s.provider.Requests("")); n != 2 {
				t.Errorf("%d model calls were made, want 2", n)
			}
			repo := s.Repo("lingering-client")
			if repo.Tip("HEAD") != before || len(repo.Branches("chat/")) != 0 {
				t.Error("the deck moved")
			}
			if rows := results(t, s.Transcript(stream.Turn())); len(rows) != 1 || rows[0].OK {
				t.Errorf("the transcript says %+v", rows)
			}
		})
	}
}

func TestSearchesThatNeverEndAreCutAtFiveATurn(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	search := call("corpus.search", map[string]any{"query": "deck aesthetic"})
	loop := []scripted.Round{says("and again?", "Enough now.")}
	for step := range 7 {
		loop = append(loop, scripted.Round{When: &scripted.When{LastUser: "^one by one$", Purpose: "step", Step: step + 1}, Calls: []scripted.Call{search}})
	}
	loop = append(loop, calls("all at once", search, search, search, search, search, search, search, search),
		calls("four more", search, search, search, search))
	s := start(t, rng, loop...)
	for words, want := range map[string][2]int{"one by one": {5, 2}, "all at once": {5, 3}, "four more": {4, 0}} {
		stream := s.lin.Chat(harness.Say(words))
		stream.Completed()
		var ran, refused int
		for _, d := range harness.Of[agent.CapabilityDone](t, stream.Events) {
			switch {
			case d.OK:
				ran++
			case d.Error.Code == agent.CodeRateLimited:
				refused++
			}
		}
		if ran != want[0] || refused != want[1] {
			t.Errorf("%s: %d searches ran and %d were refused, want %v", words, ran, refused, want)
		}
	}
}

func TestAnAbandonedPreviewExpiresAndItsBranchIsCleanedUp(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, variants("a bold variant", "02", "bold", rng.Uint64())...)
	stream := s.lin.Chat(harness.Say("a bold variant"))
	preview := stream.Preview()
	turn, thread := stream.Turn(), stream.Thread()
	stream.Close()

	busy := harness.Run(t, programs.Agent, "jobs", "run", "expire", "--data", s.Data)
	if busy.Code != 1 || !strings.Contains(busy.Stderr, "in use") {
		t.Errorf("beside a running server the job ended with %d and said %q", busy.Code, busy.Stderr)
	}
	if code := s.Stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	job := func(name string) string {
		t.Helper()
		r := harness.Run(t, programs.Agent, "jobs", "run", name, "--data", s.Data)
		if r.Code != 0 {
			t.Fatalf("jobs run %s ended with %d: %s", name, r.Code, r.Stderr)
		}
		return r.Stdout
	}
	repo := s.Repo("lingering-client")
	if out := job("expire"); !strings.Contains(out, "expire: 0 previews") || len(repo.Branches("chat/")) != 1 {
		t.Errorf("before its time: %q, branches %v", out, repo.Branches("chat/"))
	}
	s.Edit(`UPDATE receipts SET expires_at_ms = ? WHERE id = ?`, time.Now().Add(-time.Minute).UnixMilli(), preview.ReceiptID)
	if out := job("expire"); !strings.Contains(out, "expire: 1 previews") || len(repo.Branches("chat/")) != 0 {
		t.Errorf("after its time: %q, branches %v", out, repo.Branches("chat/"))
	}
	const ours = "Left\n\nIn-App-Agent-Capability: slide.variant\n"
	leaveBranch(repo, "chat/slide-03-forgotten-20200101-000000", ours, 8)
	leaveBranch(repo, "chat/slide-03-recent-20200101-000000", ours, 6)
	leaveBranch(repo, "chat/of-a-person", "Mine\n", 400)
	if out := job("clean-branches"); !strings.Contains(out, "1 branches") || !strings.Contains(out, "slide-03-forgotten") {
		t.Errorf("clean-branches said %q", out)
	}
	if left := repo.Branches("chat/"); len(left) != 2 {
		t.Errorf("the branches left are %v", left)
	}

	s.Restart()
	if code := s.lin.Do("POST /confirm", harness.Decision(turn, agent.AnswerAccept, preview)); code.Status != http.StatusGone {
		t.Errorf("accepting an expired preview answered %s", code)
	}
	if got := s.lin.Turn(turn); got.State != agent.TurnCanceled {
		t.Errorf("its turn is %s", got.State)
	}
	decided := harness.Of[agent.Decided](t, attached(s.lin, turn))
	if len(decided) != 1 || decided[0].Decision != agent.VerdictExpired || decided[0].By != "system" {
		t.Errorf("the decision is told as %+v", decided)
	}
	usable(t, s.lin, thread)
}

// attached reads an ended turn's events.
func attached(u *harness.User, turn agent.TurnID) harness.Events {
	s := u.Attach(turn, "")
	s.Finish()
	return s.Events
}

// leaveBranch makes a branch as an earlier day left it.
func leaveBranch(r harness.Repo, name, message string, days int) {
	date := time.Now().AddDate(0, 0, -days).Format(time.RFC3339)
	env := []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	commit := strings.TrimSpace(r.GitWith(env, message, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-F", "-"))
	r.Git("update-ref", "refs/heads/"+name, commit)
}
