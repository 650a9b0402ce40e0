package storetest

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// full is a milestone with every part, and what the record must say afterwards.
func (w *world) full(turn agent.Turn) (agent.Milestone, agent.TurnRecord) {
	w.Helper()
	r := w.receipt(turn)
	done := agent.CallRecord{ID: agent.CallID(w.id("call")), TurnID: turn.ID, Step: 0, Index: 1, WireID: "toolu_1", Capability: "deck.export",
		Input: json.RawMessage(`{"cut": "mid`), State: agent.CallDone, StartedAt: start, EndedAt: start + 5,
		Usage: agent.Usage{TokensOut: ptr(int64(7)), CacheCreation: ptr(int64(0))},
		Result: &agent.Result{OK: true, Output: json.RawMessage("{ \"url\" :\"a<b>&c\" }"),
			Display: &agent.Display{Mount: "deck", Props: json.RawMessage(`{ "n": 1 }`), Layout: "panel"},
			Preview: &agent.Preview{Summary: "s", State: json.RawMessage(`[ 1 ]`), Artifacts: []agent.Artifact{{Kind: agent.ArtifactImage, Digest: "abc", Bytes: 9}}},
			Error:   &agent.ResultError{Code: agent.CodeToolError, Message: "m", Recoverable: true, Pointer: "/a"}}}
	step := agent.Step{TurnID: turn.ID, Index: 0, Run: 1, Provider: "p-1", Model: "m-1", Stop: "call", At: start + 3,
		Raw: json.RawMessage("[ {\"type\" : \"thinking\",\"signature\":\"c2ln\"} ]"),
		Blocks: []agent.Block{{Kind: agent.BlockText, Text: "I will."},
			{Kind: agent.BlockCall, WireID: "toolu_1", Name: "deck_export", Input: json.RawMessage(`{"cut": "mid`)}},
		Usage: agent.Usage{TokensIn: ptr(int64(10)), CacheRead: ptr(int64(0))}}
	claims := []agent.LedgerEntry{
		{TurnID: turn.ID, CallID: done.ID, Phase: agent.PhaseHandler, InputDigest: "d", ClaimedAt: start + 1},
		{TurnID: turn.ID, CallID: done.ID, Phase: agent.PhaseApply, InputDigest: "e", ClaimedAt: start + 2},
	}
	settled := claims[0]
	settled.State, settled.Result, settled.SettledAt = agent.LedgerSettled, done.Result, start+5
	m := agent.Milestone{Turn: turn.ID, Run: 1, Step: &step, Calls: []agent.CallRecord{openCall(r, 0), done}, Receipts: []agent.Receipt{r},
		Blobs:  []agent.Blob{{Digest: "abc", Thread: turn.ThreadID, MIME: "image/png", Data: []byte("\x89PNG\x00\xff")}},
		Claims: claims, Settles: []agent.LedgerEntry{settled},
		Events:     []agent.Event{text(2, "I will."), event(3, agent.PreviewShown{CallID: r.CallID, ReceiptID: r.ID})},
		Transcript: &agent.TranscriptRow{ID: "script-" + string(turn.ID), UserMessage: "Hello", ModelMessage: "I will.", Model: "m-1", KeySource: agent.KeySourceUser}}

	want := agent.TurnRecord{Turn: turn, Steps: []agent.Step{step}, Calls: m.Calls, Receipts: m.Receipts}
	want.Turn.LastSeq = 3
	want.Turn.Open = []agent.OpenCall{{CallID: r.CallID, ReceiptID: r.ID, Capability: r.Capability, Summary: r.Preview.Summary, ExpiresAt: r.ExpiresAt}}
	open := claims[1]
	open.State, open.Run, settled.Run = agent.LedgerClaimed, 1, 1
	want.Ledger = []agent.LedgerEntry{settled, open}
	return m, want
}

var commitCases = []Case{
	{Name: "a milestone keeps every part as it was", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		m, want := w.full(turn)
		w.ok(s.Commit(as(alice), m))
		got := w.record(alice, turn.ID)
		w.same(got.Turn, want.Turn, "turn")
		w.same(got.Steps, want.Steps, "steps")
		w.same(got.Calls, want.Calls, "calls")
		w.same(got.Receipts, want.Receipts, "receipts")
		w.same(got.Ledger, want.Ledger, "ledger")
		w.same(len(w.events(alice, turn.ID)), 3, "events")
		blob, err := s.Blob(as(alice), m.Calls[0].ID, "abc")
		w.ok(err)
		w.same(blob, m.Blobs[0], "blob")
		w.same(at(w, w.transcripts(alice, turn.ThreadID), 0).ModelMessage, "I will.", "transcript")
	}},
	{Name: "an empty milestone changes nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		before := w.snapshot(alice, turn)
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1}))
		w.same(w.snapshot(alice, turn), before, "all of the turn")
	}},
	{Name: "a call is replaced by its id", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		call := agent.CallRecord{ID: "call_x", TurnID: turn.ID, WireID: "w", Capability: "a.b", Input: json.RawMessage(`{}`), State: agent.CallPending}
		for _, state := range []agent.CallState{agent.CallPending, agent.CallRunning, agent.CallDone} {
			call.State = state
			if state == agent.CallDone {
				call.EndedAt, call.Result = start, &agent.Result{OK: true}
			}
			w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Calls: []agent.CallRecord{call}}))
			w.same(w.record(alice, turn.ID).Calls, []agent.CallRecord{call}, "calls")
		}
	}},
	{Name: "a parked turn loses its owner and shows what is open", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, receipts := w.park(alice, 2)
		if turn.State != agent.TurnAwaiting || turn.Owner != "" || turn.EndedAt != 0 || turn.Run != 1 {
			w.Errorf("parked turn: %s", show(turn))
		}
		var open []agent.ReceiptID
		for _, o := range turn.Open {
			open = append(open, o.ReceiptID)
		}
		w.same(open, []agent.ReceiptID{receipts[0].ID, receipts[1].ID}, "open calls")
		th, err := s.ThreadRow(as(alice), turn.ThreadID)
		w.ok(err)
		if !th.Waiting || th.Running {
			w.Errorf("thread of a parked turn: waiting %v, running %v", th.Waiting, th.Running)
		}
	}},
	{Name: "an ended turn loses its owner and keeps when and why", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, state := range []agent.TurnState{agent.TurnComplete, agent.TurnFailed, agent.TurnCanceled} {
			turn := w.begin(alice)
			last := event(2, agent.TurnFailedData{Code: agent.CodeTimeout})
			last.At = start + 5*day
			m := agent.Milestone{Turn: turn.ID, Run: 1, State: state, ErrorCode: agent.CodeTimeout, Events: []agent.Event{last}}
			w.ok(s.Commit(as(alice), m))
			turn = w.turn(alice, turn.ID)
			if turn.State != state || turn.Owner != "" || turn.EndedAt != last.At || turn.ErrorCode != agent.CodeTimeout {
				w.Errorf("ended turn: %s", show(turn))
			}
			th, err := s.ThreadRow(as(alice), turn.ThreadID)
			w.ok(err)
			if th.Waiting || th.Running || th.UpdatedAt != last.At {
				w.Errorf("thread of an ended turn: %s", show(th))
			}
		}
	}},
	{Name: "a turn that is parked or has ended takes no milestone", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, _ := w.park(alice, 1)
		ended := w.begin(alice)
		w.end(alice, ended)
		for _, turn := range []agent.Turn{parked, w.turn(alice, ended.ID)} {
			before := w.snapshot(alice, turn)
			err := s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnFailed, Events: []agent.Event{text(turn.LastSeq+1, "late")}})
			w.code(err, agent.CodeConflict, "a milestone for a turn that is "+string(turn.State))
			w.same(w.snapshot(alice, turn), before, "all of the turn")
		}
	}},
	{Name: "a run that is over commits nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		_, err := s.Adopt(as(alice), turn.ID, "owner-2", turn.Run)
		w.ok(err)
		before := w.snapshot(alice, turn)
		m, _ := w.full(turn)
		for _, run := range []int64{0, 1, 3} {
			m.Run = run
			w.code(s.Commit(as(alice), m), agent.CodeConflict, "a milestone of another run")
		}
		w.same(w.snapshot(alice, turn), before, "all of the turn")
	}},
	{Name: "a turn that ends leaves no preview that can be answered", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, receipts := w.park(alice, 2)
		turn, err := s.Take(as(alice), w.take(alice, turn, decide(turn, receipts[0], agent.VerdictDiscarded)))
		w.ok(err)
		w.end(alice, turn)
		rec := w.record(alice, turn.ID)
		w.same(len(rec.Turn.Open), 0, "open calls")
		for _, r := range rec.Receipts {
			if r.State != agent.ReceiptDiscarded || r.DecidedAt == 0 {
				w.Errorf("receipt of an ended turn: %s", show(r))
			}
		}
	}},
}
