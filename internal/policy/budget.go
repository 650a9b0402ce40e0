package policy

import (
	"fmt"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// maxTokens bounds what is believed of a count that a provider reports; with
// maxPrice no product overflows.
const maxTokens = int64(10_000_000_000)

// HeldRetry is how long a call waits that only running calls are in the way of.
const HeldRetry = 5 * time.Second

// Cost gives what a model call cost; known is false where the provider did not report
// what it took in and gave out. Cache counts that are not reported are none.
func Cost(p agent.Price, u agent.Usage) (cost agent.NanoUSD, known bool) {
	if u.TokensIn == nil || u.TokensOut == nil {
		return 0, false
	}
	return tokenCost(u.TokensIn, p.Input) + tokenCost(u.TokensOut, p.Output) +
		tokenCost(u.CacheRead, p.CacheRead) + tokenCost(u.CacheCreation, p.CacheWrite), true
}

func tokenCost(n *int64, price agent.NanoUSD) agent.NanoUSD {
	if n == nil {
		return 0
	}
	return agent.NanoUSD(min(max(*n, 0), maxTokens)) * price
}

// PromptBound gives a number of tokens that a request's prompt does not pass with any
// of the usual tokenizers: a letter or space of ASCII counts half, every other byte
// one, and each message, tool and slab a few for the words that a provider puts
// around it.
func PromptBound(req agent.ModelRequest) int64 {
	halves, parts := int64(0), int64(0)
	eachPromptText(req, func(s string) {
		for i := range len(s) {
			halves += int64(halvesOf[s[i]])
		}
	}, func() { parts++ })
	return (halves+1)/2 + 16*parts + 512
}

// halvesOf is how many half tokens each byte counts.
var halvesOf = func() (table [256]uint8) {
	for c := range table {
		table[c] = 2
		if b := byte(c) | 0x20; c == ' ' || b >= 'a' && b <= 'z' {
			table[c] = 1
		}
	}
	return table
}()

// PromptGuess gives about how many tokens a request's prompt has: four bytes each. It
// stands for the prompt of a call that nobody saw the end of.
func PromptGuess(req agent.ModelRequest) int64 {
	bytes := int64(0)
	eachPromptText(req, func(s string) { bytes += int64(len(s)) }, func() {})
	return TextGuess(bytes)
}

// TextGuess gives about how many tokens so many bytes of text are.
func TextGuess(bytes int64) int64 { return (bytes + 3) / 4 }

// AnswerGuess gives about how many tokens an answer has.
func AnswerGuess(a agent.Answer) int64 {
	bytes := 0
	for _, b := range a.Blocks {
		bytes += len(b.Text) + len(b.Name) + len(b.Input)
	}
	return TextGuess(int64(bytes))
}

func eachPromptText(req agent.ModelRequest, text func(string), part func()) {
	for _, t := range req.Tools {
		part()
		text(t.Name)
		text(t.Description)
		text(string(t.Schema))
	}
	for _, s := range req.System {
		part()
		text(s.Text)
	}
	for _, m := range req.Messages {
		part()
		if m.Raw != nil {
			text(string(m.Raw))
			continue
		}
		for _, b := range m.Blocks {
			part()
			text(b.Text)
			text(b.WireID)
			text(b.Name)
			text(string(b.Input))
		}
	}
}

// MostCost gives what a call may cost at most: all of its prompt at the dearest of the
// prices for it, and all the output it may make.
func MostCost(p agent.Price, prompt, output int64) agent.NanoUSD {
	return tokenCost(&prompt, max(p.Input, p.CacheRead, p.CacheWrite)) + tokenCost(&output, p.Output)
}

// MonthEnd gives when the month of a time ends (UTC), in milliseconds.
func MonthEnd(at int64) int64 {
	t := time.UnixMilli(at).UTC()
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// Exceeded words a refusal: which budget it is, how much of it is used, when it
// renews and who can raise it. It is retryable where only running calls are in the way.
func Exceeded(r agent.BudgetRefusal, model string, now int64) *agent.Error {
	e := &agent.Error{Code: agent.CodeBudgetExceeded, Panel: "usage", RetryAfter: time.Duration(r.Renews-now) * time.Millisecond}
	renews := time.UnixMilli(r.Renews).UTC().Format("2 January 2006")
	name := budgetName(r.Budget)
	if r.HardCost != nil && r.Cost == nil {
		e.Message = fmt.Sprintf("The price of the model %s is not known here, so %s of %s a month cannot be kept. Nothing was asked.", model, name, *r.HardCost)
		e.Hint = "Choose a model with a price, or ask the operator to add this one to the price table."
		e.RetryAfter = 0
		return e
	}
	overMoney := r.HardCost != nil && r.Spent+r.Held+*r.Cost > *r.HardCost
	limit, spent, held, need := tokenCount(deref(r.HardTokens)), tokenCount(r.SpentTokens), tokenCount(r.HeldTokens), tokenCount(r.Tokens)
	onlyHeld := r.SpentTokens+r.Tokens <= deref(r.HardTokens)
	if overMoney {
		limit, spent, held, need = r.HardCost.String(), r.Spent.String(), r.Held.String(), r.Cost.String()
		onlyHeld = r.Spent+*r.Cost <= *r.HardCost
	}
	e.Message = fmt.Sprintf("%s of %s a month leaves no room for this: %s are spent, %s are reserved by what is running, and the next model call may take up to %s. It renews on %s (UTC).",
		capital(name), limit, spent, held, need, renews)
	e.Hint = "An admin of your organization can raise it."
	if onlyHeld {
		e.Retryable, e.RetryAfter = true, HeldRetry
		e.Hint = "Try again once other turns have ended, or ask an admin of your organization to raise it."
	}
	return e
}

// Warning words that a soft cap is reached.
func Warning(s agent.BudgetStanding) string {
	spent, soft := tokenCount(s.SpentTokens), tokenCount(deref(s.SoftTokens))
	if s.SoftCost != nil && s.Spent >= *s.SoftCost {
		spent, soft = s.Spent.String(), s.SoftCost.String()
	}
	text := fmt.Sprintf("%s are spent this month of %s; from %s on you are told.", spent, budgetName(s.Budget), soft)
	switch {
	case s.HardCost != nil:
		text += fmt.Sprintf(" At %s it is used up.", *s.HardCost)
	case s.HardTokens != nil:
		text += fmt.Sprintf(" At %s it is used up.", tokenCount(*s.HardTokens))
	}
	return text
}

func budgetName(b agent.Budget) string {
	switch b.Scope {
	case agent.BudgetUser:
		return "your own budget"
	case agent.BudgetThread:
		return "the budget of this conversation"
	case agent.BudgetCapability:
		return "the budget of the capability " + b.Subject
	default:
		return "the budget of your organization"
	}
}

func tokenCount(n int64) string { return fmt.Sprintf("%d tokens", n) }

func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
