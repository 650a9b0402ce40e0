package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// performance is one call of the reference model.
type performance struct {
	m      *referenceModel
	ctx    context.Context
	key    string
	yield  func(agent.Delta, error) bool
	total  time.Time
	blocks []agent.Block
	raw    list
	exact  bool
	size   int
	over   bool // nothing may be yielded any more
	left   bool // because the consumer stopped
	held   []agent.Delta
}

var errBroken = &agent.Error{Code: agent.CodeProviderError, Message: "The provider failed.", Hint: "Try again.", Retryable: true}

func (p *performance) fail(err error) {
	if p.over {
		return
	}
	p.over = true
	more := p.yield(agent.Delta{}, err)
	if p.m.flaw == goesOnAfterError && more {
		p.yield(agent.Delta{Kind: agent.DeltaText, Text: "and on"}, nil)
	}
}

func (p *performance) tell(d agent.Delta) {
	if p.over {
		return
	}
	if p.m.flaw == holdsBack && d.Kind != agent.DeltaDone {
		p.held = append(p.held, d)
		return
	}
	for _, h := range append(p.held, d) {
		if !p.over && !p.yield(h, nil) {
			p.over, p.left = true, true
			if p.m.flaw != ignoresStop {
				p.m.leave()
			}
		}
	}
	p.held = nil
}

func (p *performance) run(s Script) {
	p.exact = true
	p.tell(agent.Delta{Kind: agent.DeltaOpened})
	for _, step := range s.Steps {
		if p.step(step); p.over {
			break
		}
		if err := p.ctx.Err(); err != nil && p.m.flaw != ignoresCancel {
			p.m.leave()
			p.fail(fmt.Errorf("reference: %w", err))
		}
	}
	if p.over {
		if p.left && p.m.flaw == ignoresStop {
			<-p.ctx.Done()
		}
		return
	}
	p.finish(s)
}

func (p *performance) finish(s Script) {
	stop := s.Stop
	if stop == "" || p.m.flaw == oneStop {
		stop = agent.StopEnd
	}
	if p.m.flaw != sharedIDs {
		p.unique()
	}
	a := &agent.Answer{Blocks: p.blocks, Stop: stop, Usage: s.Usage}
	switch p.m.flaw {
	case losesUsage:
		a.Usage.CacheRead = nil
	case zeroUsage:
		for _, n := range []**int64{&a.Usage.TokensIn, &a.Usage.TokensOut, &a.Usage.CacheRead, &a.Usage.CacheCreation} {
			if *n == nil {
				*n = number(0)
			}
		}
	}
	if p.exact {
		a.Raw = json.RawMessage("[" + p.raw.String() + "]")
	}
	p.tell(agent.Delta{Kind: agent.DeltaDone, Answer: a})
	if p.m.flaw == twoDones {
		p.tell(agent.Delta{Kind: agent.DeltaDone, Answer: a})
	}
}

func (p *performance) unique() {
	seen := map[string]bool{}
	for i := range p.blocks {
		if b := &p.blocks[i]; b.Kind == agent.BlockCall {
			if seen[b.WireID] {
				b.WireID, p.exact = fmt.Sprint("own_", i), false
			}
			seen[b.WireID] = true
		}
	}
}

func (p *performance) step(s Step) {
	switch s.Kind {
	case StepText:
		p.speak(agent.BlockText, agent.DeltaText, s)
	case StepReason:
		p.speak(agent.BlockReasoning, agent.DeltaReasoning, s)
	case StepDamaged:
		text := DamagedText
		if p.m.flaw == keepsNUL {
			text = "half \ufffd\x00 rune"
		}
		p.exact = false
		p.speak(agent.BlockText, agent.DeltaText, Text(text))
	case StepCall:
		p.call(s)
	case StepUnknown:
		if p.m.flaw == strict {
			p.fail(errBroken)
		}
	case StepGarbage:
		if p.m.flaw != swallowsGarbage {
			p.fail(errBroken)
		}
	case StepFail:
		if p.m.flaw != swallowsErrors {
			p.fail(p.word(s.Fault, s.Words, nil))
		}
	case StepFlood:
		n := s.Size
		if p.m.flaw != unbounded {
			n = min(n, 10<<20)
		}
		p.m.count(n)
		p.m.leave()
		p.fail(errBroken)
	case StepSilence:
		p.silence()
	case StepReset, StepEnd:
		if p.m.flaw == cutIsSuccess {
			p.finish(Script{})
			p.over = true
		}
		p.fail(errBroken)
	}
}

func (p *performance) silence() {
	idle, total := time.NewTimer(p.m.limits.Idle), time.NewTimer(time.Until(p.total))
	defer idle.Stop()
	defer total.Stop()
	done, late := p.ctx.Done(), idle.C
	if p.m.flaw == ignoresCancel {
		done = nil
	}
	if p.m.flaw == patientForever {
		late = nil
	}
	select {
	case <-done:
		p.m.leave()
		p.fail(fmt.Errorf("reference: %w", p.ctx.Err()))
	case <-late:
		p.m.leave()
		p.fail(&agent.Error{Code: agent.CodeTimeout, Message: "Too slow.", Hint: "Try again.", Retryable: true})
	case <-total.C:
		p.m.leave()
		p.fail(&agent.Error{Code: agent.CodeTimeout, Message: "Too slow.", Hint: "Try again.", Retryable: true})
	}
}

func (p *performance) spend(n int) bool {
	p.m.count(n)
	if p.size += n; p.size > 8<<20 && p.m.flaw != unbounded {
		p.m.leave()
		p.fail(errBroken)
	}
	return !p.over
}

func (p *performance) speak(kind agent.BlockKind, delta agent.DeltaKind, s Step) {
	index := len(p.blocks)
	chunks := append([]string{}, s.Chunks...)
	switch {
	case p.m.flaw == dropsDelta && len(chunks) > 2:
		chunks = append(chunks[:1], chunks[2:]...)
	case p.m.flaw == doublesDelta && len(chunks) > 2:
		chunks = append(chunks[:1], chunks...)
	case p.m.flaw == reorders && len(chunks) > 2:
		chunks[0], chunks[1] = chunks[1], chunks[0]
	}
	for _, c := range chunks {
		if !p.spend(len(c)) {
			return
		}
		if c != "" {
			p.tell(agent.Delta{Kind: delta, Index: index, Text: c})
		}
	}
	text := strings.Join(s.Chunks, "")
	p.blocks = append(p.blocks, agent.Block{Kind: kind, Text: text})
	if p.raw.add(string(kind), text); s.Signature != "" && p.m.flaw != losesSignature {
		p.raw.add(s.Signature)
	}
}

func (p *performance) call(s Step) {
	for _, c := range s.Chunks {
		if !p.spend(len(c)) {
			return
		}
	}
	args := strings.Join(s.Chunks, "")
	if args == "" && p.m.flaw != emptyArguments {
		args = "{}"
	}
	if p.m.flaw == cutArguments && !json.Valid([]byte(args)) {
		args = "{}"
	}
	if p.m.flaw == lastFragment && len(s.Chunks) > 1 {
		args = s.Chunks[len(s.Chunks)-1]
	}
	p.tell(agent.Delta{Kind: agent.DeltaCall, Index: len(p.blocks), Name: s.Name})
	p.blocks = append(p.blocks, agent.Block{Kind: agent.BlockCall, WireID: s.ID, Name: s.Name, Input: json.RawMessage(args)})
	p.exact = p.exact && json.Valid([]byte(args))
	p.raw.add(s.ID, s.Name, args)
}
