package crowd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// What idle streams may cost at most; what they do cost is logged.
const (
	idleBytes = 128 << 10 // resident memory of the server, each
	idleBusy  = 0.5       // of one core, all of them
	idleTurn  = 5 * time.Second
)

// TestACrowdOfIdleReadersCostsLittleAndHoldsNobodyUp opens thousands of streams of one
// thread in which nothing happens, lets somebody else work meanwhile, and then lets
// something happen: all of them hear it.
func TestACrowdOfIdleReadersCostsLittleAndHoldsNobodyUp(t *testing.T) {
	if os.Getenv("CROWD_IDLE") == "" {
		t.Skip("thousands of streams take a while; make overload and make test run them")
	}
	n := within(t, number(t, "CROWD_IDLE", 5000))
	s := harness.Start(t, harness.Options{Programs: programs, Deaf: true})
	demo, other := s.SignIn("demo"), s.SignIn("demo")
	stream := demo.Chat(harness.Say("what can you do?"))
	stream.Completed()
	before := measured(t, s)

	begun := time.Now()
	streams := idle(t, s, demo, stream.Thread(), fmt.Sprintf("%s:%s", stream.Turn(), stream.LastID), n)
	t.Logf("%d streams were open after %s", n, time.Since(begun).Round(time.Millisecond))
	open := measured(t, s)
	quiet := time.NewTimer(10 * time.Second) // two checks of each session
	<-quiet.C
	after := measured(t, s)
	each, busy := (after.resident-before.resident)/int64(n), (after.cpu-open.cpu).Seconds()/after.at.Sub(open.at).Seconds()
	t.Logf("each costs %d bytes of memory, all of them %.0f %% of a core", each, 100*busy)
	if after.at.IsZero() {
		t.Log("this system does not tell what a process costs")
	} else if each > idleBytes || busy > idleBusy {
		t.Errorf("want at most %d bytes and %.0f %%", idleBytes, 100*idleBusy)
	}

	for range 5 {
		begun := time.Now()
		other.Chat(harness.Say("what can you do?")).Completed()
		if took := time.Since(begun); took > idleTurn {
			t.Errorf("a turn takes %s beside idle streams", took)
		}
	}
	begun = time.Now()
	demo.Chat(harness.Say("and what else?").In(stream.Thread())).Completed()
	heard := hear(streams)
	t.Logf("%d of %d heard the next turn, the last one %s after it was asked", heard, n, time.Since(begun).Round(time.Millisecond))
	if heard != n {
		t.Errorf("%d of %d idle streams heard the next turn", heard, n)
	}
	for _, c := range streams {
		_ = c.Close()
	}
	letGo(t, s, before.files+50)
}

// within gives as many streams as the system lets this process and the server open.
func within(t *testing.T, n int) int {
	t.Helper()
	limit := openFiles()
	if most := limit - 500; limit > 0 && most < n {
		t.Logf("the limit of %d open files allows %d streams, not %d", limit, most, n)
		return most
	}
	return n
}

// idle opens streams of a thread behind an event and waits until each has begun.
func idle(t *testing.T, s *harness.Server, u *harness.User, thread agent.ThreadID, after string, n int) []net.Conn {
	t.Helper()
	address := strings.TrimPrefix(s.URL, "http://")
	ask := fmt.Sprintf("GET %s/threads/%s/events?after=%s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\nCookie: %s\r\n\r\n", harness.Base, thread, after, address, u.Cookie())
	list := make([]net.Conn, n)
	slots := make(chan struct{}, 64)
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			conn, err := net.Dial("tcp", address)
			if err == nil {
				list[i] = conn
				t.Cleanup(func() { _ = conn.Close() })
				err = begin(conn, ask)
			}
			if err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return list
}

// begin asks for a stream and reads its headers byte by byte, so that nothing of what
// follows is lost.
func begin(conn net.Conn, ask string) error {
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, ask); err != nil {
		return err
	}
	var head strings.Builder
	one := make([]byte, 1)
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		if _, err := conn.Read(one); err != nil {
			return fmt.Errorf("after %q: %w", head.String(), err)
		}
		head.Write(one)
	}
	if !strings.HasPrefix(head.String(), fmt.Sprintf("HTTP/1.1 %d ", http.StatusOK)) {
		return fmt.Errorf("answered %q", head.String())
	}
	return conn.SetDeadline(time.Time{})
}

// hear reads each stream until a turn has ended and counts those where one has.
func hear(streams []net.Conn) (heard int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, conn := range streams {
		all.Go(func() {
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			lines := bufio.NewScanner(conn)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if lines.Text() == "event: "+string(agent.EventTurnCompleted) {
					mu.Lock()
					defer mu.Unlock()
					heard++
					return
				}
			}
		})
	}
	all.Wait()
	return heard
}

// letGo waits until the server holds no more files than this.
func letGo(t *testing.T, s *harness.Server, files int) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for {
		now := measured(t, s).files
		if now <= files {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Errorf("30 s after all streams were closed the server holds %d files, want at most %d", now, files)
			return
		}
	}
}

// cost is what a process costs at a moment; the zero value where the system does not
// tell.
type cost struct {
	at       time.Time
	resident int64 // bytes
	cpu      time.Duration
	files    int
}

// measured reads /proc, where there is one.
func measured(t *testing.T, s *harness.Server) (c cost) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/", s.Pid())
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return c
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	field := func(i int) int64 {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const ticks = 100 // a second, on every Linux
	open, err := os.ReadDir(dir + "fd")
	if err != nil {
		t.Fatal(err)
	}
	return cost{at: time.Now(), cpu: time.Duration(field(11)+field(12)) * time.Second / ticks,
		resident: field(21) * int64(os.Getpagesize()), files: len(open)}
}
