package storetest

import agent "github.com/lossless-group/in-app-agent"

var threadCases = []Case{
	{Name: "renaming changes the title and nothing else", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		want, err := s.ThreadRow(as(alice), turn.ThreadID)
		w.ok(err)
		want.Title = "Ein neuer Titel 世"
		got, err := s.UpdateThread(as(alice), turn.ThreadID, agent.ThreadPatch{Title: ptr(want.Title)}, start+day)
		w.ok(err)
		w.same(got, want, "thread")
		got, err = s.UpdateThread(as(alice), turn.ThreadID, agent.ThreadPatch{}, start+2*day)
		w.ok(err)
		w.same(got, want, "thread after an empty patch")
		got, err = s.UpdateThread(as(alice), turn.ThreadID, agent.ThreadPatch{Title: ptr("")}, start+2*day)
		w.ok(err)
		w.same(got.Title, "", "an empty title")
	}},
	{Name: "archiving keeps its first time and can be taken back", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, c := range []struct {
			archive bool
			at      int64
			want    int64
		}{{true, start + 1, start + 1}, {true, start + 2, start + 1}, {false, start + 3, 0}, {true, start + 4, start + 4}} {
			th, err := s.UpdateThread(as(alice), turn.ThreadID, agent.ThreadPatch{Archived: &c.archive}, c.at)
			w.ok(err)
			w.same(th.ArchivedAt, c.want, "archived at")
		}
	}},
	{Name: "an unknown thread is not found", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, err := s.ThreadRow(as(alice), "thread_none")
		w.code(err, agent.CodeNotFound, "reading")
		_, err = s.UpdateThread(as(alice), "thread_none", agent.ThreadPatch{Title: ptr("x")}, start)
		w.code(err, agent.CodeNotFound, "renaming")
		w.code(s.DeleteThreadRows(as(alice), "thread_none"), agent.CodeNotFound, "deleting")
		_, err = s.Transcripts(as(alice), "thread_none")
		w.code(err, agent.CodeNotFound, "transcripts")
	}},
}
