package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// longTurns is the length of a thread that nobody should have, and somebody will.
const longTurns = 10_000

// bearable bounds each request about such a thread; it is for a busy machine.
const bearable = 10 * time.Second

// prolong makes a thread of one turn as long as n turns, each after the other and like
// the first. The server must be stopped.
func prolong(t *testing.T, s *harness.Server, thread agent.ThreadID, first agent.TurnID, n int) (head agent.TurnID) {
	t.Helper()
	own := map[string]map[string]string{
		"turns": {"id": "'long_' || k", "parent_turn_id": "CASE k WHEN 1 THEN o.id ELSE 'long_' || (k - 1) END", "turn_index": "k", "ordinal": "o.ordinal + k",
			"message_id": "'message_' || k", "transcript_id": "'transcript_' || k"},
		"steps":             {"turn_id": "'long_' || k"},
		"events":            {"turn_id": "'long_' || k"},
		"agent_transcripts": {"id": "'transcript_' || k", "turn_index": "k"},
	}
	for _, table := range []string{"turns", "steps", "events", "agent_transcripts"} {
		var names, values []string
		for _, row := range harness.Rows(t, s, `SELECT name FROM pragma_table_info(?)`, table) {
			name, value := row[0], "o."+row[0]
			if v, ok := own[table][name]; ok {
				value = v
			}
			if name != "n" { // the order of acceptance counts by itself
				names, values = append(names, name), append(values, value)
			}
		}
		where := map[string]string{"turns": "o.id = ?2", "agent_transcripts": "o.id = (SELECT transcript_id FROM turns WHERE id = ?2)"}[table]
		if where == "" {
			where = "o.turn_id = ?2"
		}
		s.Edit(fmt.Sprintf(`WITH RECURSIVE count (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM count WHERE k < ?1) INSERT INTO %s (%s) SELECT %s FROM count, %s o WHERE %s ORDER BY k`,
			table, strings.Join(names, ", "), strings.Join(values, ", "), table, where), n-1, first)
	}
	head = agent.TurnID(fmt.Sprintf("long_%d", n-1))
	s.Edit(`UPDATE threads SET head_turn_id = ? WHERE id = ?`, head, thread)
	return head
}

func TestAThreadOfTenThousandTurnsIsReadAndGoesOn(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, says("tell me", longText(rng, 100)))
	stream := s.lin.Chat(harness.Say("tell me"))
	stream.Completed()
	thread := stream.Thread()
	s.Stop()
	head := prolong(t, s.Server, thread, stream.Turn(), longTurns)
	s.Restart()
	s.provider.Reset()

	timed := func(what string, do func()) {
		t.Helper()
		begun := time.Now()
		do()
		took := time.Since(begun)
		t.Logf("%s: %s", what, took.Round(time.Millisecond))
		if took > bearable {
			t.Errorf("%s took %s", what, took)
		}
	}
	path := "/threads/" + string(thread)
	var view agent.ThreadView
	timed("its last page", func() { s.lin.Must(http.StatusOK, "GET "+path, nil).Into(t, &view) })
	if n := len(view.Turns); n == 0 || view.Turns[n-1].Turn.ID != head || n > 100 {
		t.Fatalf("the last page has %d turns", n)
	}
	timed("a page of its middle", func() { s.lin.Must(http.StatusOK, "GET "+path+"?before=long_5000&limit=100", nil).Into(t, &view) })
	if n := len(view.Turns); n != 100 || view.Turns[n-1].Turn.ID != "long_4999" {
		t.Errorf("the page before the turn 5000 has %d turns", n)
	}
	timed("the list of threads", func() { s.lin.Must(http.StatusOK, "GET /threads", nil) })
	timed("a search", func() { s.lin.Must(http.StatusOK, "GET /threads?q=tell", nil) })
	timed("its export", func() {
		if a := s.lin.Do("GET "+path+"/export?format=md", nil); a.Status != http.StatusOK && a.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("answered %s", a)
		}
	})
	timed("a stream of its events from the last turn on", func() {
		watch := s.lin.Watch(thread, string(head)+":1:1")
		if ev, ok := watch.Next(); !ok || ev.Turn != head {
			t.Errorf("it begins with %+v", ev)
		}
		watch.Close()
	})
	timed("its next message", func() { usable(t, s.lin, thread) })
	seen := s.provider.Requests("")
	if len(seen) != 1 || len(seen[0].Raw) > 1<<20 || !strings.Contains(seen[0].Raw, "tell me") {
		t.Errorf("the model was asked %d times with %d bytes", len(seen), len(seen[0].Raw))
	}
	timed("its end", func() { s.lin.Must(http.StatusNoContent, "DELETE "+path, nil) })
	if n := harness.Count(t, s.Server, `SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM events)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestTwoHundredReadersOfOneTurnAllHearTheSame attaches most of them while the answer
// is on its way, and all of them hear it from its first event to its last.
func TestTwoHundredReadersOfOneTurnAllHearTheSame(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	text := longText(rng, 150)
	s := start(t, rng, slowly("tell me", text, 10))
	first := s.lin.Chat(harness.Say("tell me"))
	first.Until(agent.EventTextDelta)
	const readers = 200
	streams := make([]*harness.Stream, readers)
	for i := range streams {
		streams[i] = s.lin.Attach(first.Turn(), "")
	}
	first.Completed()
	for i, stream := range streams {
		if done := stream.Completed(); done.Text != text || stream.Events.Spoken(t) != text || harness.First(stream.Events[0]) != 1 {
			t.Fatalf("reader %d of %d heard %d bytes from event %d on", i, readers, len(stream.Events.Spoken(t)), stream.Events[0].Seq)
		}
	}
	if n := len(s.provider.Requests("")); n != 1 {
		t.Errorf("%d model calls for one turn", n)
	}
}
