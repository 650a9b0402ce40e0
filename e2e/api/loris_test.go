package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// How long the slowest client may hold a connection: the server's limits of 10 s for
// headers and 30 s for a body, and what a busy machine takes.
const (
	slowHeaders = 20 * time.Second
	slowBody    = 45 * time.Second
)

// dawdle opens a connection, sends the beginning of a request and then a byte a
// second, and gives what was answered and how long the server let it.
func dawdle(t *testing.T, address, begin string, limit time.Duration) (status string, held time.Duration) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return "", 0
	}
	defer func() { _ = conn.Close() }()
	begun := time.Now()
	if _, err := io.WriteString(conn, begin); err != nil {
		t.Error(err)
		return "", 0
	}
	ended := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(conn)
		first, _ := lines.ReadString('\n')
		_, _ = io.Copy(io.Discard, lines)
		ended <- strings.TrimSpace(first)
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	late := time.After(limit)
	for {
		select {
		case status = <-ended:
			return status, time.Since(begun)
		case <-tick.C:
			_, _ = conn.Write([]byte("x")) // an error shows as the end, too
		case <-late:
			t.Errorf("%.60q still holds its connection after %s", begin, limit)
			return "", limit
		}
	}
}

func TestClientsThatSendAByteASecondAreLetGoAndHoldUpNobody(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Programs: programs})
	demo := s.SignIn("demo")
	address := strings.TrimPrefix(s.URL, "http://")
	head := func(line, more string) string {
		return line + " HTTP/1.1\r\nHost: " + address + "\r\nOrigin: " + s.URL + "\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n" + more
	}
	const body = "Content-Length: 100000\r\n\r\n{"
	kinds := map[string]struct {
		begin string
		limit time.Duration
	}{
		"headers":                  {head("POST /api/agent/chat", "X-Slow: "), slowHeaders},
		"a body of somebody":       {head("POST /api/agent/chat", "Cookie: "+demo.Cookie()+"\r\n"+body), slowBody},
		"a body of nobody":         {head("POST /api/agent/chat", body), slowBody},
		"a body in chunks":         {head("POST /api/agent/keys", "Cookie: "+demo.Cookie()+"\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\nffff\r\n"), slowBody},
		"a body of another site":   {strings.Replace(head("POST /api/agent/chat", body), "same-origin", "cross-site", 1), slowBody},
		"a body of another host":   {strings.Replace(head("POST /api/agent/chat", body), "Host: "+address, "Host: evil.example", 1), slowBody},
		"a body to no address":     {head("POST /api/agent/nothing", body), slowBody},
		"a body to a login":        {head("POST /api/dev/login", body), slowBody},
		"a body to a read":         {head("GET /healthz", body), slowBody},
		"a body to a page":         {head("GET /", body), slowBody},
		"a body to a deck":         {head("GET /api/decks/demo-deck", "Cookie: "+demo.Cookie()+"\r\n"+body), slowBody},
		"a body for a stream":      {head("GET /api/agent/threads/thread_none/events", "Cookie: "+demo.Cookie()+"\r\n"+body), slowBody},
		"a body that is announced": {head("POST /api/agent/chat", "Cookie: "+demo.Cookie()+"\r\nExpect: 100-continue\r\n"+body), slowBody},
	}
	const each = 20
	var mu sync.Mutex
	var slow sync.WaitGroup
	told := map[string]string{}
	for name, k := range kinds {
		for range each {
			slow.Go(func() {
				status, held := dawdle(t, address, k.begin, k.limit)
				mu.Lock()
				defer mu.Unlock()
				told[name] = fmt.Sprintf("%s after %s", status, held.Round(time.Second))
			})
		}
	}
	// Meanwhile everybody else is served.
	for range 20 {
		begun := time.Now()
		demo.Chat(harness.Say("what can you do?")).Completed()
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("a turn took %s beside slow clients", took)
		}
	}
	slow.Wait()
	for name, what := range told {
		t.Logf("%s: %s", name, what)
	}
}
