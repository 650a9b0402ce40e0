package crowd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// clockwork is a provider on Anthropic's wire whose every chunk is a word that says
// when it was due, in microseconds, so that whoever reads it knows how long it took.
type clockwork struct {
	chunks int
	every  time.Duration
	asked  atomic.Int64

	mu   sync.Mutex
	late []time.Duration // how late the clock itself was
}

// serve starts the provider; it ends with the test.
func (c *clockwork) serve(tb testing.TB) *harness.Provider {
	tb.Helper()
	server := httptest.NewServer(c)
	tb.Cleanup(server.Close)
	return &harness.Provider{URL: server.URL}
}

// ServeHTTP answers any request with the words of the clock.
func (c *clockwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	c.asked.Add(1)
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(kind, members string) {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, members)
	}
	say("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"clock","content":[],"usage":{"input_tokens":1,"output_tokens":1}}`)
	say("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
	flush := http.NewResponseController(w)
	begun := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	late := make([]time.Duration, 0, c.chunks)
	for i := range c.chunks {
		due := begun.Add(time.Duration(i) * c.every)
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
		say("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"`+strconv.FormatInt(due.UnixMicro(), 10)+` "}`)
		if flush.Flush() != nil {
			return
		}
		late = append(late, time.Since(due))
	}
	say("content_block_stop", `,"index":0`)
	say("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}`)
	say("message_stop", "")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, late...)
}

// lateness gives how late the clock was since it was asked last.
func (c *clockwork) lateness() (all []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all, c.late = c.late, nil
	return all
}
