package server

import (
	"io"
	"net/http"
	"time"
)

// bodyTimeout bounds how long the body of any request may take to come. A route of
// the host that takes longer uploads sets a read deadline of its own.
const bodyTimeout = 30 * time.Second

// inTime gives the body of every request so long to come, whether anybody reads it or
// not: net/http reads what a handler left before it answers, and would wait for ever
// for a client that sends a byte a minute, be it nobody or refused.
func inTime(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(limit)) // not on every transport
		r = r.WithContext(r.Context())
		r.Body = &punctual{ReadCloser: r.Body, control: control}
		next.ServeHTTP(w, r)
	})
}

// punctual is a body that lifts its deadline once it has come whole: what is done with
// it afterwards, such as a stream, may take longer.
type punctual struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read reads on; io.EOF lifts the deadline.
func (p *punctual) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if err == io.EOF {
		_ = p.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
