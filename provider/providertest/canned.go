package providertest

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Canned is an http.RoundTripper that answers every request with the same bytes,
// without a socket: for tests that play thousands of answers.
type Canned struct {
	Body []byte
	// End is what reading past the body gives; nil means io.EOF.
	End error
	// ContentType is of an event stream where it is "".
	ContentType string
}

// RoundTrip answers.
func (c Canned) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	kind := c.ContentType
	if kind == "" {
		kind = "text/event-stream"
	}
	end := c.End
	if end == nil {
		end = io.EOF
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{"Content-Type": {kind}},
		Body:    io.NopCloser(io.MultiReader(bytes.NewReader(c.Body), failing{end})),
		Request: req,
	}, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Stream gives the bytes that a wire makes of a script.
func Stream(w Wire, s Script) []byte { return []byte(strings.Join(w.Encode(s), "")) }

// Short is a script that has everything once: a seed for fuzzing.
func Short() Script {
	return Script{
		Steps: []Step{Reason("c2ln", "a", "b"), Text("é", "c"), Do(StepPing), Do(StepUnknown), Call("call_1", "note_write", `{"a`, `":1}`)},
		Stop:  agent.StopCalls,
		Usage: agent.Usage{TokensIn: number(10), TokensOut: number(20), CacheRead: number(5)},
	}
}

// Long is a script of reasoning, text, and calls side by side, whose text comes in
// so many chunks: each wire asks for as many as make its stream some 20 kB.
func Long(pieces int) Script {
	var chunks []string
	for i := range pieces {
		chunks = append(chunks, strings.Repeat("word ", i%7)+"<é🦊>")
	}
	args := strings.SplitAfter(`{"title":"A \"quoted\" title","body":"`+strings.Repeat("lorem ipsum ", 20)+`","n":[1,2,3]}`, " ")
	return Script{
		Steps: []Step{
			Reason("c2lnbmF0dXJl", chunks[:pieces/2]...), Text(chunks...), Do(StepPing), Do(StepUnknown),
			Call("call_1", "note_write", args...), Call("call_2", "note_read"), Call("call_3", "note_read", `{"id":"x"}`),
		},
		Stop:  agent.StopCalls,
		Usage: agent.Usage{TokensIn: number(10), TokensOut: number(20), CacheRead: number(5)},
	}
}
