package engine

import (
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// blocks numbers the runs of text of a turn, through all of its steps, and keeps
// the closed ones for turn.completed.
type blocks struct {
	next   int
	closed []agent.TextBlock
}

// blocksOf counts what the stored steps hold, so that a run which goes on after
// a restart numbers as the first one did.
func blocksOf(steps []agent.Step) blocks {
	var b blocks
	for _, s := range steps {
		b.add(s.Blocks)
	}
	return b
}

func (b *blocks) add(answer []agent.Block) {
	for _, block := range answer {
		if block.Text == "" || (block.Kind != agent.BlockText && block.Kind != agent.BlockReasoning) {
			continue
		}
		if block.Kind == agent.BlockText {
			b.closed = append(b.closed, agent.TextBlock{Block: b.next, Text: block.Text})
		}
		b.next++
	}
}

// text gives all that the model said in the turn, for the transcript.
func (b *blocks) text() string {
	parts := make([]string, len(b.closed))
	for i, c := range b.closed {
		parts[i] = c.Text
	}
	return strings.Join(parts, "\n\n")
}

// last gives the last block: the answer.
func (b *blocks) last() string {
	if len(b.closed) == 0 {
		return ""
	}
	return b.closed[len(b.closed)-1].Text
}

// telling turns the deltas of one answer into told text. It keeps what was said,
// so that a cut answer leaves its partial text behind.
type telling struct {
	l      *live
	from   int // number of the first block
	blocks []toldBlock
	told   bool         // something reached the reader
	opened *agent.Usage // as the provider counted when it began
}

type toldBlock struct {
	index int // of the answer
	kind  agent.BlockKind
	text  strings.Builder
}

func (t *telling) delta(d agent.Delta) {
	kind, event := agent.BlockText, agent.EventTextDelta
	switch d.Kind {
	case agent.DeltaCall:
		t.told = true
		failpoint.Soon("call.begun")
		return
	case agent.DeltaOpened:
		t.open(d.Answer)
		failpoint.Hit("answer.opened")
		return
	case agent.DeltaReasoning:
		kind, event = agent.BlockReasoning, agent.EventReasoningDelta
	case agent.DeltaText:
	default:
		return
	}
	if d.Text == "" {
		return
	}
	n := len(t.blocks)
	first := n == 0 || t.blocks[n-1].index != d.Index || t.blocks[n-1].kind != kind
	if first {
		t.blocks = append(t.blocks, toldBlock{index: d.Index, kind: kind})
		n++
	}
	t.blocks[n-1].text.WriteString(d.Text)
	t.told = true
	if t.l != nil {
		t.l.text(event, t.from+n-1, d.Text, first)
		failpoint.Hit("text.told")
	}
}

// open keeps what the provider counted when it began to answer.
func (t *telling) open(a *agent.Answer) {
	t.opened = &agent.Usage{}
	if a != nil {
		*t.opened = a.Usage
	}
}

// partial gives what was said as the blocks of a step, text only: a cut answer's
// calls never ran and its reasoning has no signature.
func (t *telling) partial() []agent.Block {
	var out []agent.Block
	for i := range t.blocks {
		b := &t.blocks[i]
		out = append(out, agent.Block{Kind: b.kind, Text: b.text.String()})
	}
	return out
}
