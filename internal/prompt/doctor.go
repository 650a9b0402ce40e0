package prompt

import (
	"fmt"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	// lookback is how many blocks a provider looks back from a breakpoint for a prefix
	// that it has, the breakpoint's own included.
	lookback = 20
	// cacheLife is how long a prefix lives after it was last read.
	cacheLife = 5 * time.Minute
)

// Diagnose says what changed in the prompt of a model call since the one before on the
// path, nil for none, and what it cost.
func Diagnose(before *agent.StepTrace, now agent.StepTrace) agent.CacheStep {
	out := agent.CacheStep{
		TurnID: now.TurnID, TurnIndex: now.TurnIndex, Step: now.Step, At: now.At, Model: now.Model, Provider: now.Provider,
		Usage: now.Usage, Segments: []agent.Segment{}, Changed: []agent.SegmentName{}, Findings: []agent.CacheFinding{},
	}
	if now.Trace != nil {
		out.Segments = now.Trace.Segments
	}
	d := diagnosis{CacheStep: &out}
	if before == nil {
		d.expected(agent.CacheFirstCall, "", "This is the first model call of the conversation: there was nothing to read.")
		return out
	}
	out.RewrittenTokens = rewritten(before.Usage, now.Usage)
	if before.Model != now.Model || before.Provider != now.Provider {
		d.expected(agent.CacheModelChanged, "", fmt.Sprintf("The model changed from %s to %s, and each model has a cache of its own.", before.Model, now.Model))
	}
	if before.Trace == nil || now.Trace == nil {
		d.expected(agent.CacheNoTrace, "", "No hashes were kept of this model call or of the one before.")
		return out
	}
	d.tools(before.Trace, now.Trace)
	d.slabs(before.Trace, now.Trace)
	d.history(before, now)
	d.rest(before, now)
	return out
}

// diagnosis is a CacheStep on its way.
type diagnosis struct{ *agent.CacheStep }

func (d diagnosis) add(cause agent.CacheCause, seg agent.SegmentName, expected bool, message string) {
	if seg != "" {
		d.Changed = append(d.Changed, seg)
	}
	d.Findings = append(d.Findings, agent.CacheFinding{Cause: cause, Segment: seg, Expected: expected, Message: message})
}

func (d diagnosis) expected(cause agent.CacheCause, seg agent.SegmentName, message string) {
	d.add(cause, seg, true, message)
}

func (d diagnosis) fault(cause agent.CacheCause, seg agent.SegmentName, message string) {
	d.add(cause, seg, false, message)
}

func hashOf(t *agent.PromptTrace, name agent.SegmentName) string {
	for _, s := range t.Segments {
		if s.Name == name {
			return s.Hash
		}
	}
	return ""
}

func differ(a, b *agent.PromptTrace, name agent.SegmentName) bool {
	return hashOf(a, name) != hashOf(b, name)
}

func (d diagnosis) tools(before, now *agent.PromptTrace) {
	switch {
	case !differ(before, now, agent.SegmentTools):
	case before.ToolNames != now.ToolNames:
		d.expected(agent.CacheToolsChanged, agent.SegmentTools,
			"Another list of tools was offered. Tools stand first, so nothing after them could be read. Send the same whitelist for every message of a conversation.")
	case before.ToolSet != now.ToolSet:
		d.fault(agent.CacheToolEdited, agent.SegmentTools,
			"The same tools were offered, and the description or the schema of one is not what it was. Neither may change while the program runs.")
	default:
		d.fault(agent.CacheToolsReordered, agent.SegmentTools,
			"The same tools were offered in another order. They must be sorted, never taken from a map as it comes.")
	}
}

func (d diagnosis) slabs(before, now *agent.PromptTrace) {
	switch {
	case !differ(before, now, agent.SegmentSpine):
	case before.Template != now.Template:
		d.expected(agent.CacheSpineChanged, agent.SegmentSpine, "Another release of the program has another spine.")
	default:
		d.fault(agent.CacheSpineChanged, agent.SegmentSpine,
			"The spine is not what it was, in the same release of the program. The name of the app stands in it; a clock, a number or an id there spoils every call.")
	}
	if differ(before, now, agent.SegmentReminders) {
		d.expected(agent.CacheRemindersChanged, agent.SegmentReminders, "A reminder of the organisation was edited.")
	}
}

// history compares what the call before had sent with the same messages now.
func (d diagnosis) history(before *agent.StepTrace, now agent.StepTrace) {
	b, n := before.Trace, now.Trace
	sameTurn := before.TurnID == now.TurnID
	shorter := b.Compaction != n.Compaction || (sameTurn && b.CutBefore != n.CutBefore) || (!sameTurn && n.CutBefore != 0)
	switch {
	case n.Covered == b.Messages && hashOf(n, agent.SegmentHistory) == b.Sent:
	case shorter:
		d.expected(agent.CacheHistoryCompacted, agent.SegmentHistory,
			"The conversation was compacted, because it became longer than the model can read at once. That happens once in many turns.")
	case before.Provider != now.Provider:
		d.expected(agent.CacheHistoryChanged, agent.SegmentHistory, "The history is written in another way for another provider.")
	default:
		d.fault(agent.CacheHistoryChanged, agent.SegmentHistory,
			"An earlier message is not what it was: it was edited, or a change was undone after the model had read of it. Nothing from there on could be read.")
	}
}

// rest is what explains a miss where no segment does.
func (d diagnosis) rest(before *agent.StepTrace, now agent.StepTrace) {
	if n := now.Trace.TailBlocks; n >= lookback && now.Trace.Covered > 0 {
		d.expected(agent.CacheLookback, "", fmt.Sprintf(
			"%d blocks came since the last breakpoint, and a provider looks back over %d: a step with more than 9 parallel calls can miss the history.", n, lookback))
	}
	if now.At-before.At > cacheLife.Milliseconds() {
		d.expected(agent.CacheExpired, "", fmt.Sprintf("%d minutes passed since the model call before; a cache lives for %d.",
			(now.At-before.At)/time.Minute.Milliseconds(), int(cacheLife.Minutes())))
	}
	read, had := now.Usage.CacheRead, cached(before.Usage)
	switch {
	case read == nil || *read > 0 || had == nil || len(d.Findings) > 0:
	case *had == 0:
		d.expected(agent.CacheTooSmall, "", "The provider cached nothing of the model call before: the prompt is shorter than it caches.")
	default:
		d.fault(agent.CacheMissed, "", "Nothing changed, and the provider read nothing from its cache.")
	}
}

// cached gives the tokens that a model call left in the cache, nil where it was not
// reported.
func cached(u agent.Usage) *int64 {
	if u.CacheRead == nil || u.CacheCreation == nil {
		return nil
	}
	n := *u.CacheRead + *u.CacheCreation
	return &n
}

func rewritten(before, now agent.Usage) *int64 {
	had := cached(before)
	if had == nil || now.CacheRead == nil {
		return nil
	}
	n := max(0, *had-*now.CacheRead)
	return &n
}
