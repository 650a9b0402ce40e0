package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestEachStatusHasItsCode(t *testing.T) {
	for status, want := range map[int]agent.Code{
		301: agent.CodeProviderError, 304: agent.CodeProviderError,
		400: agent.CodeInvalidInput, 401: agent.CodeKeyInvalid, 402: agent.CodeKeyInvalid, 403: agent.CodeKeyInvalid,
		404: agent.CodeInvalidInput, 405: agent.CodeInvalidInput, 408: agent.CodeTimeout, 409: agent.CodeProviderError,
		413: agent.CodeTooLarge, 415: agent.CodeInvalidInput, 422: agent.CodeInvalidInput, 425: agent.CodeProviderError,
		429: agent.CodeRateLimited, 451: agent.CodeInvalidInput,
		500: agent.CodeProviderError, 501: agent.CodeProviderError, 502: agent.CodeProviderError,
		503: agent.CodeOverloaded, 504: agent.CodeTimeout, 520: agent.CodeProviderError, 529: agent.CodeOverloaded, 599: agent.CodeProviderError,
	} {
		if got := StatusCode(status); got != want {
			t.Errorf("%d becomes %s, want %s", status, got, want)
		}
	}
}

func TestEachCodeHasASentenceAndAHint(t *testing.T) {
	for code := range sentences {
		e := Failure{Provider: "acme", Words: "raw words"}.Error(code)
		if e.Code != code || !strings.Contains(e.Message, "acme") || e.Hint == "" || strings.Contains(e.Message+e.Hint, "raw words") {
			t.Errorf("%s becomes %+v", code, e)
		}
	}
	if e := (Failure{}).Error(agent.CodeForbidden); e.Code != agent.CodeProviderError {
		t.Errorf("a code outside the contract becomes %s", e.Code)
	}
}

func TestTheCauseIsForTheLogAndHoldsNoKey(t *testing.T) {
	key := "sk-secret-key-0123456789"
	f := Failure{Provider: "acme", Key: agent.NewSecret(key), Status: 401, Kind: "bad_" + key, RequestID: "req_" + key, Words: "wrong key " + key[:15]}
	e := f.Error(agent.CodeKeyInvalid)
	if text := fmt.Sprintf("%v %+v", e, e.Cause); strings.Contains(text, key[:9]) || !strings.Contains(text, "status 401") {
		t.Errorf("the error says %s", text)
	}
}

func TestACallThatBrokeOffSaysWhy(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	w := NewWatch(gone, time.Minute, time.Minute)
	defer w.Stop()
	f := Failure{Provider: "acme"}
	if err := f.Broken(w, errors.New("reset")); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up is %v", err)
	}
	w = NewWatch(t.Context(), time.Nanosecond, time.Minute)
	defer w.Stop()
	<-w.Context().Done()
	if err := f.Broken(w, w.Context().Err()); agent.ErrorCode(err) != agent.CodeTimeout {
		t.Errorf("a call that was silent is %v", err)
	}
	w = NewWatch(t.Context(), time.Minute, time.Minute)
	defer w.Stop()
	for _, c := range []struct {
		err       error
		retryable bool
	}{
		{errors.New("connection reset"), true},
		{nil, true},
		{fmt.Errorf("post: %w", ErrMalformed), false},
		{fmt.Errorf("post: %w", refuse("x.test", "no")), false},
	} {
		var e *agent.Error
		if err := f.Broken(w, c.err); !errors.As(err, &e) || e.Code != agent.CodeProviderError || e.Retryable != c.retryable {
			t.Errorf("%v becomes %+v, want retryable %v", c.err, err, c.retryable)
		}
	}
}

func TestAnEndpointThatIsNotThereIsNotCalledBusy(t *testing.T) {
	w := NewWatch(t.Context(), time.Minute, time.Minute)
	defer w.Stop()
	dial := &url.Error{Op: "Post", URL: "http://127.0.0.1:1/v1/", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	for name, c := range map[string]struct {
		provider     string
		err          error
		says, advice string
	}{
		"a known provider":             {"anthropic", dial, "Anthropic cannot be reached", "status page"},
		"an endpoint of the operator":  {"local", dial, "local cannot be reached", "once it runs"},
		"a read that broke off":        {"local", &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, "local failed to answer", "Try again"},
		"an address that is forbidden": {"local", &net.OpError{Op: "dial", Net: "tcp", Err: refuse("x.test", "no")}, "may not be reached", "operator"},
	} {
		var e *agent.Error
		if err := (Failure{Provider: c.provider}).Broken(w, c.err); !errors.As(err, &e) || e.Code != agent.CodeProviderError ||
			!strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.advice) || c.provider == "local" && strings.Contains(e.Hint, "status page") && name != "a read that broke off" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func TestTheWaitIsReadInEachOfItsForms(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		ms, after string
		want      time.Duration
	}{
		{"", "", 0}, {"", "0", 0}, {"", "1", time.Second}, {"", " 2 ", 2 * time.Second}, {"", "1.5", 1500 * time.Millisecond},
		{"", "-1", 0}, {"", "NaN", 0}, {"", "Inf", MaxRetryAfter}, {"", "1e300", MaxRetryAfter}, {"", "soon", 0},
		{"", "86399", 86399 * time.Second}, {"", "86400", MaxRetryAfter}, {"", "86401", MaxRetryAfter},
		{"250", "9", 250 * time.Millisecond}, {"x", "9", 9 * time.Second},
		{"", now.Add(time.Minute).Format(http.TimeFormat), time.Minute}, {"", now.Add(-time.Minute).Format(http.TimeFormat), 0},
		{"", now.Add(100 * time.Hour).Format(http.TimeFormat), MaxRetryAfter},
	} {
		h := http.Header{}
		h.Set("Retry-After-Ms", c.ms)
		h.Set("Retry-After", c.after)
		if got := RetryAfter(h, now); got != c.want {
			t.Errorf("%q %q becomes %s, want %s", c.ms, c.after, got, c.want)
		}
	}
}

func TestScrubbingLeavesNoRunOfTheKey(t *testing.T) {
	key := agent.NewSecret("abcdefghijklmnop")
	for in, want := range map[string]string{
		"":                                 "",
		"nothing here":                     "nothing here",
		"abcdefghijklmnop":                 "••••",
		"key=abcdefghijklmnop.":            "key=••••.",
		"abcdefgh and ijklmnop":            "•••• and ••••",
		"abcdefg is seven":                 "abcdefg is seven",
		"xabcdefghx":                       "x••••x",
		"abcdefghijklmnopabcdefghijklmnop": "••••••••",
		"line\nbreak\x00\x1b[31m":          "line break  [31m",
	} {
		if got := Scrub(in, key); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := Scrub("the key is short7", agent.NewSecret("short7")); got != "the key is ••••" {
		t.Errorf("a short key becomes %q", got)
	}
	if got := Scrub(strings.Repeat("é", 300), agent.Secret{}); len(got) > maxCause+len("…") || !strings.HasSuffix(got, "é…") {
		t.Errorf("a long text becomes %d bytes", len(got))
	}
}

func FuzzScrubbingLeavesNoRunOfTheKey(f *testing.F) {
	f.Add("abcdefghijklmnop", "xx", "abcdefghijklmnop")
	f.Add("aaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaa", "aaaa")
	f.Fuzz(func(t *testing.T, key, before, after string) {
		if len(key) < keyWindow || strings.Contains(key, scrubbedBy[:3]) {
			return
		}
		text := mask(before+key+after, key)
		for i := 0; i+keyWindow <= len(key); i++ {
			if strings.Contains(text, key[i:i+keyWindow]) {
				t.Fatalf("%q holds %q", text, key[i:i+keyWindow])
			}
		}
	})
}
