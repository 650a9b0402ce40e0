package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// reference is a harness whose model needs no wire: it follows scripts itself.
// With a flaw it is one of the broken models that the suite must catch.
type reference struct{ flaw flaw }

func (reference) Provider() string                 { return "reference" }
func (reference) NotApplicable() map[string]string { return nil }

func (h reference) Play(_ TB, limits Limits, scripts ...Script) (agent.Model, Upstream) {
	if limits.Idle == 0 {
		limits.Idle = time.Minute
	}
	if limits.Total == 0 {
		limits.Total = time.Minute
	}
	m := &referenceModel{flaw: h.flaw, limits: limits, scripts: scripts, gone: make(chan struct{})}
	return m, m
}

// referenceModel is both sides of the wire that there is not.
type referenceModel struct {
	flaw    flaw
	limits  Limits
	scripts []Script

	mu      sync.Mutex
	seen    []Seen
	written int64
	key     string
	gone    chan struct{}
	once    sync.Once
}

func (m *referenceModel) Gone() <-chan struct{} { return m.gone }
func (m *referenceModel) leave()                { m.once.Do(func() { close(m.gone) }) }

func (m *referenceModel) Written() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.written
}

func (m *referenceModel) Requests() []Seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

func (m *referenceModel) count(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written += int64(n)
}

// receive reads a request and gives the script that answers it.
func (m *referenceModel) receive(req agent.ModelRequest) Script {
	seen := m.read(req)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key == "" {
		m.key = seen.Key
	}
	if m.flaw == stickyKey {
		seen.Key = m.key
	}
	m.seen = append(m.seen, seen)
	return m.scripts[min(len(m.seen)-1, len(m.scripts)-1)]
}

func (m *referenceModel) read(req agent.ModelRequest) Seen {
	seen := Seen{Key: req.Key.Reveal(), Marks: []string{}, Results: map[string]string{}}
	var body list
	tools := slices.Clone(req.Tools)
	if m.flaw == shuffledTools && len(tools) > 0 {
		m.mu.Lock()
		m.key += "."
		tools = append(tools[len(m.key)%len(tools):], tools[:len(m.key)%len(tools)]...)
		m.mu.Unlock()
	}
	for _, t := range tools {
		seen.Tools = append(seen.Tools, t.Name)
		body.add(t.Name, string(t.Schema))
	}
	if req.CacheTools {
		seen.Marks = append(seen.Marks, "tools")
	}
	for i, s := range req.System {
		if strings.TrimSpace(s.Text) == "" && m.flaw != blankSlabs {
			continue
		}
		seen.System = append(seen.System, s.Text)
		body.add(s.Text)
		if s.Cache && m.flaw != losesMarks {
			seen.Marks = append(seen.Marks, fmt.Sprint("system ", i))
		}
	}
	for i, msg := range req.Messages {
		m.readMessage(msg, &body, seen.Results)
		if msg.Cache {
			seen.Marks = append(seen.Marks, fmt.Sprint("message ", i))
		}
	}
	seen.Body = []byte("[" + body.String() + "]")
	return seen
}

func (m *referenceModel) readMessage(msg agent.ModelMessage, body *list, results map[string]string) {
	if len(msg.Raw) > 0 && (msg.Provider == "reference" || m.flaw == foreignRaw) && m.flaw != dropsRaw {
		raw := []byte(msg.Raw)
		if m.flaw == rewritesRaw {
			var v any
			_ = json.Unmarshal(raw, &v)
			raw, _ = json.Marshal(v)
		}
		body.raw(string(raw))
		return
	}
	for _, b := range msg.Blocks {
		switch b.Kind {
		case agent.BlockText:
			if strings.TrimSpace(b.Text) != "" || m.flaw == blankSlabs {
				body.add(b.Text)
			}
		case agent.BlockCall:
			body.add(b.WireID, b.Name, string(b.Input))
		case agent.BlockResult:
			body.add(b.WireID, b.Text)
			results[b.WireID] = b.Text
		}
	}
}

// list writes JSON values with commas between them.
type list struct{ bytes.Buffer }

func (l *list) raw(s string) {
	if l.Len() > 0 {
		l.WriteByte(',')
	}
	l.WriteString(s)
}

func (l *list) add(values ...string) {
	for _, v := range values {
		if json.Valid([]byte(v)) && strings.HasPrefix(v, "{") {
			l.raw(v)
			continue
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v)
		l.raw(strings.TrimSpace(b.String()))
	}
}

// Stream follows the script of this request.
func (m *referenceModel) Stream(ctx context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		p := &performance{m: m, ctx: ctx, key: req.Key.Reveal(), yield: yield, total: time.Now().Add(m.limits.Total)}
		if err := ctx.Err(); err != nil && m.flaw != ignoresCancel {
			p.fail(fmt.Errorf("reference: %w", err))
			return
		}
		script := m.receive(req)
		if m.flaw == retries {
			for script.Refuse != nil || endsBadly(script) {
				if script = m.receive(req); len(m.Requests()) > 2 {
					break
				}
			}
		}
		if script.Refuse != nil {
			p.fail(p.word(script.Refuse.Fault, script.Refuse.Words, script.Refuse.Header))
			return
		}
		p.run(script)
	}
}

func endsBadly(s Script) bool {
	for _, step := range s.Steps {
		if step.Kind == StepReset || step.Kind == StepEnd {
			return true
		}
	}
	return false
}

// word makes the error of a fault.
func (p *performance) word(f Fault, words string, header map[string]string) error {
	code, retryable := f.Code()
	e := &agent.Error{Code: code, Message: "The provider refused.", Hint: "Try something else.", Retryable: retryable, Cause: errors.New("fault " + string(f))}
	switch {
	case p.m.flaw == leaksKey:
		e.Cause = errors.New(words)
	case p.m.flaw == repeatsWords:
		before, _, _ := strings.Cut(words, p.key)
		e.Message += " " + before
	case p.m.flaw == oneCode && code == agent.CodeOverloaded:
		e.Code = agent.CodeProviderError
	}
	if code == agent.CodeKeyInvalid {
		e.Provider, e.Panel = "reference", "byok"
	}
	switch f {
	case FaultBilling:
		e.Message = "The account cannot pay."
	case FaultModel:
		e.Pointer = "/model"
	}
	if p.m.flaw != losesWait {
		e.RetryAfter = wait(header)
	}
	return e
}

func wait(header map[string]string) time.Duration {
	parse := func(s string, unit time.Duration) time.Duration {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 0 {
			return 0
		}
		return time.Duration(min(f*float64(unit), float64(24*time.Hour)))
	}
	if ms := header["retry-after-ms"]; ms != "" {
		return parse(ms, time.Millisecond)
	}
	if at, err := http.ParseTime(header["retry-after"]); err == nil {
		return max(at.Sub(Now), 0)
	}
	return parse(header["retry-after"], time.Second)
}
