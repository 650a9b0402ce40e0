package providertest

import (
	"context"
	"errors"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Outcome is everything that one call of a model yielded.
type Outcome struct {
	Deltas []agent.Delta
	Answer *agent.Answer // of the DeltaDone, if there was one
	Err    error
	Dones  int
	After  int // things yielded after the first end, be it an answer or an error
}

// Collect ranges over a call to its end.
func Collect(ctx context.Context, m agent.Model, req agent.ModelRequest) Outcome {
	var o Outcome
	ended := false
	for d, err := range m.Stream(ctx, req) {
		if ended {
			o.After++
		}
		if err != nil {
			if o.Err == nil {
				o.Err = err
			}
			ended = true
			continue
		}
		o.Deltas = append(o.Deltas, d)
		if d.Kind == agent.DeltaDone {
			o.Dones++
			o.Answer = d.Answer
			ended = true
		}
	}
	return o
}

// Text joins the deltas of a kind.
func (o Outcome) Text(kind agent.DeltaKind) string {
	var b strings.Builder
	for _, d := range o.Deltas {
		if d.Kind == kind {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

// Lawful gives the first law of agent.Model that the outcome breaks, or "".
func (o Outcome) Lawful() string {
	switch {
	case o.After > 0:
		return "something was yielded after the end"
	case o.Err != nil && o.Dones > 0:
		return "both an answer and an error were yielded"
	case o.Err == nil && o.Dones != 1:
		return "the stream ended without exactly one answer"
	case o.Err == nil && o.Answer == nil:
		return "the last delta carries no answer"
	}
	var told []string
	if o.Answer != nil {
		told = make([]string, len(o.Answer.Blocks))
	}
	for i, d := range o.Deltas {
		switch d.Kind {
		case agent.DeltaOpened:
			if i > 0 {
				return "the opening is not the first delta"
			}
		case agent.DeltaText, agent.DeltaReasoning, agent.DeltaCall:
			if i == 0 {
				return "content comes before the opening"
			}
			if o.Answer == nil {
				continue
			}
			if d.Index < 0 || d.Index >= len(told) {
				return "a delta has an index that no block has"
			}
			told[d.Index] += d.Text
		}
	}
	if o.Answer == nil {
		return ""
	}
	for i, b := range o.Answer.Blocks {
		if b.Kind != agent.BlockCall && b.Text != told[i] {
			return "the deltas of a block do not add up to it"
		}
	}
	return ""
}

// play runs one script to its end.
func play(tb TB, h Harness, s Script) Outcome {
	tb.Helper()
	m, _ := h.Play(tb, Limits{}, s)
	return ended(tb, collect(tb.Context(), tb, m, request("hello")))
}

// ended requires an end of some kind; the laws of endings have cases of their own.
func ended(tb TB, o Outcome) Outcome {
	tb.Helper()
	if o.Err == nil && o.Answer == nil {
		tb.Fatalf("the stream ended with neither an answer nor an error")
	}
	return o
}

// lawful requires every law.
func lawful(tb TB, o Outcome) Outcome {
	tb.Helper()
	if law := o.Lawful(); law != "" {
		tb.Fatalf("%s: %d deltas, error %v", law, len(o.Deltas), o.Err)
	}
	return o
}

// answer requires success.
func answer(tb TB, o Outcome) *agent.Answer {
	tb.Helper()
	if o.Err != nil {
		tb.Fatalf("the call failed: %v", o.Err)
	}
	return o.Answer
}

// failure requires an *agent.Error of a code.
func failure(tb TB, o Outcome, code agent.Code) *agent.Error {
	tb.Helper()
	if o.Err == nil {
		tb.Fatalf("the call succeeded, want %s", code)
	}
	var e *agent.Error
	if !errors.As(o.Err, &e) {
		tb.Fatalf("the error is a %T, want *agent.Error: %v", o.Err, o.Err)
	}
	if e.Code != code {
		tb.Fatalf("the code is %s, want %s: %v", e.Code, code, o.Err)
	}
	return e
}
