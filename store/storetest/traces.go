package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// traced is a step with what is kept of its request.
func traced(index int) *agent.Step {
	return &agent.Step{Index: index, Run: 1, Provider: "p-1", Model: "m-1", Stop: agent.StopEnd, At: start + int64(index),
		Blocks: []agent.Block{{Kind: agent.BlockText, Text: "Hi"}},
		Usage:  agent.Usage{TokensIn: ptr(int64(4)), CacheRead: ptr(int64(0)), CacheCreation: ptr(int64(900))},
		Trace: &agent.PromptTrace{Segments: []agent.Segment{{Name: agent.SegmentTools, Hash: "0123456789abcdef", Bytes: 4000}, {Name: agent.SegmentTail}},
			ToolNames: "n", ToolSet: "s", Messages: 3 + index, Sent: "all", Covered: index, TailBlocks: 2, Compaction: "compaction_1", CutBefore: 1}}
}

func (w *world) traces(p agent.Principal, id agent.ThreadID, before agent.TurnID, limit int) ([]agent.StepTrace, []agent.TurnID) {
	w.Helper()
	steps, turns, err := w.s.StepTraces(as(p), id, before, limit)
	w.ok(err)
	return steps, turns
}

var traceCases = []Case{
	{Name: "a step keeps what its request was made of", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		want := *traced(0)
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Step: traced(0)}))
		want.TurnID = turn.ID
		w.same(w.record(alice, turn.ID).Steps, []agent.Step{want}, "steps")
		steps, turns := w.traces(alice, turn.ThreadID, "", 10)
		w.same(turns, []agent.TurnID{turn.ID}, "turns")
		w.same(steps, []agent.StepTrace{{TurnID: turn.ID, At: want.At, Model: "m-1", Provider: "p-1", Usage: want.Usage, Trace: want.Trace}}, "traces")
	}},
	{Name: "traces come in the order of the path, page by page", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.begin(alice)
		ids := []agent.TurnID{root.ID}
		for i := range 3 {
			turn := root
			if i > 0 {
				turn = w.begun(alice, root.ThreadID)
				ids = append(ids, turn.ID)
			}
			for n := range 2 {
				w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Step: traced(n)}))
			}
			w.end(alice, turn)
		}
		for _, c := range []struct {
			before agent.TurnID
			limit  int
			want   []agent.TurnID
		}{{"", 10, ids}, {"", 2, ids[1:]}, {ids[2], 1, ids[1:2]}, {ids[0], 5, nil}, {"", 0, nil}} {
			steps, turns := w.traces(alice, root.ThreadID, c.before, c.limit)
			w.same(turns, c.want, "turns")
			if len(steps) != 2*len(c.want) {
				w.Fatalf("%d steps of %d turns", len(steps), len(c.want))
			}
			for i, st := range steps {
				if st.TurnID != c.want[i/2] || st.Step != i%2 || ids[st.TurnIndex] != st.TurnID {
					w.Errorf("step %d is %s", i, show(st))
				}
			}
		}
		_, _, err := s.StepTraces(as(alice), root.ThreadID, "turn_none", 3)
		w.code(err, agent.CodeNotFound, "before an unknown turn")
	}},
	{Name: "an operator finds whose a thread is, and the newest ones", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		first, second, third := w.begin(alice), w.begin(carol), w.begin(bob)
		list, err := s.AnyThreads(context.Background(), second.ThreadID, 5)
		w.ok(err)
		w.same(list, []agent.Thread{{ID: second.ThreadID, OrgID: carol.OrgID, UserID: carol.UserID, CreatedAt: second.CreatedAt}}, "the thread of an id")
		for limit, want := range map[int][]agent.ThreadID{
			0: nil, 1: {third.ThreadID}, 2: {third.ThreadID, second.ThreadID}, 9: {third.ThreadID, second.ThreadID, first.ThreadID}} {
			list, err := s.AnyThreads(context.Background(), "", limit)
			w.ok(err)
			var ids []agent.ThreadID
			for _, th := range list {
				ids = append(ids, th.ID)
			}
			w.same(ids, want, "the newest threads")
		}
		_, err = s.AnyThreads(context.Background(), "thread_none", 1)
		w.code(err, agent.CodeNotFound, "an unknown thread")
	}},
	{Name: "traces are their user's", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, p := range []agent.Principal{bob, aliceOther} {
			_, _, err := s.StepTraces(as(p), turn.ThreadID, "", 10)
			w.code(err, agent.CodeNotFound, "traces of "+p.UserID+" in "+p.OrgID)
		}
	}},
}
