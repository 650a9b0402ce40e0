package outbound

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

// guarded reads a body through Guard, in pieces of one reader's making.
func guarded(status int, body io.Reader) (int64, error) {
	res, err := Guard(nil, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(body)}, nil
	})
	if err != nil {
		return 0, err
	}
	return io.Copy(io.Discard, res.Body)
}

func TestAnEventIsBoundedAndAnEmptyLineStartsTheNext(t *testing.T) {
	line := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		body string
		fits bool
	}{
		"under":                       {line(MaxEventBytes - 1), true},
		"at":                          {line(MaxEventBytes), true},
		"over":                        {line(MaxEventBytes + 1), false},
		"two events":                  {line(MaxEventBytes) + "\n\n" + line(MaxEventBytes), true},
		"two events, carriage return": {line(MaxEventBytes-1) + "\r\n\r\n" + line(MaxEventBytes), true},
		"one event of many lines":     {strings.Repeat("data: "+line(1000)+"\n", MaxEventBytes/1000), false},
		"comments without an end":     {strings.Repeat(":"+line(1000)+"\n", MaxEventBytes/1000), false},
		"many small events":           {strings.Repeat("data: "+line(1000)+"\n\n", MaxEventBytes/1000), true},
		"nothing but empty lines":     {strings.Repeat("\n", 1<<20), true},
	} {
		if n, err := guarded(http.StatusOK, strings.NewReader(c.body)); (err == nil) != c.fits {
			t.Errorf("%s: %d bytes, %v; want success %v", name, n, err, c.fits)
		} else if err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestAnEmptyLineIsSeenHoweverItIsSplit(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n"} {
		body := &eventBody{ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader("data: x" + end + "da")))}
		if _, err := io.Copy(io.Discard, body); err != nil {
			t.Fatal(err)
		}
		if body.event != 2 {
			t.Errorf("after %q the event counts %d bytes, want 2", end, body.event)
		}
	}
}

// endless gives small events for ever.
type endless struct{ event []byte }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.event)
	}
	return n, nil
}

func TestAStreamIsBoundedAsAWhole(t *testing.T) {
	n, err := guarded(http.StatusOK, endless{[]byte("data: " + strings.Repeat("x", 8<<10) + "\n\n")})
	if !errors.Is(err, ErrMalformed) || n > MaxStreamBytes {
		t.Errorf("%d bytes, %v; want ErrMalformed", n, err)
	}
}

func TestARefusalIsReadInPart(t *testing.T) {
	for size, want := range map[int]int64{10: 10, maxErrorBytes: maxErrorBytes, maxErrorBytes + 1: maxErrorBytes} {
		if n, err := guarded(http.StatusTeapot, strings.NewReader(strings.Repeat("x", size))); err != nil || n != want {
			t.Errorf("%d bytes become %d, %v; want %d", size, n, err, want)
		}
	}
}

func TestAFailureOfTheTransportPasses(t *testing.T) {
	want := errors.New("no route")
	_, err := Guard(nil, func(*http.Request) (*http.Response, error) { return nil, want })
	if !errors.Is(err, want) {
		t.Errorf("the error is %v", err)
	}
}
