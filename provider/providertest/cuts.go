package providertest

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// Cuts plays a stream cut before every one of its bytes (every 13th with -short,
// every 29th under the race detector), by turns in order and
// by a broken connection, and checks that each is one error. End is where
// the answer is complete: a cut from there on may be the whole answer, apart from
// its usage, and the stream as a whole must be. It gives the length of the stream.
func Cuts(tb TB, body []byte, end int, model func(http.RoundTripper) agent.Model) int {
	tb.Helper()
	whole := Collect(tb.Context(), model(Canned{Body: body}), request("hello"))
	if law := whole.Lawful(); law != "" || whole.Err != nil {
		tb.Fatalf("the whole stream fails: %s %v", law, whole.Err)
	}
	step := stride
	if testing.Short() {
		step = max(step, 13)
	}
	for n := 0; n < len(body); n += step {
		canned := Canned{Body: body[:n]}
		if n%2 == 1 {
			canned.End = io.ErrUnexpectedEOF
		}
		o := Collect(context.Background(), model(canned), request("hello"))
		if law := o.Lawful(); law != "" {
			tb.Fatalf("cut at %d: %s", n, law)
		}
		switch {
		case o.Err == nil && n < end:
			tb.Fatalf("cut at %d of %d the stream is a success", n, len(body))
		case o.Err == nil && !reflect.DeepEqual(o.Answer.Blocks, whole.Answer.Blocks):
			tb.Fatalf("cut at %d of %d the answer is another one", n, len(body))
		case o.Err != nil && agent.ErrorCode(o.Err) != agent.CodeProviderError:
			tb.Fatalf("cut at %d: %v", n, o.Err)
		}
	}
	return len(body)
}
