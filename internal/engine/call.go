package engine

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// progressEvery is how often a handler's progress reaches the readers.
const progressEvery = 100 * time.Millisecond

// call gives a capability's function what it may know and use.
func (r *run) call(c agent.CallRecord, key string) *agent.Call {
	return &agent.Call{
		ID: c.ID, Turn: c.TurnID, Thread: r.rec.Turn.ThreadID, Capability: c.Capability, Input: c.Input,
		Principal: r.principal, Project: r.project, Key: key,
		Log: r.e.Log.With("turn", c.TurnID, "call", c.ID), Now: r.e.Now,
		Progress: r.progress(c.ID),
		Generate: func(ctx context.Context, req agent.GenerateRequest) (string, error) {
			return r.generate(ctx, c, req)
		},
		Transcript: func(ctx context.Context) ([]agent.TranscriptRow, error) {
			return r.e.Store.Transcripts(ctx, r.rec.Turn.ThreadID)
		},
	}
}

// progress tells a handler's progress, rate-limited; the last word of a handler
// is its result, so a dropped one is no loss.
func (r *run) progress(id agent.CallID) func(agent.CapabilityProgress) {
	var mu sync.Mutex
	var last time.Time
	return func(p agent.CapabilityProgress) {
		now := r.e.Now()
		mu.Lock()
		ok := last.IsZero() || now.Sub(last) >= progressEvery
		if ok {
			last = now
		}
		mu.Unlock()
		if ok && context.Cause(r.ctx) == nil {
			p.CallID = id
			r.l.tell(p)
		}
	}
}

// shown is the input of a call as readers see it: always JSON, also where the
// model wrote something that is none.
func shown(input json.RawMessage) json.RawMessage {
	if len(input) == 0 {
		return nil
	}
	if json.Valid(input) {
		return input
	}
	text, err := json.Marshal(string(input))
	if err != nil {
		return nil
	}
	return text
}
