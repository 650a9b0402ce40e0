package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// maxPieces bounds the blocks of one answer.
const maxPieces = 4096

// piece is one block on its way in.
type piece struct {
	kind  agent.BlockKind
	text  strings.Builder // text, reasoning, or the arguments of a call
	name  string
	id    string
	index int  // among the blocks that the caller sees; -1 until shown
	done  bool // the wire said that it is complete
}

// input gives the arguments of a call as they came; none are an empty object.
func (p *piece) input() string {
	if text := p.text.String(); strings.TrimSpace(text) != "" {
		return text
	}
	return "{}"
}

// assembly is what the readers of both APIs fill.
type assembly struct {
	failure  outbound.Failure
	opened   bool
	over     bool // the wire said that nothing follows
	worth    bool // the last event brought content
	repaired bool // what is kept is not exactly what came
	deltas   []agent.Delta
	shown    []*piece
	bytes    int
	usage    agent.Usage
}

// tell yields what has gathered; false when the consumer stopped.
func (a *assembly) tell(watch *outbound.Watch, yield func(agent.Delta, error) bool) bool {
	if len(a.deltas) == 0 {
		return true
	}
	watch.Pause()
	for _, d := range a.deltas {
		if !yield(d, nil) {
			return false
		}
	}
	a.deltas = a.deltas[:0]
	watch.Progress()
	return true
}

func (a *assembly) add(d agent.Delta) {
	a.worth = true
	a.deltas = append(a.deltas, d)
}

// open tells once that the provider accepted the request.
func (a *assembly) open() {
	if !a.opened {
		a.opened = true
		a.add(agent.Delta{Kind: agent.DeltaOpened})
	}
}

// say adds text or reasoning to a piece and tells it.
func (a *assembly) say(p *piece, text string) error {
	if text = a.clean(text); text == "" {
		return nil
	}
	if err := a.show(p); err != nil {
		return err
	}
	p.text.WriteString(text)
	kind := agent.DeltaText
	if p.kind == agent.BlockReasoning {
		kind = agent.DeltaReasoning
	}
	a.add(agent.Delta{Kind: kind, Index: p.index, Text: text})
	return a.spend(len(text))
}

// announce tells that a call begins, once its name is whole.
func (a *assembly) announce(p *piece) error {
	if p.index >= 0 {
		return nil
	}
	if p.name == "" {
		return a.malformed(errors.New("a call has no name"))
	}
	if err := a.show(p); err != nil {
		return err
	}
	a.add(agent.Delta{Kind: agent.DeltaCall, Index: p.index, Name: p.name})
	return nil
}

// argue adds a fragment of arguments, which are never told before the end.
func (a *assembly) argue(p *piece, fragment string) error {
	fragment = a.clean(fragment)
	a.worth = a.worth || fragment != ""
	p.text.WriteString(fragment)
	return a.spend(len(fragment))
}

func (a *assembly) show(p *piece) error {
	if p.index >= 0 {
		return nil
	}
	p.index = len(a.shown)
	a.shown = append(a.shown, p)
	if p.index >= maxPieces {
		return a.malformed(outbound.ErrMalformed)
	}
	return nil
}

func (a *assembly) spend(n int) error {
	if a.bytes += n; a.bytes > outbound.MaxAnswerBytes {
		return a.malformed(outbound.ErrMalformed)
	}
	return nil
}

// clean drops what no store and no terminal should see.
func (a *assembly) clean(text string) string {
	if strings.Contains(text, "\x00") {
		a.repaired = true
		return strings.ReplaceAll(text, "\x00", "")
	}
	return text
}

// blocks gives the finished blocks; calls without an id of their own get one.
func (a *assembly) blocks() []agent.Block {
	seen := map[string]bool{}
	out := make([]agent.Block, len(a.shown))
	for i, p := range a.shown {
		switch p.kind {
		case agent.BlockCall:
			for n := 0; p.id == "" || seen[p.id]; n++ {
				p.id, a.repaired = fmt.Sprintf("call_%d_%d", i, n), true
			}
			seen[p.id] = true
			input := json.RawMessage(p.input())
			a.repaired = a.repaired || !isObject(input)
			out[i] = agent.Block{Kind: p.kind, WireID: p.id, Name: p.name, Input: input}
		default:
			out[i] = agent.Block{Kind: p.kind, Text: p.text.String()}
		}
	}
	return out
}

func (a *assembly) hasCalls() bool {
	for _, p := range a.shown {
		if p.kind == agent.BlockCall {
			return true
		}
	}
	return false
}

// malformed words a stream that makes no sense; what it said is not repeated.
func (a *assembly) malformed(why error) error {
	f := a.failure
	f.Words = why.Error()
	e := f.Error(agent.CodeProviderError)
	e.Retryable = !errors.Is(why, outbound.ErrMalformed)
	return e
}

// cut is what the end of a stream without an end of its answer means.
func cut(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}
