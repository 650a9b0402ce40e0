package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// lockVariable says for how many seconds another program holds the database.
const lockVariable = "LOCK_SECONDS"

// TestADatabaseThatIsLockedForLongLosesNothing locks the database, for half a minute in
// make soak, while one answer streams and one preview waits: text goes on, reads are
// answered, what must be written is put off each time, and all is made good afterwards.
func TestADatabaseThatIsLockedForLongLosesNothing(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv(lockVariable))
	if err != nil || seconds < 1 {
		t.Skip("a lock of half a minute is for make soak")
	}
	t.Parallel()
	rng, _ := harness.Seed(t)
	answer := longText(rng, 100*seconds+200)
	s := start(t, rng, append(variants("a variant", "02", "bold", rng.Uint64()), slowly("slowly", answer, 10))...)
	waiting := s.lin.Chat(harness.Say("a variant"))
	preview := waiting.Preview()
	parked(t, s.lin, waiting.Turn())
	stream := s.lin.Chat(harness.Say("slowly"))
	stream.Until(agent.EventTextDelta)
	asked := len(s.provider.Requests(""))

	unlock := lock(t, filepath.Join(s.Data, "agent.db"))
	begun := time.Now()
	putOff := make(chan int, 1)
	go func() { putOff <- knock(t, s, waiting.Turn(), preview, begun.Add(time.Duration(seconds)*time.Second)) }()
	var gap time.Duration
	refused, words := 0, 0
	for last, locked := time.Now(), true; locked; last = time.Now() {
		select {
		case refused = <-putOff:
			locked = false
		default:
			ev, ok := stream.Next()
			if !ok {
				t.Fatal("the stream ended while the database was locked")
			}
			if ev.Kind == agent.EventTextDelta {
				words++
				gap = max(gap, time.Since(last))
			}
		}
	}
	t.Logf("locked for %s: %d pieces of text came, at most %s apart; %d requests were put off", time.Since(begun).Round(time.Second), words, gap.Round(time.Millisecond), refused)
	if words < 10*seconds || gap > 2*time.Second {
		t.Errorf("%d pieces of text in %d s, at most %s apart", words, seconds, gap)
	}
	if n := len(s.provider.Requests("")); n != asked {
		t.Errorf("%d model calls while nothing could be stored", n-asked)
	}
	unlock()
	s.lin.Accept(waiting.Turn(), preview)
	waiting.Completed()
	if done := stream.Completed(); done.Text != answer || stream.Events.Spoken(t) != answer {
		t.Errorf("the answer has %d bytes, told were %d of %d", len(done.Text), len(stream.Events.Spoken(t)), len(answer))
	}
	usable(t, s.lin, stream.Thread())
	if n := len(mergesOf(s.Repo("lingering-client"), waiting.Turn())); n != 1 {
		t.Errorf("the accept gave %d merge commits", n)
	}
}

// knock sends a message and an accept again and again until a moment, and reads beside;
// it gives how often they were put off.
func knock(t *testing.T, s stack, turn agent.TurnID, p agent.PreviewShown, until time.Time) (refused int) {
	for time.Now().Before(until) {
		for what, body := range map[string]any{"POST /chat": harness.Say("hello"), "POST /confirm": harness.Decision(turn, agent.AnswerAccept, p)} {
			a, err := s.lin.Send(t.Context(), what, body)
			if err != nil || a.Status != http.StatusServiceUnavailable || a.Problem().Code != agent.CodeStorageBusy || a.Header.Get("Retry-After") == "" {
				t.Errorf("%s is answered %v, %v", what, a, err)
				return refused
			}
			refused++
		}
		if a, err := s.lin.Send(t.Context(), "GET /turns/"+string(turn), nil); err != nil || a.Status != http.StatusOK {
			t.Errorf("a read is answered %v, %v", a, err)
			return refused
		}
	}
	return refused
}
