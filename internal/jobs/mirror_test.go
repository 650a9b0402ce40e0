package jobs_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/jobs"
)

// noted has the notes of one org.
type noted struct {
	agent.NoteRows
	org  string
	list []agent.Note
}

func (n *noted) NoteList(ctx context.Context, _ string, _ int64) ([]agent.Note, error) {
	if p, err := agent.PrincipalFrom(ctx); err != nil || p.OrgID != n.org {
		return nil, err
	}
	return n.list, nil
}

// held gives the passages of a collection that have a word.
func (w *world) held(slug, collection, word string) []agent.Passage {
	w.Helper()
	found, err := w.corpus.Search(w.Context(), []agent.Scope{{Tenant: agent.ClientTenant(slug), Collection: collection}}, agent.CorpusQuery{Query: word, Results: 10})
	must(w, err)
	return found
}

func (w *world) mirror(notes agent.NoteRows, corpus agent.Corpus) *jobs.Mirror {
	return &jobs.Mirror{Orgs: w.store, OptedOut: w.store.OptedOut, Reminders: w.store, Notes: notes, Corpus: corpus, Now: w.clock.Now}
}

func (w *world) remind(text string, from int64) {
	w.Helper()
	_, err := w.store.PutReminder(ann, agent.ReminderWrite{File: agent.ReminderDecisions, Text: text, Via: agent.ReminderByHand, From: from, At: noon.UnixMilli()})
	must(w, err)
}

func TestWhatAnOrgRemembersIsMirroredIntoItsOwnTenant(t *testing.T) {
	w := newWorld(t)
	notes := &noted{org: "o1", list: []agent.Note{{ID: "n1", Topic: "tone", Text: "They like lighthouses.", At: noon.UnixMilli()}, {ID: "n2", Text: "They fear harbours."}}}
	m := w.mirror(notes, w.corpus)
	w.remind("No lighthouses on covers.\n", 0)
	if did, err := m.Run(t.Context()); err != nil || did != "1 snapshot and 2 notes changed." {
		t.Fatalf("%q, %v", did, err)
	}
	if did, err := m.Run(t.Context()); err != nil || did != "0 snapshots and 0 notes changed." {
		t.Errorf("again: %q, %v", did, err)
	}
	w.remind("Lighthouses are fine.\n", 1)
	notes.list = notes.list[1:]
	if did, err := m.Run(t.Context()); err != nil || !strings.HasPrefix(did, "1 snapshot") {
		t.Errorf("after a change: %q, %v", did, err)
	}
	snapshots := w.held("org-1", agent.CollectionReminders, "lighthouses")
	if len(snapshots) != 2 {
		t.Errorf("the snapshots are %+v", snapshots)
	}
	if gone := w.held("org-1", agent.CollectionNotes, "lighthouses"); len(gone) != 0 {
		t.Errorf("a note that is gone is still there: %+v", gone)
	}
	if alive := w.held("org-1", agent.CollectionNotes, "harbours"); len(alive) != 1 || !slices.Contains(alive[0].Tags, "n2") {
		t.Errorf("the note that is alive is %+v", alive)
	}
	for _, collection := range agent.ClientCollections {
		if other := w.held("org-2", collection, "lighthouses harbours"); len(other) != 0 {
			t.Errorf("the other org holds %+v", other)
		}
	}
}

func TestAnOrgThatIsOutHasNoMirrorOfItsNotes(t *testing.T) {
	w := newWorld(t)
	notes := &noted{org: "o1", list: []agent.Note{{ID: "n1", Text: "They like lighthouses."}}}
	m := w.mirror(notes, w.corpus)
	_, err := m.Run(t.Context())
	must(t, err)
	must(t, w.store.OptOut(t.Context(), "o1", true, noon.UnixMilli()))
	w.remind("No lighthouses.\n", 0)
	_, err = m.Run(t.Context())
	must(t, err)
	for _, collection := range agent.ClientCollections {
		if held := w.held("org-1", collection, "lighthouses"); len(held) != 0 {
			t.Errorf("%s holds %+v", collection, held)
		}
	}
}

// refusing takes nothing of one tenant.
type refusing struct {
	agent.Corpus
	tenant string
	code   agent.Code
}

func (r refusing) Put(ctx context.Context, s agent.Scope, path string, sections []agent.Section) (int, error) {
	if s.Tenant == r.tenant {
		return 0, agent.Errorf(r.code, "not now")
	}
	return r.Corpus.Put(ctx, s, path, sections)
}

func TestAnOrgThatCannotBeMirroredStopsTheOthersOnlyWhereNothingAnswers(t *testing.T) {
	for code, others := range map[agent.Code]int{agent.CodeInvalidInput: 1, agent.CodeUnavailable: 0} {
		w := newWorld(t)
		m := w.mirror(&noted{org: "o2", list: []agent.Note{{ID: "n1", Text: "They like lighthouses."}}}, refusing{w.corpus, agent.ClientTenant("org-1"), code})
		if _, err := m.Run(t.Context()); err == nil {
			t.Errorf("%s: it says nothing", code)
		}
		if held := w.held("org-2", agent.CollectionNotes, "lighthouses"); len(held) != others {
			t.Errorf("%s: the other org holds %+v", code, held)
		}
	}
}
