package sqlite

import (
	"encoding/json"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// odd are raw values that encoding/json would change or refuse.
var odd = []json.RawMessage{nil, {}, json.RawMessage(`null`), json.RawMessage(`{ "a" : 1 }`), json.RawMessage(`{"cut": "mid`),
	json.RawMessage(`"<b>&"`), json.RawMessage("\xff\xfe\x00"), json.RawMessage("\"\u2028\"")}

func TestRawValuesComeBackByteForByte(t *testing.T) {
	for _, raw := range odd {
		blocks := []agent.Block{{Kind: agent.BlockCall, WireID: "w", Name: "n", Input: raw}, {Kind: agent.BlockResult, Text: "<ok> & done", Error: true}}
		text, err := encodeBlocks(blocks)
		must(t, err)
		got, err := decodeBlocks(text)
		must(t, err)
		same(t, got, blocks)

		result := &agent.Result{OK: true, Output: raw, Preview: &agent.Preview{Summary: "s", State: raw, Artifacts: []agent.Artifact{{Kind: agent.ArtifactJSON}}},
			Display: &agent.Display{Mount: "m", Props: raw}, Error: &agent.ResultError{Code: agent.CodeToolError}}
		stored, err := encodeResult(result)
		must(t, err)
		s := stored.(string)
		back, err := decodeResult(&s)
		must(t, err)
		same(t, back, result)
	}
}

func TestRawColumnsComeBackByteForByte(t *testing.T) {
	s := openAt(t, Config{})
	for i, raw := range odd {
		turn := begin(t, s, string(rune('a'+i)))
		m := milestone(turn, 2)
		m.Step.Raw, m.Calls[0].Input, m.Receipts[0].Input, m.Receipts[0].Preview.State = raw, raw, raw, raw
		m.Events = append(m.Events, agent.Event{Seq: 3, Kind: "odd", Data: raw})
		must(t, s.Commit(asUser, m))
		rec, err := s.Record(asUser, turn.ID)
		must(t, err)
		events, err := s.EventsAfter(asUser, turn.ID, 2, 1)
		must(t, err)
		for what, got := range map[string]json.RawMessage{"raw blocks": rec.Steps[0].Raw, "input": rec.Calls[0].Input,
			"receipt's input": rec.Receipts[0].Input, "preview's state": rec.Receipts[0].Preview.State, "event": events[0].Data} {
			// No provider sends empty blocks, so they need not be told from none.
			if string(got) != string(raw) || (got == nil) != (raw == nil) && what != "raw blocks" {
				t.Errorf("%s: %#v came back as %#v", what, raw, got)
			}
		}
	}
}
