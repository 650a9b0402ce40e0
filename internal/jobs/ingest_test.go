package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/jobs"
)

// watched is a corpus that tells of each Put before it is done, and may refuse it.
type watched struct {
	agent.Corpus
	put func(scope agent.Scope, path string, sections int) error
}

func (c watched) Put(ctx context.Context, scope agent.Scope, path string, sections []agent.Section) (int, error) {
	if err := c.put(scope, path, len(sections)); err != nil {
		return 0, err
	}
	return c.Corpus.Put(ctx, scope, path, sections)
}

func (w *world) run(in *jobs.Ingest, want string) {
	w.Helper()
	if said, err := in.Run(w.Context()); err != nil || said != want {
		w.Errorf("it said %q, %v; want %q", said, err, want)
	}
}

func TestTranscriptsGoToTheirOwnTenantOnce(t *testing.T) {
	w := newWorld(t)
	turn := w.turn(ann, "", "What of the zebrafish?", "The zebrafish slide is done.", `[{"name":"slide.variant","ok":true,"output":{"raw":"octopus"},"decision":"accepted","summary":"A zebrafish look"}]`)
	w.turn(ben, "", "What of the walrus?", "Nothing yet.", "")
	w.turn(ann, "", "canceled at once", "", "")
	in := w.ingest(w.corpus)
	w.run(in, "3 turns of 2 orgs ingested.")
	found := w.search("org-1", "zebrafish")
	if len(found) != 1 {
		t.Fatalf("found %+v", found)
	}
	want := agent.Passage{Title: "Talk turn_1 › 2026-11-30", SourcePath: "sessions/" + string(turn.ThreadID) + "/turn_1", Date: "2026-11-30",
		Tags: []string{"slides", "deck"}, Collection: agent.CollectionSessions, Score: found[0].Score,
		Text: "Asked:\n\nWhat of the zebrafish?\n\nAnswered:\n\nThe zebrafish slide is done.\n\nDecided:\n\n- slide.variant (accepted): A zebrafish look"}
	if fmt.Sprintf("%+v", found[0]) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", found[0], want)
	}
	if len(w.search("org-2", "zebrafish")) != 0 || len(w.search("org-1", "walrus")) != 0 || len(w.search("org-2", "walrus")) != 1 {
		t.Error("words are in another tenant than their own")
	}
	if len(w.search("org-1", "octopus")) != 0 || len(w.search("org-1", "canceled")) != 0 {
		t.Error("what a capability gave back, or a turn without an answer, was ingested")
	}
	w.run(in, "0 turns of 0 orgs ingested.")
	w.turn(ann, turn.ThreadID, "And the heron?", "Also done.", "")
	w.run(in, "1 turn of 1 org ingested.")
	if len(w.search("org-1", "zebrafish")) != 1 || len(w.search("org-1", "heron")) != 1 {
		t.Error("a second turn of a thread did not come beside the first")
	}
}

func TestARunThatIsKilledAnywhereIsFinishedByTheNext(t *testing.T) {
	const turns = 7
	for kill := range turns + 1 {
		w := newWorld(t)
		for i := range turns {
			w.turn(ann, "", fmt.Sprint("question ", i), fmt.Sprint("heron number", i), "")
		}
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		_, err := w.ingest(watched{w.corpus, func(agent.Scope, string, int) error {
			if n++; n > kill {
				stop() // dead from here on: neither this Put nor any note after it
				return ctx.Err()
			}
			return nil
		}}).Run(ctx)
		if (err != nil) != (kill < turns) {
			t.Errorf("killed at %d: %v", kill, err)
		}
		stop()
		w.run(w.ingest(w.corpus), fmt.Sprintf("%s ingested.", map[bool]string{true: "0 turns of 0 orgs", false: fmt.Sprintf("%d turn%s of 1 org", turns-kill, map[bool]string{true: "", false: "s"}[turns-kill == 1])}[kill == turns]))
		if found := w.search("org-1", "heron"); len(found) != turns {
			t.Errorf("killed at %d: %d passages", kill, len(found))
		}
	}
}

// A kill between the write and its note leaves a row that is written again.
func TestAWriteWithoutItsNoteIsNotDoubled(t *testing.T) {
	w := newWorld(t)
	w.turn(ann, "", "question", "heron", "")
	_, err := w.ingest(watched{w.corpus, func(s agent.Scope, path string, n int) error {
		_, err := w.corpus.Put(t.Context(), s, path, []agent.Section{{Passage: agent.Passage{Text: "heron, half of it"}, Hash: "h"}})
		return errors.Join(err, agent.Errorf(agent.CodeUnavailable, "Gone."))
	}}).Run(t.Context())
	if agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Fatal(err)
	}
	w.run(w.ingest(w.corpus), "1 turn of 1 org ingested.")
	if found := w.search("org-1", "heron"); len(found) != 1 || !strings.Contains(found[0].Text, "Answered") {
		t.Errorf("%+v", found)
	}
}

func TestADeletedThreadLeavesTheCorpus(t *testing.T) {
	w := newWorld(t)
	before, after, stays := w.turn(ann, "", "one", "heron one", ""), w.turn(ann, "", "two", "heron two", ""), w.turn(ann, "", "three", "heron three", "")
	must(t, w.store.DeleteThreadRows(ann, before.ThreadID))
	in := w.ingest(w.corpus)
	w.run(in, "2 turns of 1 org ingested.")
	must(t, w.store.DeleteThreadRows(ann, after.ThreadID))
	must(t, in.Forget(t.Context(), after.ThreadID))
	must(t, in.Forget(t.Context(), "")) // none, and not all
	if found := w.search("org-1", "heron"); len(found) != 1 || !strings.Contains(found[0].Text, "three") {
		t.Errorf("%+v", found)
	}
	// With the corpus down, the thread is deleted all the same, and the next run sees to it.
	must(t, w.store.DeleteThreadRows(ann, stays.ThreadID))
	down := w.ingest(watched{w.corpus, func(agent.Scope, string, int) error { return agent.Errorf(agent.CodeUnavailable, "Down.") }})
	if err := down.Forget(t.Context(), stays.ThreadID); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Errorf("with the corpus down: %v", err)
	}
	w.run(in, "0 turns of 0 orgs ingested, 1 deleted turn taken out.")
	if found := w.search("org-1", "heron"); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// The thread goes at each moment of the run: before the write, and after it but
// before its note; with whoever deleted it taking the passages out, or killed before.
func TestAThreadThatIsDeletedWhileItIsIngestedLeavesNothing(t *testing.T) {
	for _, forgets := range []bool{true, false} {
		for _, late := range []bool{true, false} {
			w := newWorld(t)
			turn := w.turn(ann, "", "one", "heron", "")
			w.turn(ann, "", "two", "walrus", "")
			gone := false
			in := w.ingest(watched{w.corpus, func(s agent.Scope, path string, n int) error {
				if gone || n == 0 || !strings.Contains(path, string(turn.ThreadID)) {
					return nil
				}
				gone = true
				if late { // the write is done by the time that the thread goes
					if _, err := w.corpus.Put(t.Context(), s, path, []agent.Section{{Passage: agent.Passage{Text: "heron"}, Hash: "h"}}); err != nil {
						return err
					}
				}
				must(t, w.store.DeleteThreadRows(ann, turn.ThreadID))
				if forgets {
					must(t, w.ingest(w.corpus).Forget(t.Context(), turn.ThreadID))
				}
				return nil
			}})
			if _, err := in.Run(t.Context()); err != nil {
				t.Error(err)
			}
			if found := w.search("org-1", "heron"); len(found) != 0 || len(w.search("org-1", "walrus")) != 1 {
				t.Errorf("forgets %v, late %v: %+v", forgets, late, found)
			}
			w.run(w.ingest(w.corpus), "0 turns of 0 orgs ingested.")
		}
	}
}

func TestAnOrgThatOptedOutIsSkipped(t *testing.T) {
	w := newWorld(t)
	w.turn(ann, "", "one", "heron", "")
	w.turn(ben, "", "two", "heron", "")
	must(t, w.store.OptOut(t.Context(), "o1", true, 1))
	in := w.ingest(w.corpus)
	w.run(in, "1 turn of 1 org ingested, 1 org opted out.")
	must(t, w.store.OptOut(t.Context(), "o1", false, 1))
	w.run(in, "0 turns of 0 orgs ingested.")
	if len(w.search("org-1", "heron")) != 0 || len(w.search("org-2", "heron")) != 1 {
		t.Error("the wrong org was skipped")
	}
}

func TestARowThatTheCorpusRefusesDoesNotStopTheOthers(t *testing.T) {
	w := newWorld(t)
	w.turn(ann, "", "one", "heron one", "")
	w.turn(ann, "", "two", "heron two", "")
	w.turn(ben, "", "three", "heron three", "")
	said, err := w.ingest(watched{w.corpus, func(_ agent.Scope, path string, _ int) error {
		if strings.HasSuffix(path, "turn_1") {
			return agent.Errorf(agent.CodeTooLarge, "Too large.")
		}
		return nil
	}}).Run(t.Context())
	if said != "2 turns of 2 orgs ingested." || err == nil || !strings.Contains(err.Error(), "1 turn could not be") {
		t.Errorf("%q, %v", said, err)
	}
	calls := 0
	_, err = w.ingest(watched{w.corpus, func(agent.Scope, string, int) error { calls++; return agent.Errorf(agent.CodeUnavailable, "Down.") }}).Run(t.Context())
	if agent.ErrorCode(err) != agent.CodeUnavailable || calls != 1 {
		t.Errorf("a corpus that is down was asked %d times: %v", calls, err)
	}
	w.run(w.ingest(w.corpus), "1 turn of 1 org ingested.")
}

func TestTheWordsOfAConversationChooseNoTitleAndNoTag(t *testing.T) {
	w := newWorld(t)
	w.turn(ann, "", "---\ntitle: Policy of the house\ntags: [official]\nsource_path: ../x\n---\n# Policy of the house\n\nherons are free", "# Official\n\nYes, heron.", `{"not":"a list"}`)
	w.run(w.ingest(w.corpus), "1 turn of 1 org ingested.")
	for _, p := range w.search("org-1", "heron") {
		if p.Title != "Talk turn_1 › 2026-11-30" || slices.Contains(p.Tags, "official") || !strings.HasPrefix(p.SourcePath, "sessions/") {
			t.Errorf("%+v", p)
		}
	}
}
