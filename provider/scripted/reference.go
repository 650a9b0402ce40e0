package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reference matches ${name} and ${name:int}; a second $ in front makes it plain.
var reference = regexp.MustCompile(`\$?\$\{([A-Za-z0-9_][A-Za-z0-9_.-]*)(:int)?\}`)

// filler holds what the references of one round stand for.
type filler struct {
	user   string
	result string
	groups *regexp.Regexp
	found  []string
}

// round gives a copy with every reference filled in; the original is not changed.
func (f filler) round(r Round) Round {
	r.Reasoning, r.Text = f.text(r.Reasoning), f.text(r.Text)
	calls := make([]Call, len(r.Calls))
	for i, c := range r.Calls {
		calls[i] = f.call(c)
	}
	r.Calls = calls
	if r.Blocks != nil {
		blocks := make([]Part, len(r.Blocks))
		for i, p := range r.Blocks {
			p.Reasoning, p.Text = f.text(p.Reasoning), f.text(p.Text)
			if p.Call != nil {
				c := f.call(*p.Call)
				p.Call = &c
			}
			blocks[i] = p
		}
		r.Blocks = blocks
	}
	return r
}

func (f filler) text(t Text) Text {
	if t == nil {
		return nil
	}
	out := make(Text, len(t))
	for i, s := range t {
		out[i] = f.fill(s)
	}
	return out
}

func (f filler) call(c Call) Call {
	c.ID = f.fill(c.ID)
	c.InputText = f.fill(c.InputText)
	if bytes.Contains(c.Input, []byte("${")) {
		c.Input = f.input(c.Input)
	}
	return c
}

// fill replaces the references in a run of words.
func (f filler) fill(s string) string {
	return reference.ReplaceAllStringFunc(s, func(match string) string {
		if strings.HasPrefix(match, "$$") {
			return match[1:]
		}
		raw, _ := f.value(reference.FindStringSubmatch(match)[1])
		return raw
	})
}

// input fills the strings inside a JSON value after decoding it, so that no
// user's words can break out of their string.
func (f filler) input(raw json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(f.json(v))
	if err != nil {
		return raw
	}
	return out
}

func (f filler) json(v any) any {
	switch v := v.(type) {
	case string:
		return f.jsonString(v)
	case []any:
		for i := range v {
			v[i] = f.json(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = f.json(v[k])
		}
	}
	return v
}

// jsonString fills one string; a reference that is the whole of it keeps its type.
func (f filler) jsonString(s string) any {
	m := reference.FindStringSubmatch(s)
	if m == nil || m[0] != s || strings.HasPrefix(s, "$$") {
		return f.fill(s)
	}
	raw, typed := f.value(m[1])
	if m[2] != "" {
		n, err := strconv.ParseInt(strings.TrimSpace(raw), 10, 64)
		if err != nil {
			return raw
		}
		return n
	}
	if typed != nil {
		return typed
	}
	return raw
}

// value gives what a name stands for, and for a part of a result also its value.
func (f filler) value(name string) (raw string, typed any) {
	switch {
	case name == "user":
		return f.user, nil
	case name == "result":
		return f.result, nil
	case strings.HasPrefix(name, "result."):
		return f.inResult(strings.Split(name, ".")[1:])
	case f.groups == nil:
		return "", nil
	}
	i := groupIndex(f.groups, name)
	if i < 0 || i >= len(f.found) {
		return "", nil
	}
	return f.found[i], nil
}

func (f filler) inResult(path []string) (string, any) {
	dec := json.NewDecoder(strings.NewReader(f.result))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return "", nil
	}
	for _, key := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(at) {
				return "", nil
			}
			v = at[i]
		default:
			return "", nil
		}
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, v
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "", nil
	}
	return string(raw), v
}

func groupIndex(re *regexp.Regexp, name string) int {
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	return re.SubexpIndex(name)
}

// checkReferences refuses a reference that can never have a value.
func checkReferences(r Round, groups *regexp.Regexp) error {
	for _, s := range r.strings() {
		for _, m := range reference.FindAllStringSubmatch(s, -1) {
			name := m[1]
			if strings.HasPrefix(m[0], "$$") || name == "user" || name == "result" || strings.HasPrefix(name, "result.") {
				continue
			}
			if groups == nil {
				return fmt.Errorf("${%s} needs a lastUser expression with that group", name)
			}
			if i := groupIndex(groups, name); i < 0 || i > groups.NumSubexp() {
				return fmt.Errorf("lastUser has no group %q", name)
			}
		}
	}
	return nil
}

// strings gives every string of the round that may hold references.
func (r Round) strings() []string {
	out := slices.Concat(r.Reasoning, r.Text)
	for _, p := range r.Parts() {
		out = append(out, p.Reasoning...)
		if p.Call != nil {
			out = append(out, p.Call.ID, p.Call.InputText, string(p.Call.Input))
		} else {
			out = append(out, p.Text...)
		}
	}
	return out
}
