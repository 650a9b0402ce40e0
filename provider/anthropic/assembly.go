package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// maxParts bounds the content blocks of one answer.
const maxParts = 4096

// assembly puts an answer together. It takes nothing on trust: an answer counts
// only when every block was closed and the message was stopped.
type assembly struct {
	opened bool
	parts  map[int]*part // by the wire's index
	order  []*part       // as they came
	shown  int           // blocks that the caller has an index of
	bytes  int
	stop   string
	usage  agent.Usage
}

// apply takes one event. It gives at most one delta, whether the event was worth
// something (a ping is not), and an error where the stream makes no sense.
func (a *assembly) apply(e ssestream.Event, f outbound.Failure) (delta agent.Delta, worth bool, err error) {
	switch e.Type {
	case "error":
		return delta, false, inBand(f, e.Data)
	case "message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta", "content_block_stop":
	default:
		return delta, false, nil // ping, and what is still to be invented
	}
	var ev event
	if err := json.Unmarshal(e.Data, &ev); err != nil {
		return delta, false, malformed(f, errors.New("an event is no JSON"))
	}
	if e.Type != "message_start" && !a.opened {
		return delta, false, malformed(f, errors.New("content before the start"))
	}
	repaired := !utf8.Valid(e.Data)
	switch e.Type {
	case "message_start":
		delta, err = a.start(ev)
	case "content_block_start":
		delta, err = a.open(ev, repaired)
	case "content_block_delta":
		worth = ev.Delta.PartialJSON+ev.Delta.Signature != ""
		delta, err = a.extend(ev, repaired)
	case "content_block_stop":
		err = a.close(ev)
	case "message_delta":
		ev.Usage.merge(&a.usage)
		if ev.Delta.StopReason != "" {
			a.stop = ev.Delta.StopReason
		}
	case "message_stop":
		delta, err = a.finish()
	}
	if err != nil {
		return agent.Delta{}, false, malformed(f, err)
	}
	return delta, worth || delta.Kind != "", nil
}

func (a *assembly) start(ev event) (agent.Delta, error) {
	if a.opened {
		return agent.Delta{}, errors.New("a second start")
	}
	a.opened, a.parts = true, map[int]*part{}
	ev.Message.Usage.merge(&a.usage)
	return agent.Delta{Kind: agent.DeltaOpened, Answer: &agent.Answer{Usage: a.usage}}, nil
}

func (a *assembly) open(ev event, repaired bool) (agent.Delta, error) {
	if a.parts[ev.Index] != nil {
		return agent.Delta{}, fmt.Errorf("block %d begins twice", ev.Index)
	}
	if len(a.order) == maxParts {
		return agent.Delta{}, outbound.ErrMalformed
	}
	p := &part{verbatim: ev.ContentBlock, index: -1, altered: repaired}
	if err := json.Unmarshal(ev.ContentBlock, &p.opening); err != nil || p.Type == "" {
		return agent.Delta{}, fmt.Errorf("block %d has no type", ev.Index)
	}
	a.parts[ev.Index] = p
	a.order = append(a.order, p)
	switch p.Type {
	case "tool_use":
		p.index = a.mint()
		return agent.Delta{Kind: agent.DeltaCall, Index: p.index, Name: p.Name}, a.spend(len(ev.ContentBlock))
	case "text":
		return a.show(p, p.Text, agent.DeltaText)
	case "thinking":
		p.signature.WriteString(p.Signature)
		return a.show(p, p.Thinking, agent.DeltaReasoning)
	}
	return agent.Delta{}, a.spend(len(ev.ContentBlock)) // kept as it came
}

func (a *assembly) extend(ev event, repaired bool) (agent.Delta, error) {
	p := a.parts[ev.Index]
	if p == nil || p.closed {
		return agent.Delta{}, fmt.Errorf("block %d is not open", ev.Index)
	}
	p.altered = p.altered || repaired
	switch d := ev.Delta; {
	case p.Type == "text" && d.Type == "text_delta":
		return a.show(p, d.Text, agent.DeltaText)
	case p.Type == "thinking" && d.Type == "thinking_delta":
		return a.show(p, d.Thinking, agent.DeltaReasoning)
	case p.Type == "thinking" && d.Type == "signature_delta":
		p.signature.WriteString(d.Signature)
		return agent.Delta{}, a.spend(len(d.Signature))
	case p.Type == "tool_use" && d.Type == "input_json_delta":
		p.text.WriteString(p.clean(d.PartialJSON))
		return agent.Delta{}, a.spend(len(d.PartialJSON))
	}
	p.altered = true
	return agent.Delta{}, nil
}

// show adds text to a part and gives the delta for it; none for no text.
func (a *assembly) show(p *part, text string, kind agent.DeltaKind) (agent.Delta, error) {
	text = p.clean(text)
	if text == "" {
		return agent.Delta{}, nil
	}
	if p.index < 0 {
		p.index = a.mint()
	}
	p.text.WriteString(text)
	return agent.Delta{Kind: kind, Index: p.index, Text: text}, a.spend(len(text))
}

func (a *assembly) mint() int {
	a.shown++
	return a.shown - 1
}

func (a *assembly) spend(n int) error {
	if a.bytes += n; a.bytes > outbound.MaxAnswerBytes {
		return outbound.ErrMalformed
	}
	return nil
}

func (a *assembly) close(ev event) error {
	p := a.parts[ev.Index]
	if p == nil || p.closed {
		return fmt.Errorf("block %d ends without being open", ev.Index)
	}
	p.closed = true
	return nil
}

func (a *assembly) finish() (agent.Delta, error) {
	if a.stop == "" {
		return agent.Delta{}, errors.New("the message stops without a reason")
	}
	for _, p := range a.order {
		if !p.closed {
			return agent.Delta{}, fmt.Errorf("a block of type %q was cut", p.Type)
		}
	}
	answer := &agent.Answer{Stop: stopReason(a.stop), Usage: a.usage, Blocks: make([]agent.Block, a.shown)}
	unique := a.uniqueIDs()
	for _, p := range a.order {
		if p.index >= 0 {
			answer.Blocks[p.index] = p.block()
		}
	}
	if raw, exact := a.raw(); exact && unique {
		answer.Raw = raw
	}
	return agent.Delta{Kind: agent.DeltaDone, Answer: answer}, nil
}

// uniqueIDs gives every call an id of its own and reports whether all had one.
func (a *assembly) uniqueIDs() bool {
	seen, unique := map[string]bool{}, true
	for i, p := range a.order {
		if p.Type != "tool_use" {
			continue
		}
		for n := 0; p.ID == "" || seen[p.ID]; n++ {
			p.ID, unique = fmt.Sprintf("call_%d_%d", i, n), false
		}
		seen[p.ID] = true
	}
	return unique
}

func (a *assembly) raw() (json.RawMessage, bool) {
	var b bytes.Buffer
	for i, p := range a.order {
		b.WriteByte("[,"[min(i, 1)])
		if !p.raw(&b) {
			return nil, false
		}
	}
	if b.Len() == 0 {
		b.WriteByte('[')
	}
	b.WriteByte(']')
	return b.Bytes(), true
}

// cut is what the end of a stream without an end of its message means.
func cut(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}
