package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestAFrameIsWrittenFieldByField(t *testing.T) {
	cases := []struct {
		name string
		give Event
		want string
	}{
		{"with everything", Event{ID: "1:7", Name: "text.delta", Data: []byte(`{"a":1}`)}, "id: 1:7\nevent: text.delta\ndata: {\"a\":1}\n\n"},
		{"with data only", Event{Data: []byte("x")}, "data: x\n\n"},
		{"with empty data", Event{Name: "cast"}, "event: cast\ndata: \n\n"},
		{"with a line feed", Event{Data: []byte("a\nb")}, "data: a\ndata: b\n\n"},
		{"with a carriage return", Event{Data: []byte("a\rb")}, "data: a\ndata: b\n\n"},
		{"with both", Event{Data: []byte("a\r\nb\r\n")}, "data: a\ndata: b\ndata: \n\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Append(nil, c.give)
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestAFieldThatWouldForgeAnotherIsRefused(t *testing.T) {
	for _, bad := range []string{"a\nb", "a\rb", "a\x00b"} {
		for _, e := range []Event{{ID: bad}, {Name: bad}} {
			got, err := Append([]byte("kept"), e)
			if !errors.Is(err, ErrField) || string(got) != "kept" {
				t.Errorf("%+v: got %q, %v", e, got, err)
			}
		}
	}
}

func TestACommentIsNeverAnEvent(t *testing.T) {
	stream := AppendComment(nil, "hello\ndata: forged\rid: 9")
	if _, err := NewReader(bytes.NewReader(stream), 1<<10).Next(); !errors.Is(err, io.EOF) {
		t.Errorf("a comment was read as an event: %v", err)
	}
}

// FuzzWhatIsWrittenIsRead holds writer and reader against each other.
func FuzzWhatIsWrittenIsRead(f *testing.F) {
	f.Add("1:1", "text.delta", []byte(`{"text":"hi"}`))
	f.Add("", "", []byte("a\r\n\r\rb\n"))
	f.Add("x", "preview", []byte(nil))
	f.Add("\ufeff", "\ufeff", []byte("\ufeffdata: x"))
	f.Fuzz(func(t *testing.T, id, name string, data []byte) {
		frame, err := Append(AppendComment(nil, name), Event{ID: id, Name: name, Data: data})
		if strings.ContainsAny(id, "\r\n\x00") || strings.ContainsAny(name, "\r\n\x00") {
			if !errors.Is(err, ErrField) {
				t.Fatalf("a forged field went through: %v", err)
			}
			return
		}
		r := NewReader(bytes.NewReader(frame), len(frame)+1)
		got, err := r.Next()
		if err != nil {
			t.Fatalf("own frame %q cannot be read: %v", frame, err)
		}
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		if got.ID != id || got.Name != name || string(got.Data) != want {
			t.Fatalf("wrote %q %q %q, read %q %q %q", id, name, want, got.ID, got.Name, got.Data)
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("one event became two: %v", err)
		}
	})
}
