package storetest

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

var transcriptCases = []Case{
	{Name: "a row is brought up to date and keeps whose it is", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		turn := w.start(alice, m)
		row := agent.TranscriptRow{
			ID: m.Transcript.ID, UserMessage: "Changed", ModelMessage: "Done ✓", Model: "m-2", KeySource: agent.KeySourceUser,
			ToolCalls: json.RawMessage(`[ {"name":"slide.edit"} ]`), ToolResults: json.RawMessage(`[{"decision":"accepted"}]`),
			Usage:     agent.Usage{TokensIn: ptr(int64(1200)), TokensOut: ptr(int64(34)), CacheRead: ptr(int64(1000)), CacheCreation: ptr(int64(0))},
			LatencyMS: ptr(int64(1500)),
			OrgID:     "o_other", UserID: "u_carol", ThreadID: "thread_none", ProjectID: "memo", TurnIndex: 9, CreatedAt: 1,
		}
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Transcript: &row}))
		row.OrgID, row.UserID, row.ThreadID, row.TurnIndex, row.CreatedAt = alice.OrgID, alice.UserID, turn.ThreadID, 0, m.Transcript.CreatedAt
		row.ProjectID, row.ProjectKind = "deck", "slides"
		w.same(w.transcripts(alice, turn.ThreadID), []agent.TranscriptRow{row}, "transcript")
	}},
	{Name: "what was not reported stays unknown and is not 0", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		row := at(w, w.transcripts(alice, turn.ThreadID), 0)
		w.same(row.Usage, agent.Usage{}, "usage at the start")
		row.Usage = agent.Usage{TokensIn: ptr(int64(0))}
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Transcript: &row}))
		got := at(w, w.transcripts(alice, turn.ThreadID), 0)
		w.same(got.Usage, agent.Usage{TokensIn: ptr(int64(0))}, "usage")
		if got.LatencyMS != nil {
			w.Errorf("a latency that was not reported is %d", *got.LatencyMS)
		}
	}},
	{Name: "rows follow the path to the head, oldest first", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		chain := w.chain(alice, 3)
		thread := chain[0].ThreadID
		branch := w.start(alice, w.reply(thread, chain[0].ID))
		rows := w.transcripts(alice, thread)
		if len(rows) != 2 || rows[0].ID != "script-"+string(chain[0].ID) || rows[1].ID != "script-"+string(branch.ID) {
			w.Errorf("rows of the branch: %s", show(rows))
		}
		for i, r := range rows {
			w.same(r.TurnIndex, i, "turn index")
		}
	}},
	{Name: "a row without an id gets one", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		m.Transcript.ID = ""
		turn := w.start(alice, m)
		row := at(w, w.transcripts(alice, turn.ThreadID), 0)
		if row.ID == "" {
			w.Errorf("the row has no id")
		}
		row.ID, row.ModelMessage = "", "Hi."
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Transcript: &row}))
		w.same(at(w, w.transcripts(alice, turn.ThreadID), 0).ModelMessage, "Hi.", "answer")
	}},
}
