package policy

import (
	"bytes"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Request gives a request as its provider may see it. The request that was given stays
// as it is; where nothing is replaced, its own bytes are sent. Errors: too_large (the
// thread has too many details).
func (d *Redaction) Request(req agent.ModelRequest) (agent.ModelRequest, *Sent, error) {
	sent := &Sent{values: map[string]string{}}
	if d.Idle() {
		return req, sent, nil
	}
	eachText(&req, func(text *string, isJSON bool) { d.learn(*text, isJSON) })
	var out agent.ModelRequest
	for before := -1; before != len(d.entries); { // details that run into each other may make one more
		before = len(d.entries)
		out = copied(req)
		eachText(&out, func(text *string, isJSON bool) { *text = d.render(*text, isJSON, sent) })
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Raw == nil {
			continue
		}
		if d.leaks(m.Raw) {
			m.Raw = nil // from before the rules or the thread knew what they know
		} else {
			d.said(m, req.Messages[i].Blocks, sent)
		}
	}
	if len(d.entries) > agent.MaxRedactionEntries || d.size > maxMapBytes {
		return req, nil, &agent.Error{Code: agent.CodeTooLarge, Message: "This conversation holds more personal details than can be kept from the provider.",
			Hint: "Start a new conversation, with less material in it."}
	}
	return out, sent, nil
}

// leaks reports whether the provider's own bytes hold a detail.
func (d *Redaction) leaks(raw []byte) (leak bool) {
	if n, ok := d.clean[string(raw)]; ok && n == len(d.entries) {
		return false
	}
	text := string(raw)
	parts(text, true, func(p part) {
		leak = leak || len(d.rules.Find(p.before, p.value)) > 0 || len(d.known.find(p.value, nil)) > 0
	})
	if !leak {
		d.clean[text] = len(d.entries)
	}
	return leak
}

// said notes the placeholders that the provider wrote itself, where they meant
// something when it did: then their values stand in what was made of its words.
func (d *Redaction) said(m *agent.ModelMessage, real []agent.Block, sent *Sent) {
	if bytes.IndexByte(m.Raw, '[') < 0 {
		return
	}
	eachPlaceholder(string(m.Raw), func(_ string, start, end int) {
		name := string(m.Raw[start:end])
		value, means := d.byName[name]
		if !means || sent.values[name] != "" {
			return
		}
		for _, b := range real {
			if strings.Contains(b.Text, value) || bytes.Contains(b.Input, []byte(escape(value))) {
				sent.values[name] = value
			}
		}
	})
}

// eachText visits the texts of a request that come from people, documents and
// capabilities. What a capability is called and takes is the app's own and stays.
func eachText(req *agent.ModelRequest, visit func(text *string, isJSON bool)) {
	for i := range req.System {
		visit(&req.System[i].Text, false)
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Blocks {
			b := &req.Messages[i].Blocks[j]
			if b.Text != "" {
				visit(&b.Text, b.Kind == agent.BlockResult && looksLikeJSON(b.Text))
			}
			if len(b.Input) > 0 {
				input := string(b.Input)
				visit(&input, true)
				if input != string(b.Input) {
					b.Input = json.RawMessage(input)
				}
			}
		}
	}
}

func looksLikeJSON(text string) bool { return strings.IndexByte(`{["`, text[0]) >= 0 }

// copied copies what eachText may write to.
func copied(req agent.ModelRequest) agent.ModelRequest {
	req.System = append([]agent.Slab(nil), req.System...)
	req.Messages = append([]agent.ModelMessage(nil), req.Messages...)
	for i, m := range req.Messages {
		req.Messages[i].Blocks = append([]agent.Block(nil), m.Blocks...)
	}
	return req
}
