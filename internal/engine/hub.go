package engine

import (
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// hub wakes the readers of a thread. A reader pulls; a topic holds no event but
// the thread's last change, so a slow reader costs nothing and blocks nobody.
type hub struct {
	mu     sync.Mutex
	topics map[agent.ThreadID]*topic
}

type topic struct {
	readers int
	wake    chan struct{} // closed and replaced when there is something to pull
	changes int           // counts thread.changed
	change  agent.ThreadChangedData
}

// join opens the topic of a thread for one reader; leave closes it again.
func (h *hub) join(id agent.ThreadID) (t *topic, leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.topics == nil {
		h.topics = map[agent.ThreadID]*topic{}
	}
	t = h.topics[id]
	if t == nil {
		t = &topic{wake: make(chan struct{})}
		h.topics[id] = t
	}
	t.readers++
	return t, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if t.readers--; t.readers == 0 {
			delete(h.topics, id)
		}
	}
}

// waiting gives the channel that the next wake closes, and the thread's last
// change. Take it before looking for events, or a wake is lost.
func (h *hub) waiting(t *topic) (wake <-chan struct{}, changes int, change agent.ThreadChangedData) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return t.wake, t.changes, t.change
}

// wake tells the readers of a thread that there is something to pull.
func (h *hub) wake(id agent.ThreadID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[id]; t != nil {
		close(t.wake)
		t.wake = make(chan struct{})
	}
}

// changed tells the readers of a thread that its head line is another.
func (h *hub) changed(id agent.ThreadID, c agent.ThreadChangedData) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[id]; t != nil {
		t.changes++
		t.change = c
		close(t.wake)
		t.wake = make(chan struct{})
	}
}
