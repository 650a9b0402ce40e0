package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// noteOf is a note on its way into the store, made in a turn.
func (w *world) noteOf(turn agent.Turn, text string, when int64) agent.Note {
	return agent.Note{ID: w.id("note"), Text: text, Thread: turn.ThreadID, Turn: turn.ID, At: when}
}

func (w *world) tryNote(p agent.Principal, turn agent.Turn, n agent.Note) (kept agent.Note, err error) {
	w.Helper()
	err = w.within(p, turn, func(ctx context.Context, tx *sql.Tx) (err error) {
		kept, err = w.s.PutNoteIn(ctx, tx, n)
		return err
	})
	return kept, err
}

func (w *world) noted(p agent.Principal, turn agent.Turn, text string, when int64) agent.Note {
	w.Helper()
	n, err := w.tryNote(p, turn, w.noteOf(turn, text, when))
	w.ok(err)
	return n
}

func (w *world) notes(p agent.Principal, now int64) (texts []string) {
	w.Helper()
	list, err := w.s.NoteList(as(p), "", now)
	w.ok(err)
	for _, n := range list {
		texts = append(texts, n.Text)
	}
	return texts
}

func (w *world) limit(p agent.Principal, days, most int) {
	w.Helper()
	w.ok(w.s.PutNoteLimits(as(p), agent.NoteLimits{Days: days, Max: most}, start))
}

var noteCases = []Case{
	{Name: "a note is kept as it was made, and the newest comes first", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		made := w.noteOf(turn, "They like short decks.", start)
		made.Topic = "Decks"
		_, err := w.tryNote(alice, turn, made)
		w.ok(err)
		w.noted(alice, turn, "later", start+1)
		list, err := s.NoteList(as(alice), "", start+1)
		w.ok(err)
		made.UsedAt, made.AuthorID = start, "u_alice"
		w.same(at(w, list, 1), made, "the older note")
		w.same(list[0].Text, "later", "the newest note")
		for topic, want := range map[string]int{"decks": 1, "DECKS": 1, "deck": 0, "": 2} {
			list, err := s.NoteList(as(alice), topic, start+1)
			w.ok(err)
			w.same(len(list), want, "notes about "+topic)
		}
	}},
	{Name: "the same note of a thread is made again, not doubled", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, other := w.begin(alice), w.begin(alice)
		first := w.noted(alice, turn, "same", start)
		again := w.noted(alice, turn, "same", start+5)
		w.same(again.ID, first.ID, "id of what was made again")
		w.noted(alice, other, "same", start+6)
		list, err := s.NoteList(as(alice), "", start+6)
		w.ok(err)
		w.same(len(list), 2, "notes of two threads")
		w.same(at(w, list, 1).At, start+5, "when it was made again")
	}},
	{Name: "a note lives 30 days, or as long as its org says", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.noted(alice, turn, "old", start)
		w.same(w.notes(alice, start+30*day-1), []string{"old"}, "notes a moment before")
		w.same(len(w.notes(alice, start+30*day)), 0, "notes at the end")
		w.limit(alice, 31, 200)
		w.same(w.notes(alice, start+30*day), []string{"old"}, "notes under a longer life")
		w.same(len(w.notes(alice, start+31*day)), 0, "notes at its end")
		w.noted(alice, turn, "new", start+31*day)
		w.limit(alice, 365, 200)
		w.same(w.notes(alice, start+31*day), []string{"new"}, "notes once the old one was forgotten")
	}},
	{Name: "an org keeps 200 notes: the one that was used longest ago is forgotten first", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		var first, second agent.Note
		var turn agent.Turn
		for i := range 200 {
			if i%agent.MaxNotesPerTurn == 0 {
				turn = w.begin(alice)
			}
			n := w.noted(alice, turn, fmt.Sprint("note ", i), start+int64(i))
			switch i {
			case 0:
				first = n
			case 1:
				second = n
			}
		}
		w.same(len(w.notes(alice, start+200)), 200, "notes at the limit")
		w.ok(s.TouchNotes(as(alice), []string{first.ID, "note_none"}, start+300))
		// A clock that went back does not make the newest note the oldest.
		w.noted(alice, w.begin(alice), "one more", start-1)
		texts := w.notes(alice, start+301)
		w.same(len(texts), 200, "notes over the limit")
		for text, want := range map[string]bool{"one more": true, first.Text: true, second.Text: false, "note 2": true} {
			found := false
			for _, t := range texts {
				found = found || t == text
			}
			w.same(found, want, "whether there is "+text)
		}
	}},
	{Name: "limits are an org's own, take effect at once and are checked", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for i := range 5 {
			w.noted(alice, turn, fmt.Sprint("note ", i), start+int64(i))
		}
		limits, err := s.NoteLimits(as(bob))
		w.ok(err)
		w.same(limits, agent.DefaultNoteLimits, "limits that nobody set")
		w.limit(bob, 7, 3)
		w.same(w.notes(alice, start+5), []string{"note 4", "note 3", "note 2"}, "notes under a lower limit")
		limits, err = s.NoteLimits(as(alice))
		w.ok(err)
		w.same(limits, agent.NoteLimits{Days: 7, Max: 3}, "limits")
		limits, err = s.NoteLimits(as(carol))
		w.ok(err)
		w.same(limits, agent.DefaultNoteLimits, "limits of another org")
		w.limit(bob, 1, 0)
		w.same(len(w.notes(alice, start+5)), 0, "notes where none are kept")
		_, err = w.tryNote(alice, turn, w.noteOf(turn, "x", start))
		w.code(err, agent.CodePolicyDenied, "a note where none are kept")
		for _, bad := range []agent.NoteLimits{{Days: 0, Max: 1}, {Days: 366, Max: 1}, {Days: 1, Max: -1}, {Days: 1, Max: 2001}} {
			w.code(s.PutNoteLimits(as(bob), bad, start), agent.CodeInvalidInput, show(bad))
		}
		for _, good := range []agent.NoteLimits{{Days: 1, Max: 2000}, {Days: 365, Max: 1}} {
			w.ok(s.PutNoteLimits(as(bob), good, start))
		}
	}},
	{Name: "a turn makes ten notes and no more", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for i := range agent.MaxNotesPerTurn {
			w.noted(alice, turn, fmt.Sprint("note ", i), start)
		}
		_, err := w.tryNote(alice, turn, w.noteOf(turn, "one more", start))
		w.code(err, agent.CodeRateLimited, "the eleventh")
		w.noted(alice, turn, "note 3", start+1)
		w.noted(alice, w.begin(alice), "of another turn", start)
	}},
	{Name: "a note is kept with its ledger row, or not at all", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		failed := errors.New("the host failed")
		err := w.within(alice, turn, func(ctx context.Context, tx *sql.Tx) error {
			return errors.Join(second(s.PutNoteIn(ctx, tx, w.noteOf(turn, "lost", start))), failed)
		})
		if !errors.Is(err, failed) {
			w.Errorf("the host's failure came as %v", err)
		}
		w.same(len(w.notes(alice, start)), 0, "notes of a change that failed")
	}},
	{Name: "deleting a thread takes the notes that came from it, and no others", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		gone, stays, theirs := w.begin(alice), w.begin(alice), w.begin(bob)
		w.noted(alice, gone, "same", start)
		w.noted(alice, stays, "same", start+1)
		w.noted(alice, gone, "of the deleted", start+2)
		w.noted(bob, theirs, "of bob", start+3)
		w.ok(s.DeleteThreadRows(as(alice), gone.ThreadID))
		w.same(w.notes(alice, start+3), []string{"of bob", "same"}, "notes that are left")
	}},
	{Name: "what is over its time is forgotten in every org by its own limits", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.noted(alice, w.begin(alice), "of acme", start)
		w.noted(carol, w.begin(carol), "of other", start)
		w.limit(carol, 2, 200)
		for _, c := range []struct {
			now  int64
			gone int
		}{{start + 2*day - 1, 0}, {start + 2*day, 1}, {start + 30*day - 1, 0}, {start + 30*day, 1}, {start + 90*day, 0}} {
			n, err := s.ForgetNotes(context.Background(), c.now)
			w.ok(err)
			w.same(n, c.gone, fmt.Sprint("forgotten after ", c.now-start, " ms"))
		}
	}},
	{Name: "notes are an org's: a member makes them in an own thread, and no other org has them", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		n := w.noted(alice, turn, "of acme", start)
		w.same(w.notes(bob, start), []string{"of acme"}, "what a colleague reads")
		for who, p := range foreigners {
			theirs := w.begin(p)
			stolen := w.noteOf(turn, "planted", start)
			_, err := w.tryNote(p, theirs, stolen)
			w.code(err, agent.CodeNotFound, "a note in a thread of somebody else, by "+who)
			if p.OrgID != alice.OrgID {
				w.same(len(w.notes(p, start)), 0, "notes for "+who)
				w.ok(s.TouchNotes(as(p), []string{n.ID}, start+100))
			}
		}
		w.limit(carol, 1, 0)
		list, err := s.NoteList(as(alice), "", start)
		w.ok(err)
		n.UsedAt, n.AuthorID = start, alice.UserID
		w.same(list, []agent.Note{n}, "notes after all of it")
		for what, err := range map[string]error{
			"NoteList":      second(s.NoteList(context.Background(), "", start)),
			"TouchNotes":    s.TouchNotes(context.Background(), []string{n.ID}, start),
			"NoteLimits":    second(s.NoteLimits(context.Background())),
			"PutNoteLimits": s.PutNoteLimits(context.Background(), agent.DefaultNoteLimits, start),
			"PutNoteIn":     second(s.PutNoteIn(context.Background(), nil, n)),
		} {
			w.code(err, agent.CodeUnauthenticated, what+" without a principal")
		}
	}},
}
