package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	agent "github.com/lossless-group/in-app-agent"
)

// The people of the suite: two in one org, and the same user id in another org.
var (
	alice      = agent.Principal{UserID: "u_alice", OrgID: "o_acme"}
	bob        = agent.Principal{UserID: "u_bob", OrgID: "o_acme"}
	aliceOther = agent.Principal{UserID: "u_alice", OrgID: "o_other"}
	carol      = agent.Principal{UserID: "u_carol", OrgID: "o_other"}
)

const (
	owner = "owner-1"
	day   = int64(24 * 60 * 60 * 1000)
	start = int64(1_700_000_000_000)
)

// world is a store with the people in it, and what makes turns in few words.
type world struct {
	TB
	s Store
	n int
}

func newWorld(tb TB, s Store) *world {
	tb.Helper()
	w := &world{TB: tb, s: s}
	ctx := context.Background()
	for _, u := range []string{"u_alice", "u_bob", "u_carol"} {
		w.ok(s.PutUser(ctx, agent.User{ID: u, Name: "Name of " + u, Email: u + "@example.org"}))
	}
	w.ok(s.PutOrg(ctx, agent.Org{ID: "o_acme", Slug: "acme", Name: "Acme", Billing: agent.BillingPaying, DefaultModel: "m-1"}))
	w.ok(s.PutOrg(ctx, agent.Org{ID: "o_other", Slug: "other", Name: "Other", Billing: agent.BillingLingering}))
	for _, m := range []agent.Membership{
		{UserID: "u_alice", OrgID: "o_acme", Role: agent.RoleEditor},
		{UserID: "u_bob", OrgID: "o_acme", Role: agent.RoleOrgAdmin},
		{UserID: "u_alice", OrgID: "o_other", Role: agent.RoleViewer},
		{UserID: "u_carol", OrgID: "o_other", Role: agent.RoleEditor},
	} {
		w.ok(s.PutMembership(ctx, m))
	}
	w.ok(s.RefreshPolicies(ctx))
	return w
}

func as(p agent.Principal) context.Context {
	return agent.WithPrincipal(context.Background(), p)
}

// ok ends the case on an error.
func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("unexpected error: %v", err)
	}
}

// code fails unless the error has the code.
func (w *world) code(err error, want agent.Code, what string) {
	w.Helper()
	switch {
	case err == nil:
		w.Errorf("%s: no error, want %s", what, want)
	case agent.ErrorCode(err) != want:
		w.Errorf("%s: error %v, want %s", what, err, want)
	}
}

// same fails unless two values are deeply equal.
func (w *world) same(got, want any, what string) {
	w.Helper()
	if !reflect.DeepEqual(got, want) {
		w.Errorf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

func show(v any) string {
	text := fmt.Sprintf("%+v", v)
	if b, err := json.Marshal(v); err == nil {
		text = string(b) + " = " + text
	}
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	return text
}

// id mints one that no other in this case has.
func (w *world) id(prefix string) string {
	w.n++
	return fmt.Sprintf("%s_%d", prefix, w.n)
}

// event makes an event of a turn; runs and ids are the store's to fill.
func event(seq agent.Seq, p agent.Payload) agent.Event {
	data, err := json.Marshal(p)
	if err != nil {
		panic(err) // our own payloads always encode
	}
	return agent.Event{Seq: seq, Run: 1, At: start + int64(seq), Kind: p.EventKind(), Data: data}
}

func text(seq agent.Seq, s string) agent.Event { return event(seq, agent.TextDelta{Text: s}) }

// message is a turn on its way in, in a new thread.
func (w *world) message() agent.TurnStart {
	id := agent.TurnID(w.id("turn"))
	w.n++
	at := start + int64(w.n)*1000
	return agent.TurnStart{
		Turn: agent.Turn{ID: id, MessageID: "msg-" + string(id), By: "user", Message: agent.Message{Text: "Hello from " + string(id)},
			Model: "m-1", Provider: "p-1", KeySource: agent.KeySourceOrg, ProjectID: "deck", ProjectKind: "slides",
			Owner: owner, Run: 1, CreatedAt: at},
		Thread: agent.Thread{ID: agent.ThreadID(w.id("thread")), ProjectID: "deck", ProjectKind: "slides",
			Title: "Title of " + string(id), CreatedAt: at, UpdatedAt: at},
		ContentDigest: "digest of " + string(id),
		Events:        []agent.Event{event(1, agent.TurnStarted{Model: "m-1", By: "user"})},
		Transcript: agent.TranscriptRow{ID: "script-" + string(id), UserMessage: "Hello from " + string(id), Model: "m-1",
			KeySource: agent.KeySourceOrg, CreatedAt: at},
	}
}

// reply is a turn on its way into a thread, under a parent ("" is the head).
func (w *world) reply(thread agent.ThreadID, parent agent.TurnID) agent.TurnStart {
	m := w.message()
	m.Thread, m.Turn.ThreadID, m.Turn.Parent = agent.Thread{}, thread, parent
	return m
}

func (w *world) start(p agent.Principal, m agent.TurnStart) agent.Turn {
	w.Helper()
	turn, created, err := w.s.StartTurn(as(p), m)
	w.ok(err)
	if !created {
		w.Fatalf("turn %s was not created", m.Turn.ID)
	}
	return turn
}

// begin starts a turn in a new thread.
func (w *world) begin(p agent.Principal) agent.Turn {
	w.Helper()
	return w.start(p, w.message())
}

// end ends a running turn well.
func (w *world) end(p agent.Principal, turn agent.Turn) {
	w.Helper()
	w.ok(w.s.Commit(as(p), w.ending(p, turn)))
}

// ending is the milestone that ends a turn, from where it stands now.
func (w *world) ending(p agent.Principal, turn agent.Turn) agent.Milestone {
	w.Helper()
	now := w.turn(p, turn.ID)
	return agent.Milestone{Turn: turn.ID, Run: now.Run, State: agent.TurnComplete,
		Events: []agent.Event{event(now.LastSeq+1, agent.TurnCompleted{Text: "Done."})}}
}

func (w *world) turn(p agent.Principal, id agent.TurnID) agent.Turn {
	w.Helper()
	turn, err := w.s.Turn(as(p), id)
	w.ok(err)
	return turn
}

func (w *world) record(p agent.Principal, id agent.TurnID) agent.TurnRecord {
	w.Helper()
	rec, err := w.s.Record(as(p), id)
	w.ok(err)
	return rec
}

func (w *world) events(p agent.Principal, id agent.TurnID) []agent.Event {
	w.Helper()
	list, err := w.s.EventsAfter(as(p), id, 0, 1000)
	w.ok(err)
	return list
}

func (w *world) transcripts(p agent.Principal, id agent.ThreadID) []agent.TranscriptRow {
	w.Helper()
	rows, err := w.s.Transcripts(as(p), id)
	w.ok(err)
	return rows
}

// at gives one of a list that a broken store may have made too short.
func at[T any](w *world, list []T, i int) T {
	w.Helper()
	if i >= len(list) {
		w.Fatalf("there are %d, and one at %d is wanted: %s", len(list), i, show(list))
	}
	return list[i]
}

// rest gives a list without its first.
func rest[T any](w *world, list []T) []T {
	w.Helper()
	at(w, list, 0)
	return list[1:]
}

func ptr[T any](v T) *T { return &v }
