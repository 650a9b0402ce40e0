package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// probe is one method that takes an id of a tenant.
type probe struct {
	name string
	call func(ctx context.Context, s Store, ids ids) error
}

// ids names what belongs to one user: real for the victim, made up for a miss.
type ids struct {
	turn    agent.Turn
	running agent.Turn
	receipt agent.Receipt
	call    agent.CallID
	key     string
	link    string
	version int64
}

var probes = []probe{
	{"StartTurn in the thread", func(ctx context.Context, s Store, i ids) error {
		_, _, err := s.StartTurn(ctx, agent.TurnStart{Turn: agent.Turn{ID: "turn_probe", ThreadID: i.turn.ThreadID, MessageID: "probe"}})
		return err
	}},
	{"StartTurn under the parent", func(ctx context.Context, s Store, i ids) error {
		_, _, err := s.StartTurn(ctx, agent.TurnStart{Turn: agent.Turn{ID: "turn_probe", Parent: i.turn.ID, MessageID: "probe"},
			Thread: agent.Thread{ID: "thread_probe"}})
		return err
	}},
	{"Commit", func(ctx context.Context, s Store, i ids) error {
		return s.Commit(ctx, agent.Milestone{Turn: i.running.ID, Run: i.running.Run, State: agent.TurnCanceled})
	}},
	{"Take", func(ctx context.Context, s Store, i ids) error {
		d := decide(i.turn, i.receipt, agent.VerdictAccepted)
		_, err := s.Take(ctx, agent.Take{Turn: i.turn.ID, Owner: "owner-probe", Decisions: []agent.TakeDecision{d}, PolicyVersion: i.version})
		return err
	}},
	{"Adopt", func(ctx context.Context, s Store, i ids) error {
		return second(s.Adopt(ctx, i.running.ID, "owner-probe", i.running.Run))
	}},
	{"StopTurn", func(ctx context.Context, s Store, i ids) error { return s.StopTurn(ctx, i.running.ID, "probe") }},
	{"Turn", func(ctx context.Context, s Store, i ids) error { return second(s.Turn(ctx, i.turn.ID)) }},
	{"Record", func(ctx context.Context, s Store, i ids) error { return second(s.Record(ctx, i.turn.ID)) }},
	{"Path", func(ctx context.Context, s Store, i ids) error { return second(s.Path(ctx, i.turn.ID, 10)) }},
	{"EventsAfter", func(ctx context.Context, s Store, i ids) error { return second(s.EventsAfter(ctx, i.turn.ID, 0, 10)) }},
	{"NextTurn", func(ctx context.Context, s Store, i ids) error {
		_, _, err := s.NextTurn(ctx, i.turn.ThreadID, "")
		return err
	}},
	{"ThreadRow", func(ctx context.Context, s Store, i ids) error { return second(s.ThreadRow(ctx, i.turn.ThreadID)) }},
	{"UpdateThread", func(ctx context.Context, s Store, i ids) error {
		return second(s.UpdateThread(ctx, i.turn.ThreadID, agent.ThreadPatch{Title: ptr("stolen")}, start))
	}},
	{"DeleteThreadRows", func(ctx context.Context, s Store, i ids) error { return s.DeleteThreadRows(ctx, i.turn.ThreadID) }},
	{"PathTurns", func(ctx context.Context, s Store, i ids) error {
		return second(s.PathTurns(ctx, i.turn.ThreadID, "", 10))
	}},
	{"Transcripts", func(ctx context.Context, s Store, i ids) error { return second(s.Transcripts(ctx, i.turn.ThreadID)) }},
	{"Blob", func(ctx context.Context, s Store, i ids) error { return second(s.Blob(ctx, i.call, "abc")) }},
	{"ReceiptRow", func(ctx context.Context, s Store, i ids) error { return second(s.ReceiptRow(ctx, i.receipt.ID)) }},
	{"ApprovalLink", func(ctx context.Context, s Store, i ids) error { return second(s.ApprovalLink(ctx, i.link)) }},
	{"SpendLink", func(ctx context.Context, s Store, i ids) error { return s.SpendLink(ctx, i.link, start) }},
	{"FreeLink", func(ctx context.Context, s Store, i ids) error { return s.FreeLink(ctx, i.link) }},
	{"PutFeedback", func(ctx context.Context, s Store, i ids) error {
		return s.PutFeedback(ctx, agent.FeedbackNote{TurnID: i.turn.ID, Thumb: agent.ThumbDown}, start)
	}},
}

// keyProbes are those on a user's keys, which follow the person into every org.
var keyProbes = []probe{
	{"Key", func(ctx context.Context, s Store, i ids) error { return second(s.Key(ctx, i.key)) }},
	{"RevokeKey", func(ctx context.Context, s Store, i ids) error { return s.RevokeKey(ctx, i.key, start) }},
}

var foreigners = map[string]agent.Principal{"another user of the org": bob, "the same user id in another org": aliceOther, "another user of another org": carol}

// victim gives Alice something of everything.
func (w *world) victim() ids {
	w.Helper()
	running := w.begin(alice)
	m, _ := w.full(running)
	m.Receipts = nil
	w.ok(w.s.Commit(as(alice), m))
	parked, receipts := w.park(alice, 1)
	w.ok(w.s.PutKey(as(alice), keyRow("key_alice", "anthropic", "work", start)))
	w.ok(w.s.PutUserSettings(as(alice), agent.UserSettings{Model: "secret-model"}, start))
	link := at(w, w.notices(start, 10), 0).Link.ID
	return ids{turn: parked, running: w.turn(alice, running.ID), receipt: receipts[0], call: m.Calls[0].ID, key: "key_alice", link: link, version: w.policy(alice).Version}
}

var tenancyCases = []Case{
	{Name: "what belongs to others cannot be told from what does not exist", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		real := w.victim()
		none := ids{turn: agent.Turn{ID: "turn_none", ThreadID: "thread_none", LastSeq: 2}, running: agent.Turn{ID: "turn_none", Run: 1},
			receipt: agent.Receipt{ID: "receipt_none", CallID: "call_none"}, call: "call_none", key: "key_none", link: "link_none", version: real.version}
		parked, running := w.snapshot(alice, real.turn), w.snapshot(alice, real.running)
		for who, p := range foreigners {
			none.version, real.version = w.policy(p).Version, w.policy(p).Version
			for _, probe := range probes {
				w.hidden(p, probe, real, none, who)
			}
			if p.UserID != alice.UserID {
				for _, probe := range keyProbes {
					w.hidden(p, probe, real, none, who)
				}
			}
		}
		w.same(w.snapshot(alice, real.turn), parked, "the parked turn after all of it")
		w.same(w.snapshot(alice, real.running), running, "the running turn after all of it")
		key, err := s.Key(as(alice), "key_alice")
		w.ok(err)
		w.same(key.RevokedAt, int64(0), "the key after all of it")
	}},
	{Name: "lists and searches hold the caller's own only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		victim := w.victim()
		for who, p := range foreigners {
			w.same(len(w.list(p, agent.ThreadQuery{})), 0, "threads for "+who)
			w.same(len(w.list(p, agent.ThreadQuery{Q: "Hello"})), 0, "threads found by "+who)
			w.same(len(w.list(p, agent.ThreadQuery{ProjectID: "deck"})), 0, "threads of the project for "+who)
			for _, q := range []agent.TurnQuery{{}, {State: agent.TurnAwaiting}, {ThreadID: victim.turn.ThreadID}} {
				w.same(len(w.turns(p, q).Items), 0, "turns for "+who)
			}
			settings, err := s.UserSettings(as(p))
			w.ok(err)
			w.same(settings, agent.UserSettings{}, "settings of "+who)
			keys, err := s.Keys(as(p), "")
			w.ok(err)
			if p.UserID != alice.UserID && len(keys) != 0 {
				w.Errorf("%s sees %d keys", who, len(keys))
			}
		}
	}},
	{Name: "without a principal there is nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		victim := w.victim()
		for _, ctx := range []context.Context{context.Background(), as(agent.Principal{UserID: alice.UserID}), as(agent.Principal{OrgID: alice.OrgID})} {
			for _, probe := range append(append([]probe{
				{"TurnList", func(ctx context.Context, s Store, _ ids) error { return second(s.TurnList(ctx, agent.TurnQuery{})) }},
				{"ThreadRowList", func(ctx context.Context, s Store, _ ids) error {
					return second(s.ThreadRowList(ctx, agent.ThreadQuery{}))
				}},
				{"ApprovalList", func(ctx context.Context, s Store, _ ids) error {
					return second(s.ApprovalList(ctx, agent.ApprovalQuery{}, start))
				}},
				{"PermissionList", func(ctx context.Context, s Store, _ ids) error {
					return second(s.PermissionList(ctx, agent.PermissionQuery{}, start))
				}},
				{"PermissionsFor", func(ctx context.Context, s Store, _ ids) error {
					return second(s.PermissionsFor(ctx, "a.b", agent.Project{}, start))
				}},
				{"RevokePermission", func(ctx context.Context, s Store, _ ids) error { return s.RevokePermission(ctx, "p", start) }},
				{"UserSettings", func(ctx context.Context, s Store, _ ids) error { return second(s.UserSettings(ctx)) }},
				{"PutUserSettings", func(ctx context.Context, s Store, _ ids) error {
					return s.PutUserSettings(ctx, agent.UserSettings{}, start)
				}},
				{"Keys", func(ctx context.Context, s Store, _ ids) error { return second(s.Keys(ctx, "")) }},
				{"PutKey", func(ctx context.Context, s Store, _ ids) error { return s.PutKey(ctx, keyRow("k", "p", "l", start)) }},
				{"TouchKey", func(ctx context.Context, s Store, i ids) error { return s.TouchKey(ctx, i.key, start) }},
				{"OrgKey", func(ctx context.Context, s Store, _ ids) error { return second(s.OrgKey(ctx, "anthropic")) }},
				{"OrgKeys", func(ctx context.Context, s Store, _ ids) error { return second(s.OrgKeys(ctx)) }},
				{"RevokeOrgKey", func(ctx context.Context, s Store, i ids) error { return s.RevokeOrgKey(ctx, i.key, start) }},
				{"PutOrgKey", func(ctx context.Context, s Store, _ ids) error { return s.PutOrgKey(ctx, keyRow("k", "p", "l", start)) }},
				{"Policy", func(ctx context.Context, s Store, _ ids) error { return second(s.Policy(ctx)) }},
			}, probes...), keyProbes...) {
				w.code(probe.call(ctx, s, victim), agent.CodeUnauthenticated, probe.name+" without a principal")
			}
		}
	}},
}

// hidden checks that a probe at somebody else's things answers as at nothing.
func (w *world) hidden(p agent.Principal, probe probe, real, none ids, who string) {
	w.Helper()
	atReal, atNone := probe.call(as(p), w.s, real), probe.call(as(p), w.s, none)
	w.code(atReal, agent.CodeNotFound, probe.name+" by "+who)
	if atReal == nil || atNone == nil {
		return
	}
	if agent.ErrorMessage(atReal) != agent.ErrorMessage(atNone) {
		w.Errorf("%s by %s says %q, but %q of what does not exist", probe.name, who, agent.ErrorMessage(atReal), agent.ErrorMessage(atNone))
	}
}
