package api

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// onceMore bounds how long a turn may take to stand again after a restart.
const onceMore = 5 * time.Second

// settled waits until a turn has ended or waits for its user, and says how long
// that took.
func settled(t *testing.T, u *harness.User, turn agent.TurnID) (agent.Turn, time.Duration) {
	t.Helper()
	begun := time.Now()
	stream := u.Attach(turn, "")
	defer stream.Close()
	for {
		ev, more := stream.Next()
		if more && !ev.Kind.Terminal() && ev.Kind != agent.EventPreview {
			continue
		}
		if now := u.Turn(turn); now.State.Terminal() || now.State == agent.TurnAwaiting {
			return now, time.Since(begun)
		}
		if !more {
			t.Fatalf("the stream of a turn that is %s ended", u.Turn(turn).State)
		}
	}
}

// applied compares the transcript with the deck: a merge commit stands there if,
// and only if, the transcript says that the change was applied.
func applied(t *testing.T, s *harness.Server, turn agent.TurnID) bool {
	t.Helper()
	says := slices.ContainsFunc(results(t, s.Transcript(turn)), func(r result) bool {
		return r.Name == "slide.variant" && r.OK && r.Decision == agent.ReceiptAccepted
	})
	merges := mergesOf(s.Repo("lingering-client"), turn)
	if len(merges) > 1 || (len(merges) == 1) != says {
		t.Errorf("the transcript says applied: %v, and there are %d merge commits", says, len(merges))
	}
	return says
}

func TestAPreviewThatWaitsSurvivesAKillAndIsAcceptedWithTheSameCookie(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	seed := rng.Uint64()
	s := start(t, rng, variants("a variant", "06", "bold", seed)...)
	stream := s.lin.Chat(harness.Say("a variant"))
	preview := stream.Preview()
	turn := stream.Turn()
	parked(t, s.lin, turn)
	s.Kill()
	for more := true; more; { // what was on its way when it died
		_, more = stream.Next()
	}
	s.Restart()
	if got := s.lin.Turn(turn); got.State != agent.TurnAwaiting || len(got.Open) != 1 || got.Open[0].ReceiptID != preview.ReceiptID {
		t.Errorf("after the restart the turn is %+v", got)
	}
	s.lin.Accept(turn, preview)
	rest := s.lin.Attach(turn, stream.LastID)
	rest.Completed()
	if got := rest.Events[0].Kind; got != agent.EventDecision {
		t.Errorf("the rest of the stream begins with %s", got)
	}
	if !applied(t, s.Server, turn) {
		t.Error("the accepted change was not applied")
	}
	if got := s.Repo("lingering-client").Files("HEAD")["slides/06-voices.html"]; got != drawn(seed) {
		t.Errorf("the slide is %q", got)
	}
	usable(t, s.lin, stream.Thread())
}

func TestAKillWhileTheSlideIsWrittenIsMadeGood(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	seed := rng.Uint64()
	silent := draws(seed)
	silent.Times, silent.Fault = 1, &scripted.Fault{Kind: scripted.FaultSilence, After: 1}
	s := start(t, rng, append([]scripted.Round{silent}, variants("a variant", "06", "bold", seed)...)...)
	turn := s.lin.Begin(harness.Say("a variant"))
	s.provider.Await("the slide is being written", func(seen []fake.Seen) bool { return len(seen) == 2 && seen[1].Bytes > 0 })
	s.Kill()
	s.Restart()
	now, took := settled(t, s.lin, turn.ID)
	if now.State != agent.TurnAwaiting || took > onceMore {
		t.Fatalf("after %s the turn is %s", took, now.State)
	}
	stream := s.lin.Attach(turn.ID, "")
	s.lin.Accept(turn.ID, stream.Preview())
	stream.Completed()
	if len(harness.Of[agent.StepRestarted](t, stream.Events)) == 0 {
		t.Error("the stream does not say that something was begun again")
	}
	if !applied(t, s.Server, turn.ID) || len(s.Repo("lingering-client").Branches("chat/")) != 0 {
		t.Error("the change was not applied, or its branch stayed")
	}
	if n := len(s.provider.Requests("")); n != 4 {
		t.Errorf("%d model calls, want 4: the question, the slide twice, the close", n)
	}
}

func TestAKillWhileADecisionTakesEffectNeverDoublesNorLosesIt(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	repo := s.Repo("lingering-client")
	for n := range 12 {
		seed, answer := rng.Uint64(), []string{agent.AnswerAccept, agent.AnswerAccept, agent.AnswerDiscard}[n%3]
		before := repo.Files("HEAD")["slides/06-voices.html"]
		s.provider.Play(append(variants("a variant", "06", "bold", seed), ok())...)
		stream := s.lin.Chat(harness.Say("a variant"))
		preview := stream.Preview()
		turn := stream.Turn()
		s.lin.Must(http.StatusOK, "POST /confirm", harness.Decision(turn, answer, preview))
		delay := time.Duration(rng.IntN(120)) * time.Millisecond
		s.KillAfter(delay)()
		s.Restart()
		where := fmt.Sprintf("kill %d, %s after the %s", n, delay, answer)
		now, took := settled(t, s.lin, turn)
		if now.State != agent.TurnComplete || took > onceMore {
			t.Errorf("%s: after %s the turn is %s", where, took, now.State)
		}
		want := before
		if answer == agent.AnswerAccept {
			want = drawn(seed)
		}
		if got := applied(t, s.Server, turn); got != (answer == agent.AnswerAccept) {
			t.Errorf("%s: applied: %v", where, got)
		}
		if got := repo.Files("HEAD")["slides/06-voices.html"]; got != want {
			t.Errorf("%s: the slide is %.80q", where, got)
		}
		if left := repo.Branches("chat/"); len(left) != 0 {
			t.Errorf("%s: the side branch stayed: %v", where, left)
		}
		usable(t, s.lin, stream.Thread())
	}
}
