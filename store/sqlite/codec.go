package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// What the model said and what a capability answered must come back byte for byte:
// a prompt that is composed from it again has to be the same. encoding/json would
// compact a RawMessage, refuse one that does not parse, and leave out what the wire
// never shows; the types here keep all of it.

// exact is text of any bytes: a JSON string where it can be one.
type exact struct {
	Text  *string `json:"t,omitempty"`
	Bytes []byte  `json:"b,omitempty"`
}

func exactly(raw json.RawMessage) *exact {
	if raw == nil {
		return nil
	}
	if utf8.Valid(raw) {
		s := string(raw)
		return &exact{Text: &s}
	}
	return &exact{Bytes: raw}
}

func (e *exact) raw() json.RawMessage {
	switch {
	case e == nil:
		return nil
	case e.Text != nil:
		return json.RawMessage(*e.Text)
	default:
		return e.Bytes
	}
}

type storedBlock struct {
	Kind   agent.BlockKind `json:"kind"`
	Text   string          `json:"text,omitempty"`
	WireID string          `json:"wireId,omitempty"`
	Name   string          `json:"name,omitempty"`
	Input  *exact          `json:"input,omitempty"`
	Error  bool            `json:"error,omitempty"`
}

func encodeBlocks(blocks []agent.Block) (string, error) {
	var list []storedBlock
	for _, b := range blocks {
		list = append(list, storedBlock{b.Kind, b.Text, b.WireID, b.Name, exactly(b.Input), b.Error})
	}
	return encode(list)
}

func decodeBlocks(s string) ([]agent.Block, error) {
	list, err := decode[[]storedBlock](s)
	var blocks []agent.Block
	for _, b := range list {
		blocks = append(blocks, agent.Block{Kind: b.Kind, Text: b.Text, WireID: b.WireID, Name: b.Name, Input: b.Input.raw(), Error: b.Error})
	}
	return blocks, err
}

type storedResult struct {
	OK      bool               `json:"ok"`
	Output  *exact             `json:"output,omitempty"`
	Preview *storedPreview     `json:"preview,omitempty"`
	Error   *agent.ResultError `json:"error,omitempty"`
	Display *storedDisplay     `json:"display,omitempty"`
}

type storedPreview struct {
	Summary   string           `json:"summary"`
	Artifacts []agent.Artifact `json:"artifacts"`
	State     *exact           `json:"state,omitempty"`
}

type storedDisplay struct {
	Mount  string `json:"mount"`
	Props  *exact `json:"props,omitempty"`
	Layout string `json:"layout"`
}

// encodeResult gives nil for no result.
func encodeResult(r *agent.Result) (any, error) {
	if r == nil {
		return nil, nil
	}
	st := storedResult{OK: r.OK, Output: exactly(r.Output), Error: r.Error}
	if p := r.Preview; p != nil {
		st.Preview = &storedPreview{p.Summary, p.Artifacts, exactly(p.State)}
	}
	if d := r.Display; d != nil {
		st.Display = &storedDisplay{d.Mount, exactly(d.Props), d.Layout}
	}
	return encode(st)
}

func decodeResult(s *string) (*agent.Result, error) {
	if s == nil {
		return nil, nil
	}
	st, err := decode[storedResult](*s)
	if err != nil {
		return nil, err
	}
	r := &agent.Result{OK: st.OK, Output: st.Output.raw(), Error: st.Error}
	if p := st.Preview; p != nil {
		r.Preview = &agent.Preview{Summary: p.Summary, Artifacts: p.Artifacts, State: p.State.raw()}
	}
	if d := st.Display; d != nil {
		r.Display = &agent.Display{Mount: d.Mount, Props: d.Props.raw(), Layout: d.Layout}
	}
	return r, nil
}

// encode leaves <, > and & as they are: in code they are frequent.
func encode(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func decode[T any](s string) (v T, err error) {
	if err = json.Unmarshal([]byte(s), &v); err != nil {
		err = fmt.Errorf("decode a stored %T: %w", v, err)
	}
	return v, err
}

// text gives raw bytes as a TEXT value, nil as null.
func text(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// raw is the reverse of text.
func raw(s *string) json.RawMessage {
	if s == nil {
		return nil
	}
	return json.RawMessage(*s)
}

// value gives what a nullable column held, or the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
