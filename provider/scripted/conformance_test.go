package scripted_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// harness plays the suite's scripts as rounds; upstream and model are one.
type harness struct{}

func TestConformance(t *testing.T) { providertest.Run(t, harness{}) }

func (harness) Provider() string { return scripted.Provider }

// NotApplicable names the cases about a wire and about limits of time and size:
// this model sends nothing and is its own upstream.
func (harness) NotApplicable() map[string]string {
	const (
		noWire  = "the scripted model sends no request and reads no headers"
		noLimit = "the scripted model has no limits of its own: the engine's context ends it"
	)
	out := map[string]string{}
	for _, name := range []string{
		"an answer is replayed byte for byte to its own provider",
		"a signature survives the replay",
		"a replayed message takes the rolling breakpoint without losing a byte",
		"another provider's raw bytes are never sent",
		"results reach the calls that they answer",
		"a conversation with arguments that never parsed can go on",
		"tools arrive in the order given, with their schemas byte for byte",
		"system slabs arrive in order, and blank ones not at all",
		"breakpoints stand where they are asked for",
		"the same step is the same bytes",
		"a longer conversation begins with the bytes of the shorter one",
		"blank text and nothing else is never sent",
		"the wait that the provider asks for is handed on",
	} {
		out[name] = noWire
	}
	for _, name := range []string{
		"silence ends in a timeout",
		"the total limit ends a call that is never silent",
		"a flood that is no event is refused early",
		"an answer without end is refused",
	} {
		out[name] = noLimit
	}
	return out
}

func (harness) Play(_ providertest.TB, _ providertest.Limits, scripts ...providertest.Script) (agent.Model, providertest.Upstream) {
	up := &upstream{gone: make(chan struct{})}
	brain := scripted.BrainFunc(func(req agent.ModelRequest) (scripted.Round, error) {
		return round(scripts[min(up.receive(req), len(scripts)-1)]), nil
	})
	return &watched{scripted.New(brain, scripted.Options{}), up}, up
}

// upstream keeps what was asked.
type upstream struct {
	mu   sync.Mutex
	seen []providertest.Seen
	gone chan struct{}
	once sync.Once
}

func (u *upstream) receive(req agent.ModelRequest) int {
	seen := providertest.Seen{Key: req.Key.Reveal()}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = append(u.seen, seen)
	return len(u.seen) - 1
}

func (u *upstream) Requests() []providertest.Seen {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]providertest.Seen(nil), u.seen...)
}

func (u *upstream) Gone() <-chan struct{} { return u.gone }
func (u *upstream) Written() int64        { return 0 }

// watched tells the upstream when a stream is over before its end.
type watched struct {
	*scripted.Model
	up *upstream
}

func (w *watched) Stream(ctx context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		done := false
		w.Model.Stream(ctx, req)(func(d agent.Delta, err error) bool {
			done = d.Kind == agent.DeltaDone
			return yield(d, err)
		})
		if !done {
			w.up.once.Do(func() { close(w.up.gone) })
		}
	}
}

var statuses = map[providertest.Fault]int{
	providertest.FaultKey: 401, providertest.FaultForbidden: 403, providertest.FaultBilling: 402, providertest.FaultInvalid: 400,
	providertest.FaultModel: 404, providertest.FaultTooLarge: 413, providertest.FaultRate: 429, providertest.FaultOverloaded: 529,
	providertest.FaultServer: 500, providertest.FaultTimeout: 504,
}

// breaks are the steps that are a fault of the round.
var breaks = map[providertest.StepKind]scripted.FaultKind{
	providertest.StepGarbage: scripted.FaultGarbage, providertest.StepFail: scripted.FaultError, providertest.StepFlood: scripted.FaultBigLine,
	providertest.StepSilence: scripted.FaultSilence, providertest.StepReset: scripted.FaultReset, providertest.StepEnd: scripted.FaultEOF,
	providertest.StepUnknown: scripted.FaultUnknownEvent,
}

// round says a script of the suite in rounds.
func round(s providertest.Script) scripted.Round {
	r := scripted.Round{Stop: s.Stop, Usage: &s.Usage, Blocks: []scripted.Part{}}
	if s.Stop == "" {
		r.Stop = agent.StopEnd
	}
	if s.Refuse != nil {
		r.Fault = &scripted.Fault{Kind: scripted.FaultStatus, Status: statuses[s.Refuse.Fault], RetryAfter: s.Refuse.Header["retry-after"]}
		return r
	}
	chunks := 0
	for _, step := range s.Steps {
		if kind, ok := breaks[step.Kind]; ok {
			if r.Fault == nil {
				r.Fault = &scripted.Fault{Kind: kind, After: chunks, Status: statuses[step.Fault]}
			}
			continue
		}
		text := scripted.Text(append([]string{""}, step.Chunks...)) // the first keeps one chunk from being cut
		switch step.Kind {
		case providertest.StepText:
			r.Blocks = append(r.Blocks, scripted.Part{Text: text})
		case providertest.StepReason:
			r.Blocks = append(r.Blocks, scripted.Part{Reasoning: text})
		case providertest.StepDamaged:
			r.Blocks = append(r.Blocks, scripted.Part{Text: scripted.Text{"half \xc3 ru\x00ne"}})
		case providertest.StepCall:
			chunks++
			r.Blocks = append(r.Blocks, scripted.Part{Call: &scripted.Call{ID: step.ID, Name: step.Name, InputText: scripted.Text(step.Chunks).String()}})
			continue
		}
		chunks += len(text.Chunks())
	}
	return r
}
