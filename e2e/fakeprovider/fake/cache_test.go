package fake_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
)

// prompt is a Messages request in parts, each a marked block or an unmarked one.
type prompt struct {
	model, tool, system, reminders string
	talk                           []string // user and assistant in turn
	marks                          string   // of t, s, r and m: which parts are marked
	ttl                            string
}

func (p prompt) mark(part string) string {
	if !strings.Contains(p.marks, part) {
		return ""
	}
	ttl := ""
	if p.ttl != "" {
		ttl = `,"ttl":"` + p.ttl + `"`
	}
	return `,"cache_control":{"type":"ephemeral"` + ttl + `}`
}

func (p prompt) body() string {
	if p.model == "" {
		p.model = "m"
	}
	var turns []string
	for i, text := range p.talk {
		role, mark := "user", ""
		if i%2 == 1 {
			role = "assistant"
		}
		if i == len(p.talk)-1 {
			mark = p.mark("m")
		}
		turns = append(turns, fmt.Sprintf(`{"role":%q,"content":[{"type":"text","text":%q%s}]}`, role, text, mark))
	}
	return fmt.Sprintf(`{"model":%q,"max_tokens":9,"tools":[{"name":"x","description":%q,"input_schema":{"type":"object"}%s}],
		"system":[{"type":"text","text":%q%s},{"type":"text","text":%q%s}],"messages":[%s]}`,
		p.model, p.tool, p.mark("t"), p.system, p.mark("s"), p.reminders, p.mark("r"), strings.Join(turns, ","))
}

// used is what a request reported: fresh, read and written tokens.
type used struct{ fresh, read, written float64 }

func (u used) total() float64 { return u.fresh + u.read + u.written }

func (b *bench) used(body string, headers ...string) used {
	b.tb.Helper()
	res := b.post(messages, body, headers...)
	if res.StatusCode != 200 {
		b.tb.Fatalf("refused: %+v", b.refusal(res))
	}
	var m map[string]any
	mustJSON(b.tb, b.read(res), &m)
	u := get(m, "usage")
	return used{get(u, "input_tokens").(float64), get(u, "cache_read_input_tokens").(float64), get(u, "cache_creation_input_tokens").(float64)}
}

func words(n int) string { return strings.Repeat("abc ", n) }

// slabs is a prompt of the product's shape: three slabs and the conversation.
func slabs(talk ...string) prompt {
	return prompt{tool: words(100), system: words(200), reminders: words(50), talk: talk, marks: "tsrm"}
}

func TestTheSecondRequestReadsWhatTheFirstWrote(t *testing.T) {
	b := start(t, fake.Options{})
	p := slabs(words(30))
	first := b.used(p.body())
	if first.read != 0 || first.fresh != 0 || first.written < 380 {
		t.Fatalf("the first used %+v, want everything written", first)
	}
	if again := b.used(p.body()); again != (used{read: first.written}) {
		t.Errorf("the same again used %+v, want %v read", again, first.written)
	}
	p.talk = append(p.talk, words(10), words(20))
	if next := b.used(p.body()); next.read != first.written || next.written < 30 || next.fresh != 0 {
		t.Errorf("the next turn used %+v, want %v read and the rest written", next, first.written)
	}
}

func TestAPrefixIsReadUpToTheLastSlabThatDidNotChange(t *testing.T) {
	base := slabs(words(30))
	sizes := map[string]float64{}
	for _, marks := range []string{"t", "s", "r"} {
		b := start(t, fake.Options{})
		p := base
		p.marks = marks
		sizes[marks] = b.used(p.body()).written
	}
	for _, c := range []struct {
		name   string
		change func(*prompt)
		read   float64
	}{
		{"nothing but the message", func(p *prompt) { p.talk = []string{words(31)} }, sizes["r"]},
		{"the reminders", func(p *prompt) { p.reminders += "x" }, sizes["s"]},
		{"the spine", func(p *prompt) { p.system += "x" }, sizes["t"]},
		{"a tool", func(p *prompt) { p.tool += "x" }, 0},
		{"the model", func(p *prompt) { p.model = "other" }, 0},
	} {
		b := start(t, fake.Options{})
		first := b.used(base.body())
		p := base
		c.change(&p)
		got := b.used(p.body())
		if got.read != c.read || got.fresh != 0 || got.written == 0 && c.read < first.written {
			t.Errorf("after a change of %s: %+v, want %v read", c.name, got, c.read)
		}
	}
}

func TestWithoutABreakpointNothingIsCached(t *testing.T) {
	b := start(t, fake.Options{})
	p := slabs("hello")
	p.marks = ""
	for range 2 {
		if got := b.used(p.body()); got.read != 0 || got.written != 0 || got.fresh == 0 {
			t.Errorf("used %+v, want all of it fresh", got)
		}
	}
	p.marks = "s"
	if got := b.used(p.body()); got.written == 0 || got.fresh == 0 {
		t.Errorf("used %+v, want what follows the breakpoint to be fresh", got)
	}
}

func TestTheTopLevelBreakpointMarksTheLastBlock(t *testing.T) {
	b := start(t, fake.Options{})
	body := ask(hi, `,"cache_control":{"type":"ephemeral"}`)
	first := b.used(body)
	if first.written == 0 || b.used(body) != (used{read: first.written}) {
		t.Errorf("the first used %+v and the second did not read it", first)
	}
}

func TestEachKeyHasACacheOfItsOwn(t *testing.T) {
	b := start(t, fake.Options{})
	p := slabs("hello")
	b.used(p.body())
	if got := b.used(p.body(), "Authorization", "Bearer sk-other-0123456789"); got.read != 0 {
		t.Errorf("another key read %v tokens of ours", got.read)
	}
}

func TestAPrefixUnderTheMinimumIsNotCached(t *testing.T) {
	p := slabs("hello")
	size := int(start(t, fake.Options{}).used(p.body()).total())
	for minimum, hit := range map[int]bool{size - 1: true, size: true, size + 1: false} {
		b := start(t, fake.Options{MinCacheTokens: minimum})
		b.used(p.body())
		if got := b.used(p.body()); (got.read > 0) != hit {
			t.Errorf("with a minimum of %d for %d tokens: %+v", minimum, size, got)
		}
	}
}

func TestAPrefixLivesFiveMinutesOrAnHourSinceItWasRead(t *testing.T) {
	for _, c := range []struct {
		ttl  string
		life time.Duration
	}{{"", 5 * time.Minute}, {"5m", 5 * time.Minute}, {"1h", time.Hour}} {
		clock := make(chan time.Time, 1)
		clock <- time.Unix(0, 0)
		b := start(t, fake.Options{Now: func() time.Time { now := <-clock; clock <- now; return now }})
		pass := func(d time.Duration) { now := <-clock; clock <- now.Add(d) }
		p := slabs("hello")
		p.ttl = c.ttl
		first := b.used(p.body())
		for _, step := range []struct {
			after time.Duration
			read  float64
		}{{c.life - 1, first.written}, {c.life - 1, first.written}, {c.life, 0}} {
			pass(step.after)
			if got := b.used(p.body()); got.read != step.read {
				t.Errorf("ttl %q, %v later: %+v, want %v read", c.ttl, step.after, got, step.read)
			}
		}
	}
}

func TestABreakpointLooksBackTwentyBlocks(t *testing.T) {
	for blocks, hit := range map[int]bool{18: true, 19: true, 20: false} {
		b := start(t, fake.Options{})
		p := prompt{tool: "x", system: "s", reminders: "r", talk: []string{"hello"}, marks: "m"}
		b.used(p.body())
		more := strings.Repeat(`,{"type":"text","text":"more"}`, blocks-1)
		body := strings.Replace(p.body(), `,"cache_control":{"type":"ephemeral"}}]`, `}`+more+`,{"type":"text","text":"end","cache_control":{"type":"ephemeral"}}]`, 1)
		if got := b.used(body); (got.read > 0) != hit {
			t.Errorf("%d blocks after the cached one: %+v", blocks, got)
		}
	}
}

func TestTheOtherWiresCacheByThemselves(t *testing.T) {
	b := start(t, fake.Options{})
	for _, c := range []struct {
		path, first, next string
		in, details       string
	}{
		{chat, chatAsk(hi), chatAsk(hi + `,{"role":"assistant","content":"yes"},` + hi), "prompt_tokens", "prompt_tokens_details"},
		{responses, `{"model":"m","input":[` + hi + `]}`, `{"model":"m","input":[` + hi + `,{"role":"assistant","content":"yes"},` + hi + `]}`, "input_tokens", "input_tokens_details"},
	} {
		first := get(b.whole(c.path, c.first), "usage")
		next := get(b.whole(c.path, c.next), "usage")
		if get(first, c.details, "cached_tokens") != 0.0 || get(next, c.details, "cached_tokens") != get(first, c.in) {
			t.Errorf("%s: %s, then %s", c.path, compact(first), compact(next))
		}
		if get(next, c.in).(float64) <= get(first, c.in).(float64) {
			t.Errorf("%s: the prompt must count its cached part too: %s", c.path, compact(next))
		}
	}
}
