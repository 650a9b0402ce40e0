package fake

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// delivery writes one answer, byte for byte under its fault's control. Every
// method that gives a bool says whether to go on.
type delivery struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	ctx   context.Context
	seen  *entry
	now   func() time.Time
	start time.Time
	last  time.Time // of the last byte
	sent  int64
	fault scripted.Fault
	gone  bool // the client went away
}

func newDelivery(w http.ResponseWriter, r *http.Request, seen *entry, now func() time.Time) *delivery {
	return &delivery{w: w, rc: http.NewResponseController(w), ctx: r.Context(), seen: seen, now: now, start: now()}
}

// finish closes the record of the request.
func (d *delivery) finish() {
	end := d.now()
	d.seen.change(func(s *Seen) {
		s.EndMs = ms(end.Sub(d.start))
		s.ClosedEarly = d.gone
		if d.gone {
			from := d.start
			if !d.last.IsZero() {
				from = d.last
			}
			s.ClosedAfterMs = ms(end.Sub(from))
		}
	})
}

func ms(d time.Duration) *int64 {
	n := d.Milliseconds()
	return &n
}

// head writes the status line and the headers.
func (d *delivery) head(status int, contentType string) {
	h := d.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Request-Id", newID("req_"))
	h.Set("X-Request-Id", h.Get("Request-Id"))
	d.w.WriteHeader(status)
	_ = d.rc.Flush()
	d.seen.change(func(s *Seen) { s.Status = status })
}

// refuse answers with an error.
func (d *delivery) refuse(wr wire, e *apiError) {
	d.seen.change(func(s *Seen) { s.Refused = e.Message })
	body := wr.errorBody(e)
	d.head(e.Status, "application/json")
	d.write(body)
}

// status answers with the error of a fault. What a gateway says (502, and 504
// where the API has no word for it) is a page of HTML, as in real life.
func (d *delivery) status(wr wire, f scripted.Fault) {
	d.seen.change(func(s *Seen) { s.Fault = string(f.Kind) })
	if f.RetryAfter != "" {
		d.w.Header().Set("Retry-After", f.RetryAfter)
	}
	_, anthropic := wr.(anthropicWire)
	if f.Status == http.StatusBadGateway || f.Status == http.StatusGatewayTimeout && !anthropic {
		d.head(f.Status, "text/html")
		d.write([]byte("<html><head><title>" + http.StatusText(f.Status) + "</title></head><body>cloudflare</body></html>"))
		return
	}
	d.refuse(wr, faultError(wr, f))
}

// faultError gives the error of a fault, in words of the wire.
func faultError(wr wire, f scripted.Fault) *apiError {
	status := f.Status
	if status == 0 {
		status = 529
	}
	e := wr.fromStatus(status)
	if f.Code != "" {
		if _, ok := wr.(anthropicWire); ok {
			e.Type = f.Code
		} else {
			e.Type, e.Code = f.Code, f.Code
		}
	}
	return e
}

// write sends bytes at once, or as the fault wants it.
func (d *delivery) write(b []byte) bool {
	switch d.fault.Kind {
	case scripted.FaultReset, scripted.FaultAbort, scripted.FaultEOF:
		if left := d.fault.Bytes - d.sent; int64(len(b)) >= left {
			return d.raw(b[:left]) && d.cut()
		}
	case scripted.FaultLoris:
		for i := range b {
			if !d.raw(b[i:i+1]) || !d.wait(d.fault.Every()) {
				return false
			}
		}
		return true
	}
	return d.raw(b)
}

// raw sends bytes and notes when.
func (d *delivery) raw(b []byte) bool {
	if d.ctx.Err() != nil {
		d.gone = true
		return false
	}
	if len(b) == 0 {
		return true
	}
	n, err := d.w.Write(b)
	if err == nil {
		err = d.rc.Flush()
	}
	d.sent += int64(n)
	d.last = d.now()
	d.seen.change(func(s *Seen) {
		s.Bytes = d.sent
		s.LastByteMs = ms(d.last.Sub(d.start))
		if s.FirstByteMs == nil {
			s.FirstByteMs = s.LastByteMs
		}
	})
	if err != nil {
		d.gone = true
		return false
	}
	return true
}

// cut ends the connection, or only the body, as the fault says.
func (d *delivery) cut() bool {
	switch d.fault.Kind {
	case scripted.FaultReset:
		conn, _, err := d.rc.Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	case scripted.FaultAbort:
		panic(http.ErrAbortHandler)
	}
	return false
}

// wait lets time pass; it ends at once when the client goes away.
func (d *delivery) wait(t time.Duration) bool {
	if t <= 0 {
		return true
	}
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-d.ctx.Done():
		d.gone = true
		return false
	case <-timer.C:
		return true
	}
}

// silence waits until the client goes away.
func (d *delivery) silence() {
	<-d.ctx.Done()
	d.gone = true
}
