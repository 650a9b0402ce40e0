package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// play reads a whole stream and holds it to the contract of agent.Model.
func play(tb testing.TB, m agent.Model, req agent.ModelRequest) ([]agent.Delta, error) {
	tb.Helper()
	var deltas []agent.Delta
	var failed error
	for d, err := range m.Stream(tb.Context(), req) {
		if failed != nil {
			tb.Fatal("something came after an error")
		}
		if err != nil {
			failed = err
			continue
		}
		deltas = append(deltas, d)
	}
	done := len(deltas) > 0 && deltas[len(deltas)-1].Kind == agent.DeltaDone
	if done == (failed != nil) {
		tb.Fatalf("the stream ended with done %v and error %v; one of them must be", done, failed)
	}
	return deltas, failed
}

func playRound(tb testing.TB, r scripted.Round, req agent.ModelRequest) ([]agent.Delta, error) {
	tb.Helper()
	return play(tb, scripted.New(scripted.NewScript(r), scripted.Options{}), req)
}

func TestARoundIsStreamedBlockByBlock(t *testing.T) {
	n := int64(12)
	deltas, err := playRound(t, scripted.Round{
		Reasoning: scripted.Text{"think hard"},
		Text:      scripted.Text{"one ", "two"},
		Calls:     []scripted.Call{{Name: "slide.read", Input: json.RawMessage(`{"slide":4}`)}, {Name: "deck.export"}},
		Usage:     &agent.Usage{TokensOut: &n},
	}, said("go", "slide_read", "deck_export"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, d := range deltas {
		told = append(told, string(d.Kind)+string(rune('0'+d.Index))+":"+d.Text+d.Name)
	}
	want := []string{"opened0:", "reasoning0:think ", "reasoning0:hard", "text1:one ", "text1:two", "call2:slide_read", "call3:deck_export", "done0:"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	a := deltas[len(deltas)-1].Answer
	blocks, _ := json.Marshal(a.Blocks)
	if want := `[{"kind":"reasoning","text":"think hard"},{"kind":"text","text":"one two"},{"kind":"call","wireId":"call_1","name":"slide_read","input":{"slide":4}},{"kind":"call","wireId":"call_2","name":"deck_export","input":{}}]`; string(blocks) != want {
		t.Errorf("blocks %s, want %s", blocks, want)
	}
	if a.Stop != agent.StopCalls || string(a.Raw) != string(blocks) || *a.Usage.TokensOut != 12 || a.Usage.TokensIn != nil {
		t.Errorf("answer %+v", a)
	}
}

func TestMintedIDsAreNewInTheConversation(t *testing.T) {
	req := answered(said("go"), "slide_read", "call_1", "x")
	deltas, err := playRound(t, scripted.Round{Calls: []scripted.Call{{Name: "slide.read"}, {Name: "a", ID: "mine"}, {Name: "b"}}}, req)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, b := range deltas[len(deltas)-1].Answer.Blocks {
		ids = append(ids, b.WireID)
	}
	if want := []string{"call_2", "mine", "call_3"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}

func TestACallThatIsNotOfferedIsMadeAllTheSame(t *testing.T) {
	deltas, err := playRound(t, scripted.Round{Calls: []scripted.Call{{Name: "Shell.run-all", InputText: `{"a":`}}}, said("go", "slide_read"))
	if err != nil {
		t.Fatal(err)
	}
	a := deltas[len(deltas)-1].Answer
	if a.Blocks[0].Name != "shell_run_all" || string(a.Blocks[0].Input) != `{"a":` || a.Raw != nil {
		t.Errorf("answer %+v: want the wire name, the arguments as they are and nothing raw", a)
	}
}

func TestEachFaultGivesTheErrorOfACarefulAdapter(t *testing.T) {
	for _, c := range []struct {
		fault     scripted.Fault
		code      agent.Code
		retryable bool
		wait      time.Duration
	}{
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 400}, agent.CodeInvalidInput, false, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 401}, agent.CodeKeyInvalid, false, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 402}, agent.CodeKeyInvalid, false, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 403}, agent.CodeKeyInvalid, false, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 404}, agent.CodeInvalidInput, false, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 413}, agent.CodeTooLarge, false, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 429, RetryAfter: "7"}, agent.CodeRateLimited, true, 7 * time.Second},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 429}, agent.CodeRateLimited, true, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 500}, agent.CodeProviderError, true, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 503}, agent.CodeOverloaded, true, 0},
		{scripted.Fault{Kind: scripted.FaultStatus, Status: 504}, agent.CodeTimeout, true, 0},
		{scripted.Fault{Kind: scripted.FaultError}, agent.CodeOverloaded, true, 0},
		{scripted.Fault{Kind: scripted.FaultNoStop}, agent.CodeProviderError, true, 0},
		{scripted.Fault{Kind: scripted.FaultReset}, agent.CodeProviderError, true, 0},
	} {
		_, err := playRound(t, scripted.Round{Text: scripted.Text{"never whole"}, Fault: &c.fault}, said("go"))
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Retryable != c.retryable || e.RetryAfter != c.wait {
			t.Errorf("%+v gave %v, want %s, retryable %v after %v", c.fault, err, c.code, c.retryable, c.wait)
		}
	}
}

func TestAFaultComesAfterItsChunks(t *testing.T) {
	for _, c := range []struct {
		fault scripted.Fault
		text  string
		fails bool
	}{
		{scripted.Fault{Kind: scripted.FaultError, After: 0}, "", true},
		{scripted.Fault{Kind: scripted.FaultError, After: 2}, "one two ", true},
		{scripted.Fault{Kind: scripted.FaultError, After: 99}, "one two three", true},
		{scripted.Fault{Kind: scripted.FaultNoStop}, "one two three", true},
		{scripted.Fault{Kind: scripted.FaultUnknownEvent}, "one two three", false},
	} {
		deltas, err := playRound(t, scripted.Round{Text: scripted.Text{"one two three"}, Fault: &c.fault}, said("go"))
		var text strings.Builder
		for _, d := range deltas {
			text.WriteString(d.Text)
		}
		if text.String() != c.text || (err != nil) != c.fails {
			t.Errorf("%+v told %q and gave %v", c.fault, text.String(), err)
		}
	}
}

func TestEveryFaultKindIsPlayed(t *testing.T) {
	for _, kind := range scripted.FaultKinds() {
		synctest.Test(t, func(t *testing.T) {
			f := scripted.Fault{Kind: kind, Status: 500}
			m := scripted.New(scripted.NewScript(scripted.Round{Text: scripted.Text{"a b"}, Fault: &f}), scripted.Options{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var failed error
			for _, err := range m.Stream(ctx, said("x")) {
				failed = err
			}
			if (failed == nil) != (f.Err() == nil) {
				t.Errorf("%s ended with %v, and its Err is %v", kind, failed, f.Err())
			}
		})
	}
}

func TestTheModelKeepsItsPace(t *testing.T) {
	for _, c := range []struct {
		name  string
		round scripted.Round
		want  time.Duration
	}{
		{"a chunk each 15 ms", scripted.Round{Text: scripted.Text{"a b c d"}}, 60 * time.Millisecond},
		{"a delay before the first", scripted.Round{Text: scripted.Text{"a"}, DelayMs: 100}, 115 * time.Millisecond},
		{"a slow fault sets another pace", scripted.Round{Text: scripted.Text{"a b"}, Fault: &scripted.Fault{Kind: scripted.FaultSlow, Ms: 500}}, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := scripted.New(scripted.NewScript(c.round), scripted.Options{Pace: scripted.DemoPace})
			start := time.Now()
			if _, err := play(t, m, said("x")); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(start); got != c.want {
				t.Errorf("%s: took %v, want %v", c.name, got, c.want)
			}
		})
	}
}

func TestCancellingEndsTheStreamAtOnce(t *testing.T) {
	for _, kind := range []scripted.FaultKind{scripted.FaultSilentHeaders, scripted.FaultSilence, scripted.FaultPings, scripted.FaultSlow, scripted.FaultLoris} {
		synctest.Test(t, func(t *testing.T) {
			f := scripted.Fault{Kind: kind, Ms: 3_600_000, After: 1}
			m := scripted.New(scripted.NewScript(scripted.Round{Text: scripted.Text{"a b c"}, Fault: &f}), scripted.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			time.AfterFunc(time.Second, cancel)
			var failed error
			for _, err := range m.Stream(ctx, said("x")) {
				failed = err
			}
			if !errors.Is(failed, context.Canceled) || agent.ErrorCode(failed) != agent.CodeInterrupted {
				t.Errorf("%s ended with %v, want interrupted", kind, failed)
			}
			if time.Since(start) != time.Second {
				t.Errorf("%s ended after %v, want 1s", kind, time.Since(start))
			}
		})
	}
}

func TestADeadlineIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.NewScript(scripted.Round{Text: scripted.Text{"a"}, DelayMs: 60_000}), scripted.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, err := range m.Stream(ctx, said("x")) {
			if agent.ErrorCode(err) != agent.CodeTimeout || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ended with %v, want timeout", err)
			}
		}
	})
}

func TestStoppingTheRangeEndsThePlay(t *testing.T) {
	m := scripted.New(scripted.NewScript(scripted.Round{Text: scripted.Text{"a b c"}}), scripted.Options{})
	n := 0
	for range m.Stream(t.Context(), said("x")) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("heard %d deltas after the stop at 2", n)
	}
}

func TestABrainWrittenInGoSpeaksAndFails(t *testing.T) {
	brain := scripted.BrainFunc(func(req agent.ModelRequest) (scripted.Round, error) {
		switch scripted.LastUserText(req) {
		case "plain":
			return scripted.Round{}, errors.New("secret detail")
		case "ours":
			return scripted.Round{}, agent.Errorf(agent.CodeInvalidInput, "Say something else.")
		}
		return scripted.Round{Text: scripted.Text{"fine"}}, nil
	})
	m := scripted.New(brain, scripted.Options{})
	if _, err := play(t, m, said("plain")); agent.ErrorCode(err) != agent.CodeProviderError || strings.Contains(agent.ErrorMessage(err), "secret") {
		t.Errorf("a plain error became %v", err)
	}
	if _, err := play(t, m, said("ours")); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("an error of ours became %v", err)
	}
	if _, err := play(t, m, said("hello")); err != nil {
		t.Error(err)
	}
}

func TestChunksAreWholeLettersAndTheWholeText(t *testing.T) {
	for _, text := range []string{"", "one", "two words", " lead", strings.Repeat("東京", 500), strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("x", 257), "a\nb  c"} {
		chunks := scripted.Text{text}.Chunks()
		if strings.Join(chunks, "") != text {
			t.Errorf("the chunks of %.20q are not the text", text)
		}
		for _, c := range chunks {
			if c == "" || !utf8.ValidString(c) || len(c) > 256 {
				t.Errorf("%.20q has a chunk %.20q of %d bytes", text, c, len(c))
			}
		}
	}
}

func TestASlideFollowsFromItsSeed(t *testing.T) {
	one := scripted.HTML{Seed: 42}.Slide()
	if one != (scripted.HTML{Seed: 42}).Slide() || one == (scripted.HTML{Seed: 43}).Slide() {
		t.Error("the same seed must give the same slide, and another seed another one")
	}
	for seed := range uint64(200) {
		html := scripted.HTML{Seed: seed}.Slide()
		for _, tag := range []string{"section", "h1", "p", "ul", "li", "aside"} {
			if open, closed := strings.Count(html, "<"+tag), strings.Count(html, "</"+tag+">"); open == 0 || open != closed {
				t.Fatalf("seed %d: %d <%s and %d </%s>", seed, open, tag, closed, tag)
			}
		}
	}
	deltas, err := playRound(t, scripted.Round{HTML: &scripted.HTML{Seed: 42}}, said("x"))
	if err != nil || deltas[len(deltas)-1].Answer.Blocks[0].Text != one {
		t.Errorf("the round did not say the slide: %v", err)
	}
}
