package storetest

import (
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

var startCases = []Case{
	{Name: "a message makes thread, turn, first event and transcript", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		turn := w.start(alice, m)
		snap := w.snapshot(alice, turn)
		w.same(snap.Record.Turn, turn, "the turn that was returned and the one that is read")
		if turn.State != agent.TurnRunning || turn.Ordinal != 1 || turn.Index != 0 || turn.LastSeq != 1 || turn.Owner != owner || turn.Run != 1 {
			w.Errorf("the turn stands wrong: %s", show(turn))
		}
		want := m.Events[0]
		want.Turn, want.Thread = turn.ID, m.Thread.ID
		w.same(snap.Events, []agent.Event{want}, "events")
		if len(snap.Scripts) != 1 || snap.Scripts[0].ID != m.Transcript.ID || snap.Scripts[0].UserMessage != m.Transcript.UserMessage {
			w.Errorf("transcript: %s", show(snap.Scripts))
		}
		th := m.Thread
		th.OrgID, th.UserID, th.Head, th.Running = alice.OrgID, alice.UserID, turn.ID, true
		w.same(snap.Thread, th, "thread")
	}},
	{Name: "a turn keeps everything that it was started with", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		m.Turn.By, m.Turn.KeyID, m.Turn.Context = "hand", "key-1", "Today is Monday.\n\tKept  byte for byte. "
		m.Turn.Message = agent.Message{Text: "Grüße, 世界 ' \" %_\\", Attachments: []agent.Noun{{Kind: "slide", ID: "4", Title: "Four", Version: "7"}}}
		m.Turn.Whitelist, m.Turn.Capabilities = []string{"slide.*", "deck.*"}, []string{"slide.edit"}
		want := m.Turn
		want.OrgID, want.UserID, want.ThreadID, want.State, want.Ordinal, want.LastSeq = alice.OrgID, alice.UserID, m.Thread.ID, agent.TurnRunning, 1, 1
		w.same(w.start(alice, m), want, "turn")
	}},
	{Name: "no whitelist and an empty one are told apart", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		none, empty := w.message(), w.message()
		empty.Turn.Whitelist = []string{}
		if got := w.start(alice, none); got.Whitelist != nil {
			w.Errorf("no whitelist came back as %#v", got.Whitelist)
		}
		if got := w.start(alice, empty); got.Whitelist == nil || len(got.Whitelist) != 0 {
			w.Errorf("an empty whitelist came back as %#v", got.Whitelist)
		}
	}},
	{Name: "a message that is sent again gives the same turn and writes nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		first := w.start(alice, m)
		before := w.snapshot(alice, first)
		again := m
		again.Turn.ID, again.Thread.ID, again.Transcript.ID = "turn_again", "thread_again", "script_again"
		turn, created, err := s.StartTurn(as(alice), again)
		w.ok(err)
		if created {
			w.Errorf("a resend was created once more")
		}
		w.same(turn, first, "turn of the resend")
		w.same(w.snapshot(alice, first), before, "what is stored")
		_, err = s.ThreadRow(as(alice), "thread_again")
		w.code(err, agent.CodeNotFound, "thread of the resend")
	}},
	{Name: "a message that is sent again after its turn ended gives that turn", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		w.end(alice, w.start(alice, m))
		turn, created, err := s.StartTurn(as(alice), m)
		w.ok(err)
		if created || turn.State != agent.TurnComplete || turn.ID != m.Turn.ID {
			w.Errorf("created %v, turn %s", created, show(turn))
		}
	}},
	{Name: "another message under the same id is a conflict", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		w.start(alice, m)
		other := w.message()
		other.Turn.MessageID = m.Turn.MessageID
		_, _, err := s.StartTurn(as(alice), other)
		w.code(err, agent.CodeConflict, "other content")
		_, err = s.Turn(as(alice), other.Turn.ID)
		w.code(err, agent.CodeNotFound, "turn of the conflict")
	}},
	{Name: "the same message id of another user or org is another message", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		w.start(alice, m)
		for _, p := range []agent.Principal{bob, aliceOther, carol} {
			other := w.message()
			other.Turn.MessageID, other.ContentDigest = m.Turn.MessageID, m.ContentDigest
			if turn := w.start(p, other); turn.ID != other.Turn.ID || turn.UserID != p.UserID || turn.OrgID != p.OrgID {
				w.Errorf("%s of %s got turn %s", p.UserID, p.OrgID, show(turn))
			}
		}
	}},
	{Name: "the tenant is the principal's, whatever the turn says", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		m.Turn.OrgID, m.Turn.UserID, m.Thread.OrgID, m.Thread.UserID = carol.OrgID, carol.UserID, carol.OrgID, carol.UserID
		m.Transcript.OrgID, m.Transcript.UserID = carol.OrgID, carol.UserID
		turn := w.start(alice, m)
		_, err := s.Turn(as(carol), turn.ID)
		w.code(err, agent.CodeNotFound, "turn, for the one it named")
		if script := at(w, w.transcripts(alice, turn.ThreadID), 0); script.OrgID != alice.OrgID || script.UserID != alice.UserID {
			w.Errorf("the transcript belongs to %s of %s", script.UserID, script.OrgID)
		}
	}},
	{Name: "many resends at once start one turn", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		var wg sync.WaitGroup
		var mu sync.Mutex
		created := 0
		for range 20 {
			wg.Go(func() {
				turn, fresh, err := s.StartTurn(as(alice), m)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || turn.ID != m.Turn.ID {
					w.Errorf("turn %s, error %v", turn.ID, err)
				}
				if fresh {
					created++
				}
			})
		}
		wg.Wait()
		w.same(created, 1, "turns created")
	}},
	{Name: "first events that do not begin at 1 are refused and nothing is written", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, seq := range []agent.Seq{0, 2} {
			m := w.message()
			m.Events[0].Seq = seq
			_, _, err := s.StartTurn(as(alice), m)
			w.code(err, agent.CodeInternal, "a wrong first seq")
			_, err = s.ThreadRow(as(alice), m.Thread.ID)
			w.code(err, agent.CodeNotFound, "its thread")
		}
	}},
}
