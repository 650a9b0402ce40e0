package crash

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// widest is how many previews are made at once: those of a set and one beside it. No
// death leaves more half-done things of a kind.
const widest = 4

// judge compares what is left with the model, once the server has ended.
func (s *scene) judge() {
	for _, id := range slices.Sorted(maps.Keys(s.world.turns)) {
		s.judgeTurn(id, s.world.turns[id])
	}
	s.judgeRows()
	s.judgeCalls()
	s.judgeRepo()
	s.judgeFiles()
	s.judgeSecrets()
}

// stored gives the events of a turn as the database has them.
func (s *scene) stored(id agent.TurnID) (all []storedEvent) {
	for _, row := range harness.Rows(s.t, s.server, `SELECT seq, coalesce(from_seq, seq), run, kind, data FROM events WHERE turn_id = ? ORDER BY seq`, id) {
		all = append(all, storedEvent{number(row[0]), number(row[1]), number(row[2]), agent.EventKind(row[3]), row[4]})
	}
	return all
}

type storedEvent struct {
	seq, from, run int64
	kind           agent.EventKind
	data           string
}

func number(s string) (n int64) {
	_ = json.Unmarshal([]byte(s), &n)
	return n
}

// judgeTurn checks one turn: one end, a stream without gap or double, and a reader
// that saw what is stored.
func (s *scene) judgeTurn(id agent.TurnID, want *expected) {
	events := s.stored(id)
	var ends int
	last := int64(0)
	for _, ev := range events {
		if ev.from != last+1 || ev.seq < ev.from {
			s.t.Errorf("turn %s: after event %d is stored %d..%d", id, last, ev.from, ev.seq)
		}
		last = ev.seq
		if ev.kind.Terminal() {
			ends++
		}
	}
	if ends != 1 || !events[len(events)-1].kind.Terminal() {
		s.t.Errorf("turn %s has %d ends among %d events", id, ends, len(events))
	}
	s.judgeReader(id, want.reader, events)
}

// judgeReader compares what a reader that came back over every break has in the end
// with what is stored.
func (s *scene) judgeReader(id agent.TurnID, r *reader, events []storedEvent) {
	if !r.ended() {
		s.t.Errorf("turn %s: its reader never saw its end", id)
		return
	}
	var seq agent.Seq
	told := map[agent.Seq]agent.Event{}
	screen := r.seen()
	for _, ev := range screen {
		if from := harness.First(ev); from != seq+1 {
			s.t.Errorf("turn %s: a reader has %d..%d after %d", id, from, ev.Seq, seq)
		}
		seq = ev.Seq
		told[ev.Seq] = ev
	}
	for _, ev := range events {
		if ev.kind.Live() {
			continue
		}
		if have, ok := told[agent.Seq(ev.seq)]; !ok || have.Kind != ev.kind || have.Run != ev.run {
			s.t.Errorf("turn %s: stored is %s %d of run %d, the reader has %s of run %d", id, ev.kind, ev.seq, ev.run, have.Kind, have.Run)
		}
		delete(told, agent.Seq(ev.seq))
	}
	for _, ev := range told {
		if !ev.Kind.Live() {
			s.t.Errorf("turn %s: a reader was told %s %d, which is not stored", id, ev.Kind, ev.Seq)
		}
	}
}

// judgeRows compares turns, transcripts and ledger with the model.
func (s *scene) judgeRows() {
	if got := harness.Rows(s.t, s.server, `PRAGMA integrity_check`); len(got) != 1 || got[0][0] != "ok" {
		s.t.Errorf("the database: %v", got)
	}
	seen := map[string]int{}
	for _, row := range harness.Rows(s.t, s.server, `SELECT t.id, t.message_id, t.state, coalesce(a.user_message, ''), t.parent_turn_id
		FROM turns t LEFT JOIN agent_transcripts a ON a.id = t.transcript_id`) {
		want := s.world.turns[agent.TurnID(row[0])]
		switch {
		case want == nil:
			s.t.Errorf("nobody asked for the turn %v", row)
		case !slices.Contains(want.states, agent.TurnState(row[2])):
			s.t.Errorf("the turn of %q is %s, want one of %v", want.words, row[2], want.states)
		case want.words != "" && (row[1] != want.message || row[3] != want.words):
			s.t.Errorf("the turn of %q holds %v", want.words, row)
		}
		if want != nil && row[4] != string(want.parent) {
			s.t.Errorf("the turn of %q follows %q, want %q", want.words, row[4], want.parent)
		}
		seen[row[1]]++
	}
	for _, want := range s.world.turns {
		if want.words != "" && seen[want.message] != 1 {
			s.t.Errorf("the message %q is there %d times", want.words, seen[want.message])
		}
	}
	ledger := map[string]bool{}
	for _, row := range harness.Rows(s.t, s.server, `SELECT turn_id, call_id, phase, state FROM ledger`) {
		key := strings.Join(row[:3], "/")
		ledger[key] = true
		if row[3] != string(agent.LedgerSettled) {
			s.t.Errorf("the ledger's row %s is %s", key, row[3])
		}
	}
	s.same("the ledger", sortedKeys(ledger), sortedKeys(s.world.ledger))
	s.same("what the transcripts tell as applied", s.toldAsApplied(), sortedKeys(s.world.merges))
	rules := map[string]int{}
	for _, row := range harness.Rows(s.t, s.server, `SELECT id, uses FROM permissions`) {
		rules[row[0]] = int(number(row[1]))
	}
	if !maps.Equal(rules, s.world.rules) {
		s.t.Errorf("the remembered permissions were used %v, want %v", rules, s.world.rules)
	}
	if n := harness.Rows(s.t, s.server, `SELECT id FROM receipts WHERE state = 'open'`); len(n) > 0 {
		s.t.Errorf("%d previews are open in ended turns", len(n))
	}
}

// toldAsApplied gives the ledger keys of the changes that the transcripts, which the
// model reads, tell as made.
func (s *scene) toldAsApplied() (keys []string) {
	for _, row := range harness.Rows(s.t, s.server, `SELECT t.id, a.tool_results FROM turns t JOIN agent_transcripts a ON a.id = t.transcript_id`) {
		var results []struct {
			CallID   agent.CallID
			OK       bool
			Decision agent.ReceiptState
		}
		if row[1] != "" {
			if err := json.Unmarshal([]byte(row[1]), &results); err != nil {
				s.t.Fatalf("tool_results %s: %v", row[1], err)
			}
		}
		for _, r := range results {
			if r.OK && r.Decision == agent.ReceiptAccepted {
				keys = append(keys, agent.LedgerKey(agent.TurnID(row[0]), r.CallID, agent.PhaseApply))
			}
		}
	}
	slices.Sort(keys)
	return keys
}

func (s *scene) same(what string, have, want []string) {
	s.t.Helper()
	for _, k := range have {
		if !slices.Contains(want, k) {
			s.t.Errorf("%s: %s is there and must not be", what, k)
		}
	}
	for _, k := range want {
		if n := countOf(have, k); n != 1 {
			s.t.Errorf("%s: %s is there %d times", what, k, n)
		}
	}
}

func countOf(list []string, what string) (n int) {
	for _, one := range list {
		if one == what {
			n++
		}
	}
	return n
}

// judgeFiles looks for the exports that were told, and for no other. A life that ends
// while it writes leaves an unnamed file to the clean-up job; nothing else does.
func (s *scene) judgeFiles() {
	found, err := filepath.Glob(filepath.Join(s.server.Data, "exports", "*", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	parts := 0
	for _, f := range found {
		if strings.HasPrefix(filepath.Base(f), ".new-") {
			parts++
			continue
		}
		if info, err := os.Stat(f); err != nil || info.Size() == 0 {
			s.t.Errorf("the export %s: %v", f, err)
		}
		names = append(names, filepath.Base(f))
	}
	s.same("the exports", names, s.world.exports)
	if deaths := s.life.deaths(); parts > widest*deaths {
		s.t.Errorf("%d deaths left %d parts of exports", deaths, parts)
	}
}
