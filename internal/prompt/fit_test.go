package prompt

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// fitted is Compose after Fit, as the engine does it; compacted tells whether that
// made it shorter.
func fitted(t *testing.T, in *Input) (req agent.ModelRequest, f Fitting) {
	t.Helper()
	f, err := Fit(*in)
	if err != nil {
		t.Fatal(err)
	}
	if f.Compaction != nil {
		in.Base, in.Path = f.Compaction, f.Keep
	}
	if f.CutBefore > 0 {
		in.Turn.Turn.CutBefore = f.CutBefore
	}
	return Compose(*in), f
}

func TestBelowTheThresholdNothingIsCompacted(t *testing.T) {
	in := input(20)
	in.Window = 32_768
	if f, err := Fit(in); err != nil || f.Changed() || f.Before != f.After || f.Before == 0 {
		t.Fatalf("%+v, %v", f, err)
	}
}

func TestTheThresholdIsCrossedByOneTokenAndNotBefore(t *testing.T) {
	in := input(1)
	in.Window, in.MaxTokens = 32_768, 8192
	high := roomOf(in).high()
	grow := high*bytesPerToken - (weights(in).total() * bytesPerToken) + bytesPerToken
	crossed := false
	for extra := grow - 12; extra <= grow+12; extra++ {
		in.Path[0].Turn.Message.Text = strings.Repeat("x", extra)
		f, err := Fit(in)
		if err != nil {
			t.Fatal(err)
		}
		if f.Changed() != (f.Before > high) {
			t.Fatalf("at %d of %d tokens changed is %v", f.Before, high, f.Changed())
		}
		crossed = crossed || f.Changed()
	}
	if !crossed {
		t.Fatal("the threshold was never crossed")
	}
}

func TestAPathOfTooManyTurnsIsCompactedWhateverItWeighs(t *testing.T) {
	for n, want := range map[int]bool{MaxPath: false, MaxPath + 1: true} {
		in := input(n)
		in.Window = 1_000_000
		_, f := fitted(t, &in)
		if f.Changed() != want || want && len(in.Path) > keptPath {
			t.Errorf("%d turns: changed %v, kept %d", n, f.Changed(), len(in.Path))
		}
	}
}

func TestBetweenTwoCompactionsThePrefixRepeatsItself(t *testing.T) {
	in := Input{App: "Notes", Provider: "anthropic", Model: "m", MaxTokens: 8192, Window: 32_768, Tools: input(0).Tools}
	var before []agent.ModelMessage
	compactions := 0
	for i := range 300 {
		in.Turn = turn(i, fmt.Sprint("message ", i, strings.Repeat(" word", i%200)), nil)
		req, f := fitted(t, &in)
		if f.Compaction != nil {
			compactions++
			if f.After > roomOf(in).low()+50 {
				t.Fatalf("turn %d: compacted to %d tokens only", i, f.After)
			}
		} else {
			for k, m := range before {
				m.Cache, req.Messages[k].Cache = false, false
				if !reflect.DeepEqual(m, req.Messages[k]) {
					t.Fatalf("turn %d changed message %d without a compaction", i, k)
				}
			}
		}
		before = req.Messages
		rec := loop(i, 1, 5000)
		rec.Turn.Message, rec.Turn.Context = in.Turn.Turn.Message, in.Turn.Turn.Context
		rec.Turn.ID = agent.TurnID(fmt.Sprint("t", i))
		in.Path = append(in.Path, rec)
	}
	if compactions < 20 || compactions > 100 {
		t.Fatalf("%d compactions in 300 turns", compactions)
	}
}

func TestACompactionSaysTheSameHoweverOftenItIsMade(t *testing.T) {
	in := input(200)
	in.Window = 32_768
	first, err := Fit(in)
	if err != nil || first.Compaction == nil {
		t.Fatal(first, err)
	}
	for range 20 {
		if again, err := Fit(in); err != nil || !reflect.DeepEqual(first, again) {
			t.Fatal("two compactions of one path differ")
		}
	}
}

func TestOldTurnsGoWholeSoThatEveryCallKeepsItsResult(t *testing.T) {
	in := Input{App: "Notes", Provider: "anthropic", Model: "m", MaxTokens: 8192, Window: 32_768}
	for i := range 40 {
		in.Path = append(in.Path, loop(i, 3, 4000))
	}
	in.Turn = turn(40, "now", nil)
	req, f := fitted(t, &in)
	if f.Compaction == nil {
		t.Fatal("nothing was compacted")
	}
	pairs(t, req.Messages)
	if !strings.HasPrefix(req.Messages[0].Blocks[0].Text, "<earlier>") || req.Messages[0].Role != agent.RoleUser {
		t.Fatalf("the digest does not come first: %+v", req.Messages[0])
	}
}

// pairs fails unless each call is answered at once and each result has its call.
func pairs(t *testing.T, msgs []agent.ModelMessage) {
	t.Helper()
	for i, m := range msgs {
		var calls, results []string
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockCall {
				calls = append(calls, b.WireID)
			}
		}
		if i+1 < len(msgs) {
			for _, b := range msgs[i+1].Blocks {
				if b.Kind == agent.BlockResult {
					results = append(results, b.WireID)
				}
			}
		}
		if !reflect.DeepEqual(calls, results) {
			t.Fatalf("message %d calls %v and gets %v", i, calls, results)
		}
	}
}

func TestATurnThatIsTooLongAloneHasItsOlderResultsCut(t *testing.T) {
	in := Input{App: "Notes", Provider: "anthropic", Model: "m", MaxTokens: 8192, Window: 32_768}
	in.Turn = loop(0, 6, 12_000)
	req, f := fitted(t, &in)
	if f.CutBefore != 5 || f.Results != 5 || f.Compaction != nil || f.After >= f.Before {
		t.Fatalf("%+v", f)
	}
	pairs(t, req.Messages)
	if again, err := Fit(in); err != nil || again.Changed() {
		t.Fatalf("cut again: %+v, %v", again, err)
	}
}

func TestWhatCannotFitIsRefusedWithAWayOut(t *testing.T) {
	in := input(3)
	in.Window = 32_768
	in.Turn.Turn.Message.Text = strings.Repeat("x", 190<<10)
	_, err := Fit(in)
	if agent.ErrorCode(err) != agent.CodeTooLarge || !strings.Contains(err.Error(), "message") {
		t.Fatalf("a long message: %v", err)
	}
	in = input(0)
	in.Window = 32_768
	in.Tools = []agent.ToolSchema{{Name: "x", Schema: json.RawMessage(strings.Repeat("x", 200<<10))}}
	if _, err = Fit(in); agent.ErrorCode(err) != agent.CodeTooLarge || !strings.Contains(err.Error(), "capabilities") {
		t.Fatalf("too many tools: %v", err)
	}
}

func TestTheAnswerHasAtMostAQuarterOfTheWindow(t *testing.T) {
	for _, c := range [][3]int{{8192, 32_768, 8192}, {8192, 32_764, 8191}, {8192, 200_000, 8192}, {8192, 8192, 2048}} {
		if got := RoomFor(c[0], c[1]); got != c[2] {
			t.Errorf("%v: %d", c, got)
		}
	}
}

func BenchmarkFitAndCompose(b *testing.B) {
	in := Input{App: "Notes", Provider: "anthropic", Model: "m", MaxTokens: 8192, Window: 200_000, Tools: input(0).Tools}
	for i := range 100 {
		in.Path = append(in.Path, loop(i, 2, 1500))
	}
	in.Turn = turn(100, "now", nil)
	b.ReportAllocs()
	for b.Loop() {
		if f, err := Fit(in); err != nil || f.Changed() {
			b.Fatal(f, err)
		}
		Trace(Compose(in), nil, nil, 0)
	}
}
