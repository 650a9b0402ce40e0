package storetest

import (
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

func threadIDs(list []agent.Thread) []agent.ThreadID {
	var ids []agent.ThreadID
	for _, th := range list {
		ids = append(ids, th.ID)
	}
	return ids
}

func (w *world) list(p agent.Principal, q agent.ThreadQuery) []agent.ThreadID {
	w.Helper()
	page, err := w.s.ThreadRowList(as(p), q)
	w.ok(err)
	return threadIDs(page.Items)
}

var threadListCases = []Case{
	{Name: "the thread with the newest activity comes first", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		one, two, three := w.begin(alice), w.begin(alice), w.begin(alice)
		w.begin(bob)
		w.begin(aliceOther)
		w.same(w.list(alice, agent.ThreadQuery{}), []agent.ThreadID{three.ThreadID, two.ThreadID, one.ThreadID}, "threads")
		w.end(alice, one)
		w.start(alice, w.reply(one.ThreadID, ""))
		w.same(w.list(alice, agent.ThreadQuery{}), []agent.ThreadID{one.ThreadID, three.ThreadID, two.ThreadID}, "threads after a reply in the first")
	}},
	{Name: "every page goes on where the one before ended, also at equal times", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		var want []agent.ThreadID
		for range 6 {
			m := w.message()
			m.Thread.CreatedAt, m.Thread.UpdatedAt, m.Turn.CreatedAt = start, start, start
			want = append(want, w.start(alice, m).ThreadID)
		}
		for _, limit := range []int{1, 4, 5, 6, 7} {
			q := agent.ThreadQuery{Limit: limit}
			var got []agent.ThreadID
			for {
				page, err := s.ThreadRowList(as(alice), q)
				w.ok(err)
				if len(page.Items) == 0 || len(page.Items) > limit {
					w.Fatalf("limit %d gave %d threads", limit, len(page.Items))
				}
				got = append(got, threadIDs(page.Items)...)
				if page.Next == "" {
					break
				}
				q.Cursor = page.Next
			}
			slices.Sort(got)
			slices.Sort(want)
			w.same(got, want, "threads over all pages")
		}
	}},
	{Name: "a cursor that is none of ours is invalid", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, cursor := range []string{"x", "1", "turn_1:5", strings.Repeat("A", 4000), "' OR 1=1 --", "\x00"} {
			_, err := s.ThreadRowList(as(alice), agent.ThreadQuery{Cursor: cursor})
			w.code(err, agent.CodeInvalidInput, "cursor "+cursor[:min(len(cursor), 20)])
		}
	}},
	{Name: "the list narrows to a project, and to what is archived or not", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		deck, archived := w.begin(alice), w.begin(alice)
		m := w.message()
		m.Turn.ProjectID, m.Thread.ProjectID = "memo", "memo"
		memo := w.start(alice, m)
		_, err := s.UpdateThread(as(alice), archived.ThreadID, agent.ThreadPatch{Archived: ptr(true)}, start)
		w.ok(err)
		w.same(w.list(alice, agent.ThreadQuery{}), []agent.ThreadID{memo.ThreadID, deck.ThreadID}, "all")
		w.same(w.list(alice, agent.ThreadQuery{ProjectID: "memo"}), []agent.ThreadID{memo.ThreadID}, "one project")
		w.same(w.list(alice, agent.ThreadQuery{Archived: true}), []agent.ThreadID{archived.ThreadID}, "archived")
		w.same(w.list(alice, agent.ThreadQuery{Archived: true, ProjectID: "memo"}), []agent.ThreadID(nil), "archived of the project")
	}},
	{Name: "an empty page is an empty list", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		threads, err := s.ThreadRowList(as(alice), agent.ThreadQuery{})
		w.ok(err)
		turns, err := s.TurnList(as(alice), agent.TurnQuery{})
		w.ok(err)
		if threads.Items == nil || turns.Items == nil || threads.Next != "" || turns.Next != "" {
			w.Errorf("threads %#v, turns %#v", threads, turns)
		}
	}},
	{Name: "a thread tells whether it runs or waits", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		running, ended := w.begin(alice), w.begin(alice)
		w.end(alice, ended)
		waiting, _ := w.park(alice, 1)
		page, err := s.ThreadRowList(as(alice), agent.ThreadQuery{})
		w.ok(err)
		for _, th := range page.Items {
			if th.Running != (th.ID == running.ThreadID) || th.Waiting != (th.ID == waiting.ThreadID) {
				w.Errorf("thread %s: running %v, waiting %v", th.ID, th.Running, th.Waiting)
			}
			one, err := s.ThreadRow(as(alice), th.ID)
			w.ok(err)
			w.same(one, th, "the thread in the list and by itself")
		}
	}},
}

var searchCases = []Case{
	{Name: "a search finds titles, questions and answers", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		title, question, answer := w.message(), w.message(), w.message()
		title.Thread.Title = "About the zebra herd"
		question.Transcript.UserMessage = "Draw a zebra."
		w.start(alice, title)
		w.start(alice, question)
		turn := w.start(alice, answer)
		script := answer.Transcript
		script.ModelMessage = "Here is your ZEBRA."
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Transcript: &script}))
		w.begin(alice)
		theirs := w.message()
		theirs.Thread.Title = "zebra"
		w.start(bob, theirs)
		w.same(w.list(alice, agent.ThreadQuery{Q: "zebra"}), []agent.ThreadID{answer.Thread.ID, question.Thread.ID, title.Thread.ID}, "found")
		w.same(w.list(alice, agent.ThreadQuery{Q: "zebra", ProjectID: "memo"}), []agent.ThreadID(nil), "found in another project")
		w.same(w.list(alice, agent.ThreadQuery{Q: "giraffe"}), []agent.ThreadID(nil), "found of what nobody said")
	}},
	{Name: "a search means what it says, wildcards and quotes too", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		titles := []string{"100% done", "100 x done", "snake_case", "snakeXcase", `back\slash`, "it's \"quoted\"", "Übergröße 世界", "🙂 smile"}
		ids := map[string]agent.ThreadID{}
		for _, title := range titles {
			m := w.message()
			m.Thread.Title = title
			m.Transcript.UserMessage = ""
			w.start(alice, m)
			ids[title] = m.Thread.ID
		}
		for q, title := range map[string]string{"0%": "100% done", "e_c": "snake_case", `k\s`: `back\slash`, "t's \"q": "it's \"quoted\"",
			"größe 世": "Übergröße 世界", "🙂": "🙂 smile"} {
			w.same(w.list(alice, agent.ThreadQuery{Q: q}), []agent.ThreadID{ids[title]}, "found for "+q)
		}
		w.same(w.list(alice, agent.ThreadQuery{Q: "'; DROP TABLE threads; --"}), []agent.ThreadID(nil), "found for an attack")
		w.same(len(w.list(alice, agent.ThreadQuery{})), len(titles), "threads after it")
	}},
	{Name: "a search text has at most 1,000 bytes", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for n, fine := range map[int]bool{999: true, 1000: true, 1001: false} {
			_, err := s.ThreadRowList(as(alice), agent.ThreadQuery{Q: strings.Repeat("%", n)})
			if fine {
				w.ok(err)
			} else {
				w.code(err, agent.CodeInvalidInput, "a longer one")
			}
		}
	}},
}
