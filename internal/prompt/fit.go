package prompt

import (
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// MaxPath bounds how many turns of history are read and sent as they are. Where the
// path is longer a compaction is due, whatever the turns weigh.
const (
	MaxPath  = 192
	keptPath = 64
)

// Fitting is what has to become shorter before the next step can be asked. The zero
// Fitting changes nothing.
type Fitting struct {
	// Compaction replaces the turns before Keep of the path, and the one before it;
	// nil keeps all as they are. Its ID, thread, turn and time are the caller's.
	Compaction *agent.Compaction
	Keep       []agent.TurnRecord
	// CutBefore is the running turn's new CutBefore where it is not 0, and Results
	// counts the results that this cuts.
	CutBefore int
	Results   int
	Before    int // estimated tokens of the request
	After     int
}

// Changed tells whether there is anything to do.
func (f Fitting) Changed() bool { return f.Compaction != nil || f.CutBefore > 0 }

// Fit says what to do so that the next step fits the model's window. It is pure: the
// same input gives the same answer. Below the threshold nothing changes; above it the
// conversation goes down to half of that in one go, so that the prompt's prefix stays
// as it is for many turns. Turns go first, whole, so that no call is parted from its
// result; where the running turn alone is too long, its older results are cut short.
// Errors: too_large, when nothing more can be done.
func Fit(in Input) (Fitting, error) {
	r := roomOf(in)
	w := weights(in)
	f := Fitting{Before: w.total(), After: w.total()}
	if w.total() <= r.high() && len(in.Path) <= MaxPath {
		return f, nil
	}
	if n := w.drop(r); n > 0 {
		c := compact(in.Base, in.Path[:n], limits{r.window, in.Whole})
		c.Window, c.TokensBefore = r.window, f.Before
		f.Compaction, f.Keep = &c, in.Path[n:]
		w.base, w.path = tokens(len(c.Text)), w.path[n:]
		c.TokensAfter = w.total()
	}
	if w.total() > r.high() {
		f.cut(in, &w)
	}
	f.After = w.total()
	if f.Compaction != nil {
		f.Compaction.TokensAfter = f.After
	}
	if !r.fits(f.After) {
		return f, tooLarge(w, r)
	}
	return f, nil
}

// cut shortens the results of the running turn's steps before its last one.
func (f *Fitting) cut(in Input, w *weight) {
	n := len(in.Turn.Steps)
	if n == 0 {
		return
	}
	last := in.Turn.Steps[n-1].Index
	if last <= in.Turn.Turn.CutBefore {
		return
	}
	for _, c := range in.Turn.Calls {
		if c.Parent == "" && c.Step >= in.Turn.Turn.CutBefore && c.Step < last {
			f.Results++
		}
	}
	if f.Results == 0 {
		return
	}
	f.CutBefore = last
	in.Turn.Turn.CutBefore = last
	w.turn = weigh(messages(in.Turn, in.Provider, limits{in.window(), in.Whole}))
}

func tooLarge(w weight, r room) error {
	if !r.fits(w.slabs) {
		return &agent.Error{Code: agent.CodeTooLarge, Message: "The capabilities and reminders alone are more than this model can read at once.",
			Hint: "Choose a model with a larger context window, or offer fewer capabilities."}
	}
	return &agent.Error{Code: agent.CodeTooLarge, Message: "The message and what was looked up for it are more than this model can read at once.",
		Hint: "Send less at once, or choose a model with a larger context window."}
}

// weight is what a request is estimated to weigh, in tokens.
type weight struct {
	slabs, base, turn int
	path              []int
}

func weights(in Input) weight {
	lim := limits{in.window(), in.Whole}
	w := weight{slabs: weighSlabs(slabs(in)), turn: weigh(messages(in.Turn, in.Provider, lim))}
	if in.Base != nil {
		w.base = tokens(len(in.Base.Text))
	}
	for _, rec := range in.Path {
		w.path = append(w.path, weigh(messages(rec, in.Provider, lim)))
	}
	return w
}

func (w weight) total() int {
	n := w.slabs + w.base + w.turn
	for _, t := range w.path {
		n += t
	}
	return n
}

// drop gives how many of the oldest turns have to go so that the rest is at most the
// room's low with a full digest. Where not even the newest fits, all go.
func (w weight) drop(r room) int {
	left := r.low() - w.slabs - w.turn - tokens(digestLimit(r.window))
	kept := 0
	for _, t := range slices.Backward(w.path) {
		if left -= t; left < 0 || kept == keptPath {
			break
		}
		kept++
	}
	return len(w.path) - kept
}
