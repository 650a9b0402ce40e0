package providertest

import (
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// bounded is how much an upstream may send before it is hung up on, whatever it
// sends; the sockets between the two hold some of it.
const bounded = 20 << 20

// slowness is how long a slow reader takes over one delta, and brief a limit that
// is waited for; the proofs of the suite itself shorten both.
var (
	slowness = 600 * time.Millisecond
	brief    = 60 * time.Millisecond
)

var limitCases = []Case{
	{"silence ends in a timeout", func(tb TB, h Harness) {
		for _, steps := range [][]Step{{Do(StepSilence)}, {Text("a"), Do(StepSilence)}} {
			m, up := h.Play(tb, Limits{Idle: brief}, Script{Steps: steps})
			e := failure(tb, ended(tb, collect(tb.Context(), tb, m, request("hello"))), agent.CodeTimeout)
			if !e.Retryable {
				tb.Errorf("a timeout can be tried again")
			}
			left(tb, up)
		}
	}},
	{"the total limit ends a call that is never silent", func(tb TB, h Harness) {
		m, up := h.Play(tb, Limits{Idle: time.Minute, Total: brief}, Script{Steps: []Step{Text("a"), Do(StepSilence)}})
		failure(tb, ended(tb, collect(tb.Context(), tb, m, request("hello"))), agent.CodeTimeout)
		left(tb, up)
	}},
	{"a slow reader is no silence", func(tb TB, h Harness) {
		m, _ := h.Play(tb, Limits{Idle: slowness * 3 / 4}, Script{Steps: []Step{Text("a", "b"), Text("c")}})
		var text string
		var failed error
		within(tb, func() {
			for d, err := range m.Stream(tb.Context(), request("hello")) {
				if text += d.Text; d.Text == "a" {
					<-time.After(slowness)
				}
				failed = err
			}
		})
		if failed != nil || text != "abc" {
			tb.Errorf("the text is %q and the error %v, want abc and none", text, failed)
		}
	}},
	{"a flood that is no event is refused early", func(tb TB, h Harness) {
		m, up := h.Play(tb, Limits{}, Script{Steps: []Step{Text("a"), Flood(128 << 20)}})
		failure(tb, ended(tb, collect(tb.Context(), tb, m, request("hello"))), agent.CodeProviderError)
		await(tb, up.Gone(), "the flood was not hung up on")
		if n := up.Written(); n > bounded {
			tb.Errorf("%d bytes were taken, want at most %d", n, bounded)
		}
	}},
	{"an answer without end is refused", func(tb TB, h Harness) {
		line := strings.Repeat("x", 64<<10)
		chunks := make([]string, 160) // 10 MiB
		for i := range chunks {
			chunks[i] = line
		}
		for _, step := range []Step{Text(chunks...), Reason("s", chunks...), Call("call_1", "note_write", chunks...)} {
			failure(tb, play(tb, h, Script{Steps: []Step{step}}), agent.CodeProviderError)
		}
	}},
}
