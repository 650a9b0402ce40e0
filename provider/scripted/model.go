package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Provider is the id of this adapter, and the name of its one model.
const Provider = "scripted"

// DemoPace is a pace at which an answer looks alive.
const DemoPace = 15 * time.Millisecond

// Options tunes a Model; the zero value plays as fast as it is read.
type Options struct {
	// Pace is the time before each chunk of text.
	Pace time.Duration
	// Wait replaces the clock: it returns after d, or with the context's error as
	// soon as that ends.
	Wait func(ctx context.Context, d time.Duration) error
}

// Model plays the rounds of a Brain. It is safe for use by many goroutines.
type Model struct {
	brain Brain
	pace  time.Duration
	wait  func(context.Context, time.Duration) error
}

var _ agent.Model = (*Model)(nil)

// New makes a model that answers with the rounds of a brain.
func New(brain Brain, o Options) *Model {
	m := &Model{brain: brain, pace: o.Pace, wait: o.Wait}
	if m.wait == nil {
		m.wait = wait
	}
	return m
}

// Info describes the model for the operator's catalogue.
func Info() agent.ModelInfo {
	return agent.ModelInfo{Name: Provider, Provider: Provider, Scripted: true}
}

// Stream plays the round that answers the request; see agent.Model. A context
// that ends gives interrupted, or timeout at its deadline, with the context's
// error as the cause.
func (m *Model) Stream(ctx context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		err := m.play(ctx, req, func(d agent.Delta) bool { return yield(d, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(agent.Delta{}, err)
		}
	}
}

// errStopped says that the reader has stopped the range: it must hear nothing more.
var errStopped = errors.New("stopped")

func (m *Model) play(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta) bool) error {
	if err := ctx.Err(); err != nil {
		return ended(err)
	}
	round, err := m.brain.Round(req)
	if err != nil {
		var known *agent.Error
		if errors.As(err, &known) {
			return err
		}
		return agent.Wrap(agent.CodeProviderError, err, "The scripted model has no answer to this.")
	}
	p := &player{model: m, ctx: ctx, req: req, round: round, yield: yield, pace: m.pace}
	if OneShot(req) {
		p.pace = 0 // nobody watches these words come
	}
	return p.run()
}

// player is one round being played.
type player struct {
	model  *Model
	ctx    context.Context
	req    agent.ModelRequest
	round  Round
	pace   time.Duration
	yield  func(agent.Delta) bool
	told   int // chunks so far
	blocks []agent.Block
	mended bool // something was repaired, so that nothing raw can be replayed
}

func (p *player) run() error {
	if err := p.pause(time.Duration(p.round.DelayMs) * time.Millisecond); err != nil {
		return err
	}
	f := p.round.Fault
	if f != nil && f.Kind == FaultStatus {
		return f.Err()
	}
	if f != nil && f.Kind == FaultSilentHeaders {
		return p.silence()
	}
	if err := p.tell(agent.Delta{Kind: agent.DeltaOpened}); err != nil {
		return err
	}
	for _, part := range p.round.Parts() {
		if err := p.part(part); err != nil {
			return err
		}
	}
	if err := p.broken(true); err != nil {
		return err
	}
	return p.tell(agent.Delta{Kind: agent.DeltaDone, Answer: p.answer()})
}

func (p *player) part(part Part) error {
	switch {
	case part.Call != nil:
		return p.call(*part.Call)
	case len(part.Reasoning) > 0:
		return p.words(agent.DeltaReasoning, agent.BlockReasoning, part.Reasoning)
	case len(part.Text) > 0:
		return p.words(agent.DeltaText, agent.BlockText, part.Text)
	}
	return nil
}

func (p *player) words(kind agent.DeltaKind, block agent.BlockKind, t Text) error {
	clean := t.clean()
	p.mended = p.mended || !slices.Equal(clean, t)
	t = clean
	for _, chunk := range t.Chunks() {
		if err := p.chunk(agent.Delta{Kind: kind, Index: len(p.blocks), Text: chunk}); err != nil {
			return err
		}
	}
	p.blocks = append(p.blocks, agent.Block{Kind: block, Text: t.String()})
	return nil
}

func (p *player) call(c Call) error {
	wire := c.Tool(p.req)
	if err := p.chunk(agent.Delta{Kind: agent.DeltaCall, Index: len(p.blocks), Name: wire}); err != nil {
		return err
	}
	id := c.ID
	if p.repeated(id) {
		id, p.mended = "", true
	}
	if id == "" {
		id = MintID(p.req, p.blocks)
	}
	p.blocks = append(p.blocks, agent.Block{
		Kind: agent.BlockCall, WireID: id, Name: wire, Input: json.RawMessage(c.Arguments()),
	})
	return nil
}

// repeated reports whether an id of the script stands in this answer already.
func (p *player) repeated(id string) bool {
	return id != "" && slices.ContainsFunc(p.blocks, func(b agent.Block) bool { return b.WireID == id })
}

// chunk tells one piece of content, at the pace of the model or of its fault.
func (p *player) chunk(d agent.Delta) error {
	if err := p.broken(false); err != nil {
		return err
	}
	pace := p.pace
	if f := p.round.Fault; f != nil && f.Kind == FaultSlow {
		pace = f.Every()
	}
	if err := p.pause(pace); err != nil {
		return err
	}
	p.told++
	return p.tell(d)
}

// broken gives the error of the round's fault where its time has come.
func (p *player) broken(end bool) error {
	f := p.round.Fault
	if f == nil || f.Err() == nil || (!end && (p.told < f.After || f.atEnd())) {
		return nil
	}
	if f.Kind == FaultSilence || f.Kind == FaultPings || f.Kind == FaultLoris {
		return p.silence()
	}
	return f.Err()
}

// silence waits until the reader gives up.
func (p *player) silence() error {
	<-p.ctx.Done()
	return ended(p.ctx.Err())
}

func (p *player) tell(d agent.Delta) error {
	if err := p.ctx.Err(); err != nil {
		return ended(err)
	}
	if !p.yield(d) {
		return errStopped
	}
	return nil
}

func (p *player) pause(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if err := p.model.wait(p.ctx, d); err != nil {
		return ended(err)
	}
	return nil
}

func (p *player) answer() *agent.Answer {
	raw, err := json.Marshal(p.blocks)
	if err != nil || p.mended {
		raw = nil // Arguments that are no JSON have no raw form to replay either.
	}
	a := &agent.Answer{Blocks: p.blocks, Raw: raw, Stop: p.round.StopReason()}
	if p.round.Usage != nil {
		a.Usage = *p.round.Usage
	}
	return a
}

// MintID gives a call id that the conversation and the blocks so far do not hold.
func MintID(req agent.ModelRequest, blocks []agent.Block) string {
	n := 1
	taken := func(id string) bool {
		same := func(b agent.Block) bool { return b.WireID == id }
		return slices.ContainsFunc(blocks, same) || slices.ContainsFunc(req.Messages, func(m agent.ModelMessage) bool {
			return slices.ContainsFunc(m.Blocks, same)
		})
	}
	for taken(fmt.Sprintf("call_%d", n)) {
		n++
	}
	return fmt.Sprintf("call_%d", n)
}

func ended(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return agent.Wrap(agent.CodeTimeout, err, "The model did not finish in time.")
	}
	return agent.Wrap(agent.CodeInterrupted, err, "The model was stopped.")
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
