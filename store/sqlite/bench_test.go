package sqlite

import (
	"fmt"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func BenchmarkStartTurn(b *testing.B) {
	s := openAt(b, Config{})
	for i := 0; b.Loop(); i++ {
		begin(b, s, fmt.Sprint("t", i))
	}
}

// A milestone with every part, which waits for the disk.
func BenchmarkCommitMilestone(b *testing.B) {
	s := openAt(b, Config{})
	turns := make([]agent.Turn, 0, 1000)
	for i := 0; b.Loop(); i++ {
		if i == len(turns) {
			b.StopTimer()
			turns = append(turns, begin(b, s, fmt.Sprint("t", i)))
			b.StartTimer()
		}
		must(b, s.Commit(asUser, milestone(turns[i], 2)))
	}
}

// A step of a turn that goes on, which does not.
func BenchmarkCommitStep(b *testing.B) {
	s := openAt(b, Config{})
	turn := begin(b, s, "t")
	for i := 0; b.Loop(); i++ {
		m := agent.Milestone{Turn: turn.ID, Run: 1, Events: []agent.Event{deltaEvent(agent.Seq(i+2), "Hi")},
			Step: &agent.Step{Index: i, Provider: "p", Model: "m"}, Transcript: &agent.TranscriptRow{ModelMessage: "Hi"}}
		must(b, s.Commit(asUser, m))
	}
}

// What 200 running turns told in 250 ms at 20 ms a delta.
func BenchmarkAppendLiveOf200Turns(b *testing.B) {
	s := openAt(b, Config{})
	var turns []agent.Turn
	for i := range 200 {
		turns = append(turns, begin(b, s, fmt.Sprint("t", i)))
	}
	const deltas = 12
	seq := agent.Seq(1)
	for b.Loop() {
		batches := make([]agent.LiveBatch, len(turns))
		for i, turn := range turns {
			batches[i] = agent.LiveBatch{Turn: turn.ID, Run: 1}
			for n := range agent.Seq(deltas) {
				batches[i].Events = append(batches[i].Events, deltaEvent(seq+n+1, "word "))
			}
		}
		seq += deltas
		if over, err := s.AppendLive(b.Context(), batches); err != nil || len(over) > 0 {
			b.Fatal(over, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(turns)*deltas), "µs/delta")
}

// longThread makes a thread of n ended turns under each other, past the ports: one
// transaction instead of n.
func longThread(tb testing.TB, s *Store, n int) (head agent.TurnID) {
	tb.Helper()
	must(tb, s.app.write(tb.Context(), false, func(t *tx) error {
		who := tenant{org: aUser.OrgID, user: aUser.UserID}
		for i := range n {
			id := fmt.Sprintf("long-%d", i)
			start := started(id, agent.Thread{})
			if i == 0 {
				start.Thread = agent.Thread{ID: "long", ProjectID: "deck"}
			}
			start.Turn.ThreadID, start.Turn.MessageID = "long", id
			if err := s.acceptTurn(t, who, start); err != nil {
				return err
			}
			if i < n-1 {
				if _, err := t.exec(updateEnded, agent.TurnComplete, 1, "", id, who.org, who.user, 1); err != nil {
					return err
				}
			}
			head = agent.TurnID(id)
		}
		return nil
	}))
	return head
}

// The cost of a path is that of the turns it gives, however long the thread is.
func BenchmarkPathOf50(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("InThreadOf%d", n), func(b *testing.B) {
			s := openAt(b, Config{})
			head := longThread(b, s, n)
			for b.Loop() {
				if recs, err := s.Path(asUser, head, 50); err != nil || len(recs) != 50 {
					b.Fatal(len(recs), err)
				}
			}
		})
	}
}

func BenchmarkEventsAfter(b *testing.B) {
	s := openAt(b, Config{})
	turn := begin(b, s, "t")
	for i := range agent.Seq(100) {
		_, err := s.AppendLive(b.Context(), []agent.LiveBatch{{Turn: turn.ID, Run: 1, Events: []agent.Event{deltaEvent(2*i+2, "a"), deltaEvent(2*i+3, "b")}}})
		must(b, err)
	}
	for b.Loop() {
		if list, err := s.EventsAfter(asUser, turn.ID, 100, 50); err != nil || len(list) != 50 {
			b.Fatal(len(list), err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	path := b.TempDir() + "/app.db"
	must(b, openAt(b, Config{App: path}).Close())
	for b.Loop() {
		s, err := Open(b.Context(), Config{App: path})
		must(b, err)
		must(b, s.Close())
	}
}
