package fake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// broken is a round with a fault: two chunks of text and one call.
func broken(f scripted.Fault) scripted.Round {
	return scripted.Round{Text: scripted.Text{"one ", "two"}, Calls: []scripted.Call{{Name: "slide.read", Input: json.RawMessage(`{"slide":4}`)}, {Name: "slide.read"}}, Fault: &f}
}

// raw sends the plain streamed request and gives the body's bytes and what broke it.
func (b *bench) raw(path string) ([]byte, error) {
	b.tb.Helper()
	return io.ReadAll(b.post(path, plain(path, true)).Body)
}

func hasEnd(path string, body []byte) bool {
	return bytes.Contains(body, []byte(map[string]string{messages: "message_stop", chat: "[DONE]", responses: "response.completed"}[path]))
}

func TestAStatusFaultAnswersAsTheRealOnesDo(t *testing.T) {
	kinds := map[int][2]string{ // of Anthropic, and the code of OpenAI
		400: {"invalid_request_error", ""}, 401: {"authentication_error", "invalid_api_key"}, 402: {"billing_error", "insufficient_balance"},
		403: {"permission_error", "unsupported_country_region_territory"}, 404: {"not_found_error", "model_not_found"},
		413: {"request_too_large", ""}, 429: {"rate_limit_error", "rate_limit_exceeded"}, 500: {"api_error", ""},
		503: {"overloaded_error", ""}, 529: {"overloaded_error", ""},
	}
	b := start(t, fake.Options{})
	for status, kind := range kinds {
		for _, path := range wires {
			if err := b.srv.Inject(scripted.Fault{Kind: scripted.FaultStatus, Status: status, RetryAfter: "3"}); err != nil {
				t.Fatal(err)
			}
			res := b.post(path, plain(path, true))
			if got := res.Header.Get("Retry-After"); got != "3" {
				t.Errorf("%d on %s: Retry-After %q", status, path, got)
			}
			e := b.refusal(res)
			code := ""
			if e.Error.Code != nil {
				code = *e.Error.Code
			}
			if e.Status != status || e.Error.Message == "" || (path == messages && e.Error.Type != kind[0]) || (path != messages && code != kind[1]) {
				t.Errorf("%d on %s: %+v", status, path, e)
			}
		}
	}
	_ = b.srv.Inject(scripted.Fault{Kind: scripted.FaultStatus, Status: 429, Code: "insufficient_quota"}, scripted.Fault{Kind: scripted.FaultStatus, Status: 502})
	res := b.post(chat, plain(chat, true))
	if e := b.refusal(res); *e.Error.Code != "insufficient_quota" || res.Header.Get("Retry-After") != "" {
		t.Errorf("a code of its own: %+v", e)
	}
	_ = b.srv.Inject(scripted.Fault{Kind: scripted.FaultStatus, Status: 504, Times: 2})
	if res := b.post(messages, plain(messages, true)); res.StatusCode != 502 || !strings.Contains(string(b.read(res)), "<html>") {
		t.Error("a 502 must be a gateway's page")
	}
	if e := b.refusal(b.post(messages, plain(messages, true))); e.Status != 504 || e.Error.Type != "timeout_error" {
		t.Errorf("a 504 of Anthropic: %+v", e)
	}
	if res := b.post(chat, plain(chat, true)); res.StatusCode != 504 || !strings.Contains(string(b.read(res)), "<html>") {
		t.Error("a 504 of OpenAI must be a gateway's page")
	}
	if got := b.refusal(b.post(messages, plain(messages, false))); got.Status != 200 {
		t.Errorf("after the faults: %+v", got)
	}
}

func TestAnInjectedFaultMeetsItsNumberOfRequests(t *testing.T) {
	b := start(t, fake.Options{}, scripted.Round{Times: 1, Text: scripted.Text{"the only answer"}})
	_ = b.srv.Inject(scripted.Fault{Kind: scripted.FaultStatus, Status: 500, Times: 2})
	for _, want := range []int{500, 500, 200, 500} { // the last finds the script used up
		if got := b.post(chat, plain(chat, false)).StatusCode; got != want {
			t.Errorf("answered %d, want %d", got, want)
		}
	}
}

func TestAnErrorInsideTheStreamComesAfterItsChunks(t *testing.T) {
	for _, path := range wires {
		for _, c := range []struct {
			kind  scripted.FaultKind
			after int
			one   bool
			two   bool
		}{{scripted.FaultError, 0, false, false}, {scripted.FaultError, 1, true, false}, {scripted.FaultError, 2, true, true}, {scripted.FaultFailed, 1, true, false}, {scripted.FaultError, 99, true, true}} {
			b := start(t, fake.Options{}, broken(scripted.Fault{Kind: c.kind, After: c.after}))
			body, err := b.raw(path)
			if err != nil || bytes.Contains(body, []byte(`"one `)) != c.one || bytes.Contains(body, []byte(`"two"`)) != c.two || hasEnd(path, body) {
				t.Errorf("%s on %s after %d: %v\n%s", c.kind, path, c.after, err, body)
			}
			want := map[string]string{messages: "event: error\n", chat: `{"error":{`, responses: "event: error\n"}[path]
			if path == responses && c.kind == scripted.FaultFailed {
				want = "event: response.failed\n"
			}
			if !bytes.Contains(body, []byte(want)) {
				t.Errorf("%s on %s: no %q in\n%s", c.kind, path, want, body)
			}
		}
	}
}

func TestTheConnectionIsCutAtItsByte(t *testing.T) {
	for _, path := range wires {
		whole, err := start(t, fake.Options{}, broken(scripted.Fault{Kind: scripted.FaultSlow, Ms: 1})).raw(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{0, 1, 100, int64(len(whole)) - 1} {
			for kind, broke := range map[scripted.FaultKind]func(error) bool{
				scripted.FaultReset: func(err error) bool { return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.ErrUnexpectedEOF) },
				scripted.FaultAbort: func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
				scripted.FaultEOF:   func(err error) bool { return err == nil },
			} {
				b := start(t, fake.Options{}, broken(scripted.Fault{Kind: kind, Bytes: at}))
				body, err := b.raw(path)
				if int64(len(body)) != at || !broke(err) {
					t.Errorf("%s on %s at %d: %d bytes, %v", kind, path, at, len(body), err)
				}
			}
		}
	}
}

func TestAStreamWithoutItsEnd(t *testing.T) {
	for _, path := range wires {
		body, err := start(t, fake.Options{}, broken(scripted.Fault{Kind: scripted.FaultNoStop})).raw(path)
		if err != nil || hasEnd(path, body) || !bytes.Contains(body, []byte(`two`)) || bytes.Contains(body, []byte(`"finish_reason":"`)) {
			t.Errorf("%s: %v\n%s", path, err, body)
		}
	}
}

func TestContentIsDamagedAsAsked(t *testing.T) {
	has := func(parts ...string) func([]byte) bool {
		return func(body []byte) bool {
			for _, p := range parts {
				if !bytes.Contains(body, []byte(p)) {
					return false
				}
			}
			return true
		}
	}
	lacks := func(part string) func([]byte) bool {
		return func(body []byte) bool { return !bytes.Contains(body, []byte(part)) }
	}
	all := func(f func([]byte) bool) map[string]func([]byte) bool {
		return map[string]func([]byte) bool{messages: f, chat: f, responses: f}
	}
	for kind, want := range map[scripted.FaultKind]map[string]func([]byte) bool{
		scripted.FaultGarbage:      all(has("data: {\"type\": \"content_block_delta\", \n")),
		scripted.FaultUnknownEvent: all(has(`"novelty":{"a":[1,2]}`)),
		scripted.FaultInvalidUTF8:  all(func(b []byte) bool { return !utf8.Valid(b) && has("one \xff\xfe")(b) }),
		scripted.FaultHalfRune:     all(has("one \xc3\"", "\"\xa9two\xc3\"")),
		scripted.FaultNUL:          all(has("one \x00")),
		scripted.FaultDuplicateIDs: all(func(b []byte) bool { return bytes.Count(b, []byte(`call_same`)) >= 2 }),
		scripted.FaultWrongIndex: {
			messages: has(`"index":7`), chat: has(`"arguments":"{\"slide\":4}"},"index":7`), responses: has(`"output_index":7`),
		},
		scripted.FaultRepeatedIndex: {messages: lacks(`"index":1`), chat: lacks(`"index":1`), responses: lacks(`"output_index":1`)},
		scripted.FaultMissingIndex: {
			messages: lacks(`"index"`), chat: has(`"tool_calls":[{"function":{"arguments":"{\"slide\":4}"}}]`), responses: lacks(`"output_index"`),
		},
		scripted.FaultRepeatEvent: all(func(b []byte) bool { return bytes.Count(b, []byte(`:"one "`)) == 2 }),
		scripted.FaultCutCall:     all(func(b []byte) bool { return has(`"{\"sli`)(b) && lacks(`{\"slide\":4}`)(b) }),
	} {
		for path, holds := range want {
			body, err := start(t, fake.Options{}, broken(scripted.Fault{Kind: kind})).raw(path)
			if err != nil || !holds(body) || !hasEnd(path, body) {
				t.Errorf("%s on %s: %v\n%q", kind, path, err, body)
			}
		}
	}
}

func TestALineIsAsLongAsAsked(t *testing.T) {
	for asked, size := range map[int64]int{0: 10 << 20, 1000: 1000} {
		body, err := start(t, fake.Options{}, broken(scripted.Fault{Kind: scripted.FaultBigLine, Bytes: asked})).raw(messages)
		longest := 0
		for line := range bytes.Lines(body) {
			longest = max(longest, len(line))
		}
		if err != nil || longest < size || longest > size+200 {
			t.Errorf("asked for %d: the longest line has %d bytes, %v", asked, longest, err)
		}
	}
}

func TestAnEndlessAnswerEndsAtItsBytesOrWithTheClient(t *testing.T) {
	const limit = 3 << 20
	b := start(t, fake.Options{}, broken(scripted.Fault{Kind: scripted.FaultEndless, Bytes: limit}))
	body, err := b.raw(messages)
	if err != nil || len(body) < limit || len(body) > limit+200<<10 || !hasEnd(messages, body) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	b = start(t, fake.Options{}, broken(scripted.Fault{Kind: scripted.FaultEndless}))
	res := b.post(messages, plain(messages, true))
	if _, err := io.CopyN(io.Discard, res.Body, 1<<20); err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	seen := b.closed()
	if !seen.ClosedEarly || seen.Bytes >= 1<<30 {
		t.Errorf("closed early %v after %d bytes", seen.ClosedEarly, seen.Bytes)
	}
}

// until waits for a state of the server.
func (b *bench) until(holds func() bool) {
	b.tb.Helper()
	limit := time.After(10 * time.Second)
	for {
		changed := b.srv.Changed()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-limit:
			b.tb.Fatal("what was waited for did not come in 10 s")
		}
	}
}

// closed waits until the last request is over and gives its record.
func (b *bench) closed() fake.Seen {
	b.tb.Helper()
	b.until(func() bool { return b.srv.Open() == 0 })
	seen := b.srv.Requests()
	return seen[len(seen)-1]
}

func TestSilenceLastsUntilTheClientGoes(t *testing.T) {
	for _, c := range []struct {
		fault scripted.Fault
		reads string // what must come before the silence
	}{
		{scripted.Fault{Kind: scripted.FaultSilence}, "content_block_start"},
		{scripted.Fault{Kind: scripted.FaultSilence, After: 1}, "one "},
		{scripted.Fault{Kind: scripted.FaultPings, Ms: 1}, "event: ping"},
		{scripted.Fault{Kind: scripted.FaultLoris, Ms: 3_600_000}, "e"},
		{scripted.Fault{Kind: scripted.FaultSlow, Ms: 3_600_000}, ""},
	} {
		b := start(t, fake.Options{}, broken(c.fault))
		res := b.post(messages, plain(messages, true))
		var got bytes.Buffer
		one := make([]byte, 1)
		for !strings.Contains(got.String(), c.reads) {
			if _, err := res.Body.Read(one); err != nil {
				t.Fatalf("%+v: %v after %q", c.fault, err, got.String())
			}
			got.Write(one)
		}
		if b.srv.Open() != 1 {
			t.Errorf("%+v: %d streams are open, want 1", c.fault, b.srv.Open())
		}
		_ = res.Body.Close()
		if seen := b.closed(); !seen.ClosedEarly || seen.ClosedAfterMs == nil || seen.EndMs == nil {
			t.Errorf("%+v: the record says %+v", c.fault, seen)
		}
	}
}

func TestSilentHeadersNeverAnswer(t *testing.T) {
	b := start(t, fake.Options{}, broken(scripted.Fault{Kind: scripted.FaultSilentHeaders}))
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+chat, strings.NewReader(plain(chat, true)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	done := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		done <- err
	}()
	b.until(func() bool { return len(b.srv.Requests()) == 1 && b.srv.Requests()[0].Fault != "" })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the answer was %v, want none", err)
	}
	if seen := b.closed(); !seen.ClosedEarly || seen.Status != 0 {
		t.Errorf("the record says %+v", seen)
	}
}

func TestAWholeAnswerIsBrokenToo(t *testing.T) {
	for _, c := range []struct {
		fault scripted.Fault
		holds func(status int, body []byte, err error) bool
	}{
		{scripted.Fault{Kind: scripted.FaultError, Status: 500}, func(s int, _ []byte, err error) bool { return s == 500 && err == nil }},
		{scripted.Fault{Kind: scripted.FaultGarbage}, func(s int, b []byte, err error) bool { return s == 200 && err == nil && !json.Valid(b) }},
		{scripted.Fault{Kind: scripted.FaultReset, Bytes: 10}, func(s int, b []byte, err error) bool { return s == 200 && err != nil && len(b) == 10 }},
		{scripted.Fault{Kind: scripted.FaultSlow, Ms: 1}, func(s int, b []byte, err error) bool { return s == 200 && err == nil && json.Valid(b) }},
	} {
		for _, path := range wires {
			res := start(t, fake.Options{}, broken(c.fault)).post(path, plain(path, false))
			body, err := io.ReadAll(res.Body)
			if !c.holds(res.StatusCode, body, err) {
				t.Errorf("%+v on %s: %d %q %v", c.fault, path, res.StatusCode, body, err)
			}
		}
	}
}

func mustJSON(tb testing.TB, data []byte, v any) {
	tb.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		tb.Fatalf("%q: %v", data, err)
	}
}
