package memory

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

var _ agent.Similarity = Words{}

func TestWordsAreComparedWithoutCaseDiacriticsAndPlurals(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Short DECKS, please!": "short deck please", "Ça déjà-vu": "ca deja vu", "glass gas": "glass gas", "us is": "us is",
		"東京 tower": "東 京 tower", "ﬁne x²": "fine x2", "a_b": "a b",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := words(strings.Repeat("x", 200)); len(got) != 1 || len(got[0]) > maxWord {
		t.Errorf("a long word gives %q", got)
	}
}

func TestTheWordsOfAQueryAreThoseThatTell(t *testing.T) {
	for query, want := range map[string]string{"what do they say about the deck, the DECKS": "say deck", "who are we": "who are we", "": "", "the the": "the"} {
		if got := strings.Join(telling(query), " "); got != want {
			t.Errorf("%q gives %q", query, got)
		}
	}
}

func TestTheNearestTextScoresHighest(t *testing.T) {
	texts := []string{
		"They like short decks with one idea a slide.",
		"The board meets on the first Monday of the month.",
		"Their brand colour is a dark green, not the teal of the old website.",
		"Anna reviews every deck before the board sees it.",
		"読者は島民と呼ばれる",
	}
	for query, want := range map[string]int{
		"when does the board meet": 1, "brand colours": 2, "how long may a deck be, short?": 0, "who reviews decks before they go out": 3, "島民": 4,
	} {
		scores, err := Words{}.Similar(context.Background(), query, texts)
		if err != nil || slices.Index(scores, slices.Max(scores)) != want {
			t.Errorf("%q: %v, %v", query, scores, err)
		}
	}
	for _, query := range []string{"", "...", "zeppelin"} {
		scores, err := Words{}.Similar(context.Background(), query, texts)
		if err != nil || slices.Max(scores) != 0 {
			t.Errorf("%q: %v, %v", query, scores, err)
		}
	}
	if scores, err := (Words{}).Similar(context.Background(), "x", nil); err != nil || len(scores) != 0 {
		t.Errorf("%v, %v", scores, err)
	}
}

func TestARareWordSaysMoreThanACommonOneAndAShortTextMoreThanALongOne(t *testing.T) {
	texts := []string{"deck deck", "deck zinc", "deck", "deck", "zinc " + strings.Repeat("filler ", 50)}
	scores, err := Words{}.Similar(context.Background(), "deck zinc zinc", texts)
	if err != nil || scores[1] <= scores[0] || scores[1] <= scores[4] || scores[4] <= 0 || scores[0] <= scores[2] {
		t.Errorf("%v, %v", scores, err)
	}
}

func FuzzSimilar(f *testing.F) {
	f.Add("a deck", "decks")
	f.Fuzz(func(t *testing.T, query, text string) {
		scores, err := Words{}.Similar(context.Background(), query, []string{text, "another text", query})
		if err != nil || len(scores) != 3 {
			t.Fatalf("%v, %v", scores, err)
		}
		for _, s := range scores {
			if !(s >= 0) || s > 1e9 {
				t.Fatalf("%v", scores)
			}
		}
		for _, w := range words(text) {
			if w == "" || len(w) > maxWord+utf8.UTFMax {
				t.Fatalf("%q", w)
			}
		}
	})
}

func TestADifferenceNamesTheFileAndIsEmptyWhereThereIsNone(t *testing.T) {
	const path = "reminders/gotchas.md"
	if got := Diff(path, "a\nb\n", "a\nc\n"); got != "--- a/reminders/gotchas.md\n+++ b/reminders/gotchas.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n" {
		t.Errorf("%q", got)
	}
	if got := Diff(path, "a\n", "a\n"); got != "" {
		t.Errorf("%q", got)
	}
	if got := Diff(path, "", "a\n"); !strings.Contains(got, "+a\n") {
		t.Errorf("%q", got)
	}
}

// rows keeps reminder files in memory.
type rows struct {
	agent.ReminderRows
	files map[agent.ReminderFile]agent.Reminder
	raced agent.ReminderFile
}

func (r *rows) ReminderList(context.Context) (list []agent.Reminder, err error) {
	for _, f := range agent.ReminderFiles {
		have := r.files[f]
		have.File = f
		list = append(list, have)
	}
	return list, nil
}

func (r *rows) PutReminder(_ context.Context, w agent.ReminderWrite) (agent.Reminder, error) {
	if w.File == r.raced || r.files[w.File].Version != w.From {
		return agent.Reminder{}, agent.Errorf(agent.CodeConflict, "moved")
	}
	r.files[w.File] = agent.Reminder{File: w.File, Version: w.From + 1, Text: w.Text, ReminderOrigin: agent.ReminderOrigin{Via: w.Via, At: w.At}}
	return r.files[w.File], nil
}

func (r *rows) PutReminderIn(ctx context.Context, _ *sql.Tx, w agent.ReminderWrite) (agent.Reminder, error) {
	return r.PutReminder(ctx, w)
}

func TestTheFilesOfANewOrgAreWrittenOnceAndWhatIsThereStays(t *testing.T) {
	r := &rows{files: map[agent.ReminderFile]agent.Reminder{agent.ReminderGotchas: {Version: 4, Text: "ours\n"}}}
	for _, want := range []int{2, 0} {
		if n, err := Plant(context.Background(), r, 7); err != nil || n != want {
			t.Errorf("planted %d, %v", n, err)
		}
	}
	if r.files[agent.ReminderGotchas].Text != "ours\n" {
		t.Error("what was there was written over")
	}
	for _, f := range []agent.ReminderFile{agent.ReminderProfile, agent.ReminderDecisions} {
		have := r.files[f]
		text, err := agent.CheckReminder(have.Text)
		if err != nil || text != have.Text || !strings.HasPrefix(text, "# ") || have.Via != agent.ReminderSeeded || have.At != 7 {
			t.Errorf("%+v, %v", have, err)
		}
	}
	raced := &rows{files: map[agent.ReminderFile]agent.Reminder{}, raced: agent.ReminderProfile}
	if n, err := Plant(context.Background(), raced, 7); err != nil || n != 2 {
		t.Errorf("where somebody was quicker: %d, %v", n, err)
	}
	if _, err := Seed("secrets"); err == nil {
		t.Error("there is a seed of no file")
	}
}

func BenchmarkSimilarTwoThousandNotes(b *testing.B) {
	texts := make([]string, agent.MaxNotes)
	for i := range texts {
		texts[i] = fmt.Sprintf("Note %d: the client of project %d likes short decks, and reviewer %d wants dark slides for the board.", i, i%7, i%13)
	}
	for b.Loop() {
		if _, err := (Words{}).Similar(context.Background(), "which slides does reviewer 11 want for the board", texts); err != nil {
			b.Fatal(err)
		}
	}
}
