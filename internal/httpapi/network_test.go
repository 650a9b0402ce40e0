package httpapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/sse"
)

// listen serves a desk on a real socket.
func listen(t *testing.T, change ...func(*Config)) (*desk, *httptest.Server) {
	t.Helper()
	d := newDesk(t, append(change, func(c *Config) { c.Hosts = []string{host} })...)
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	return d, server
}

// follow reads a turn's stream after a seq over a socket to its end and counts the events.
func follow(server *httptest.Server, after string) (int, error) {
	r, err := http.NewRequest("GET", server.URL+Base+"/turns/tn1/events?after="+after, nil)
	if err != nil {
		return 0, err
	}
	r.Host = host
	r.Header.Set("Authorization", "Bearer alice")
	resp, err := server.Client().Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	stream := sse.NewReader(resp.Body, 1<<20)
	for n := 0; ; n++ {
		if _, err := stream.Next(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

func TestTwoHundredReadersOfATurnEachGetEverything(t *testing.T) {
	d, server := listen(t)
	d.agent.put("tn1", agent.TurnRunning)
	var readers sync.WaitGroup
	var mu sync.Mutex
	got := make(map[int]int)
	for range 200 {
		readers.Go(func() {
			n, err := follow(server, "")
			if err != nil {
				n = -1
			}
			mu.Lock()
			defer mu.Unlock()
			got[n]++
		})
	}
	for range 49 {
		d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: strings.Repeat("x", 100)})
	}
	d.agent.tell("tn1", agent.EventTurnCompleted, agent.TurnCompleted{})
	readers.Wait()
	if got[50] != 200 {
		t.Errorf("readers by the number of events: %v", got)
	}
}

func TestAReaderThatStallsIsLetGoAndHoldsUpNobody(t *testing.T) {
	ended := make(chan struct{})
	d, server := listen(t, func(c *Config) { c.Stall = 250 * time.Millisecond })
	inner := d.handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		if r.Header.Get("X-Stalled") != "" {
			close(ended)
		}
	})
	d.agent.put("tn1", agent.TurnRunning)
	for range 64 {
		d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: strings.Repeat("x", 1<<18)})
	}
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ask := "GET " + Base + "/turns/tn1/events HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer alice\r\nX-Stalled: yes\r\n\r\n"
	if _, err := io.WriteString(conn, ask); err != nil {
		t.Fatal(err)
	}
	<-ended // the turn is still running: only the stall can have ended it
	d.agent.tell("tn1", agent.EventTurnCompleted, agent.TurnCompleted{})
	if n, err := follow(server, "62"); n != 3 || err != nil {
		t.Errorf("another reader got %d events, %v", n, err)
	}
}

func TestOneUserHoldsAtMostSoManyStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, func(c *Config) { c.MaxStreams = 2 })
		d.agent.put("tn1", agent.TurnRunning)
		_, leave1, done1 := d.open(attach("", ""))
		_, leave2, done2 := d.open(attach("", ""))
		synctest.Wait()
		rec := d.do(attach("", ""))
		if p := problem(t, rec); p.Code != agent.CodeRateLimited || rec.Header().Get("Retry-After") == "" {
			t.Errorf("one over the limit: %+v", p)
		}
		if rec := d.do(as("bob", request("GET", "/threads/th1/events", ""))); rec.Code != http.StatusNotFound {
			t.Errorf("another user: %d", rec.Code)
		}
		leave1()
		<-done1
		w, leave3, done3 := d.open(attach("", ""))
		synctest.Wait()
		if status, _ := w.now(); status != http.StatusOK {
			t.Errorf("after one was closed: %d", status)
		}
		leave2()
		leave3()
		<-done2
		<-done3
	})
}

// slow is a connection that records its read deadlines.
type slow struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (s *slow) SetReadDeadline(at time.Time) error {
	s.set = append(s.set, at)
	return nil
}

func TestABodyMustComeWithinItsTime(t *testing.T) {
	w := &slow{ResponseRecorder: httptest.NewRecorder()}
	newDesk(t).handler.ServeHTTP(w, chatJSON(`{"projectId":"p","text":"hi"}`))
	if len(w.set) != 2 || time.Until(w.set[0]) > bodyTimeout || time.Until(w.set[0]) <= 0 || !w.set[1].IsZero() {
		t.Errorf("deadlines %v", w.set)
	}
}
