package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// Trace hashes the segments of a request, as it is sent. before is the trace of the
// model call before, nil for none: its messages are this one's history. base and
// cutBefore say what was made shorter.
func Trace(req agent.ModelRequest, before *agent.PromptTrace, base *agent.Compaction, cutBefore int) agent.PromptTrace {
	t := agent.PromptTrace{Messages: len(req.Messages), CutBefore: cutBefore, Template: SpineHash()[:16]}
	if base != nil {
		t.Compaction = base.ID
	}
	if before != nil {
		t.Covered = min(before.Messages, len(req.Messages))
	}
	tools := newDigest()
	for _, tool := range req.Tools {
		tools.tool(tool)
	}
	spine, reminders := newDigest(), newDigest()
	for i, slab := range req.System {
		if i == 0 {
			spine.text(slab.Text)
		} else {
			reminders.text(slab.Text)
		}
	}
	all, tail := newDigest(), newDigest()
	history := all.segment(agent.SegmentHistory)
	for i, m := range req.Messages {
		all.message(m)
		if i >= t.Covered {
			tail.message(m)
			t.TailBlocks += blockCount(m)
		} else if i == t.Covered-1 {
			history = all.segment(agent.SegmentHistory)
		}
	}
	t.Sent = all.sum()
	t.Segments = []agent.Segment{tools.segment(agent.SegmentTools), spine.segment(agent.SegmentSpine),
		reminders.segment(agent.SegmentReminders), history, tail.segment(agent.SegmentTail)}
	t.ToolNames, t.ToolSet = unordered(req.Tools)
	return t
}

// blockCount counts blocks as a provider does that looks back over them.
func blockCount(m agent.ModelMessage) int {
	var raw []json.RawMessage
	if m.Raw != nil && json.Unmarshal(m.Raw, &raw) == nil {
		return len(raw)
	}
	return len(m.Blocks)
}

// unordered hashes the names of tools and the tools themselves in an order of their own.
func unordered(tools []agent.ToolSchema) (names, set string) {
	var byName []string
	var sums [][]byte
	for _, tool := range tools {
		byName = append(byName, tool.Name)
		one := newDigest()
		one.tool(tool)
		sums = append(sums, one.h.Sum(nil))
	}
	slices.Sort(byName)
	slices.SortFunc(sums, bytes.Compare)
	n, s := newDigest(), newDigest()
	for i := range tools {
		n.text(byName[i])
		s.text(string(sums[i]))
	}
	return n.sum(), s.sum()
}

// digest hashes texts, each with its length before it, and counts their bytes.
type digest struct {
	h     hash.Hash
	bytes int
}

func newDigest() *digest { return &digest{h: sha256.New()} }

func (d *digest) text(s string) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(s)))
	_, _ = d.h.Write(size[:]) // a hash takes everything
	_, _ = io.WriteString(d.h, s)
	d.bytes += len(s)
}

func (d *digest) tool(t agent.ToolSchema) {
	d.text(t.Name)
	d.text(t.Description)
	d.text(string(t.Schema))
}

// message hashes what an adapter sends of a message. The breakpoint is no part of it:
// it moves on while the message stays.
func (d *digest) message(m agent.ModelMessage) {
	d.text(string(m.Role))
	if m.Raw != nil {
		d.text(m.Provider)
		d.text(string(m.Raw))
		return
	}
	for _, b := range m.Blocks {
		failed := ""
		if b.Error {
			failed = "error"
		}
		for _, s := range []string{string(b.Kind), b.Text, b.WireID, b.Name, string(b.Input), failed} {
			d.text(s)
		}
	}
}

// sum gives the first 16 hex digits; the hash can go on from there.
func (d *digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)[:8]) }

func (d *digest) segment(name agent.SegmentName) agent.Segment {
	return agent.Segment{Name: name, Hash: d.sum(), Bytes: d.bytes}
}
