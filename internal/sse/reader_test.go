package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func readAll(tb testing.TB, stream string, max int) (events []Event, err error) {
	tb.Helper()
	r := NewReader(strings.NewReader(stream), max)
	for {
		e, err := r.Next()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestAStreamIsReadAsTheStandardSays(t *testing.T) {
	cases := []struct {
		name, stream string
		want         []Event
	}{
		{"line feeds", "event: a\ndata: 1\n\n", []Event{{"", "a", []byte("1")}}},
		{"carriage returns", "event: a\rdata: 1\r\r", []Event{{"", "a", []byte("1")}}},
		{"both", "event: a\r\ndata: 1\r\n\r\n", []Event{{"", "a", []byte("1")}}},
		{"a byte order mark", "\xef\xbb\xbfdata: 1\n\n", []Event{{"", "", []byte("1")}}},
		{"no space after the colon", "data:1\n\n", []Event{{"", "", []byte("1")}}},
		{"two spaces keep one", "data:  1\n\n", []Event{{"", "", []byte(" 1")}}},
		{"a field without a colon", "data\n\n", []Event{{"", "", []byte("")}}},
		{"several data lines", "data: a\ndata:\ndata: b\n\n", []Event{{"", "", []byte("a\n\nb")}}},
		{"comments and unknown fields", ": hi\nfoo: bar\ndata: 1\n\n", []Event{{"", "", []byte("1")}}},
		{"an id lasts", "id: 7\ndata: a\n\ndata: b\n\n", []Event{{"7", "", []byte("a")}, {"7", "", []byte("b")}}},
		{"an id with NUL does not count", "id: 7\ndata: a\n\nid: 8\x00\ndata: b\n\n", []Event{{"7", "", []byte("a")}, {"7", "", []byte("b")}}},
		{"a name does not last without data", "event: a\n\ndata: 1\n\n", []Event{{"", "", []byte("1")}}},
		{"what the end cuts off is dropped", "data: 1\n\ndata: 2\n", []Event{{"", "", []byte("1")}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := readAll(t, c.stream, 1<<10)
			if !errors.Is(err, io.EOF) || len(got) != len(c.want) {
				t.Fatalf("got %d events, %v; want %d", len(got), err, len(c.want))
			}
			for i, e := range got {
				if e.ID != c.want[i].ID || e.Name != c.want[i].Name || !bytes.Equal(e.Data, c.want[i].Data) {
					t.Errorf("event %d: got %q, want %q", i, e, c.want[i])
				}
			}
		})
	}
}

func TestAFrameAtTheLimitIsReadAndOneOverItIsNot(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		want error
	}{{"under", 99, io.EOF}, {"at", 100, io.EOF}, {"over", 101, ErrTooLong}} {
		t.Run(c.name, func(t *testing.T) {
			line := "data: " + strings.Repeat("x", c.size-len("data: "))
			if _, err := readAll(t, line+"\n\n", 100); !errors.Is(err, c.want) {
				t.Errorf("one line: got %v, want %v", err, c.want)
			}
			two := "data: x\n" + strings.Repeat(":", c.size-len("data: x")) + "\n\n"
			if _, err := readAll(t, two, 100); !errors.Is(err, c.want) {
				t.Errorf("a line and a comment: got %v, want %v", err, c.want)
			}
		})
	}
}

func TestALineWithoutEndTakesNoMoreThanTheLimit(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("data: "), iotest.ErrReader(errors.New("read too far")))
	r := NewReader(io.MultiReader(endless), 3)
	if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("the error does not stay: %v", err)
	}
}

func TestTheReconnectionTimeIsTakenWhenItIsANumber(t *testing.T) {
	for stream, want := range map[string]time.Duration{
		"retry: 1500\n\n": 1500 * time.Millisecond, "retry: soon\n\n": 0, "retry: -1\n\n": 0,
		"retry: 99999999999999999999\n\n": 0, "retry: 3600001\n\n": 0,
	} {
		r := NewReader(strings.NewReader(stream), 1<<10)
		if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Retry() != want {
			t.Errorf("%q: got %v, %v", stream, r.Retry(), err)
		}
	}
}

func TestAStreamInSingleBytesReadsTheSame(t *testing.T) {
	r := NewReader(iotest.OneByteReader(strings.NewReader("id: 1\r\nevent: a\r\ndata: x\r\ndata: y\r\n\r\n")), 1<<10)
	e, err := r.Next()
	if err != nil || e.Name != "a" || string(e.Data) != "x\ny" || r.LastID() != "1" {
		t.Errorf("got %q, %v", e, err)
	}
}

// FuzzAnyBytesAreReadWithinTheLimit feeds the reader what a hostile upstream could.
func FuzzAnyBytesAreReadWithinTheLimit(f *testing.F) {
	f.Add([]byte("data: x\n\n"), 64)
	f.Add([]byte("\xef\xbb\xbf:\r\n\rdata\r\n\n"), 8)
	f.Fuzz(func(t *testing.T, stream []byte, max int) {
		max = 1 + max&0xffff
		r := NewReader(bytes.NewReader(stream), max)
		for range len(stream) + 1 {
			e, err := r.Next()
			if err != nil {
				return
			}
			if len(e.Data) > max || len(e.Name) > max || len(e.ID) > max {
				t.Fatalf("an event of %d bytes passed a limit of %d", len(e.Data), max)
			}
		}
		t.Fatal("more events than bytes")
	})
}
