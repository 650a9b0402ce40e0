package dididecks

import (
	"strings"
	"sync"
)

// tailWriter keeps the end of what is written; errors stand at the end of a log.
type tailWriter struct {
	mu    sync.Mutex
	limit int
	data  []byte
	cut   bool
}

func (w *tailWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.data = append(w.data, p...)
	if over := len(w.data) - w.limit; over > 0 {
		w.data, w.cut = append([]byte(nil), w.data[over:]...), true
	}
	return len(p), nil
}

func (w *tailWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.ToValidUTF8(string(w.data), "")
	if w.cut {
		text = "[the beginning is cut]\n" + text
	}
	return strings.TrimSpace(text)
}

// tail cuts a log to its last bytes.
func tail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return "[the beginning is cut]\n" + strings.ToValidUTF8(s[len(s)-limit:], "")
}
