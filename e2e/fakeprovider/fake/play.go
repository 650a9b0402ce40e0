package fake

import (
	"bytes"
	"net/http"

	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// frame is one server-sent event.
type frame struct {
	event string // "" for none
	data  []byte
	role  role
}

// role says what a frame means to the faults.
type role int

const (
	frameOther   role = iota
	frameContent      // carries a chunk
	frameTail         // ends the answer
)

func (f frame) bytes() []byte {
	var b bytes.Buffer
	if f.event != "" {
		b.WriteString("event: " + f.event + "\n")
	}
	b.WriteString("data: ")
	b.Write(f.data)
	b.WriteString("\n\n")
	return b.Bytes()
}

// play sends an answer, streamed or whole, and breaks it as the fault says.
func (d *delivery) play(wr wire, q *question, a *answer, f scripted.Fault) {
	d.fault = f
	d.seen.change(func(s *Seen) { s.Fault = string(f.Kind) })
	if f.Kind == scripted.FaultSilentHeaders {
		d.silence()
		return
	}
	m := mangle{f.Kind, f.Bytes}
	if !q.stream {
		d.playWhole(wr, q, a, m)
		return
	}
	frames := m.spoil(wr.frames(q, a, m))
	d.head(http.StatusOK, "text/event-stream; charset=utf-8")
	if (f.Kind == scripted.FaultReset || f.Kind == scripted.FaultAbort) && f.Bytes == 0 {
		d.cut()
		return
	}
	told, struck := 0, false
	for i, fr := range frames {
		if f.Kind == scripted.FaultSlow && !d.wait(f.Every()) {
			return
		}
		if !struck && (fr.role == frameTail || fr.role == frameContent && told >= f.After) {
			struck = true
			if !d.strike(wr, a, fr, i) {
				return
			}
		}
		if !d.write(fr.bytes()) {
			return
		}
		if fr.role == frameContent {
			told++
		}
	}
}

// strike does what a fault does at its moment, before the frame that comes next.
func (d *delivery) strike(wr wire, a *answer, next frame, seq int) bool {
	switch d.fault.Kind {
	case scripted.FaultError, scripted.FaultFailed:
		e := faultError(wr, d.fault)
		d.write(wr.errorFrame(e, a, d.fault.Kind == scripted.FaultFailed, seq).bytes())
		return false
	case scripted.FaultSilence:
		d.silence()
		return false
	case scripted.FaultPings:
		for d.write(wr.idle()) && d.wait(d.fault.Every()) {
		}
		return false
	case scripted.FaultGarbage:
		return d.write(frame{event: next.event, data: []byte(`{"type": "content_block_delta", `)}.bytes())
	case scripted.FaultUnknownEvent:
		return d.write(wr.novelty(a, seq).bytes())
	case scripted.FaultEndless:
		limit := d.fault.Bytes
		if limit == 0 {
			limit = 1 << 30
		}
		for b := next.bytes(); next.role == frameContent && d.sent < limit; {
			if !d.write(b) {
				return false
			}
		}
	}
	return true
}

// playWhole sends an answer that is not streamed.
func (d *delivery) playWhole(wr wire, q *question, a *answer, m mangle) {
	body := wr.whole(q, a, m)
	switch d.fault.Kind {
	case scripted.FaultError, scripted.FaultFailed:
		d.refuse(wr, faultError(wr, d.fault))
		return
	case scripted.FaultGarbage:
		body = body[:len(body)/2]
	case scripted.FaultSilence, scripted.FaultPings:
		d.head(http.StatusOK, "application/json")
		if d.write(body[:len(body)/2]) {
			d.silence()
		}
		return
	case scripted.FaultSlow:
		if !d.wait(d.fault.Every()) {
			return
		}
	}
	d.head(http.StatusOK, "application/json")
	d.write(body)
}
