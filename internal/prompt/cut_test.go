package prompt

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

func TestALongTextKeepsHeadAndTailAndSaysWhatIsLeftOut(t *testing.T) {
	for size, want := range map[int]bool{299: false, 300: false, 301: true, 9000: true} {
		text := "HEAD" + strings.Repeat("x", size-8) + "TAIL"
		got := limits{}.headAndTail(text, false, 300)
		if cut := got != text; cut != want {
			t.Errorf("%d bytes are cut: %v", size, cut)
		}
		if want && (!strings.HasPrefix(got, "HEAD") || !strings.HasSuffix(got, "TAIL") || !strings.Contains(got, "cut here") || len(got) > 300+120) {
			t.Errorf("%d bytes become %q", size, got)
		}
	}
}

func TestWhatMustStayWholeIsNotParted(t *testing.T) {
	const secret = "SECRETSECRET"
	whole := func(text string, _ bool, at int) (from, to int) {
		start := strings.LastIndex(text[:min(at+len(secret), len(text))], secret)
		if start < 0 || at <= start || at >= start+len(secret) {
			return at, at
		}
		return start, start + len(secret)
	}
	for at := 60; at < 240; at++ { // over both places of the cut
		text := strings.Repeat("x", at) + secret + strings.Repeat("y", 300-at)
		got := limits{whole: whole}.headAndTail(text, false, 200)
		if rest := strings.ReplaceAll(got, secret, ""); strings.ContainsAny(rest, "SECRT") {
			t.Fatalf("the secret at %d is parted: %q", at, got)
		}
		line := limits{whole: whole}.cutLine(text, 200)
		if rest := strings.ReplaceAll(line, secret, ""); strings.ContainsAny(rest, "SECRT") {
			t.Fatalf("the secret at %d of a line is parted: %q", at, line)
		}
	}
}

func TestAnErrorOfACapabilityIsCutAsWell(t *testing.T) {
	r := agent.Result{Error: &agent.ResultError{Code: agent.CodeToolError, Message: strings.Repeat("m", 5000)}}
	if got := (limits{}).resultText(r, 500); len(got) > 650 || !strings.Contains(got, "tool_error") {
		t.Fatalf("%d bytes: %.80q", len(got), got)
	}
}

func TestTheLimitOfAResultFollowsTheWindowAndSharesAStep(t *testing.T) {
	for _, c := range []struct{ window, n, want int }{
		{32_768, 1, 12_288}, {32_768, 2, 12_288}, {32_768, 4, 6144}, {32_768, 64, 384}, {32_768, 512, minResultBytes},
		{200_000, 1, maxResultBytes}, {200_000, 3, 50_000}, {8192, 1, 3072}, {1, 1, minResultBytes}, {32_768, 0, 12_288},
	} {
		if got := (limits{window: c.window}).result(c.n); got != c.want {
			t.Errorf("window %d, %d results: %d, want %d", c.window, c.n, got, c.want)
		}
	}
}

func TestWhatIsAttachedIsCutToAQuarterOfTheWindow(t *testing.T) {
	in := input(0)
	in.Window = 32_768
	in.Turn.Turn.Context = "<context>\n" + strings.Repeat("a", 200<<10) + "\n</context>"
	got := Compose(in).Messages[0].Blocks[0].Text
	if len(got) > 24_576+200 || !strings.HasSuffix(got, "</context>") {
		t.Fatalf("%d bytes, ends %q", len(got), got[len(got)-20:])
	}
}

func TestResultsBeforeTheCutAreShortAndKeepTheirCall(t *testing.T) {
	in := input(0)
	in.Turn = loop(0, 3, 9000)
	in.Turn.Turn.CutBefore = 2
	msgs := Compose(in).Messages
	var sizes []int
	for i, m := range msgs {
		if m.Role == agent.RoleUser && i > 0 {
			sizes = append(sizes, len(m.Blocks[0].Text))
			if m.Blocks[0].WireID != msgs[i-1].Blocks[len(msgs[i-1].Blocks)-1].WireID {
				t.Errorf("message %d answers %s", i, m.Blocks[0].WireID)
			}
		}
	}
	if len(sizes) != 3 || sizes[0] > shortResultBytes+120 || sizes[1] != sizes[0] || sizes[2] != 9000 {
		t.Fatalf("sizes %v", sizes)
	}
}

// loop is a turn of n steps that each made one call with a result of some bytes.
func loop(index, n, bytes int) agent.TurnRecord {
	rec := turn(index, "look", nil)
	for i := range n {
		id := string(rune('a' + i%26))
		c := agent.CallRecord{ID: agent.CallID(id), WireID: "w" + id, Step: i, Capability: "note.read",
			Result: &agent.Result{OK: true, Output: json.RawMessage(`"` + strings.Repeat("r", bytes-2) + `"`)}}
		rec.Calls = append(rec.Calls, c)
		rec.Steps = append(rec.Steps, agent.Step{Index: i, Provider: "anthropic", Raw: json.RawMessage(`["raw"]`),
			Blocks: []agent.Block{{Kind: agent.BlockCall, WireID: c.WireID, Name: "note_read", Input: json.RawMessage(`{}`)}}})
	}
	return rec
}

func FuzzHeadAndTail(f *testing.F) {
	f.Add("héllo wörld 東京", 7)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		got := limits{}.headAndTail(text, false, limit)
		if len(text) <= limit && got != text {
			t.Fatal("a text within the limit was changed")
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("%q was cut inside of a character: %q", text, got)
		}
		if len(got) > max(limit, 0)+200 && len(text) > limit {
			t.Fatalf("%d bytes at a limit of %d", len(got), limit)
		}
	})
}
