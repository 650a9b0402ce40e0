package sqlite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

func TestOnlyDeltasOfOneBlockAndKindAreJoined(t *testing.T) {
	at := func(seq agent.Seq, kind agent.EventKind, data string) agent.Event {
		return agent.Event{Seq: seq, Kind: kind, Data: json.RawMessage(data)}
	}
	const text, reasoning = agent.EventTextDelta, agent.EventReasoningDelta
	for what, c := range map[string]struct {
		events []agent.Event
		rows   int
	}{
		"two of a block":           {[]agent.Event{at(1, text, `{"block":0,"text":"a"}`), at(2, text, `{"block":0,"text":"b"}`)}, 1},
		"two blocks":               {[]agent.Event{at(1, text, `{"block":0,"text":"a"}`), at(2, text, `{"block":1,"text":"b"}`)}, 2},
		"two kinds":                {[]agent.Event{at(1, text, `{"block":0,"text":"a"}`), at(2, reasoning, `{"block":0,"text":"b"}`)}, 2},
		"one of another kind":      {[]agent.Event{at(1, text, `{"block":0,"text":"a"}`), at(2, agent.EventCast, `{}`), at(3, text, `{"block":0,"text":"b"}`)}, 3},
		"a member we do not know":  {[]agent.Event{at(1, text, `{"block":0,"text":"a","new":1}`), at(2, text, `{"block":0,"text":"b"}`)}, 2},
		"data that does not parse": {[]agent.Event{at(1, text, `{"block`), at(2, text, `{"block":0,"text":"b"}`)}, 2},
		"two in the middle":        {[]agent.Event{at(1, agent.EventCast, `{}`), at(2, text, `{"block":0,"text":"a"}`), at(3, text, `{"block":0,"text":"b"}`), at(4, agent.EventCast, `{}`)}, 3},
	} {
		rows, err := pack(c.events)
		must(t, err)
		if len(rows) != c.rows {
			t.Errorf("%s become %d rows, want %d", what, len(rows), c.rows)
		}
	}
}

func TestCodeIsStoredWithoutEscapes(t *testing.T) {
	rows, err := pack([]agent.Event{deltaEvent(1, "if a < b && "), deltaEvent(2, "c > d {")})
	must(t, err)
	if got := value(rows[0].data); got != `{"block":0,"text":"if a < b && c > d {"}` {
		t.Errorf("stored as %s", got)
	}
}

// FuzzPack checks that whatever deltas are joined, a reader who begins anywhere
// gets exactly the rest.
func FuzzPack(f *testing.F) {
	f.Add("Hello, world", uint8(3))
	f.Add("Grüße 世界 🙂", uint8(1))
	f.Add("", uint8(0))
	f.Fuzz(func(t *testing.T, text string, step uint8) {
		text = strings.ToValidUTF8(text, "?")
		var events []agent.Event
		parts := split(text, int(step%7)+1)
		for i, p := range parts {
			events = append(events, deltaEvent(agent.Seq(i+1), p))
		}
		rows, err := pack(events)
		must(t, err)
		if len(parts) > 0 && len(rows) != 1 {
			t.Fatalf("%d deltas became %d rows", len(parts), len(rows))
		}
		for after := range len(parts) {
			e, err := rows[0].event(agent.Seq(after))
			must(t, err)
			var d agent.TextDelta
			must(t, e.Decode(&d))
			if want := strings.Join(parts[after:], ""); d.Text != want {
				t.Errorf("after %d: %q, want %q", after, d.Text, want)
			}
			if first := agent.Seq(after + 1); (first == e.Seq) != (e.From == 0) || (e.From != 0 && e.From != first) {
				t.Errorf("after %d: from %d, seq %d", after, e.From, e.Seq)
			}
		}
	})
}

// FuzzDelta checks that the quick way reads nothing otherwise than the strict one.
func FuzzDelta(f *testing.F) {
	for _, s := range []string{`{"block":0,"text":"a"}`, `{"block":12,"text":""}`, `{"block":01,"text":"a"}`, `{"block":0,"text":"a\n"}`, `{"block":,"text":""}`,
		`{"block":0,"text":"a","text":"b"}`, `{"block":-1,"text":"a"}`, `{"block":0,"text":"}`, `{"block":0,"text":"a"}}`, "{\"block\":0,\"text\":\"\xff\"}", `{"block":0,"text":"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		quick, ok := plainDelta(data)
		if !ok {
			return
		}
		var strict delta
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&strict); err != nil || dec.More() || quick != strict {
			t.Errorf("%q: %+v, but strictly %+v, %v", data, quick, strict, err)
		}
	})
}

// split cuts text into pieces of n characters.
func split(text string, n int) (parts []string) {
	for len(text) > 0 {
		end := 0
		for i := 0; i < n && end < len(text); i++ {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		parts, text = append(parts, text[:end]), text[end:]
	}
	return parts
}

func TestARowThatCannotBeCutIsAnError(t *testing.T) {
	text := func(s string) *string { return &s }
	for what, r := range map[string]eventRow{
		"cuts that do not parse":  {from: 1, seq: 3, cuts: text(`[1,`), data: text(`{"block":0,"text":"abc"}`)},
		"data that does not":      {from: 1, seq: 3, cuts: text(`[1,1,1]`), data: text(`{"block`)},
		"cuts beyond the text":    {from: 1, seq: 3, cuts: text(`[9,1,1]`), data: text(`{"block":0,"text":"abc"}`)},
		"fewer cuts than deltas":  {from: 1, seq: 3, cuts: text(`[1]`), data: text(`{"block":0,"text":"abc"}`)},
		"negative lengths of cut": {from: 1, seq: 3, cuts: text(`[-5,1,1]`), data: text(`{"block":0,"text":"abc"}`)},
	} {
		if e, err := r.event(1); err == nil {
			t.Errorf("%s gave %+v", what, e)
		}
	}
}
