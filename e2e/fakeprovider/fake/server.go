package fake

import (
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// Options tunes a Server; the zero value accepts every key and every model and
// caches every prefix.
type Options struct {
	// Script picks the answers; nil answers each request with one sentence.
	Script scripted.Brain
	// Accept lists the prefixes of valid keys; empty accepts all. A key that
	// contains "invalid" is never valid.
	Accept []string
	// Keyless also accepts requests that bring no key, as a server on one's own
	// machine does.
	Keyless bool
	// Models lists the models that exist; empty means all.
	Models []string
	// MinCacheTokens is the smallest prefix that is cached.
	MinCacheTokens int
	// MaxBody is the largest request body, in bytes; 0 means 32 MB, as at the real
	// provider.
	MaxBody int64
	// StrictRoles refuses two messages of one role in a row, as strict compatible
	// endpoints do; the real wires join them.
	StrictRoles bool
	// Now is the clock of the cache and the record; nil is the real one.
	Now func() time.Time
}

// maxBody is the largest request of the real provider.
const maxBody = 32 << 20

// Server is the fake provider. It is safe for use by many goroutines.
type Server struct {
	opts  Options
	mux   *http.ServeMux
	cache *promptCache
	log   *record
	open  atomic.Int64

	mu     sync.Mutex
	brain  scripted.Brain
	faults []scripted.Fault
}

// New makes a server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxBody == 0 {
		o.MaxBody = maxBody
	}
	if o.Script == nil {
		o.Script = scripted.NewScript(scripted.Round{Text: scripted.Text{"I am the fake provider and have no script."}})
	}
	s := &Server{opts: o, mux: http.NewServeMux(), cache: newPromptCache(o.MinCacheTokens, o.Now), log: newRecord(), brain: o.Script}
	s.mux.Handle("POST /v1/messages", s.serve(anthropicWire{}))
	s.mux.Handle("POST /v1/chat/completions", s.serve(chatWire{}))
	s.mux.Handle("POST /v1/responses", s.serve(responsesWire{}))
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.control()
	return s
}

// ServeHTTP answers the wires under /v1/ and the control API under /_fake/.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// wire is one provider's format.
type wire interface {
	// parse checks a request as the provider does and gives what it asks.
	parse(s *Server, h http.Header, body []byte) (*question, *apiError)
	// frames gives the events of a streamed answer, in order.
	frames(q *question, a *answer, m mangle) []frame
	// whole gives the body of an answer that is not streamed.
	whole(q *question, a *answer, m mangle) []byte
	// errorBody and errorFrame say an error, before and inside a stream.
	errorBody(e *apiError) []byte
	errorFrame(e *apiError, a *answer, failed bool, seq int) frame
	// novelty is an event that no client knows yet and that each must survive.
	novelty(a *answer, seq int) frame
	// fromStatus gives the error that the provider sends with a status.
	fromStatus(status int) *apiError
	// idle is what the provider sends to keep a connection alive.
	idle() []byte
}

// question is a checked request.
type question struct {
	req      agent.ModelRequest
	stream   bool
	units    []unit // what the prompt cache hashes, in order
	usage    bool   // chat: a usage chunk was asked for
	strictly bool   // responses: encrypted reasoning was asked for
}

// serve answers one request of a wire.
func (s *Server) serve(wr wire) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.open.Add(1)
		defer s.log.tell()
		defer s.open.Add(-1)
		seen := s.log.begin(r, s.opts.Now())
		out := newDelivery(w, r, seen, s.opts.Now)
		defer out.finish()

		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.MaxBody))
		seen.setBody(body)
		if err != nil {
			out.refuse(wr, wr.fromStatus(http.StatusRequestEntityTooLarge))
			return
		}
		if e := s.checkKey(wr, r.Header); e != nil {
			out.refuse(wr, e)
			return
		}
		q, e := wr.parse(s, r.Header, body)
		if e != nil {
			out.refuse(wr, e)
			return
		}
		s.answer(wr, q, keyOf(r.Header), out)
	})
}

// answer picks the round and delivers it, faults and all.
func (s *Server) answer(wr wire, q *question, key string, out *delivery) {
	fault := s.takeFault()
	if fault != nil && fault.Kind == scripted.FaultStatus {
		out.status(wr, *fault)
		return
	}
	s.mu.Lock()
	brain := s.brain
	s.mu.Unlock()
	round, err := brain.Round(q.req)
	if err != nil {
		e := wr.fromStatus(http.StatusInternalServerError)
		e.Message = "fakeprovider: " + err.Error()
		out.refuse(wr, e)
		return
	}
	if fault == nil {
		fault = round.Fault
	}
	if !out.wait(time.Duration(round.DelayMs) * time.Millisecond) {
		return
	}
	if fault == nil {
		fault = &scripted.Fault{}
	}
	if fault.Kind == scripted.FaultStatus {
		out.status(wr, *fault)
		return
	}
	a := s.makeAnswer(wr, q, round, key)
	out.seen.setUsage(a.usage)
	out.play(wr, q, a, *fault)
}

// takeFault gives the next injected fault, or nil.
func (s *Server) takeFault() *scripted.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return nil
	}
	f := s.faults[0]
	if s.faults[0].Times--; s.faults[0].Times <= 0 {
		s.faults = s.faults[1:]
	}
	return &f
}

// checkKey refuses a missing, wrong or invalid key.
func (s *Server) checkKey(wr wire, h http.Header) *apiError {
	key := keyOf(h)
	if key == "" && s.opts.Keyless {
		return nil
	}
	ok := key != "" && !strings.Contains(key, "invalid")
	if ok && len(s.opts.Accept) > 0 {
		ok = false
		for _, prefix := range s.opts.Accept {
			ok = ok || strings.HasPrefix(key, prefix)
		}
	}
	if ok {
		return nil
	}
	e := wr.fromStatus(http.StatusUnauthorized)
	if _, anthropic := wr.(anthropicWire); !anthropic {
		e.Message = "Incorrect API key provided: " + hint(key) + ". You can find your API key at https://platform.openai.com/account/api-keys."
	}
	return e
}

// keyOf finds the key in either of the two headers.
func keyOf(h http.Header) string {
	if key := h.Get("X-Api-Key"); key != "" {
		return key
	}
	scheme, key, _ := strings.Cut(h.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	return ""
}

// hint shows a key as the real provider does in its error: both ends of it.
func hint(key string) string {
	if len(key) < 12 {
		return "***"
	}
	return key[:8] + "****" + key[len(key)-4:]
}

// newID mints an id of a provider's form.
func newID(prefix string) string { return prefix + rand.Text()[:24] }
