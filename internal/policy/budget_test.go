package policy

import (
	"math"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func p[T any](v T) *T { return &v }

var sonnet = agent.Price{Input: 3000, Output: 15000, CacheRead: 300, CacheWrite: 3750}

func TestACostIsKnownWhereInputAndOutputAreReported(t *testing.T) {
	for _, c := range []struct {
		name  string
		usage agent.Usage
		cost  agent.NanoUSD
		known bool
	}{
		{"all four", agent.Usage{TokensIn: p(int64(10)), TokensOut: p(int64(20)), CacheRead: p(int64(100)), CacheCreation: p(int64(7))}, 30000 + 300000 + 30000 + 26250, true},
		{"no cache", agent.Usage{TokensIn: p(int64(1)), TokensOut: p(int64(0))}, 3000, true},
		{"nothing", agent.Usage{}, 0, false},
		{"no output", agent.Usage{TokensIn: p(int64(1))}, 0, false},
		{"no input", agent.Usage{TokensOut: p(int64(1))}, 0, false},
		{"less than nothing", agent.Usage{TokensIn: p(int64(-5)), TokensOut: p(int64(1))}, 15000, true},
		{"more than can be", agent.Usage{TokensIn: p(int64(math.MaxInt64)), TokensOut: p(int64(0))}, 3000 * 10_000_000_000, true},
	} {
		if cost, known := Cost(sonnet, c.usage); cost != c.cost || known != c.known {
			t.Errorf("%s: %d, %v", c.name, cost, known)
		}
	}
	dear := agent.Price{Input: agent.NanoUSD(maxPrice), Output: agent.NanoUSD(maxPrice), CacheRead: agent.NanoUSD(maxPrice), CacheWrite: agent.NanoUSD(maxPrice)}
	n := p(int64(math.MaxInt64))
	if cost, _ := Cost(dear, agent.Usage{TokensIn: n, TokensOut: n, CacheRead: n, CacheCreation: n}); cost <= 0 {
		t.Errorf("a cost overflows: %d", cost)
	}
}

func TestAPromptIsBoundedFromAboveAndGuessedBetween(t *testing.T) {
	empty := PromptBound(agent.ModelRequest{})
	for text, tokens := range map[string]int64{ // as the makers' tokenizers count them, about
		"The quick brown fox jumps over the lazy dog.": 10, "数字资产管理": 10, "🦊🦊🦊": 9, `{"a":[1,2,3],"b":"x"}`: 15, "0123456789": 10,
	} {
		req := agent.ModelRequest{
			Tools: []agent.ToolSchema{{Name: text, Description: text, Schema: []byte(text)}}, System: []agent.Slab{{Text: text}},
			Messages: []agent.ModelMessage{{Role: agent.RoleUser, Blocks: []agent.Block{{Text: text, Input: []byte(text)}}}, {Raw: []byte(text)}},
		}
		if bound := PromptBound(req) - empty; bound < 7*tokens {
			t.Errorf("%q is bounded by %d tokens", text, bound)
		}
		if guess := PromptGuess(req); guess > PromptBound(req) || guess < int64(7*len(text)/4) {
			t.Errorf("%q is guessed at %d tokens", text, guess)
		}
	}
	if most := MostCost(sonnet, 100, 10); most != 100*3750+10*15000 {
		t.Errorf("the dearest is %d", most)
	}
}

func TestARefusalSaysWhichBudgetHowMuchUntilWhenAndWhoCanRaiseIt(t *testing.T) {
	now := time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC).UnixMilli()
	base := func(scope agent.BudgetScope) agent.BudgetRefusal {
		return agent.BudgetRefusal{Renews: MonthEnd(now), Cost: p(agent.USD / 4), Tokens: 900, BudgetStanding: agent.BudgetStanding{
			Budget: agent.Budget{Scope: scope, Subject: "slide.edit", HardCost: p(agent.USD)}, Spent: agent.USD * 8 / 10}}
	}
	for scope, words := range map[agent.BudgetScope]string{
		agent.BudgetOrg: "The budget of your organization of 1.00 USD", agent.BudgetUser: "Your own budget of 1.00 USD",
		agent.BudgetThread: "The budget of this conversation of 1.00 USD", agent.BudgetCapability: "The budget of the capability slide.edit of 1.00 USD",
	} {
		e := Exceeded(base(scope), "m", now)
		if e.Code != agent.CodeBudgetExceeded || !strings.HasPrefix(e.Message, words) || !strings.Contains(e.Message, "0.80 USD are spent") ||
			!strings.Contains(e.Message, "renews on 1 February 2026") || !strings.Contains(e.Hint, "admin") || e.Retryable || e.RetryAfter != 48*time.Hour {
			t.Errorf("%+v", e)
		}
	}
	held := base(agent.BudgetOrg)
	held.Spent, held.Held = agent.USD*75/100, agent.USD/10
	if e := Exceeded(held, "m", now); !e.Retryable || e.RetryAfter != HeldRetry {
		t.Errorf("what only running calls are in the way of: %+v", e)
	}
	held.Spent++
	if e := Exceeded(held, "m", now); e.Retryable {
		t.Errorf("what would not fit without them either: %+v", e)
	}
	unknown := base(agent.BudgetOrg)
	unknown.Cost = nil
	if e := Exceeded(unknown, "new-model", now); !strings.Contains(e.Message, "price of the model new-model is not known") || e.Retryable {
		t.Errorf("%+v", e)
	}
	count := base(agent.BudgetUser)
	count.HardCost, count.HardTokens, count.SpentTokens = nil, p(int64(1000)), 500
	if e := Exceeded(count, "m", now); !strings.Contains(e.Message, "of 1000 tokens a month") || !strings.Contains(e.Message, "500 tokens are spent") {
		t.Errorf("%+v", e)
	}
}

func TestAWarningSaysHowMuchIsSpentAndWhatFollows(t *testing.T) {
	s := agent.BudgetStanding{Budget: agent.Budget{Scope: agent.BudgetUser, SoftCost: p(agent.USD / 2), HardCost: p(agent.USD)}, Spent: agent.USD / 2}
	if w := Warning(s); w != "0.50 USD are spent this month of your own budget; from 0.50 USD on you are told. At 1.00 USD it is used up." {
		t.Error(w)
	}
	s = agent.BudgetStanding{Budget: agent.Budget{Scope: agent.BudgetOrg, SoftTokens: p(int64(10)), HardTokens: p(int64(20))}, SpentTokens: 12}
	if w := Warning(s); w != "12 tokens are spent this month of the budget of your organization; from 10 tokens on you are told. At 20 tokens it is used up." {
		t.Error(w)
	}
}

func TestAMonthEndsWithItsLastMoment(t *testing.T) {
	for at, want := range map[string]string{
		"2026-01-01T00:00:00Z": "2026-02-01T00:00:00Z", "2026-12-31T23:59:59Z": "2027-01-01T00:00:00Z", "2026-03-01T00:30:00+01:00": "2026-03-01T00:00:00Z",
	} {
		from, _ := time.Parse(time.RFC3339, at)
		if got := time.UnixMilli(MonthEnd(from.UnixMilli())).UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: %s", at, got)
		}
	}
}

func TestMoneyIsWrittenWithoutAFloat(t *testing.T) {
	for n, want := range map[agent.NanoUSD]string{
		0: "0.00 USD", 1: "0.000000001 USD", agent.USD: "1.00 USD", 1_500_000_000: "1.50 USD", -agent.USD / 4: "-0.25 USD", 42 * agent.USD / 10000: "0.0042 USD",
		math.MinInt64: "-9223372036.854775808 USD",
	} {
		if n.String() != want {
			t.Errorf("%d is %s", n, n)
		}
	}
}
