package api

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// three answers a message with variants of three slides in one go.
func three(words string, seed uint64) []scripted.Round {
	var all []scripted.Call
	for _, slide := range []string{"02", "03", "04"} {
		all = append(all, call("slide.variant", variant{Slide: slide, Style: "bold"}))
	}
	return []scripted.Round{calls(words, all...), draws(seed), after("slide.variant", "That is settled.")}
}

// decide answers one preview and waits for its effect on the stream.
func decide(t *testing.T, u *harness.User, stream *harness.Stream, answer string, p agent.PreviewShown) agent.CapabilityDone {
	t.Helper()
	u.Must(http.StatusOK, "POST /confirm", harness.Decision(stream.Turn(), answer, p))
	for {
		done := harness.Decode[agent.CapabilityDone](t, stream.Until(agent.EventCapabilityDone))
		if done.CallID == p.CallID && done.Phase != agent.PhaseHandler {
			return done
		}
	}
}

// parked gives a turn once it runs no more: a turn that was killed between an effect
// and its parking parks when the next process has taken it up.
func parked(u *harness.User, id agent.TurnID) (t agent.Turn) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if t = u.Turn(id); t.State != agent.TurnRunning {
			break
		}
	}
	return t
}

func TestEachChangeOfASetIsDecidedByItselfInAnyOrderAndAcrossKills(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	seed := rng.Uint64()
	s := start(t, rng, three("three variants", seed)...)
	stream := s.lin.Chat(harness.Say("three variants"))
	previews := []agent.PreviewShown{stream.Preview(), stream.Preview(), stream.Preview()}
	rng.Shuffle(len(previews), func(i, j int) { previews[i], previews[j] = previews[j], previews[i] })
	turn, thread := stream.Turn(), stream.Thread()

	for n, answer := range []string{agent.AnswerAccept, agent.AnswerDiscard, agent.AnswerAccept} {
		if now := parked(s.lin, turn); now.State != agent.TurnAwaiting || len(now.Open) != 3-n {
			t.Fatalf("before decision %d the turn is %s with %d open", n, now.State, len(now.Open))
		}
		asked := len(s.provider.Requests(""))
		done := decide(t, s.lin, stream, answer, previews[n])
		want := map[string]agent.EffectState{agent.AnswerAccept: agent.EffectApplied, agent.AnswerDiscard: agent.EffectDiscarded}[answer]
		if !done.OK || done.State != want {
			t.Errorf("decision %d: %s gave %+v", n, answer, done)
		}
		if n == 2 {
			break
		}
		if now := len(s.provider.Requests("")); now != asked {
			t.Errorf("the model was asked while previews were open")
		}
		last := stream.LastID
		s.Kill()
		s.Restart()
		stream = s.lin.Attach(turn, last)
	}
	stream.Completed()
	repo := s.Repo("lingering-client")
	if len(mergesOf(repo, turn)) != 2 || len(repo.Branches("chat/")) != 0 {
		t.Errorf("two accepts and a discard left %d merges and the branches %v", len(repo.Merges()), repo.Branches("chat/"))
	}
	var accepted, discarded int
	for _, r := range results(t, s.Transcript(turn)) {
		switch r.Decision {
		case agent.ReceiptAccepted:
			accepted++
		case agent.ReceiptDiscarded:
			discarded++
		}
	}
	if accepted != 2 || discarded != 1 {
		t.Errorf("the transcript tells of %d accepts and %d discards", accepted, discarded)
	}
	usable(t, s.lin, thread)
}

func TestAllChangesOfASetAreDecidedInOneRequestOrNoneOfThem(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, three("three variants", rng.Uint64())...)
	stream := s.lin.Chat(harness.Say("three variants"))
	previews := []agent.PreviewShown{stream.Preview(), stream.Preview(), stream.Preview()}
	forged := previews[2]
	forged.ReceiptID += "x"
	if a := s.lin.Do("POST /confirm", harness.Decision(stream.Turn(), agent.AnswerAccept, previews[0], previews[1], forged)); a.Status != http.StatusNotFound {
		t.Errorf("with one receipt forged: %s", a)
	}
	if now := s.lin.Turn(stream.Turn()); len(now.Open) != 3 {
		t.Errorf("%d of 3 previews are open after a request that was refused", len(now.Open))
	}
	taken := s.lin.Accept(stream.Turn(), previews...)
	stream.Completed()
	if len(taken.Results) != 3 || len(mergesOf(s.Repo("lingering-client"), stream.Turn())) != 3 {
		t.Errorf("taken: %+v", taken)
	}
}

func TestADeckThatAPersonChangedMeanwhileMakesAPreviewStale(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	const slide = "slides/04-value-proposition.html"
	for name, c := range map[string]struct {
		path   string
		commit bool
		stale  bool
	}{
		"the slide, committed":     {slide, true, true},
		"the slide, not committed": {slide, false, true},
		"another slide":            {"slides/01-cover.html", true, false},
	} {
		s := start(t, rng, variants("a variant", "04", "bold", rng.Uint64())...)
		stream := s.lin.Chat(harness.Say("a variant"))
		preview := stream.Preview()
		repo := s.Repo("lingering-client")
		full := filepath.Join(repo.Dir, c.path)
		text := "<section><h1>Mine</h1></section>\n"
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.commit {
			repo.Git("commit", "-qam", "mine")
		}
		s.lin.Accept(stream.Turn(), preview)
		switch {
		case c.stale && c.commit: // refused, and worked out again on what is there now
			again := stream.Preview()
			if again.Replaces != preview.ReceiptID {
				t.Errorf("%s: the next preview replaces %q", name, again.Replaces)
			}
			s.lin.Discard(stream.Turn(), again)
		case c.stale: // nothing can be worked out over unsaved work
			done := harness.Decode[agent.CapabilityDone](t, stream.Until(agent.EventCapabilityDone))
			if done.OK || done.Error == nil || done.Error.Code != agent.CodeConflict {
				t.Errorf("%s: told as %+v", name, done)
			}
		}
		stream.Completed()
		if n := len(repo.Merges()); (n == 0) != c.stale {
			t.Errorf("%s: %d merge commits", name, n)
		}
		if now, err := os.ReadFile(full); err != nil || string(now) != text {
			t.Errorf("%s: the person's work is now %q, %v", name, now, err)
		}
	}
}

func TestWhatWasTakenAwaySinceThePreviewCountsAtTheAccept(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	for name, c := range map[string]struct {
		edit    string
		restart bool // the demo gives its people their roles again at each start
		status  int
		code    agent.Code
	}{
		"the capability was disabled":  {`UPDATE orgs SET disabled_capabilities = '["slide.variant"]' WHERE slug = 'lingering-client'`, true, 403, agent.CodePolicyDenied},
		"the user is a viewer now":     {`UPDATE memberships SET role = 'viewer' WHERE user_id = 'user_lin'`, false, 403, agent.CodeForbidden},
		"the user left the org":        {`DELETE FROM memberships WHERE user_id = 'user_lin'`, false, 401, agent.CodeUnauthenticated},
		"the login session was ended":  {`UPDATE sessions SET revoked_at_ms = 1`, false, 401, agent.CodeUnauthenticated},
		"the login session is too old": {fmt.Sprintf(`UPDATE sessions SET expires_at_ms = %d`, time.Now().Add(-time.Hour).UnixMilli()), true, 401, agent.CodeUnauthenticated},
	} {
		s := start(t, rng, variants("a variant", "04", "bold", rng.Uint64())...)
		stream := s.lin.Chat(harness.Say("a variant"))
		preview := stream.Preview()
		if c.restart {
			s.Kill()
		}
		s.Edit(c.edit)
		if c.restart {
			s.Restart()
		}
		refuses(t, s.lin, name, bad{what: "POST /confirm", body: harness.Decision(stream.Turn(), agent.AnswerAccept, preview), status: c.status, code: c.code})
		if merges := s.Repo("lingering-client").Merges(); len(merges) != 0 {
			t.Errorf("%s: merged all the same", name)
		}
	}
}

func TestAKeyThatIsRevokedInARunningTurnIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, variants("a variant", "04", "bold", rng.Uint64())...)
	stream := s.lin.Chat(harness.Say("a variant"))
	preview := stream.Preview()
	var keys agent.Page[agent.KeyInfo]
	s.lin.Must(http.StatusOK, "GET /keys", nil).Into(t, &keys)
	s.lin.Must(http.StatusNoContent, "DELETE /keys/"+keys.Items[0].ID, nil)
	asked := len(s.provider.Requests(""))
	s.lin.Accept(stream.Turn(), preview)
	failed := stream.Failed()
	if failed.Code != agent.CodeKeyRequired || failed.Panel != "byok" || len(s.provider.Requests("")) != asked {
		t.Errorf("failed as %+v after %d more calls", failed, len(s.provider.Requests(""))-asked)
	}
	// What was accepted is applied all the same: it needs no model.
	if !applied(t, s.Server, stream.Turn()) {
		t.Error("the accepted change is lost")
	}
	s.lin.StoreKey("anthropic", s.key)
	usable(t, s.lin, stream.Thread())
}

func TestAServerThatIsAskedToStopReleasesWhatRunsForItsSuccessor(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	text := longText(rng, 80)
	s := start(t, rng, slowly("at length", text, 10), variants("a variant", "04", "bold", rng.Uint64())[0], draws(1))
	parked := s.lin.Chat(harness.Say("a variant"))
	parked.Preview()
	stream := s.lin.Chat(harness.Say("at length"))
	stream.Until(agent.EventTextDelta)
	begun := time.Now()
	if code := s.Stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	for more := true; more; {
		var ev agent.Event
		if ev, more = stream.Next(); ev.Kind.Terminal() {
			t.Errorf("a stop of the server ended the turn with %s", ev.Kind)
		}
	}
	s.Restart()
	rest := s.lin.Attach(stream.Turn(), stream.LastID)
	if done := rest.Completed(); done.Text != text {
		t.Errorf("the answer is %q", done.Text)
	}
	whole := slices.Concat(stream.Events, rest.Events)
	if whole.Spoken(t) != text || !strings.Contains(whole.Kinds(), string(agent.EventStepRestarted)) {
		t.Errorf("the client was told %s: %q", whole.Kinds(), whole.Spoken(t))
	}
	if now := s.lin.Turn(parked.Turn()); now.State != agent.TurnAwaiting || len(now.Open) != 1 {
		t.Errorf("the preview that waited is %+v", now)
	}
}

func TestAStreamOfASessionThatWasEndedClosesWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	endless := says("think long", "a word and another")
	endless.Fault = &scripted.Fault{Kind: scripted.FaultSilence, After: 1}
	s := start(t, rng, endless)
	stream := s.lin.Chat(harness.Say("think long"))
	stream.Until(agent.EventTextDelta)
	begun := time.Now()
	s.Edit(`UPDATE sessions SET revoked_at_ms = 1`)
	for more := true; more; {
		_, more = stream.Next()
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("the stream lived for %s more", took)
	}
	refuses(t, s.lin, "attaching again", bad{what: "GET /turns/" + string(stream.Turn()) + "/events", status: 401, code: agent.CodeUnauthenticated})
}
