package account

import (
	"errors"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// path gives a thread of n ended turns, each with a word and an end.
func (o *office) path(n int) {
	parent := agent.TurnID("")
	for i := range n {
		id := agent.TurnID("tn" + string(rune('a'+i)))
		o.store.turns = append(o.store.turns, agent.Turn{ID: id, ThreadID: "th1", Parent: parent, State: agent.TurnComplete, Run: 1})
		o.store.events[id] = []agent.Event{event(1, agent.EventTurnStarted, 0), text(2, 0, "a"), text(3, 0, "b"), event(4, agent.EventTurnCompleted, 0)}
		parent = id
	}
}

func TestAThreadIsReadPageByPageFromItsEnd(t *testing.T) {
	o := newOffice(t)
	o.path(5)
	v, err := o.Thread(alice, "th1", "", 2)
	if err != nil || len(v.Turns) != 2 || v.Turns[1].Turn.ID != "tne" || v.Before != "tnd" || v.Cursor != "tne:1:4" {
		t.Fatalf("%+v, %v", v, err)
	}
	if got := sketch(v.Turns[0].Events); got != "start1 text2-3[0:ab] end4" {
		t.Errorf("events %s", got)
	}
	v, err = o.Thread(alice, "th1", v.Before, 3)
	if err != nil || len(v.Turns) != 3 || v.Turns[0].Turn.ID != "tna" || v.Before != "" || v.Cursor != "" {
		t.Errorf("the older page: %+v, %v", v, err)
	}
	_, err = o.Thread(alice, "th1", "none", 3)
	refused(t, "a turn that is not there", err, agent.CodeNotFound, "")
}

func TestAPageHasALimit(t *testing.T) {
	o := newOffice(t)
	o.path(1)
	for limit, ok := range map[int]bool{-1: false, 0: true, 1: true, maxTurns: true, maxTurns + 1: false} {
		if _, err := o.Thread(alice, "th1", "", limit); (err == nil) != ok {
			t.Errorf("turns, %d: %v", limit, err)
		}
	}
	for limit, ok := range map[int]bool{-1: false, 0: true, maxThreads: true, maxThreads + 1: false} {
		if _, err := o.Threads(alice, agent.ThreadQuery{Limit: limit}); (err == nil) != ok {
			t.Errorf("threads, %d: %v", limit, err)
		}
	}
}

func TestARunningTurnIsToldAsItStandsNow(t *testing.T) {
	o := newOffice(t)
	o.path(1)
	o.store.turns[0].State = agent.TurnRunning
	o.store.events["tna"] = o.store.events["tna"][:3]
	o.engine.active = []agent.Turn{{ID: "tna", ThreadID: "th1", State: agent.TurnAwaiting, Open: []agent.OpenCall{{CallID: "cl1"}}}}
	v, err := o.Thread(alice, "th1", "", 0)
	if err != nil || v.Turns[0].Turn.State != agent.TurnAwaiting || len(v.Turns[0].Turn.Open) != 1 || v.Cursor != "tna:1:3" {
		t.Errorf("%+v, %v", v, err)
	}
	o.engine.err = agent.Errorf(agent.CodeStorageBusy, "Busy.")
	_, err = o.Thread(alice, "th1", "", 0)
	refused(t, "a store that is busy", err, agent.CodeStorageBusy, "")
}

func TestATurnWithoutEventsStillHasACursor(t *testing.T) {
	o := newOffice(t)
	if v, err := o.Thread(alice, "th1", "", 0); err != nil || v.Cursor != "" || v.Turns == nil {
		t.Errorf("no turn: %+v, %v", v, err)
	}
	o.path(1)
	o.store.events["tna"] = nil
	if v, err := o.Thread(alice, "th1", "", 0); err != nil || v.Cursor != "tna:0" {
		t.Errorf("no event: %+v, %v", v, err)
	}
}

func TestEveryReadAsksTheHost(t *testing.T) {
	o := newOffice(t)
	o.path(1)
	o.store.blob = agent.Blob{Digest: "d", Thread: "th1"}
	title := "New"
	reads := map[string]func() error{
		"thread":   func() error { _, err := o.Thread(alice, "th1", "", 0); return err },
		"patch":    func() error { _, err := o.PatchThread(alice, "th1", agent.ThreadPatch{Title: &title}); return err },
		"export":   func() error { _, err := o.ExportThread(alice, "th1", "md"); return err },
		"artifact": func() error { _, err := o.Artifact(alice, "cl1", "d"); return err },
	}
	for name, read := range reads {
		o.host.asked = 0
		if err := read(); err != nil || o.host.asked != 1 {
			t.Errorf("%s: asked %d times, %v", name, o.host.asked, err)
		}
	}
	o.host.open["p1"] = false
	patched := o.store.patched
	for name, read := range reads {
		refused(t, name, read(), agent.CodeNotFound, "")
	}
	if o.store.patched != patched {
		t.Error("a thread of a lost project was renamed")
	}
	o.host.err = errors.New("host is down")
	for name, read := range reads {
		if err := read(); err == nil || agent.ErrorCode(err) == agent.CodeNotFound {
			t.Errorf("%s, the host is down: %v", name, err)
		}
	}
	for _, code := range []agent.Code{agent.CodeForbidden, agent.CodeUnauthenticated} {
		o.host.err = agent.Errorf(code, "No.")
		refused(t, "the host says no in another word", reads["thread"](), agent.CodeNotFound, "")
	}
}

func TestWhatBelongsToSomebodyElseDoesNotExist(t *testing.T) {
	o := newOffice(t)
	o.path(1)
	o.store.blob = agent.Blob{Digest: "d", Thread: "th1"}
	for _, id := range []agent.ThreadID{"th1", "none"} {
		_, read := o.Thread(bob, id, "", 0)
		_, patch := o.PatchThread(bob, id, agent.ThreadPatch{})
		_, export := o.ExportThread(bob, id, "json")
		for name, err := range map[string]error{"read": read, "patch": patch, "export": export, "delete": o.DeleteThread(bob, id)} {
			if agent.ErrorMessage(err) != "There is no such thread." {
				t.Errorf("%s of %s: %v", name, id, err)
			}
		}
	}
	_, err := o.Artifact(bob, "cl1", "d")
	if agent.ErrorMessage(err) != "There is no such artifact." {
		t.Errorf("artifact: %v", err)
	}
	_, err = o.Artifact(alice, "cl1", "other")
	refused(t, "another digest", err, agent.CodeNotFound, "")
	if b, err := o.Artifact(alice, "cl1", "d"); err != nil || b.Digest != "d" {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestAListHoldsWhatTheCallerMayOpenAndAsksOnceAProject(t *testing.T) {
	o := newOffice(t)
	o.store.page = agent.Page[agent.Thread]{Next: "n", Items: []agent.Thread{
		{ID: "th1", ProjectID: "p1"}, {ID: "th2", ProjectID: "lost"}, {ID: "th3", ProjectID: "p1"}, {ID: "th4", ProjectID: "lost"}}}
	page, err := o.Threads(alice, agent.ThreadQuery{Q: "deck"})
	if err != nil || len(page.Items) != 2 || page.Items[1].ID != "th3" || page.Next != "n" || o.host.asked != 2 || o.store.query.Q != "deck" {
		t.Errorf("%+v, asked %d, %v", page, o.host.asked, err)
	}
	o.host.err = errors.New("down")
	if _, err := o.Threads(alice, agent.ThreadQuery{}); err == nil {
		t.Error("a host that is down made an empty list")
	}
	if _, err := o.Threads(t.Context(), agent.ThreadQuery{}); agent.ErrorCode(err) != agent.CodeUnauthenticated {
		t.Errorf("nobody: %v", err)
	}
}

func TestATitleIsOneLineWithinItsLimit(t *testing.T) {
	for title, ok := range map[string]bool{
		"A title": true, strings.Repeat("x", agent.MaxTitleBytes-1): true, strings.Repeat("x", agent.MaxTitleBytes): true,
		strings.Repeat("x", agent.MaxTitleBytes+1): false, strings.Repeat("é", agent.MaxTitleBytes/2): true, strings.Repeat("é", agent.MaxTitleBytes/2+1): false,
		"": false, "  \n ": false, "a\nb": false, "a\x00b": false, "a\x1bb": false, "\xff": false, "  trimmed  ": true,
	} {
		o := newOffice(t)
		got, err := o.PatchThread(alice, "th1", agent.ThreadPatch{Title: &title})
		if ok && (err != nil || got.Title != strings.TrimSpace(title) || len(o.changes) != 1 || o.changes[0].Title != got.Title) {
			t.Errorf("%.20q: %+v, %v, told %+v", title, got, err, o.changes)
		}
		if !ok {
			refused(t, title, err, agent.CodeInvalidInput, "/title")
		}
	}
}

func TestArchivingAndAnEmptyPatch(t *testing.T) {
	o := newOffice(t)
	yes := true
	if got, err := o.PatchThread(alice, "th1", agent.ThreadPatch{Archived: &yes}); err != nil || got.ArchivedAt != o.now.UnixMilli() {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := o.PatchThread(alice, "th1", agent.ThreadPatch{}); err != nil || got.ID != "th1" || o.store.patched != 1 || len(o.changes) != 1 {
		t.Errorf("an empty patch: %+v, %v, %d", got, err, o.store.patched)
	}
	o.store.err = agent.Errorf(agent.CodeStorageFull, "Full.")
	if _, err := o.PatchThread(alice, "th1", agent.ThreadPatch{Archived: &yes}); err == nil {
		t.Error("a full store was not told")
	}
}
