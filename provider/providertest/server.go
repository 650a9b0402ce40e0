package providertest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// Server is an Upstream on a real socket, for harnesses whose wire is HTTP.
type Server struct {
	*httptest.Server
	wire    Wire
	scripts []Script

	mu      sync.Mutex
	seen    []Seen
	written int64
	gone    chan struct{}
	once    sync.Once
}

// NewServer starts an upstream that speaks a wire; it is closed with the test.
func NewServer(tb TB, w Wire, scripts ...Script) *Server {
	s := &Server{wire: w, scripts: scripts, gone: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	tb.Cleanup(s.Close)
	return s
}

// Requests gives what arrived so far.
func (s *Server) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Gone is closed once the client has hung up on a stream before its end.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Written counts the bytes of all answers so far.
func (s *Server) Written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	seen := Seen{Body: body, Results: map[string]string{}}
	s.wire.See(r, &seen)
	s.mu.Lock()
	script := s.scripts[min(len(s.seen), len(s.scripts)-1)]
	s.seen = append(s.seen, seen)
	s.mu.Unlock()
	if script.Refuse != nil {
		status, text := s.wire.Refuse(*script.Refuse)
		w.Header().Set("Content-Type", "application/json")
		for k, v := range script.Refuse.Header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s.stream(w, r, frames(s.wire, script))
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, list []frame) {
	for _, f := range list {
		if !s.write(w, []byte(f.data)) {
			return
		}
		switch f.then {
		case fallSilent:
			<-r.Context().Done()
			s.left()
			return
		case breakOff:
			panic(http.ErrAbortHandler)
		case endEarly:
			return
		case flood:
			line := append([]byte("data: "), bytes.Repeat([]byte("x"), 64<<10)...)
			for sent := 0; sent < f.size; sent += len(line) {
				if !s.write(w, line) {
					return
				}
			}
		}
	}
}

// write sends and flushes in small pieces, so that Written is what the client
// took; false once the client has hung up.
func (s *Server) write(w http.ResponseWriter, data []byte) bool {
	for first := true; first || len(data) > 0; first = false {
		piece := data[:min(len(data), 64<<10)]
		data = data[len(piece):]
		n, err := w.Write(piece)
		s.mu.Lock()
		s.written += int64(n)
		s.mu.Unlock()
		if err == nil {
			err = http.NewResponseController(w).Flush()
		}
		if err != nil {
			s.left()
			return false
		}
	}
	return true
}

func (s *Server) left() { s.once.Do(func() { close(s.gone) }) }
