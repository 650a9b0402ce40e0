package api

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// TestADiskThatIsFullIsToldAndLeftBehindOnceThereIsRoom fills a disk of 4 MB while
// an answer streams: the text goes on, its end waits for room, a new message is
// refused before any model is asked, and all goes on without a restart.
func TestADiskThatIsFullIsToldAndLeftBehindOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	disk := smallDisk(t, 4<<20)
	config := filepath.Join(t.TempDir(), "config.yaml")
	write(t, config, "app: {database: "+filepath.Join(disk, "agent.db")+"}\n")
	answer := longText(rng, 20) + strings.Repeat(strings.Repeat("o", 300)+" ", 1000)
	long := says("a long story", answer)
	long.Fault = &scripted.Fault{Kind: scripted.FaultSlow, Ms: 2}
	s, p := bare(t, harness.Options{Args: []string{"--config", config}}, long)
	lin := s.SignIn("lin")
	lin.StoreKey("anthropic", anthropicKey(rng))
	p.Reset()

	stream := lin.Chat(harness.Say("a long story"))
	stream.Until(agent.EventTextDelta)
	filler := fill(t, disk)
	for caption := ""; caption != "Waiting for storage"; {
		ev, ok := stream.Next()
		if !ok {
			t.Fatal("the stream ended on a full disk")
		}
		if ev.Kind == agent.EventCast {
			caption = harness.Decode[agent.Cast](t, ev).Caption
		}
	}
	refused := lin.Do("POST /chat", harness.Say(strings.Repeat("no room for this ", 10_000)))
	if pr := refused.Problem(); pr.Status != http.StatusInsufficientStorage || pr.Code != agent.CodeStorageFull || pr.Hint == "" {
		t.Errorf("a message to a full disk is answered %s", refused)
	}
	if n := len(p.Requests("")); n != 1 {
		t.Errorf("%d model calls while nothing can be stored", n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if got := stream.Completed().Text; got != answer {
		t.Errorf("the answer has %d bytes, want %d", len(got), len(answer))
	}
	if got := lin.Chat(harness.Say("and now?")).Completed().Text; got != "OK." {
		t.Errorf("after the disk was full the answer is %q", got)
	}
}

// TestADatabaseThatAnotherProgramLocksDelaysAndIsTold locks the database for less
// and for more than a write waits.
func TestADatabaseThatAnotherProgramLocksDelaysAndIsTold(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	answer := longText(rng, 400)
	slow := says("slowly", answer)
	slow.Fault = &scripted.Fault{Kind: scripted.FaultSlow, Ms: 10}
	s := start(t, rng, slow)

	stream := s.lin.Chat(harness.Say("slowly"))
	stream.Until(agent.EventTextDelta)
	unlock := lock(t, filepath.Join(s.Data, "agent.db"))
	type told struct {
		answer *harness.Answer
		took   time.Duration
	}
	short := make(chan told, 1)
	go func() { // a message waits for a short lock and never knows
		begun := time.Now()
		a, err := s.lin.Send(t.Context(), "POST /chat", harness.Say("short"), harness.Set("Accept", "application/json"))
		if err != nil {
			t.Error(err)
			a = &harness.Answer{}
		}
		short <- told{a, time.Since(begun)}
	}()
	words := 0
	for range 40 { // meanwhile the answer streams: nothing of it waits for the lock
		if ev, ok := stream.Next(); ok && ev.Kind == agent.EventTextDelta {
			words++
		}
	}
	if words == 0 {
		t.Error("no text came while the database was locked")
	}
	unlock()
	got := <-short
	if got.answer.Status != http.StatusAccepted {
		t.Fatalf("a message during a short lock is answered %s after %s", got.answer, got.took)
	}
	var begun struct{ Turn agent.Turn }
	got.answer.Into(t, &begun)
	s.lin.Attach(begun.Turn.ID, "").Completed()

	unlock = lock(t, filepath.Join(s.Data, "agent.db"))
	asked := len(s.provider.Requests(""))
	refused := s.lin.Do("POST /chat", harness.Say("long"))
	if pr := refused.Problem(); pr.Status != http.StatusServiceUnavailable || pr.Code != agent.CodeStorageBusy || refused.Header.Get("Retry-After") == "" {
		t.Errorf("a message during a long lock is answered %s", refused)
	}
	if n := len(s.provider.Requests("")); n != asked {
		t.Errorf("%d model calls while nothing can be stored", n-asked)
	}
	unlock()
	if got := stream.Completed().Text; got != answer {
		t.Errorf("the answer is %q", got)
	}
	usable(t, s.lin, stream.Events[0].Thread)
}

// TestADatabaseThatCannotBeReadOrWrittenIsSaidInASentence starts the server on a
// disk that is read-only and on a damaged file.
func TestADatabaseThatCannotBeReadOrWrittenIsSaidInASentence(t *testing.T) {
	t.Parallel()
	t.Run("a damaged file", func(t *testing.T) {
		rng, _ := harness.Seed(t)
		s := start(t, rng, says("remember this", longText(rng, 4000)))
		first := s.lin.Chat(harness.Say("remember this"))
		first.Completed()
		if code := s.Stop(); code != 0 { // a clean end leaves no write-ahead log
			t.Fatalf("exit code %d", code)
		}
		damage(t, filepath.Join(s.Data, "agent.db"))
		s.provider.Reset()
		run := harness.Run(t, programs.Agent, "demo", "--listen", "127.0.0.1:0", "--data", s.Data)
		if run.Code == 0 || !strings.Contains(run.Stderr, "damaged") || !strings.Contains(run.Stderr, "backup") {
			t.Errorf("on a damaged database the demo says %q (exit code %d)", run.Stderr, run.Code)
		}
		if n := len(s.provider.Requests("")); n != 0 {
			t.Errorf("%d model calls", n)
		}
	})
	t.Run("a disk that can only be read", func(t *testing.T) {
		disk := smallDisk(t, 4<<20)
		readOnly(t, disk)
		run := harness.Run(t, programs.Agent, "demo", "--listen", "127.0.0.1:0", "--data", filepath.Join(disk, "data"))
		if run.Code == 0 || !strings.Contains(run.Stderr, "may write") {
			t.Errorf("on a read-only disk the demo says %q (exit code %d)", run.Stderr, run.Code)
		}
	})
}

// lock takes the database's write lock as another program would.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback()
		_ = db.Close()
	}
}

// damage overwrites every page of a database but its first four.
func damage(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4 * 4096; i < len(data); i++ {
		data[i] = 0xa5
	}
	write(t, path, string(data))
}

// fill takes all the room that a disk has.
func fill(t *testing.T, disk string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return f.Name()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
