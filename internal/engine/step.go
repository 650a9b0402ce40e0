package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// step is one model call. Its answer, the records of its calls and their refusals
// are one milestone; nothing of it is acted on before that is written.
func (r *run) step() (done bool, err error) {
	if over := r.overLimits(); over != nil {
		return true, r.fail(over)
	}
	var req agent.ModelRequest
	var model agent.Model
	err = r.reads(func() (err error) {
		req, model, err = r.request()
		return err
	})
	if err != nil {
		return true, r.fail(err)
	}
	r.trace = r.traced(req)
	r.l.tell(agent.Cast{Character: castAgent, Active: true, Caption: "Thinking"})
	answer, said, err := r.ask(r.ctx, model, req, true, "")
	if err != nil {
		r.keepPartial(said)
		return true, r.fail(err)
	}
	failpoint.Hit("answer.whole")
	done, err = r.answered(*answer)
	if err == nil && failpoint.Planted("asked_twice") {
		_, _, _ = r.ask(r.ctx, model, req, false, "")
	}
	return done, err
}

// overLimits ends a turn that goes round in circles.
func (r *run) overLimits() *agent.Error {
	if len(r.rec.Steps) >= r.e.Limits.Steps {
		return &agent.Error{Code: agent.CodeBudgetExceeded,
			Message: fmt.Sprintf("The turn was ended after %d model calls without an answer.", len(r.rec.Steps)),
			Hint:    "Ask for a smaller step."}
	}
	if n := r.refusedInARow(); n >= r.e.Limits.Refusals {
		return &agent.Error{Code: agent.CodeBudgetExceeded,
			Message: fmt.Sprintf("The turn was ended: the model asked %d times in a row for what it was refused.", n),
			Hint:    "Ask in other words, or for something else."}
	}
	var out int64
	for _, s := range r.rec.Steps {
		if s.Usage.TokensOut != nil {
			out += *s.Usage.TokensOut
		}
	}
	if out > r.e.Limits.TokensOut {
		return &agent.Error{Code: agent.CodeBudgetExceeded,
			Message: fmt.Sprintf("The turn was ended after %d tokens of output.", out), Hint: "Ask for a smaller step."}
	}
	return nil
}

// refusedInARow counts the last answers that asked for nothing but what the gates
// refuse: a model that does not listen would go on, on somebody's key.
func (r *run) refusedInARow() int {
	n := 0
	for i := len(r.rec.Steps) - 1; i >= 0; i-- {
		calls := r.callsOf(r.rec.Steps[i].Index)
		refused := len(calls) > 0
		for _, c := range calls {
			refused = refused && c.Result != nil && c.Result.Error != nil &&
				(c.Result.Error.Code == agent.CodeRateLimited || c.Result.Error.Code == agent.CodeNotExecuted)
		}
		if !refused {
			break
		}
		n++
	}
	return n
}

// request composes the step and opens the key.
func (r *run) request() (agent.ModelRequest, agent.Model, error) {
	t := r.rec.Turn
	route, err := r.e.Models.Route(t.Model)
	if err != nil {
		return agent.ModelRequest{}, nil, err
	}
	key, err := r.e.openKey(r.ctx, t, len(r.rec.Steps) == 0)
	if err != nil {
		return agent.ModelRequest{}, nil, err
	}
	failpoint.Hit("key.opened")
	if err := r.readPath(); err != nil {
		return agent.ModelRequest{}, nil, err
	}
	if err := r.remindersOnce(); err != nil {
		return agent.ModelRequest{}, nil, err
	}
	in := prompt.Input{
		App: r.e.App, Provider: t.Provider, Model: t.Model, Tools: r.e.Registry.Tools(t.Capabilities),
		Reminders: r.reminders,
		Base:      r.base, Path: r.path, Turn: r.rec, MaxTokens: prompt.RoomFor(r.e.Limits.StepTokens, window(route)), Window: window(route),
	}
	if in.Whole, err = r.uncut(); err != nil {
		return agent.ModelRequest{}, nil, err
	}
	if err := r.fit(&in); err != nil {
		return agent.ModelRequest{}, nil, err
	}
	req := r.e.compose(in)
	req.Key = key.Secret
	return req, route.Model, nil
}

// ask makes one model call with the one retry loop: before anything was told, a
// failure that the provider may get over is tried again, within the limits of
// attempts and waiting. A cancelled context ends it at once, also while it waits.
func (r *run) ask(ctx context.Context, model agent.Model, req agent.ModelRequest, aloud bool, capability string) (*agent.Answer, *telling, error) {
	model = guarded{r, model}
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		said := &telling{from: r.blocks.next}
		if aloud {
			said.l = r.l
		}
		held, err := r.afford(ctx, req, capability)
		if err != nil {
			return nil, said, err
		}
		answer, err := listen(ctx, model, req, said)
		if err == nil {
			r.spent(held, *answer)
			return answer, said, nil
		}
		r.failed(held, said, err)
		wait, again := r.again(ctx, err, said, attempt, waited)
		if !again {
			return nil, said, r.refused(err)
		}
		waited += wait
		r.settleNow()
		caption := fmt.Sprintf("%s; trying again in %d s", strings.TrimSuffix(agent.ErrorMessage(err), "."), int(wait.Seconds()+0.99))
		r.l.tell(agent.Cast{Character: castAgent, Active: true, Caption: caption})
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, said, ctx.Err()
		case <-timer.C:
		}
	}
}

// again decides whether and when a failed model call is tried again.
func (r *run) again(ctx context.Context, err error, said *telling, attempt int, waited time.Duration) (time.Duration, bool) {
	var ours *agent.Error
	if ctx.Err() != nil || said.told || attempt >= r.e.Limits.Attempts || !errors.As(err, &ours) || !ours.Retryable {
		return 0, false
	}
	wait := ours.RetryAfter
	if wait <= 0 {
		// 0.5 s, 2 s, 8 s, each up to a quarter shorter or longer.
		wait = 500 * time.Millisecond << (2 * (attempt - 1))
		wait += time.Duration((rand.Float64() - 0.5) * 0.5 * float64(wait))
	}
	return wait, waited+wait <= r.e.Limits.RetryWait
}

// listen runs one stream to its end. A stream that ends silently is an error:
// the contract of agent.Model forbids it, and an answer must not be made up.
func listen(ctx context.Context, model agent.Model, req agent.ModelRequest, said *telling) (*agent.Answer, error) {
	failpoint.Soon("request.sent")
	for d, err := range model.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if d.Kind == agent.DeltaDone {
			if d.Answer == nil {
				break
			}
			return d.Answer, nil
		}
		said.delta(d)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &agent.Error{Code: agent.CodeProviderError, Retryable: true, Message: "The provider's answer ended before it was complete.", Hint: "Try again."}
}

// answered writes the answer and decides what it asks for.
func (r *run) answered(a agent.Answer) (done bool, err error) {
	t := r.rec.Turn
	step := agent.Step{
		TurnID: t.ID, Index: len(r.rec.Steps), Run: r.l.turn.Run, Provider: t.Provider, Model: t.Model,
		Blocks: a.Blocks, Raw: a.Raw, Stop: a.Stop, Usage: a.Usage, At: r.e.at(), Trace: r.trace,
	}
	calls, refused := r.plan(step)
	m := agent.Milestone{Step: &step, Calls: calls}
	payloads := []agent.Payload{r.usageOf("step", a.Usage)}
	if len(calls) > 0 {
		payloads = append(payloads, quiet(castAgent))
	}
	for _, c := range calls {
		payloads = append(payloads, r.startedEvent(c))
	}
	for _, c := range refused {
		payloads = append(payloads, doneEvent(c, agent.PhaseHandler, ""))
	}
	r.rec.Steps = append(r.rec.Steps, step)
	r.rec.Calls = append(r.rec.Calls, calls...)
	r.blocks.add(a.Blocks)
	if len(calls) == 0 {
		if failure := unanswered(a); failure != nil {
			return true, r.failWith(m, failure, payloads...)
		}
		return true, r.complete(m, payloads...)
	}
	row := r.row()
	m.Transcript = &row
	return false, r.l.milestone(m, payloads...)
}

// unanswered is an answer that says nothing and asks for nothing.
func unanswered(a agent.Answer) *agent.Error {
	for _, b := range a.Blocks {
		if b.Kind == agent.BlockText && b.Text != "" {
			return nil
		}
	}
	if a.Stop == agent.StopRefusal {
		return agent.Errorf(agent.CodeProviderError, "The model declined to answer this message.")
	}
	return &agent.Error{Code: agent.CodeProviderError, Retryable: true, Message: "The model gave an empty answer.", Hint: "Send the message again, or put it in other words."}
}

// keepPartial remembers what was told of an answer that never came whole.
func (r *run) keepPartial(said *telling) {
	blocks := said.partial()
	if len(blocks) == 0 {
		return
	}
	t := r.rec.Turn
	r.partial = &agent.Step{
		TurnID: t.ID, Index: len(r.rec.Steps), Run: r.l.turn.Run, Provider: t.Provider, Model: t.Model,
		Blocks: blocks, Stop: agent.StopOther, At: r.e.at(), Trace: r.trace,
	}
	r.rec.Steps = append(r.rec.Steps, *r.partial)
	r.blocks.add(blocks)
}

// quiet tells that a character rests; nobody glows while the turn waits.
func quiet(character string) agent.Payload { return agent.Cast{Character: character} }

func (r *run) usageOf(purpose string, u agent.Usage) agent.UsageReported {
	return agent.UsageReported{Model: r.rec.Turn.Model, Purpose: purpose, TokensIn: u.TokensIn, TokensOut: u.TokensOut,
		CacheRead: u.CacheRead, CacheCreation: u.CacheCreation, CostUSD: r.costOf(u)}
}
