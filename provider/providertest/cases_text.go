package providertest

import (
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var textCases = []Case{
	{"text arrives in order and adds up to the answer", func(tb TB, h Harness) {
		chunks := []string{"The ", "quick ", "", "brown", " fox <b>&\"\\ ", "日本語", "🦊\n"}
		o := play(tb, h, Script{Steps: []Step{Text(chunks...)}})
		whole := strings.Join(chunks, "")
		if got := o.Text(agent.DeltaText); got != whole {
			tb.Errorf("the deltas say %q, want %q", got, whole)
		}
		for _, d := range o.Deltas {
			if d.Kind == agent.DeltaText && d.Index != 0 {
				tb.Errorf("a delta belongs to block %d, want 0", d.Index)
			}
		}
		blocks := answer(tb, o).Blocks
		if len(blocks) != 1 || blocks[0].Kind != agent.BlockText || blocks[0].Text != whole {
			tb.Errorf("the answer is %+v, want one block of text", blocks)
		}
	}},
	{"a delta is told as soon as it arrives", func(tb TB, h Harness) {
		m, up := h.Play(tb, Limits{}, Script{Steps: []Step{Text("first"), Do(StepSilence)}})
		within(tb, func() {
			for d := range m.Stream(tb.Context(), request("hello")) {
				if d.Kind == agent.DeltaText {
					break // reached only if it is not held back until the end
				}
			}
		})
		await(tb, up.Gone(), "the upstream was not hung up on")
	}},
	{"the opening comes first and the answer last, once each", func(tb TB, h Harness) {
		o := lawful(tb, play(tb, h, Script{Steps: []Step{Text("one"), Call("c1", "note_read", `{"a":1}`)}}))
		answer(tb, o)
		openings := 0
		for _, d := range o.Deltas {
			if d.Kind == agent.DeltaOpened {
				openings++
			}
		}
		if openings != 1 || o.Deltas[0].Kind != agent.DeltaOpened || o.Deltas[len(o.Deltas)-1].Kind != agent.DeltaDone {
			tb.Errorf("%d openings, first %s, last %s", openings, o.Deltas[0].Kind, o.Deltas[len(o.Deltas)-1].Kind)
		}
	}},
	{"an answer may be empty", func(tb TB, h Harness) {
		if got := answer(tb, play(tb, h, Script{})); len(got.Blocks) != 0 || got.Stop != agent.StopEnd {
			tb.Errorf("the answer is %+v, want no blocks", got)
		}
	}},
	{"events of unknown kinds and signs of life are skipped", func(tb TB, h Harness) {
		o := play(tb, h, Script{Steps: []Step{Do(StepUnknown), Do(StepPing), Text("a"), Do(StepUnknown), Do(StepPing)}})
		if got := answer(tb, o); len(got.Blocks) != 1 || got.Blocks[0].Text != "a" {
			tb.Errorf("the answer is %+v, want one block a", got.Blocks)
		}
	}},
	{"a broken rune is replaced, a NUL dropped, and nothing raw is kept", func(tb TB, h Harness) {
		got := answer(tb, play(tb, h, Script{Steps: []Step{Do(StepDamaged)}}))
		if len(got.Blocks) != 1 || got.Blocks[0].Text != DamagedText {
			tb.Errorf("the answer is %+v, want %+q", got.Blocks, DamagedText)
		}
		if got.Raw != nil {
			tb.Errorf("a repaired answer keeps raw bytes: %s", got.Raw)
		}
	}},
	{"each stop reason has one meaning", func(tb TB, h Harness) {
		for _, stop := range []agent.StopReason{agent.StopEnd, agent.StopMaxTokens, agent.StopRefusal, agent.StopOther} {
			if got := answer(tb, play(tb, h, Script{Steps: []Step{Text("x")}, Stop: stop})).Stop; got != stop {
				tb.Errorf("the stop reason is %q, want %q", got, stop)
			}
		}
		script := Script{Steps: []Step{Call("c1", "note_read", "{}")}, Stop: agent.StopCalls}
		if got := answer(tb, play(tb, h, script)).Stop; got != agent.StopCalls {
			tb.Errorf("the stop reason is %q, want %q", got, agent.StopCalls)
		}
	}},
}

var usageCases = []Case{
	{"usage is what was reported", func(tb TB, h Harness) {
		got := answer(tb, play(tb, h, Script{Steps: []Step{Text("x")}, Usage: agent.Usage{
			TokensIn: number(1200), TokensOut: number(34), CacheRead: number(900), CacheCreation: number(56),
		}})).Usage
		check := func(name string, got *int64, want int64) {
			if got == nil || *got != want {
				tb.Errorf("%s is %s, want %d", name, show(got), want)
			}
		}
		check("tokens in", got.TokensIn, 1200)
		check("tokens out", got.TokensOut, 34)
		check("cache read", got.CacheRead, 900)
		check("cache creation", got.CacheCreation, 56)
	}},
	{"usage that was not reported is nil", func(tb TB, h Harness) {
		got := answer(tb, play(tb, h, Script{Steps: []Step{Text("x")}})).Usage
		for name, n := range map[string]*int64{"in": got.TokensIn, "out": got.TokensOut, "read": got.CacheRead, "creation": got.CacheCreation} {
			if n != nil {
				tb.Errorf("tokens %s are %d, want not reported", name, *n)
			}
		}
	}},
	{"usage that is zero is zero", func(tb TB, h Harness) {
		got := answer(tb, play(tb, h, Script{Steps: []Step{Text("x")}, Usage: agent.Usage{
			TokensIn: number(7), TokensOut: number(1), CacheRead: number(0), CacheCreation: number(0),
		}})).Usage
		if got.CacheRead == nil || *got.CacheRead != 0 || got.CacheCreation == nil || *got.CacheCreation != 0 {
			tb.Errorf("cache read is %s and creation %s, want 0 and 0", show(got.CacheRead), show(got.CacheCreation))
		}
	}},
}
