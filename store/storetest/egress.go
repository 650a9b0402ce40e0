package storetest

import (
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

func line(host string, at, requests int64) agent.EgressLine {
	return agent.EgressLine{Host: host, Purpose: "step", Requests: requests, Failures: 1, BytesOut: 10, BytesIn: 20, Redactions: 3, FirstAt: at, At: at}
}

func (w *world) egress(p agent.Principal, id agent.ThreadID) []agent.EgressLine {
	w.Helper()
	lines, err := w.s.EgressOf(as(p), id)
	w.ok(err)
	return lines
}

var egressCases = []Case{
	{Name: "what left is added up for a turn, a host and a purpose, newest first", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Egress: []agent.EgressLine{line("a.test", 10, 1), line("b.test", 30, 1)}}))
		w.ok(s.AddEgress(as(alice), turn.ID, []agent.EgressLine{line("a.test", 20, 2)}))
		a := agent.EgressLine{TurnID: turn.ID, Host: "a.test", Purpose: "step", Requests: 3, Failures: 2, BytesOut: 20, BytesIn: 40, Redactions: 6, FirstAt: 10, At: 20}
		b := line("b.test", 30, 1)
		b.TurnID = turn.ID
		w.same(w.egress(alice, turn.ThreadID), []agent.EgressLine{b, a}, "egress")
	}},
	{Name: "a milestone that fails writes no egress", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.code(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 2, Egress: []agent.EgressLine{line("a.test", 10, 1)}}), agent.CodeConflict, "another run")
		w.same(len(w.egress(alice, turn.ThreadID)), 0, "lines")
	}},
	{Name: "egress is its user's and goes with the thread", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.ok(s.AddEgress(as(alice), turn.ID, []agent.EgressLine{line("a.test", 10, 1)}))
		for who, p := range foreigners {
			_, err := s.EgressOf(as(p), turn.ThreadID)
			w.code(err, agent.CodeNotFound, "egress for "+who)
			w.code(s.AddEgress(as(p), turn.ID, []agent.EgressLine{line("a.test", 10, 1)}), agent.CodeNotFound, "egress by "+who)
		}
		w.ok(s.DeleteThreadRows(as(alice), turn.ThreadID))
		_, err := s.EgressOf(as(alice), turn.ThreadID)
		w.code(err, agent.CodeNotFound, "egress of a deleted thread")
	}},
	{Name: "a thread keeps so many lines and loses no sum", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		var lines []agent.EgressLine
		for i := range agent.MaxEgressRows {
			lines = append(lines, line(w.id("host"), int64(100+i), 1))
		}
		w.ok(s.AddEgress(as(alice), turn.ID, lines))
		w.same(len(w.egress(alice, turn.ThreadID)), agent.MaxEgressRows, "lines at the limit")
		w.ok(s.AddEgress(as(alice), turn.ID, []agent.EgressLine{line("one.more", 5000, 1)}))
		all := w.egress(alice, turn.ThreadID)
		requests, older := int64(0), 0
		for _, l := range all {
			requests += l.Requests
			if l.TurnID == "" {
				older++
			}
		}
		w.same(requests, int64(agent.MaxEgressRows+1), "requests")
		w.same(at(w, all, 0).Host, "one.more", "the newest")
		w.same(older, agent.MaxEgressRows/10+1, "lines without a turn")
		w.ok(s.AddEgress(as(alice), turn.ID, []agent.EgressLine{line(strings.Repeat("é", 200), 6000, 1)}))
		w.same(at(w, w.egress(alice, turn.ThreadID), 0).Host, strings.Repeat("é", agent.MaxEgressWord/2), "a long host")
	}},
}
