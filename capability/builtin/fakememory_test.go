package builtin_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/capability/builtin"
	"github.com/lossless-group/in-app-agent/memory"
)

// org keeps the reminders and notes of one org, as a store does.
type org struct {
	versions map[agent.ReminderFile][]agent.Reminder
	writes   []agent.ReminderWrite
	notes    []agent.Note
	touched  []string
	topic    string
	err      error
}

func newOrg(texts ...string) *org {
	o := &org{versions: map[agent.ReminderFile][]agent.Reminder{}}
	for i, text := range texts {
		f := agent.ReminderFiles[i]
		o.versions[f] = []agent.Reminder{{File: f, Version: 1, Text: text}}
	}
	return o
}

func (o *org) newest(f agent.ReminderFile) agent.Reminder {
	if n := len(o.versions[f]); n > 0 {
		return o.versions[f][n-1]
	}
	return agent.Reminder{File: f}
}

func (o *org) ReminderList(context.Context) (list []agent.Reminder, err error) {
	for _, f := range agent.ReminderFiles {
		list = append(list, o.newest(f))
	}
	return list, o.err
}

func (o *org) ReminderRow(_ context.Context, f agent.ReminderFile, version int64) (agent.Reminder, error) {
	switch {
	case o.err != nil:
		return agent.Reminder{}, o.err
	case !f.Valid():
		return agent.Reminder{}, agent.NotFound("reminder file")
	case version == 0:
		return o.newest(f), nil
	case version > int64(len(o.versions[f])):
		return agent.Reminder{}, agent.NotFound("version")
	}
	return o.versions[f][version-1], nil
}

func (o *org) ReminderVersions(context.Context, agent.ReminderFile, int64, int) ([]agent.ReminderVersion, error) {
	panic("no capability reads the history")
}

func (o *org) PutReminder(context.Context, agent.ReminderWrite) (agent.Reminder, error) {
	panic("a capability writes inside its change only")
}

func (o *org) PutReminderIn(_ context.Context, _ *sql.Tx, w agent.ReminderWrite) (agent.Reminder, error) {
	if o.err != nil {
		return agent.Reminder{}, o.err
	}
	if o.newest(w.File).Version != w.From {
		return agent.Reminder{}, agent.Errorf(agent.CodeConflict, "It moved.")
	}
	o.writes = append(o.writes, w)
	r := agent.Reminder{File: w.File, Version: w.From + 1, Text: w.Text}
	o.versions[w.File] = append(o.versions[w.File], r)
	return r, nil
}

func (o *org) PutNoteIn(_ context.Context, _ *sql.Tx, n agent.Note) (agent.Note, error) {
	o.notes = append(o.notes, n)
	return n, o.err
}

func (o *org) NoteList(_ context.Context, topic string, _ int64) ([]agent.Note, error) {
	o.topic = topic
	return o.notes, o.err
}

func (o *org) TouchNotes(_ context.Context, ids []string, _ int64) error {
	o.touched = ids
	return o.err
}

func (o *org) NoteLimits(context.Context) (agent.NoteLimits, error) {
	return agent.DefaultNoteLimits, nil
}
func (o *org) PutNoteLimits(context.Context, agent.NoteLimits, int64) error { return nil }
func (o *org) ForgetNotes(context.Context, int64) (int, error)              { return 0, nil }

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// desk is a registry of the memory over an org, and how a turn uses it.
type desk struct {
	t   *testing.T
	o   *org
	reg *capability.Registry
	who agent.Principal
	n   int
}

func newDesk(t *testing.T, o *org) *desk {
	d := &desk{t: t, o: o, reg: capability.NewRegistry(), who: editor}
	d.reg.Add(builtin.Reminders(o), builtin.Suggest(o, memory.Diff), builtin.Note(o), builtin.Recall(o, memory.Words{}))
	return d
}

func (d *desk) env() *capability.Env {
	env := &capability.Env{Offered: map[string]bool{}, Counter: capability.NewCounter(capability.Limits{}, 0, 0),
		Allow: func(agent.Capability) *agent.ResultError { return nil }}
	for _, c := range d.reg.All() {
		env.Offered[c.Name] = true
	}
	return env
}

func (d *desk) call(name, input string) *agent.Call {
	d.n++
	return &agent.Call{ID: agent.CallID("call_1"), Turn: "turn_1", Thread: "thread_1", Capability: name, Input: json.RawMessage(input), Principal: d.who,
		Key: "key", Now: func() time.Time { return noon }, Commit: func(f func(*sql.Tx) error) error { return f(nil) }}
}

func (d *desk) run(name, input string) agent.Result {
	d.t.Helper()
	return d.reg.Dispatch(context.Background(), d.env(), d.call(name, input)).Result
}

// propose makes a preview and the receipt of it.
func (d *desk) propose(input string) (*agent.Call, agent.Receipt) {
	d.t.Helper()
	call := d.call("reminders.suggest", input)
	out := d.reg.Dispatch(context.Background(), d.env(), call)
	if !out.Result.OK || out.Result.Preview == nil {
		d.t.Fatalf("no preview: %+v", out.Result)
	}
	_, digest, err := capability.Canonical(call.Input)
	if err != nil {
		d.t.Fatal(err)
	}
	return call, agent.Receipt{ID: "receipt_1", CallID: call.ID, TurnID: call.Turn, Capability: call.Capability, Input: call.Input, InputDigest: digest,
		Resources: out.Resources, Preview: *out.Result.Preview}
}

func (d *desk) accept(input string) agent.Result {
	d.t.Helper()
	call, receipt := d.propose(input)
	return d.reg.Apply(context.Background(), d.env(), call, receipt)
}

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }
