package providertest

import "net/http"

// Wire writes scripts in one provider's terms and reads its requests; with it, a
// Server plays every part of a Harness's upstream.
type Wire interface {
	// Encode gives the body of a stream in pieces: one that begins it, one for each
	// step, one that ends it. Steps that only act on the connection, and floods,
	// have an empty piece.
	Encode(s Script) []string
	// Refuse gives status and body of an answer that is an error.
	Refuse(r Refusal) (status int, body string)
	// See reads a request; Body is filled in already.
	See(r *http.Request, seen *Seen)
}

// act is what happens after a piece is written.
type act int

const (
	goOn act = iota
	fallSilent
	breakOff
	endEarly
	flood
)

// frame is a piece of a stream and what follows it.
type frame struct {
	data string
	then act
	size int
}

func frames(w Wire, s Script) []frame {
	pieces := w.Encode(s)
	out := make([]frame, 0, len(pieces))
	for i, piece := range pieces {
		f := frame{data: piece}
		if i > 0 && i <= len(s.Steps) {
			switch step := s.Steps[i-1]; step.Kind {
			case StepSilence:
				f.then = fallSilent
			case StepReset:
				f.then = breakOff
			case StepEnd:
				f.then = endEarly
			case StepFlood:
				f.then, f.size = flood, step.Size
			}
		}
		out = append(out, f)
		if f.then == endEarly || f.then == breakOff || f.then == fallSilent {
			break
		}
	}
	return out
}
