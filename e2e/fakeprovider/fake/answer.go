package fake

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// answer is a round made ready for a wire.
type answer struct {
	id    string
	model string
	parts []part
	stop  agent.StopReason
	usage counted
}

// part is one block of an answer; exactly one of reasoning, redacted, text and
// call is set.
type part struct {
	reasoning []string
	redacted  string
	text      []string
	call      *call
}

// call is one call as it goes on the wire.
type call struct {
	id   string
	name string
	args string
}

// counted is what a request used, in tokens.
type counted struct {
	Fresh     int64 `json:"fresh"` // neither read from the cache nor written to it
	Read      int64 `json:"read"`
	Written   int64 `json:"written"`
	Written1h int64 `json:"written1h"` // the part of Written that lives an hour
	Out       int64 `json:"out"`
	Reasoning int64 `json:"reasoning"` // the part of Out that is thinking
}

func (c counted) prompt() int64 { return c.Fresh + c.Read + c.Written }

// makeAnswer fills a round with ids of the wire and counts it.
func (s *Server) makeAnswer(wr wire, q *question, r scripted.Round, key string) *answer {
	prefix := "call_"
	if _, ok := wr.(anthropicWire); ok {
		prefix = "toolu_"
	}
	a := &answer{model: q.req.Model, stop: r.StopReason(), usage: s.cache.count(fmt.Sprintf("%T %s", wr, key), q)}
	for _, p := range r.Parts() {
		out := part{reasoning: p.Reasoning.Chunks(), redacted: p.Redacted, text: p.Text.Chunks()}
		a.usage.Reasoning += tokens(len(p.Reasoning.String()))
		a.usage.Out += tokens(len(p.Reasoning.String()) + len(p.Text.String()))
		if p.Call != nil {
			name := p.Call.Tool(q.req)
			out.call = &call{id: p.Call.ID, name: name, args: p.Call.Arguments()}
			if out.call.id == "" {
				out.call.id = newID(prefix)
			}
			a.usage.Out += tokens(len(name) + len(out.call.args))
		}
		a.parts = append(a.parts, out)
	}
	a.usage.override(r.Usage)
	return a
}

// override lets what the round reports win.
func (c *counted) override(u *agent.Usage) {
	if u == nil {
		return
	}
	for _, m := range []struct {
		from *int64
		to   *int64
	}{{u.TokensIn, &c.Fresh}, {u.TokensOut, &c.Out}, {u.CacheRead, &c.Read}, {u.CacheCreation, &c.Written}} {
		if m.from != nil {
			*m.to = *m.from
		}
	}
	c.Written1h = min(c.Written1h, c.Written)
}

// tokens estimates as people do: four bytes are one token.
func tokens(n int) int64 { return int64(n+3) / 4 }

// pieces cuts arguments into chunks of a few bytes that split no letter, as
// providers stream them.
func pieces(args string) []string {
	const size = 12
	var out []string
	for len(args) > size {
		cut := size
		for cut > 1 && !utf8.RuneStart(args[cut]) {
			cut--
		}
		out = append(out, args[:cut])
		args = args[cut:]
	}
	return append(out, args)
}

// inputValue gives arguments as a JSON value; what is no JSON becomes {}.
func inputValue(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return json.RawMessage("{}")
}

// sign makes the signature of a block of thinking, so that a replay which
// changed one byte is found out.
func sign(thinking string) string {
	mac := hmac.New(sha256.New, []byte("fakeprovider thinking"))
	mac.Write([]byte(thinking))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func joined(chunks []string) string { return strings.Join(chunks, "") }

// buffer is a bytes.Buffer whose content is taken without the encoder's line break.
type buffer struct{ bytes.Buffer }

func (b *buffer) trimmed() []byte { return bytes.TrimSuffix(b.Bytes(), []byte("\n")) }
