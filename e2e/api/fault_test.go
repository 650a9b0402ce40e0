package api

import (
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// faulty is one way in which a provider fails, and what must come of it.
type faulty struct {
	words string
	fault scripted.Fault
	code  agent.Code // "" means that the turn survives
	asked int        // model calls
}

var faults = []faulty{
	{"an error after 200", scripted.Fault{Kind: scripted.FaultError, After: 3}, agent.CodeOverloaded, 1},
	{"a rate limit after 200", scripted.Fault{Kind: scripted.FaultError, Status: 429, After: 3}, agent.CodeRateLimited, 1},
	{"a failure after 200", scripted.Fault{Kind: scripted.FaultFailed, Status: 500, After: 3}, agent.CodeProviderError, 1},
	{"a reset", scripted.Fault{Kind: scripted.FaultReset, Bytes: 1500}, agent.CodeProviderError, 1},
	{"a cut", scripted.Fault{Kind: scripted.FaultAbort, Bytes: 1500}, agent.CodeProviderError, 1},
	{"a clean end too early", scripted.Fault{Kind: scripted.FaultEOF, Bytes: 1500}, agent.CodeProviderError, 1},
	{"no stop", scripted.Fault{Kind: scripted.FaultNoStop}, agent.CodeProviderError, 1},
	{"garbage", scripted.Fault{Kind: scripted.FaultGarbage, After: 3}, agent.CodeProviderError, 1},
	{"an index of nothing", scripted.Fault{Kind: scripted.FaultWrongIndex}, agent.CodeProviderError, 3},
	{"401", scripted.Fault{Kind: scripted.FaultStatus, Status: 401}, agent.CodeKeyInvalid, 1},
	{"402", scripted.Fault{Kind: scripted.FaultStatus, Status: 402}, agent.CodeKeyInvalid, 1},
	{"403", scripted.Fault{Kind: scripted.FaultStatus, Status: 403}, agent.CodeKeyInvalid, 1},
	{"404", scripted.Fault{Kind: scripted.FaultStatus, Status: 404}, agent.CodeInvalidInput, 1},
	{"413", scripted.Fault{Kind: scripted.FaultStatus, Status: 413}, agent.CodeTooLarge, 1},
	{"429", scripted.Fault{Kind: scripted.FaultStatus, Status: 429, RetryAfter: "1"}, agent.CodeRateLimited, 3},
	{"429 for an hour", scripted.Fault{Kind: scripted.FaultStatus, Status: 429, RetryAfter: "3600"}, agent.CodeRateLimited, 1},
	{"500", scripted.Fault{Kind: scripted.FaultStatus, Status: 500, RetryAfter: "1"}, agent.CodeProviderError, 3},
	{"502, a gateway's page", scripted.Fault{Kind: scripted.FaultStatus, Status: 502, RetryAfter: "1"}, agent.CodeProviderError, 3},
	{"504", scripted.Fault{Kind: scripted.FaultStatus, Status: 504, RetryAfter: "1"}, agent.CodeTimeout, 3},
	{"529", scripted.Fault{Kind: scripted.FaultStatus, Status: 529, RetryAfter: "1"}, agent.CodeOverloaded, 3},
	{"an unknown event", scripted.Fault{Kind: scripted.FaultUnknownEvent, After: 3}, "", 1},
	{"half a letter", scripted.Fault{Kind: scripted.FaultHalfRune}, "", 1},
	{"broken letters", scripted.Fault{Kind: scripted.FaultInvalidUTF8}, "", 1},
}

func TestEachFaultOfAProviderEndsTheTurnOnceWithItsCode(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	var rounds []scripted.Round
	for _, f := range faults {
		r := says(f.words, longText(rng, 60))
		r.Fault = &f.fault
		rounds = append(rounds, r)
	}
	s := start(t, rng, rounds...)
	asked := map[string]int{}
	t.Run("each", func(t *testing.T) {
		free := make(chan struct{}, agent.MaxTurnsPerUser)
		for _, f := range faults {
			t.Run(f.words, func(t *testing.T) {
				t.Parallel()
				free <- struct{}{}
				defer func() { <-free }()
				u := s.lin.For(t)
				turn := u.Begin(harness.Say(f.words))
				stream := u.Attach(turn.ID, "")
				checkFault(t, s, f, stream)
				usable(t, u, turn.ThreadID)
			})
		}
	})
	for _, seen := range s.provider.Requests("") {
		for _, f := range faults {
			if !strings.Contains(seen.Raw, "is anybody there?") && strings.Contains(seen.Raw, `"text":"`+f.words+`"`) {
				asked[f.words]++
			}
		}
	}
	for _, f := range faults {
		if asked[f.words] != f.asked {
			t.Errorf("%s: the provider was asked %d times, want %d", f.words, asked[f.words], f.asked)
		}
	}
}

func checkFault(t *testing.T, s stack, f faulty, stream *harness.Stream) {
	t.Helper()
	if f.code == "" {
		if stream.Completed().Text == "" {
			t.Error("nothing was said")
		}
		return
	}
	got := stream.Failed()
	if got.Code != f.code || got.Message == "" || got.Status != f.code.Status() || strings.Contains(got.Message, "cloudflare") {
		t.Errorf("failed as %+v, want %s", got, f.code)
	}
	if f.code == agent.CodeKeyInvalid && (got.Panel != "byok" || got.KeyID == "" || got.Provider != "anthropic") {
		t.Errorf("failed as %+v", got)
	}
	row := s.Transcript(stream.Turn())
	if spoken := stream.Events.Spoken(t); row.ModelMessage != spoken || (spoken == "") != (f.fault.Kind == scripted.FaultStatus || f.fault.Kind == scripted.FaultWrongIndex) {
		t.Errorf("told was %q, kept is %q", spoken, row.ModelMessage)
	}
}

func TestAFaultWhileASlideIsWrittenIsAResultThatTheModelReads(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	broken := draws(rng.Uint64())
	broken.Fault = &scripted.Fault{Kind: scripted.FaultReset, Bytes: 700}
	s := start(t, rng, calls("a variant", call("slide.variant", variant{Slide: "02", Style: "bold"})), broken,
		after("slide.variant", "The slide could not be written."))
	stream := s.lin.Chat(harness.Say("a variant"))
	if done := stream.Completed(); done.Text != "The slide could not be written." {
		t.Errorf("the answer is %q", done.Text)
	}
	done := harness.Of[agent.CapabilityDone](t, stream.Events)
	if len(done) != 1 || done[0].OK || done[0].Error.Code != agent.CodeProviderError {
		t.Errorf("the call ended as %+v", done)
	}
	if len(s.Repo("lingering-client").Branches("chat/")) != 0 {
		t.Error("half a slide stands on a side branch")
	}
}

func TestAProviderThatIsAwayIsTriedAndThenTold(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := harness.Start(t, harness.Options{Programs: programs}) // no provider listens
	lin := s.SignIn("lin")
	var stored agent.StoredKey
	lin.Must(http.StatusCreated, "POST /keys", map[string]string{"provider": "anthropic", "key": anthropicKey(rng)}).Into(t, &stored)
	if stored.Test.OK || stored.Test.Code != agent.CodeProviderError || stored.ID == "" {
		t.Errorf("the test of a key while the provider is away: %+v", stored)
	}
	stream := lin.Chat(harness.Say("hello"))
	if failed := stream.Failed(); failed.Code != agent.CodeProviderError || !failed.Recoverable {
		t.Errorf("failed as %+v", failed)
	}
}
