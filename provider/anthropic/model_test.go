package anthropic

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

// ask plays a body and gives the outcome.
func ask(t *testing.T, body string) providertest.Outcome {
	t.Helper()
	o := providertest.Collect(t.Context(), canned(providertest.Canned{Body: []byte(body)}), agent.ModelRequest{Model: "m"})
	if law := o.Lawful(); law != "" {
		t.Fatal(law)
	}
	return o
}

func code(o providertest.Outcome) agent.Code {
	if o.Err == nil {
		return ""
	}
	return agent.ErrorCode(o.Err)
}

const (
	start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n"
	stop  = "event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {}\n\n"
)

func open(i, block string) string {
	return "event: content_block_start\ndata: {\"index\":" + i + ",\"content_block\":" + block + "}\n\n"
}

func end(i string) string { return "event: content_block_stop\ndata: {\"index\":" + i + "}\n\n" }

func TestAStreamThatContradictsItselfIsAnError(t *testing.T) {
	text := `{"type":"text","text":""}`
	for name, body := range map[string]string{
		"no start":                open("0", text) + end("0") + stop,
		"two starts":              start + start + stop,
		"a block begins twice":    start + open("0", text) + open("0", text) + end("0") + stop,
		"a block never ends":      start + open("0", text) + stop,
		"a block ends twice":      start + open("0", text) + end("0") + end("0") + stop,
		"a delta without a block": start + delta(3, "text_delta", "text", "x") + stop,
		"a delta after the end":   start + open("0", text) + end("0") + delta(0, "text_delta", "text", "x") + stop,
		"a block without a type":  start + open("0", `{}`) + end("0") + stop,
		"a block that is null":    start + open("0", `null`) + end("0") + stop,
		"no stop reason":          start + "event: message_stop\ndata: {}\n\n",
		"too many blocks":         start + blocks(maxParts+1) + stop,
	} {
		if o := ask(t, body); code(o) != agent.CodeProviderError {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
	if o := ask(t, start+blocks(maxParts)+stop); o.Err != nil {
		t.Errorf("as many blocks as allowed: %v", o.Err)
	}
}

func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(content(i, `{"type":"text","text":""}`, "", "", nil))
	}
	return b.String()
}

func TestAnAnswerIsBounded(t *testing.T) {
	half := strings.Repeat("x", outbound.MaxAnswerBytes/2)
	for name, c := range map[string]struct {
		rest  string
		fails bool
	}{"under": {half[1:], false}, "at": {half, false}, "over": {half + "x", true}} {
		o := ask(t, start+content(0, `{"type":"text","text":""}`, "text_delta", "text", []string{half, c.rest})+stop)
		if (o.Err != nil) != c.fails {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
}

func TestBlocksOfUnknownKindsAreReplayedWhenTheyCameWhole(t *testing.T) {
	block := `{"type":"redacted_thinking","data":"b64=="}`
	o := ask(t, start+open("0", block)+end("0")+open("7", `{"type":"text","text":"hi"}`)+end("7")+stop)
	if len(o.Answer.Blocks) != 1 || o.Answer.Blocks[0].Text != "hi" || string(o.Answer.Raw) != `[`+block+`,{"type":"text","text":"hi"}]` {
		t.Errorf("the answer is %+v, raw %s", o.Answer.Blocks, o.Answer.Raw)
	}
	o = ask(t, start+open("0", `{"type":"dream"}`)+delta(0, "dream_delta", "dream", "zzz")+end("0")+stop)
	if o.Err != nil || o.Answer.Raw != nil {
		t.Errorf("a block that cannot be kept is kept: %s, %v", o.Answer.Raw, o.Err)
	}
}

func TestArgumentsThatCameWithTheOpeningAreTaken(t *testing.T) {
	o := ask(t, start+open("0", `{"type":"tool_use","id":"t1","name":"f","input":{"a": 1}}`)+end("0")+stop)
	if got := o.Answer.Blocks[0]; string(got.Input) != `{"a": 1}` || string(o.Answer.Raw) != `[{"type":"tool_use","id":"t1","name":"f","input":{"a": 1}}]` {
		t.Errorf("the call is %s, raw %s", got.Input, o.Answer.Raw)
	}
}

func TestAnAnswerThatIsJSONInsteadOfAStreamIsClassified(t *testing.T) {
	for body, want := range map[string]agent.Code{
		`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`: agent.CodeOverloaded,
		`{"ok":true}`: agent.CodeProviderError,
		`<html>`:      agent.CodeProviderError,
		``:            agent.CodeProviderError,
	} {
		m := canned(providertest.Canned{Body: []byte(body), ContentType: "application/json; charset=utf-8"})
		if o := providertest.Collect(t.Context(), m, agent.ModelRequest{Model: "m"}); code(o) != want {
			t.Errorf("%s becomes %v, want %s", body, o.Err, want)
		}
	}
}

func TestReasonsBeyondTheTypeAreRead(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   agent.Code
		says   string
	}{
		{400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, agent.CodeKeyInvalid, "cannot pay"},
		{400, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}`, agent.CodeTooLarge, "larger"},
		{429, `{"error":{"type":"rate_limit_error","message":"x","details":{"error_code":"enforced_spend_limit_reached"}}}`, agent.CodeKeyInvalid, "cannot pay"},
		{403, `{"error":{"type":"permission_error","message":"x","details":{"error_code":"user_profile_billing_not_authorized"}}}`, agent.CodeKeyInvalid, "cannot pay"},
		{413, `{"error":{"type":"invalid_request_error","message":"x"}}`, agent.CodeTooLarge, "larger"},
		{418, `<html>teapot</html>`, agent.CodeInvalidInput, "does not accept"},
		{502, ``, agent.CodeProviderError, "failed"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		o := providertest.Collect(t.Context(), New(Config{BaseURL: server.URL}), agent.ModelRequest{Model: "m"})
		server.Close()
		if code(o) != c.want || !strings.Contains(agent.ErrorMessage(o.Err), c.says) {
			t.Errorf("%d %s becomes %v, want %s", c.status, c.body, o.Err, c.want)
		}
	}
}

func TestNothingOfTheEnvironmentIsSent(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "environment-token")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: environment")
	var seen http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer server.Close()
	for key, want := range map[string]string{"sk-mine": "Bearer sk-mine", "": ""} {
		providertest.Collect(t.Context(), New(Config{BaseURL: server.URL}), agent.ModelRequest{Model: "m", Key: agent.NewSecret(key)})
		if got := seen.Get("Authorization"); got != want || seen.Get("X-Leak") != "" || seen.Get("X-Api-Key") != "" {
			t.Errorf("the headers are %v, want authorization %q", seen, want)
		}
		if seen.Get("Anthropic-Version") == "" {
			t.Error("the request names no version of the API")
		}
	}
}

// trickle is a body that gives one piece again and again, a moment apart.
type trickle struct {
	ctx   context.Context
	first string
	piece string
	every time.Duration
}

func (b *trickle) Read(p []byte) (int, error) {
	if b.first != "" {
		n := copy(p, b.first)
		b.first = b.first[n:]
		return n, nil
	}
	select {
	case <-time.After(b.every):
		return copy(p, b.piece), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *trickle) Close() error { return nil }

type trickling struct {
	first, piece string
	every        time.Duration
}

func (t trickling) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: &trickle{r.Context(), t.first, t.piece, t.every}}, nil
}

func TestAProviderThatOnlySeemsAliveEndsAtTheLimit(t *testing.T) {
	text := start + open("0", `{"type":"text","text":"hi"}`)
	for name, c := range map[string]struct {
		t    trickling
		want time.Duration
	}{
		"pings":            {trickling{text, sse("ping", `{}`), 10 * time.Second}, time.Minute},
		"unknown events":   {trickling{text, sse("dream", `{}`), 10 * time.Second}, time.Minute},
		"empty deltas":     {trickling{text, delta(0, "text_delta", "text", ""), 10 * time.Second}, time.Minute},
		"usage reports":    {trickling{text, sse("message_delta", `{"usage":{"output_tokens":1}}`), 10 * time.Second}, time.Minute},
		"a byte at a time": {trickling{text, "x", 10 * time.Second}, time.Minute},
		"no answer at all": {trickling{"", "", time.Hour}, time.Minute},
		"a word at a time": {trickling{text, delta(0, "text_delta", "text", "x"), 59 * time.Second}, 10 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			o := providertest.Collect(t.Context(), canned(c.t), agent.ModelRequest{Model: "m"})
			if took := time.Since(began); took != c.want || code(o) != agent.CodeTimeout {
				t.Errorf("%s: %v after %s, want a timeout after %s", name, o.Err, took, c.want)
			}
		})
	}
}

func TestOnlyAnAddressThatIsAllowedIsWorthAnotherTry(t *testing.T) {
	for name, c := range map[string]struct {
		client    *http.Client
		retryable bool
	}{
		"a closed port":    {nil, true},
		"a forbidden host": {outbound.NewClient(outbound.Policy{}), false},
	} {
		o := providertest.Collect(t.Context(), New(Config{BaseURL: "http://127.0.0.1:1", HTTP: c.client}), agent.ModelRequest{Model: "m"})
		var e *agent.Error
		if !errors.As(o.Err, &e) || e.Code != agent.CodeProviderError || e.Retryable != c.retryable {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
}
