package api

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// stack is a server, the provider behind it, and lin with a key of her own.
type stack struct {
	*harness.Server
	provider *harness.Provider
	lin      *harness.User
	key      string
}

// anthropicKey makes a key that nobody has.
func anthropicKey(rng *rand.Rand) string {
	const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	var b strings.Builder
	for range 48 {
		b.WriteByte(letters[rng.IntN(len(letters))])
	}
	return "sk-ant-api03-" + b.String()
}

// bare starts a provider that knows the rounds, and a server before it.
func bare(t *testing.T, o harness.Options, rounds ...scripted.Round) (*harness.Server, *harness.Provider) {
	t.Helper()
	p := harness.StartProvider(t, programs)
	p.Play(append(rounds, ok())...)
	o.Programs, o.Provider = programs, p
	return harness.Start(t, o), p
}

// start is bare with lin signed in and her key stored.
func start(t *testing.T, rng *rand.Rand, rounds ...scripted.Round) stack {
	t.Helper()
	s, p := bare(t, harness.Options{}, rounds...)
	lin := s.SignIn("lin")
	key := anthropicKey(rng)
	lin.StoreKey("anthropic", key)
	p.Reset()
	return stack{Server: s, provider: p, lin: lin, key: key}
}

// ok answers whatever no other round answers, the test of a key among it.
func ok() scripted.Round { return scripted.Round{Text: scripted.Text{"OK."}} }

// says answers a message of exactly these words.
func says(words, answer string) scripted.Round {
	return scripted.Round{When: &scripted.When{LastUser: exactly(words), Purpose: "step"}, Text: scripted.Text{answer}}
}

func exactly(words string) string { return "^" + regexp.QuoteMeta(words) + "$" }

// calls answers the first step after these words with calls.
func calls(words string, calls ...scripted.Call) scripted.Round {
	return scripted.Round{When: &scripted.When{LastUser: exactly(words), Purpose: "step", Step: 1}, Calls: calls}
}

func call(name string, input any) scripted.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return scripted.Call{Name: name, Input: raw}
}

// after answers the result of a capability in words.
func after(name, answer string) scripted.Round {
	return scripted.Round{When: &scripted.When{ResultOf: name, Purpose: "step"}, Text: scripted.Text{answer}}
}

// draws answers the rewriting of a slide with one that is made from a seed.
func draws(seed uint64) scripted.Round {
	return scripted.Round{When: &scripted.When{Purpose: "generate"}, HTML: &scripted.HTML{Seed: seed}}
}

// drawn is the source that draws makes of a slide.
func drawn(seed uint64) string { return scripted.HTML{Seed: seed}.Slide() }

type variant struct {
	DeckID string `json:"deck_id,omitempty"`
	Slide  string `json:"slide_id"`
	Style  string `json:"style"`
}

// variants are the rounds that make these words a variant of a slide.
func variants(words, slide, style string, seed uint64) []scripted.Round {
	return []scripted.Round{
		calls(words, call("slide.variant", variant{Slide: slide, Style: style})),
		after("slide.variant", "That is settled."),
		draws(seed),
	}
}

// result is one entry of a transcript's tool_results.
type result struct {
	CallID   agent.CallID
	Name     string
	OK       bool
	Output   json.RawMessage
	Error    *agent.ResultError
	Decision agent.ReceiptState
	By       string
}

func results(t *testing.T, row harness.Row) (all []result) {
	t.Helper()
	if err := json.Unmarshal([]byte(row.ToolResults), &all); err != nil {
		t.Fatalf("tool_results %s: %v", row.ToolResults, err)
	}
	return all
}

// mergesOf gives the merge commits of a turn's calls.
func mergesOf(r harness.Repo, turn agent.TurnID) []harness.Merge {
	return slices.DeleteFunc(r.Merges(), func(m harness.Merge) bool { return !strings.HasPrefix(m.Key, string(turn)+"/") })
}

// usable proves that a thread takes another message and answers it.
func usable(t *testing.T, u *harness.User, thread agent.ThreadID) {
	t.Helper()
	if done := u.For(t).Chat(harness.Say("is anybody there?").In(thread)).Completed(); done.Text != "OK." {
		t.Errorf("the thread answers %q", done.Text)
	}
}

// parked waits until a turn waits for its user: a preview is told a moment before
// its turn parks, and after a kill in that moment the next life parks it.
func parked(t *testing.T, u *harness.User, turn agent.TurnID) agent.Turn {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for {
		now := u.Turn(turn)
		if now.State == agent.TurnAwaiting {
			return now
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("turn %s is %s and does not wait for its user", turn, now.State)
		}
	}
}
