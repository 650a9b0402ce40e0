package engine

import (
	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// Bounds of what is read of a path, in turns. A compaction is due long before either.
const (
	maxPath       = prompt.MaxPath + 64
	maxCompaction = 1024
)

// readPath reads the turns before this one, and the compaction that stands for those
// which are not sent any more; once a run.
func (r *run) readPath() error {
	if r.pathRead {
		return nil
	}
	id := r.rec.Turn.ID
	base, between, ok, err := r.e.Store.Compaction(r.ctx, id, maxCompaction)
	if err != nil {
		return err
	}
	limit := maxPath
	if ok {
		r.base, limit = &base, min(between, maxPath)
	}
	if r.path, err = r.e.Store.Path(r.ctx, id, limit); err != nil {
		return err
	}
	r.pathRead = true
	return nil
}

// fit makes the conversation shorter where the next step would not fit the model's
// window: that is written and told before the model is asked, so that it happens
// once. Errors: too_large; or the run is over.
func (r *run) fit(in *prompt.Input) error {
	f, err := prompt.Fit(*in)
	if err != nil {
		return err
	}
	if !f.Changed() {
		return nil
	}
	m := agent.Milestone{CutBefore: f.CutBefore}
	told := agent.ContextCompacted{Results: f.Results, TokensBefore: f.Before, TokensAfter: f.After, Window: in.Window}
	if c := f.Compaction; c != nil {
		c.ID, c.ThreadID, c.TurnID, c.At = r.e.IDs("compaction"), r.rec.Turn.ThreadID, r.rec.Turn.ID, r.e.at()
		m.Compaction = c
		told.Turns, told.Through = c.ThroughIndex+1, c.Through
	}
	if err := r.l.milestone(m, told); err != nil {
		return err
	}
	if f.Compaction != nil {
		r.base, r.path = f.Compaction, f.Keep
	}
	if f.CutBefore > 0 {
		r.rec.Turn.CutBefore = f.CutBefore
	}
	in.Base, in.Path, in.Turn = r.base, r.path, r.rec
	return nil
}

// traced hashes a request as it is sent, beside the one before on the path.
func (r *run) traced(req agent.ModelRequest) *agent.PromptTrace {
	t := prompt.Trace(req, r.traceBefore(), r.base, r.rec.Turn.CutBefore)
	return &t
}

func (r *run) traceBefore() *agent.PromptTrace {
	if n := len(r.rec.Steps); n > 0 {
		return r.rec.Steps[n-1].Trace
	}
	for i := len(r.path) - 1; i >= 0; i-- {
		if n := len(r.path[i].Steps); n > 0 {
			return r.path[i].Steps[n-1].Trace
		}
	}
	return nil
}

// window is what a model can read at once, in tokens.
func window(route agent.ModelRoute) int {
	if route.Window > 0 {
		return route.Window
	}
	return agent.DefaultWindow
}
