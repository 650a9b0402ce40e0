package vault

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeMaps keeps sealed maps as a store does.
type fakeMaps struct {
	rows map[agent.ThreadID]agent.RedactionRow
}

func (f *fakeMaps) RedactionRow(_ context.Context, id agent.ThreadID) (agent.RedactionRow, error) {
	row, ok := f.rows[id]
	if !ok {
		return row, agent.NotFound("redaction map")
	}
	return row, nil
}

func (f *fakeMaps) PutRedactionRow(_ context.Context, row agent.RedactionRow) error {
	if f.rows[row.ThreadID].Version != row.Version-1 {
		return agent.Errorf(agent.CodeConflict, "moved")
	}
	f.rows[row.ThreadID] = row
	return nil
}

func (f *fakeMaps) EachRedactionRow(_ context.Context, reseal func(agent.RedactionRow) (agent.RedactionRow, error)) (int, error) {
	for id, row := range f.rows {
		sealed, err := reseal(row)
		if err != nil {
			return 0, err
		}
		f.rows[id] = sealed
	}
	return len(f.rows), nil
}

func withMaps(tb testing.TB, master string) (*Vault, *fakeMaps) {
	tb.Helper()
	v := safe(tb, newFakeRows(), master)
	maps := &fakeMaps{rows: map[agent.ThreadID]agent.RedactionRow{}}
	v.maps = maps
	return v, maps
}

func entry(placeholder, value string) agent.RedactionEntry {
	return agent.RedactionEntry{Placeholder: placeholder, Value: agent.NewSecret(value)}
}

// values writes entries out, which print as dots otherwise.
func values(entries []agent.RedactionEntry) (list []string) {
	for _, e := range entries {
		list = append(list, e.Placeholder+"="+e.Value.Reveal())
	}
	return list
}

func TestAMapOpensForItsOwnerAndIsSealedAtRest(t *testing.T) {
	v, maps := withMaps(t, master1)
	m, err := v.RedactionMap(alice, "th")
	if err != nil || m.Version != 0 || len(m.Entries) != 0 || m.ThreadID != "th" {
		t.Fatalf("a map that was never stored: %+v, %v", m, err)
	}
	for i := range int64(3) {
		m.Entries = append(m.Entries, entry(fmt.Sprintf("[EMAIL_%d]", i+1), canary+"\x00\xff"+strings.Repeat("é", 200)))
		if err := v.PutRedactionMap(alice, m); err != nil {
			t.Fatal(err)
		}
		if agent.ErrorCode(v.PutRedactionMap(alice, m)) != agent.CodeConflict {
			t.Error("the same write twice")
		}
		got, err := v.RedactionMap(alice, "th")
		if err != nil || got.Version != i+1 || !reflect.DeepEqual(values(got.Entries), values(m.Entries)) {
			t.Fatalf("%+v, %v", got, err)
		}
		m = got
	}
	if bytes.Contains(maps.rows["th"].Ciphertext, []byte("CANARY")) || bytes.Contains(maps.rows["th"].Ciphertext, []byte("EMAIL")) {
		t.Error("the row can be read")
	}
	if text := fmt.Sprintf("%v %+v %#v", m, m, m.Entries[0]); strings.Contains(text, "CANARY") {
		t.Errorf("a map prints %s", text)
	}
	for who, ctx := range map[string]context.Context{"bob": bob, "another org": paying} {
		if m, err := v.RedactionMap(ctx, "th"); err != nil || len(m.Entries) != 0 {
			t.Errorf("%s reads %+v, %v", who, m, err)
		}
	}
	if _, err := v.RedactionMap(context.Background(), "th"); err == nil {
		t.Error("nobody reads")
	}
}

func TestAMapThatWasMovedOrRolledBackDoesNotOpen(t *testing.T) {
	for what, move := range map[string]func(rows map[agent.ThreadID]agent.RedactionRow){
		"to another thread": func(rows map[agent.ThreadID]agent.RedactionRow) {
			row := rows["a"]
			row.ThreadID = "b"
			rows["b"] = row
		},
		"to another user": func(rows map[agent.ThreadID]agent.RedactionRow) {
			row := rows["b"]
			row.UserID = "bob"
			rows["b"] = row
		},
		"to another version": func(rows map[agent.ThreadID]agent.RedactionRow) { row := rows["b"]; row.Version = 7; rows["b"] = row },
		"with one bit":       func(rows map[agent.ThreadID]agent.RedactionRow) { rows["b"].Ciphertext[3] ^= 1 },
	} {
		v, maps := withMaps(t, master1)
		for _, id := range []agent.ThreadID{"a", "b"} {
			if err := v.PutRedactionMap(alice, agent.RedactionMap{ThreadID: id, Entries: []agent.RedactionEntry{entry("[EMAIL_1]", canary)}}); err != nil {
				t.Fatal(err)
			}
		}
		move(maps.rows)
		ctx := alice
		if what == "to another user" {
			ctx = bob
		}
		m, err := v.RedactionMap(ctx, "b")
		if agent.ErrorCode(err) != agent.CodeInternal || len(m.Entries) != 0 || strings.Contains(fmt.Sprint(err), "CANARY") {
			t.Errorf("moved %s it gives %v, %v", what, values(m.Entries), err)
		}
	}
}

func TestMapsAreSealedAnewWithTheKeys(t *testing.T) {
	v, maps := withMaps(t, master1)
	put(t, v, alice, "anthropic", "", canary)
	if err := v.PutRedactionMap(alice, agent.RedactionMap{ThreadID: "th", Entries: []agent.RedactionEntry{entry("[EMAIL_1]", canary)}}); err != nil {
		t.Fatal(err)
	}
	both, err := ParseMaster("v1:" + master1 + ",v2:" + master2)
	if err != nil {
		t.Fatal(err)
	}
	v.master = &ring{keys: both}
	if n, err := v.Reseal(context.Background()); n != 2 || err != nil || maps.rows["th"].KeyVersion != 2 {
		t.Fatalf("%d rows, %v, %d", n, err, maps.rows["th"].KeyVersion)
	}
	m, err := v.RedactionMap(alice, "th")
	if err != nil || values(m.Entries)[0] != "[EMAIL_1]="+canary {
		t.Errorf("%v, %v", values(m.Entries), err)
	}
}

func FuzzDecodeEntries(f *testing.F) {
	f.Add(encodeEntries([]agent.RedactionEntry{entry("[EMAIL_1]", "a@b.example"), entry("", "")}))
	f.Add([]byte{mapFormat, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := decodeEntries(data)
		if err != nil {
			return
		}
		again, err := decodeEntries(encodeEntries(entries))
		if err != nil || !reflect.DeepEqual(values(again), values(entries)) {
			t.Fatalf("%q gives %q and then %q, %v", data, values(entries), values(again), err)
		}
	})
}
