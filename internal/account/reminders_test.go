package account

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeFiles keeps the versions of alice's org.
type fakeFiles struct {
	versions map[agent.ReminderFile][]agent.Reminder
	wrote    []agent.ReminderWrite
}

func (f *fakeFiles) ReminderList(context.Context) ([]agent.Reminder, error) {
	panic("nobody lists them here")
}

func (f *fakeFiles) PutReminderIn(context.Context, *sql.Tx, agent.ReminderWrite) (agent.Reminder, error) {
	panic("nobody is in a change here")
}

func (f *fakeFiles) ReminderRow(ctx context.Context, file agent.ReminderFile, version int64) (agent.Reminder, error) {
	if _, err := agent.PrincipalFrom(ctx); err != nil {
		return agent.Reminder{}, err
	}
	have := f.versions[file]
	switch {
	case !file.Valid():
		return agent.Reminder{}, agent.NotFound("reminder file")
	case version == 0 && len(have) == 0:
		return agent.Reminder{File: file}, nil
	case version == 0:
		return have[len(have)-1], nil
	case version < 0 || version > int64(len(have)):
		return agent.Reminder{}, agent.NotFound("version of this file")
	}
	return have[version-1], nil
}

func (f *fakeFiles) ReminderVersions(_ context.Context, file agent.ReminderFile, before int64, limit int) (list []agent.ReminderVersion, err error) {
	if !file.Valid() {
		return nil, agent.NotFound("reminder file")
	}
	for v := int64(len(f.versions[file])); v > 0 && len(list) < limit; v-- {
		if before == 0 || v < before {
			list = append(list, agent.ReminderVersion{Version: v})
		}
	}
	return list, nil
}

func (f *fakeFiles) PutReminder(_ context.Context, w agent.ReminderWrite) (agent.Reminder, error) {
	if w.From != int64(len(f.versions[w.File])) {
		return agent.Reminder{}, agent.Errorf(agent.CodeConflict, "It moved.")
	}
	f.wrote = append(f.wrote, w)
	r := agent.Reminder{File: w.File, Version: w.From + 1, Text: w.Text}
	f.versions[w.File] = append(f.versions[w.File], r)
	return r, nil
}

// writer is alice with a credential that may approve.
var writer = agent.WithPrincipal(context.Background(), agent.Principal{UserID: "alice", OrgID: "acme", Tier: agent.TierUser,
	Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}})

func newFiles(tb testing.TB) (*office, *fakeFiles) {
	o := newOffice(tb)
	return o, o.files
}

func TestAPersonsTextIsStoredAsANewVersion(t *testing.T) {
	o, f := newFiles(t)
	got, err := o.PutReminder(writer, agent.ReminderGotchas, agent.ReminderEdit{Text: "\uFEFF# Gotchas\r\n\r\n", Version: 0})
	want := agent.ReminderWrite{File: agent.ReminderGotchas, Text: "# Gotchas\n", Via: agent.ReminderByHand, At: o.now.UnixMilli()}
	if err != nil || got.Version != 1 || len(f.wrote) != 1 || f.wrote[0] != want {
		t.Fatalf("%+v, %v, wrote %+v", got, err, f.wrote)
	}
	if got, err := o.PutReminder(writer, agent.ReminderGotchas, agent.ReminderEdit{Text: "# Gotchas", Version: 1}); err != nil || got.Version != 1 || len(f.wrote) != 1 {
		t.Errorf("the same text again: %+v, %v", got, err)
	}
	_, err = o.PutReminder(writer, agent.ReminderGotchas, agent.ReminderEdit{Text: "# Late", Version: 0})
	refused(t, "a text made from an older version", err, agent.CodeConflict, "")
	if got, err := o.Reminder(viewer, agent.ReminderGotchas, 0); err != nil || got.Text != "# Gotchas\n" {
		t.Errorf("a viewer reads %+v, %v", got, err)
	}
}

func TestWhoMayOnlyChatOrLookWritesNoReminder(t *testing.T) {
	with := func(tier agent.Tier, scopes ...agent.CredentialScope) context.Context {
		return agent.WithPrincipal(context.Background(), agent.Principal{UserID: "alice", OrgID: "acme", Tier: tier, Scopes: scopes})
	}
	o, f := newFiles(t)
	edit := agent.ReminderEdit{Text: "x"}
	for name, c := range map[string]struct {
		ctx     context.Context
		file    agent.ReminderFile
		edit    agent.ReminderEdit
		code    agent.Code
		pointer string
	}{
		"nobody":                  {context.Background(), agent.ReminderGotchas, edit, agent.CodeUnauthenticated, ""},
		"a viewer":                {with(agent.TierViewer, agent.ScopeChat, agent.ScopeApprove), agent.ReminderGotchas, edit, agent.CodeForbidden, ""},
		"a panel that chats":      {with(agent.TierUser, agent.ScopeChat), agent.ReminderGotchas, edit, agent.CodeForbidden, ""},
		"an admin that may not":   {with(agent.TierAdmin, agent.ScopeAdmin), agent.ReminderGotchas, edit, agent.CodeForbidden, ""},
		"no scope":                {with(agent.TierUser), agent.ReminderGotchas, edit, agent.CodeForbidden, ""},
		"another file":            {writer, "secrets", edit, agent.CodeNotFound, ""},
		"a version that is none":  {writer, agent.ReminderGotchas, agent.ReminderEdit{Text: "x", Version: -1}, agent.CodeInvalidInput, "/version"},
		"what nobody sees":        {writer, agent.ReminderGotchas, agent.ReminderEdit{Text: "a\u202eb"}, agent.CodeInvalidInput, "/text"},
		"more than fits a prompt": {writer, agent.ReminderGotchas, agent.ReminderEdit{Text: strings.Repeat("x", agent.MaxReminderBytes)}, agent.CodeTooLarge, "/text"},
	} {
		_, err := o.PutReminder(c.ctx, c.file, c.edit)
		refused(t, name, err, c.code, c.pointer)
	}
	if len(f.wrote) != 0 {
		t.Errorf("wrote %+v", f.wrote)
	}
}

func TestTheHistoryComesByPagesAndComparesTwoVersions(t *testing.T) {
	o, _ := newFiles(t)
	for v := range int64(5) {
		if _, err := o.PutReminder(writer, agent.ReminderProfile, agent.ReminderEdit{Text: fmt.Sprint("text ", v+1), Version: v}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []int64
	q := agent.ReminderQuery{Limit: 2}
	for {
		h, err := o.ReminderHistory(alice, agent.ReminderProfile, q)
		if err != nil || h.Diff != nil {
			t.Fatalf("%+v, %v", h, err)
		}
		for _, v := range h.Items {
			seen = append(seen, v.Version)
		}
		if q.Before = h.Next; h.Next == 0 {
			break
		}
	}
	if fmt.Sprint(seen) != "[5 4 3 2 1]" {
		t.Errorf("saw %v", seen)
	}
	at := func(v int64) *int64 { return &v }
	for name, c := range map[string]struct {
		from, to *int64
		want     agent.ReminderDiff
	}{
		"two":                {at(2), at(4), agent.ReminderDiff{From: 2, To: 4, Text: "reminders/client_profile.md|text 2\n|text 4\n"}},
		"backwards":          {at(4), at(2), agent.ReminderDiff{From: 4, To: 2, Text: "reminders/client_profile.md|text 4\n|text 2\n"}},
		"since":              {at(3), nil, agent.ReminderDiff{From: 3, To: 5, Text: "reminders/client_profile.md|text 3\n|text 5\n"}},
		"what one changed":   {nil, at(2), agent.ReminderDiff{From: 1, To: 2, Text: "reminders/client_profile.md|text 1\n|text 2\n"}},
		"the first":          {nil, at(1), agent.ReminderDiff{From: 0, To: 1, Text: "reminders/client_profile.md||text 1\n"}},
		"from an empty file": {at(0), at(0), agent.ReminderDiff{From: 0, To: 5, Text: "reminders/client_profile.md||text 5\n"}},
	} {
		h, err := o.ReminderHistory(alice, agent.ReminderProfile, agent.ReminderQuery{From: c.from, To: c.to})
		if err != nil || h.Diff == nil || *h.Diff != c.want || len(h.Items) != 5 {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	for _, q := range []agent.ReminderQuery{{From: at(6)}, {To: at(6)}, {From: at(-1)}} {
		_, err := o.ReminderHistory(alice, agent.ReminderProfile, q)
		refused(t, "a version that is not there", err, agent.CodeNotFound, "")
	}
	for limit, ok := range map[int]bool{-1: false, 0: true, 1: true, maxVersions: true, maxVersions + 1: false} {
		if _, err := o.ReminderHistory(alice, agent.ReminderProfile, agent.ReminderQuery{Limit: limit}); (err == nil) != ok {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	_, err := o.ReminderHistory(alice, "secrets", agent.ReminderQuery{})
	refused(t, "another file", err, agent.CodeNotFound, "")
	if h, err := o.ReminderHistory(alice, agent.ReminderGotchas, agent.ReminderQuery{From: at(0), To: at(0)}); err != nil || h.Items == nil || *h.Diff != (agent.ReminderDiff{Text: "reminders/gotchas.md||"}) {
		t.Errorf("a file that nobody wrote: %+v, %v", h, err)
	}
}
