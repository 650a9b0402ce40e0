package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// Brain picks the round that answers a request. Round is called once a request,
// from any goroutine. An error that is an *agent.Error goes to the caller as it is;
// any other becomes provider_error.
type Brain interface {
	Round(req agent.ModelRequest) (Round, error)
}

// BrainFunc is a Brain written as a function.
type BrainFunc func(req agent.ModelRequest) (Round, error)

// Round calls the function.
func (f BrainFunc) Round(req agent.ModelRequest) (Round, error) { return f(req) }

// Script is a Brain that is a list of rounds: each request is answered by the
// first round whose condition holds and that is not used up, so one script serves
// several turns and threads at once.
//
// Texts, arguments and ids of a round may refer to the request: ${1} and ${name}
// are groups of its lastUser expression, ${user} is the user's whole words,
// ${result} is the matched result (else the last one) and ${result.items.0.id} a
// value inside it. ${1:int}, alone in a JSON string, becomes a number; a result's
// value, alone in a JSON string, keeps its type. What has no value is "". $${ is a
// plain ${.
type Script struct {
	rules []rule

	mu   sync.Mutex
	used []int
}

// rule is a round with its expressions compiled.
type rule struct {
	round      Round
	user, last *regexp.Regexp
}

// Parse reads a script from JSON: {"rounds": [...]}. An unknown member, a bad
// expression, reference, fault or stop reason is an error that names the round.
func Parse(data []byte) (*Script, error) {
	var file struct {
		Rounds []Round `json:"rounds"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("reading the script: text after its end")
	}
	return compile(file.Rounds)
}

// NewScript makes a script of rounds written in Go; it panics where Parse gives
// an error.
func NewScript(rounds ...Round) *Script {
	s, err := compile(rounds)
	if err != nil {
		panic(err)
	}
	return s
}

// Sequence makes a script whose rounds answer once each, one after the other.
func Sequence(rounds ...Round) *Script {
	once := make([]Round, len(rounds))
	for i, r := range rounds {
		r.Times = 1
		once[i] = r
	}
	return NewScript(once...)
}

func compile(rounds []Round) (*Script, error) {
	s := &Script{rules: make([]rule, len(rounds)), used: make([]int, len(rounds))}
	for i, r := range rounds {
		compiled, err := compileRound(r)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", i, err)
		}
		s.rules[i] = compiled
	}
	return s, nil
}

func compileRound(r Round) (rule, error) {
	out := rule{round: r}
	if r.When != nil {
		var err error
		if out.user, err = compileWords(r.When.LastUser); err != nil {
			return rule{}, fmt.Errorf("lastUser: %w", err)
		}
		if out.last, err = compileWords(r.When.LastResult); err != nil {
			return rule{}, fmt.Errorf("lastResult: %w", err)
		}
	}
	if err := r.check(); err != nil {
		return rule{}, err
	}
	return out, checkReferences(r, out.user)
}

func compileWords(expr string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	return regexp.Compile("(?im)" + expr)
}

// check refuses what no player could play.
func (r Round) check() error {
	switch r.Stop {
	case "", agent.StopEnd, agent.StopCalls, agent.StopMaxTokens, agent.StopRefusal, agent.StopOther:
	default:
		return fmt.Errorf("there is no stop reason %q", r.Stop)
	}
	if r.Times < 0 || r.DelayMs < 0 {
		return fmt.Errorf("times and delayMs must not be negative")
	}
	for _, p := range r.Parts() {
		if p.Call == nil {
			continue
		}
		if p.Call.Name == "" {
			return fmt.Errorf("a call needs a name")
		}
		if len(p.Call.Input) > 0 && !json.Valid(p.Call.Input) {
			return fmt.Errorf("the input of %s is not JSON; inputText takes any text", p.Call.Name)
		}
	}
	if r.Fault != nil {
		return r.Fault.check()
	}
	return nil
}

// Round gives the first round that answers the request, its references filled
// in, and counts it as used. Without one it is an *agent.Error, provider_error.
func (s *Script) Round(req agent.ModelRequest) (Round, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.rules {
		if r.round.Times > 0 && s.used[i] >= r.round.Times {
			continue
		}
		f, ok := r.match(req)
		if !ok {
			continue
		}
		s.used[i]++
		return f.round(r.round), nil
	}
	e := agent.Errorf(agent.CodeProviderError, "The script has no round that answers this request.")
	e.Hint = "Add a round whose condition holds, or one without a condition at the end."
	return Round{}, e
}

// Used gives how often each round has answered, in the order of the script.
func (s *Script) Used() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int(nil), s.used...)
}

// match reports whether the condition holds and gives the values to fill in.
func (r rule) match(req agent.ModelRequest) (filler, bool) {
	f := filler{user: LastUserText(req), groups: r.user}
	results := LastResults(req)
	if len(results) > 0 {
		f.result = results[len(results)-1].Text
	}
	w := r.round.When
	if w == nil {
		return f, true
	}
	if r.user != nil {
		if f.found = r.user.FindStringSubmatch(f.user); f.found == nil {
			return f, false
		}
	}
	if r.last != nil || w.ResultOf != "" {
		i := r.findResult(results)
		if i < 0 {
			return f, false
		}
		f.result = results[i].Text
	}
	if w.Tool != "" {
		if _, ok := Offered(req, w.Tool); !ok {
			return f, false
		}
	}
	return f, purposeHolds(w.Purpose, req) && (w.Step == 0 || w.Step == Step(req))
}

func (r rule) findResult(results []Result) int {
	for i, res := range results {
		named := r.round.When.ResultOf == "" || SameName(res.Name, r.round.When.ResultOf)
		if named && (r.last == nil || r.last.MatchString(res.Text)) {
			return i
		}
	}
	return -1
}

func purposeHolds(want string, req agent.ModelRequest) bool {
	switch want {
	case "":
		return true
	case "step":
		return !OneShot(req)
	case "generate":
		return OneShot(req)
	}
	return want == req.Purpose
}
