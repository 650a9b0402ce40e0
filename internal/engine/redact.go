package engine

import (
	"context"
	"iter"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// redaction is what a run holds of its thread's placeholders.
type redaction struct {
	mu     sync.Mutex // capabilities may ask the model side by side
	thread *policy.Redaction
	stored agent.RedactionMap
}

// guarded is a model that never sees what the org keeps from providers: placeholders go
// out, and the values come back in what it says. Every call of a model goes through it.
type guarded struct {
	r     *run
	model agent.Model
}

// Stream asks the model. The request is redacted under the thread's map, and what the
// map gained is on the disk before the request leaves.
func (g guarded) Stream(ctx context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		out, sent, err := g.r.redacted(ctx, req)
		if err != nil {
			yield(agent.Delta{}, err)
			return
		}
		ctx = agent.WithRedactions(ctx, sent.Count())
		if sent.Empty() {
			for d, err := range g.model.Stream(ctx, out) {
				if !yield(d, err) {
					return
				}
			}
			return
		}
		t := restoring{sent: sent, yield: yield}
		for d, err := range g.model.Stream(ctx, out) {
			if !t.delta(d, err) {
				return
			}
		}
		t.flush()
	}
}

// restoring puts the values back into the deltas of one answer.
type restoring struct {
	sent  *policy.Sent
	yield func(agent.Delta, error) bool
	// open is the run of text that goes on, if its kind is set.
	open agent.Delta
	text *policy.Restorer
}

// delta passes one thing on; more is false when nobody listens any more.
func (t *restoring) delta(d agent.Delta, err error) (more bool) {
	if err != nil || d.Kind != agent.DeltaText && d.Kind != agent.DeltaReasoning {
		if !t.flush() {
			return false
		}
		if d.Answer != nil && err == nil {
			answer := t.sent.Answer(*d.Answer)
			d.Answer = &answer
		}
		return t.yield(d, err)
	}
	if t.text == nil || d.Kind != t.open.Kind || d.Index != t.open.Index {
		if !t.flush() {
			return false
		}
		t.open, t.text = agent.Delta{Kind: d.Kind, Index: d.Index}, t.sent.Restorer()
	}
	if d.Text = t.text.Write(d.Text); d.Text == "" {
		return true
	}
	return t.yield(d, nil)
}

// flush ends the run of text and tells what was held back of it.
func (t *restoring) flush() (more bool) {
	if t.text == nil {
		return true
	}
	d := t.open
	d.Text, t.text = t.text.Close(), nil
	return d.Text == "" || t.yield(d, nil)
}

// redacted gives a request as its provider may see it.
func (r *run) redacted(ctx context.Context, req agent.ModelRequest) (out agent.ModelRequest, sent *policy.Sent, err error) {
	r.redaction.mu.Lock()
	defer r.redaction.mu.Unlock()
	err = r.reads(func() (err error) {
		out, sent, err = r.redactedOnce(ctx, req)
		for tries := 0; agent.ErrorCode(err) == agent.CodeConflict && tries < 3; tries++ {
			r.redaction.thread = nil // another process wrote it; it is read again
			out, sent, err = r.redactedOnce(ctx, req)
		}
		return err
	})
	return out, sent, err
}

func (r *run) redactedOnce(ctx context.Context, req agent.ModelRequest) (agent.ModelRequest, *policy.Sent, error) {
	d := &r.redaction
	if d.thread == nil {
		if err := r.openRedaction(ctx); err != nil {
			return req, nil, err
		}
	}
	out, sent, err := d.thread.Request(req)
	if err != nil {
		d.thread = nil // what it learned of a request that is not sent is forgotten
		return req, nil, err
	}
	entries := d.thread.Entries()
	if len(entries) == len(d.stored.Entries) {
		return out, sent, nil
	}
	next := d.stored
	next.Entries = entries
	if err := r.e.Redactions.PutRedactionMap(ctx, next); err != nil {
		return req, nil, err
	}
	next.Version++
	d.stored = next
	return out, sent, nil
}

// uncut gives what keeps a cut from parting a detail; nil where nothing is kept from the
// provider.
func (r *run) uncut() (func(text string, isJSON bool, at int) (from, to int), error) {
	d := &r.redaction
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.thread == nil {
		if err := r.openRedaction(r.ctx); err != nil {
			return nil, err
		}
	}
	thread := d.thread
	if thread.Idle() {
		return nil, nil
	}
	return func(text string, isJSON bool, at int) (from, to int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return thread.Whole(text, isJSON, at)
	}, nil
}

// openRedaction reads the rules and the thread's map. Rules that cannot be used keep
// everything from leaving.
func (r *run) openRedaction(ctx context.Context) error {
	d, pol := &r.redaction, r.policy
	if pol.OrgID == "" { // a run for a clean-up decides nothing by the policy, but may ask the model
		var err error
		if pol, err = r.e.Store.Policy(ctx); err != nil {
			return err
		}
	}
	rules, err := policy.CompileRedaction(pol.Redaction)
	if err != nil {
		e := agent.Wrap(agent.CodePolicyDenied, err, "Your organisation's rules of what to keep from providers cannot be used.")
		e.Hint = "Ask an admin of your organisation to set them again."
		return e
	}
	d.stored, err = r.e.Redactions.RedactionMap(ctx, r.rec.Turn.ThreadID)
	if err != nil {
		return err
	}
	d.thread = policy.NewRedaction(rules, d.stored.Entries)
	return nil
}
