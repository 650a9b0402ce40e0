package fake

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// control mounts the test's side of the server. It has no protection: the server
// listens on a loopback address of a test machine.
func (s *Server) control() {
	s.mux.HandleFunc("GET /_fake/requests", s.tellRequests)
	s.mux.HandleFunc("POST /_fake/script", s.takeScript)
	s.mux.HandleFunc("POST /_fake/faults", s.takeFaults)
	s.mux.HandleFunc("POST /_fake/reset", func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("GET /_fake/open", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, object{"open": s.Open()})
	})
}

// Requests gives every request that a wire has seen, oldest first.
func (s *Server) Requests() []Seen { return s.log.list() }

// Open gives how many requests are being answered.
func (s *Server) Open() int64 { return s.open.Load() }

// Changed gives a channel that is closed when a request begins, goes on or ends;
// take it before you look.
func (s *Server) Changed() <-chan struct{} { return s.log.next() }

// SetScript replaces what is answered.
func (s *Server) SetScript(b scripted.Brain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.brain = b
}

// Inject breaks the next requests: each fault meets Times requests (default 1),
// in order.
func (s *Server) Inject(faults ...scripted.Fault) error {
	for i, f := range faults {
		if err := f.Check(); err != nil {
			return err
		}
		faults[i].Times = max(1, f.Times)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
	return nil
}

// Reset forgets requests, faults and the prompt cache; the script stays.
func (s *Server) Reset() {
	s.log.reset()
	s.cache.reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// tellRequests answers GET /_fake/requests; ?key= compares each request's key.
func (s *Server) tellRequests(w http.ResponseWriter, r *http.Request) {
	seen := s.Requests()
	if key := r.URL.Query().Get("key"); key != "" {
		want := digest(key)
		for i := range seen {
			same := seen[i].Key.SHA256 == want
			seen[i].Key.Equals = &same
		}
	}
	writeJSON(w, object{"requests": seen})
}

func (s *Server) takeScript(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	script, err := scripted.Parse(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.SetScript(script)
	w.WriteHeader(http.StatusNoContent)
}

// takeFaults answers POST /_fake/faults: a list of faults, or one.
func (s *Server) takeFaults(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var many []scripted.Fault
	if json.Unmarshal(body, &many) != nil {
		var one scripted.Fault
		if err := json.Unmarshal(body, &one); err != nil {
			http.Error(w, "the body must be a fault or a list of faults: "+err.Error(), http.StatusBadRequest)
			return
		}
		many = []scripted.Fault{one}
	}
	if err := s.Inject(many...); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// models answers GET /v1/models, in the form of the wire that asks.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	var wr wire = chatWire{}
	anthropic := r.Header.Get("Anthropic-Version") != ""
	if anthropic {
		wr = anthropicWire{}
	}
	seen := s.log.begin(r, s.opts.Now())
	out := newDelivery(w, r, seen, s.opts.Now)
	defer out.finish()
	if e := s.checkKey(wr, r.Header); e != nil {
		out.refuse(wr, e)
		return
	}
	data := []any{}
	for _, m := range s.opts.Models {
		if anthropic {
			data = append(data, object{"type": "model", "id": m, "display_name": m, "created_at": "2026-01-01T00:00:00Z"})
		} else {
			data = append(data, object{"object": "model", "id": m, "created": 1_700_000_000, "owned_by": "fake"})
		}
	}
	body := object{"object": "list", "data": data}
	if anthropic {
		body = object{"data": data, "has_more": false, "first_id": nil, "last_id": nil}
	}
	out.head(http.StatusOK, "application/json")
	out.write(encode(body))
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(v))
}
