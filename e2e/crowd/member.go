package crowd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// pause is how long a member waits before it sends again what was not answered,
// where the server did not say.
const pause = 50 * time.Millisecond

// looks is how many ways there are to change a slide.
const looks = 100

// tally is what all members count together.
type tally struct {
	mu       sync.Mutex
	accepted map[agent.TurnID]string // message id by turn
	resent   int
	shed     int             // answers that said: later
	waits    []time.Duration // from sending to the first event
	faults   []string
}

func (c *tally) fault(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.faults) < 20 {
		c.faults = append(c.faults, fmt.Sprintf(format, args...))
	}
}

// member is one person with a careful client.
type member struct {
	name  string
	user  *harness.User
	rng   *rand.Rand
	tally *tally
}

// work sends messages until quit is closed, and ends the one that it is at.
func (m *member) work(ctx context.Context, quit <-chan struct{}) {
	thread := agent.ThreadID("")
	for n := 0; ; n++ {
		select {
		case <-quit:
			return
		default:
		}
		words := fmt.Sprintf("talk %s %d", m.name, n)
		if m.rng.IntN(4) == 0 {
			words = fmt.Sprintf("change %s %d to look-%d", m.name, n, m.rng.IntN(looks))
		}
		message := harness.Say(words).In(thread)
		message.MessageID = fmt.Sprintf("%s-%d", m.name, n)
		begun := time.Now()
		turn, ok := m.say(ctx, message)
		if !ok {
			return
		}
		m.follow(ctx, turn, begun)
		thread = turn.ThreadID
		if m.rng.IntN(3) == 0 {
			thread = ""
		}
	}
}

// say sends a message until it is accepted.
func (m *member) say(ctx context.Context, message harness.Chat) (turn agent.Turn, ok bool) {
	var answer struct{ Turn agent.Turn }
	a, ok := m.ask(ctx, "POST /chat", message, http.StatusAccepted)
	if !ok {
		return turn, false
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil || answer.Turn.MessageID != message.MessageID {
		m.tally.fault("%s became %s (%v)", message.MessageID, a, err)
		return turn, false
	}
	m.tally.mu.Lock()
	defer m.tally.mu.Unlock()
	m.tally.accepted[answer.Turn.ID] = message.MessageID
	return answer.Turn, true
}

// ask sends a request again until it is answered with one of the statuses. What the server
// asks to be sent later is sent later.
func (m *member) ask(ctx context.Context, what string, body any, statuses ...int) (*harness.Answer, bool) {
	for {
		a, err := m.user.Send(ctx, what, body, harness.Set("Accept", "application/json"))
		wait := pause
		switch {
		case ctx.Err() != nil:
			m.tally.fault("%s: %s was never answered", m.name, what)
			return nil, false
		case err != nil:
			m.count(&m.tally.resent)
		case slices.Contains(statuses, a.Status):
			return a, true
		case a.Status == http.StatusServiceUnavailable || a.Status == http.StatusTooManyRequests:
			m.count(&m.tally.shed)
			if s, err := strconv.Atoi(a.Header.Get("Retry-After")); err == nil {
				wait = time.Duration(s) * time.Second
			}
		default:
			m.tally.fault("%s: %s answered %s", m.name, what, a)
			return nil, false
		}
		m.wait(ctx, wait)
	}
}

func (m *member) count(n *int) {
	m.tally.mu.Lock()
	defer m.tally.mu.Unlock()
	*n++
}

func (m *member) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

var errGap = errors.New("the stream has a gap")

// follow reads a turn to its end, comes back where its stream broke, and answers
// what is shown to it.
func (m *member) follow(ctx context.Context, turn agent.Turn, begun time.Time) {
	at := position{}
	for ctx.Err() == nil {
		ended, err := m.listen(ctx, turn.ID, &at, begun)
		if errors.Is(err, errGap) {
			m.tally.fault("%s, turn %s: %v", m.name, turn.ID, err)
			return
		}
		if ended {
			return
		}
		m.wait(ctx, pause)
	}
	m.tally.fault("%s: turn %s never ended", m.name, turn.ID)
}

// position is where a reader stands in the stream of a turn.
type position struct {
	id  string
	seq agent.Seq
	run int64
}

func (m *member) listen(ctx context.Context, turn agent.TurnID, at *position, begun time.Time) (ended bool, err error) {
	changes := []harness.Change{harness.Set("Accept", "text/event-stream")}
	if at.id != "" {
		changes = append(changes, harness.Set("Last-Event-ID", at.id))
	}
	res, err := m.user.Open(ctx, "GET /turns/"+string(turn)+"/events", nil, changes...)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNoContent {
		return true, nil
	}
	if res.StatusCode != http.StatusOK {
		return false, fmt.Errorf("status %d", res.StatusCode)
	}
	id := ""
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if v, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = v
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var ev agent.Event
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			return false, err
		}
		if at.id == "" {
			m.tally.mu.Lock()
			m.tally.waits = append(m.tally.waits, time.Since(begun))
			m.tally.mu.Unlock()
		}
		if err := at.move(id, ev); err != nil {
			return false, err
		}
		if ended, err := m.heed(ctx, ev); ended || err != nil {
			return ended, err
		}
	}
	return false, lines.Err()
}

// move goes on to an event: within a run the seqs have neither gap nor double.
func (p *position) move(id string, ev agent.Event) error {
	first := ev.Seq
	if ev.From > 0 {
		first = ev.From
	}
	if p.id != "" && ev.Run == p.run && first != p.seq+1 {
		return fmt.Errorf("%w: %d follows %d in run %d", errGap, first, p.seq, p.run)
	}
	p.id, p.seq, p.run = id, ev.Seq, ev.Run
	return nil
}

// heed answers a preview, and tells whether the turn ended.
func (m *member) heed(ctx context.Context, ev agent.Event) (ended bool, err error) {
	if ev.Kind == agent.EventTurnFailed {
		m.tally.fault("%s: turn %s failed: %s", m.name, ev.Turn, ev.Data)
	}
	if ev.Kind != agent.EventPreview {
		return ev.Kind.Terminal(), nil
	}
	var shown agent.PreviewShown
	if err := ev.Decode(&shown); err != nil {
		return false, err
	}
	answer := agent.AnswerAccept
	if m.rng.IntN(2) == 0 {
		answer = agent.AnswerDiscard
	}
	// Sent again until it is answered: the same answer twice is one decision.
	m.ask(ctx, "POST /confirm", harness.Decision(ev.Turn, answer, shown), http.StatusOK, http.StatusConflict)
	return false, nil
}
