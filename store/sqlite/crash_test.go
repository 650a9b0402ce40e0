package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// childVar names the database for a copy of the test binary that writes until it
// is killed.
const childVar = "SQLITE_TEST_CHILD_DATABASE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Println("error:", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled tells on standard output what the store acknowledged, each line
// after the write that it is about returned.
func writeUntilKilled(path string) error {
	s, err := Open(context.Background(), Config{App: path})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		id := fmt.Sprintf("t%d", i)
		start := started(id, agent.Thread{ID: agent.ThreadID("thread-" + id), CreatedAt: 1})
		turn, _, err := s.StartTurn(asUser, start)
		if err != nil {
			return err
		}
		fmt.Println("started", id)
		if _, err := s.AppendLive(context.Background(), []agent.LiveBatch{{Turn: turn.ID, Run: 1, Events: []agent.Event{deltaEvent(2, "live ")}}}); err != nil {
			return err
		}
		m := milestone(turn, 3)
		m.State = agent.TurnAwaiting
		if err := s.Commit(asUser, m); err != nil {
			return err
		}
		fmt.Println("parked", id)
	}
}

func startChild(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childVar+"="+path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

func TestAKilledProcessLosesNothingItAcknowledged(t *testing.T) {
	for _, lines := range []int{1, 2, 7, 20} {
		path := filepath.Join(t.TempDir(), "app.db")
		cmd, out := startChild(t, path)
		acknowledged := map[string]string{}
		for n := 0; n < lines && out.Scan(); n++ {
			what, id, _ := strings.Cut(out.Text(), " ")
			acknowledged[id] = what
		}
		must(t, cmd.Process.Kill())
		for out.Scan() { // what it still said before the kill arrived counts as well
			if what, id, ok := strings.Cut(out.Text(), " "); ok {
				acknowledged[id] = what
			}
		}
		_ = cmd.Wait()
		if len(acknowledged) == 0 || acknowledged["error:"] != "" {
			t.Fatalf("the child said %v", acknowledged)
		}
		s := openAt(t, Config{App: path}) // its lock died with it
		must(t, s.Check(t.Context()))
		for id, what := range acknowledged {
			checkSurvivor(t, s, agent.TurnID(id), what)
		}
		orphans, err := s.Orphans(t.Context(), "next")
		must(t, err)
		for _, turn := range orphans {
			if _, err := s.Adopt(asUser, turn.ID, "next", turn.Run); err != nil {
				t.Errorf("orphan %s: %v", turn.ID, err)
			}
		}
	}
}

func checkSurvivor(t *testing.T, s *Store, id agent.TurnID, what string) {
	t.Helper()
	rec, err := s.Record(asUser, id)
	must(t, err)
	rows, err := s.Transcripts(asUser, rec.Turn.ThreadID)
	must(t, err)
	if len(rows) != 1 {
		t.Errorf("turn %s has %d transcript rows", id, len(rows))
	}
	if what == "parked" {
		if rec.Turn.State != agent.TurnAwaiting || len(rec.Receipts) != 1 || len(rec.Ledger) != 1 || rec.Turn.LastSeq != 3 {
			t.Errorf("turn %s was parked, and is %+v", id, rec)
		}
	}
	events, err := s.EventsAfter(asUser, id, 0, 100)
	must(t, err)
	if agent.Seq(len(events)) != rec.Turn.LastSeq {
		t.Errorf("turn %s is at seq %d with %d events", id, rec.Turn.LastSeq, len(events))
	}
}

func TestAnotherProcessIsToldWhoHasTheDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	cmd, out := startChild(t, path)
	if !out.Scan() {
		t.Fatal("the child said nothing")
	}
	_, err := Open(t.Context(), Config{App: path})
	wantCode(t, err, agent.CodeUnavailable)
	if pid := fmt.Sprint("(", cmd.Process.Pid, ")"); err == nil || !strings.Contains(err.Error(), pid) {
		t.Errorf("the refusal does not name process %s: %v", pid, err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	openAt(t, Config{App: path})
}
