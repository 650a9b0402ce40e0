package sse

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func TestAStreamBeginsWithItsMannersAndTwoKilobytes(t *testing.T) {
	rec := httptest.NewRecorder()
	rec.Header().Set("Content-Length", "7")
	if err := NewWriter(rec, time.Second).Open(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform",
		"X-Accel-Buffering": "no", "Content-Length": "",
	} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	body := rec.Body.String()
	if len(body) < preludeBytes || !strings.HasPrefix(body, ":") || strings.TrimRight(body, " :\n") != "" || !rec.Flushed {
		t.Errorf("the first comment has %d bytes, flushed %v", len(body), rec.Flushed)
	}
}

func TestWhatIsWrittenArrivesInOrderWithHeartbeatsBetween(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := NewWriter(w, time.Minute)
		err := errors.Join(out.Open(), out.Write(Event{ID: "1", Name: "a", Data: []byte("x")}), out.Heartbeat(),
			out.Write(Event{ID: "2", Name: "b", Data: []byte(strings.Repeat("y", 2*keepBuffer))}), out.Flush(), out.Close())
		if err != nil {
			t.Error(err)
		}
		if cap(out.buf) > keepBuffer {
			t.Errorf("the writer keeps %d bytes of a big event", cap(out.buf))
		}
	}))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	r := NewReader(resp.Body, 1<<20)
	for _, want := range []string{"a", "b"} {
		if e, err := r.Next(); err != nil || e.Name != want {
			t.Fatalf("got %q, %v; want %s", e.Name, err, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last event: %v", err)
	}
}

func TestAClientThatNeverReadsIsLetGoAfterTheTimeout(t *testing.T) {
	ended := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := NewWriter(w, 50*time.Millisecond)
		err := out.Open()
		for err == nil {
			err = out.Write(Event{Data: []byte(strings.Repeat("x", 1<<20))})
		}
		ended <- errors.Join(err, out.Close())
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the writer ended with %v", err)
	}
}

// deadlines records the write deadlines of a connection.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

func TestEveryWriteHasADeadlineAndTheNextRequestHasNone(t *testing.T) {
	conn := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	out := NewWriter(conn, time.Minute)
	if err := errors.Join(out.Open(), out.Write(Event{Data: []byte("x")}), out.Flush()); err != nil {
		t.Fatal(err)
	}
	if len(conn.set) != 4 {
		t.Fatalf("two writes and two flushes set %d deadlines", len(conn.set))
	}
	for _, at := range conn.set {
		if left := time.Until(at); left <= 0 || left > time.Minute {
			t.Errorf("a write may take %v", left)
		}
	}
	if err := out.Close(); err != nil || !conn.set[len(conn.set)-1].IsZero() {
		t.Errorf("after the stream the deadline stays: %v", err)
	}
}

func TestAfterAFailedWriteTheDeadlineStays(t *testing.T) {
	conn := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	out := NewWriter(conn, time.Minute)
	out.failed = true
	if err := out.Close(); err != nil || len(conn.set) != 0 {
		t.Errorf("the deadline of a dead connection was lifted: %v", err)
	}
}

// brokenWriter fails every write.
type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAFailedWriteIsReported(t *testing.T) {
	out := NewWriter(brokenWriter{httptest.NewRecorder()}, time.Second)
	if err := out.Open(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("open: %v", err)
	}
	if err := out.Write(Event{ID: "a\nb"}); !errors.Is(err, ErrField) {
		t.Errorf("a forged id: %v", err)
	}
	if err := out.Heartbeat(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("heartbeat: %v", err)
	}
}
