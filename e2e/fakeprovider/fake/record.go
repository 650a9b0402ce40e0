package fake

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// maxSeen bounds the record; the oldest requests leave first.
const maxSeen = 10_000

// Seen is one request as the control API tells it. Times are milliseconds; those
// that end in Ms count from At.
type Seen struct {
	N      int       `json:"n"`
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	// Key is which key came, never the key itself.
	Key SeenKey `json:"key"`
	// Headers are all of them, the key's value replaced by its digest.
	Headers http.Header `json:"headers"`
	// Raw is the body exactly as it came; RawBase64 stands instead where it is no
	// UTF-8.
	Raw       string `json:"raw,omitempty"`
	RawBase64 string `json:"rawBase64,omitempty"`
	// Body is the body as JSON, null where it is none.
	Body json.RawMessage `json:"body"`

	Status int `json:"status"`
	// Refused is the message of the error that was answered, "" for none.
	Refused string `json:"refused,omitempty"`
	// Fault is what was broken on purpose, "" for nothing.
	Fault string `json:"fault,omitempty"`
	// Usage is what the prompt cache counted.
	Usage *counted `json:"usage,omitempty"`
	// Bytes counts the body's bytes that were written.
	Bytes       int64  `json:"bytes"`
	FirstByteMs *int64 `json:"firstByteMs,omitempty"`
	LastByteMs  *int64 `json:"lastByteMs,omitempty"`
	// EndMs is set when the request is over.
	EndMs *int64 `json:"endMs,omitempty"`
	// ClosedEarly says that the client went away before the answer's end, and
	// ClosedAfterMs how long after the last byte that was written.
	ClosedEarly   bool   `json:"closedEarly"`
	ClosedAfterMs *int64 `json:"closedAfterMs,omitempty"`
}

// SeenKey tells keys apart without holding them.
type SeenKey struct {
	Header   string `json:"header"` // x-api-key, authorization or ""
	SHA256   string `json:"sha256,omitempty"`
	LastFour string `json:"lastFour,omitempty"`
	// Equals answers the query ?key= of the control API.
	Equals *bool `json:"equals,omitempty"`
}

// record keeps the requests.
type record struct {
	mu      sync.Mutex
	n       int
	seen    []*entry
	changed chan struct{} // closed at the next change
}

// entry is a Seen that its request still writes to.
type entry struct {
	mu   sync.Mutex
	seen Seen
	tell func()
}

func newRecord() *record { return &record{changed: make(chan struct{})} }

// tell wakes who waits for a change.
func (r *record) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *record) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (r *record) begin(req *http.Request, now time.Time) *entry {
	headers := req.Header.Clone()
	e := &entry{tell: r.tell, seen: Seen{At: now, Method: req.Method, Path: req.URL.RequestURI(), Headers: headers}}
	if key := keyOf(req.Header); key != "" {
		e.seen.Key = SeenKey{Header: "authorization", SHA256: digest(key), LastFour: key[max(0, len(key)-4):]}
		if req.Header.Get("X-Api-Key") != "" {
			e.seen.Key.Header = "x-api-key"
		}
	}
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if v := headers.Get(name); v != "" {
			headers.Set(name, "sha256:"+digest(v))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	e.seen.N = r.n
	if len(r.seen) == maxSeen {
		r.seen = slices.Delete(r.seen, 0, 1)
	}
	r.seen = append(r.seen, e)
	return e
}

// list gives copies, so that nothing changes under the reader.
func (r *record) list() []Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Seen, len(r.seen))
	for i, e := range r.seen {
		e.mu.Lock()
		out[i] = e.seen
		e.mu.Unlock()
	}
	return out
}

func (r *record) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.n = nil, 0
}

// change writes to the entry.
func (e *entry) change(f func(s *Seen)) {
	e.mu.Lock()
	f(&e.seen)
	e.mu.Unlock()
	e.tell()
}

func (e *entry) setBody(body []byte) {
	e.change(func(s *Seen) {
		if utf8.Valid(body) {
			s.Raw = string(body)
		} else {
			s.RawBase64 = base64.StdEncoding.EncodeToString(body)
		}
		if json.Valid(body) {
			s.Body = body
		}
	})
}

func (e *entry) setUsage(u counted) { e.change(func(s *Seen) { s.Usage = &u }) }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
