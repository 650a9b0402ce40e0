package crowd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// putOff is the answer of a server that has as many turns as it can serve well.
type putOff struct {
	code  agent.Code
	after time.Duration // what Retry-After says; 0 where it says nothing
}

// Error says what was answered.
func (p *putOff) Error() string { return fmt.Sprintf("put off with %s for %s", p.code, p.after) }

// listener sends one message and reads the words of the clock that answers it.
type listener struct {
	user   *harness.User
	id     string // of the message
	delays []time.Duration
}

// listen sends the message once. heard is called with the first event. A *putOff is the
// answer of a server that is full; any other error is a fault.
func (l *listener) listen(ctx context.Context, chunks int, heard func()) error {
	message := harness.Say("what time is it?")
	message.MessageID = l.id
	res, err := l.user.Open(ctx, "POST /chat", message, harness.Set("Accept", "text/event-stream"))
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return refusal(res)
	}
	heard()
	l.delays = make([]time.Duration, 0, chunks)
	ended := ""
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	kind := ""
	var last int64
	for lines.Scan() {
		line := lines.Text()
		if v, ok := strings.CutPrefix(line, "event: "); ok {
			kind = v
			if agent.EventKind(kind).Terminal() {
				ended = kind
			}
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || kind != string(agent.EventTextDelta) {
			continue
		}
		if last, err = l.words(data, time.Now(), last); err != nil {
			return err
		}
	}
	if ended != string(agent.EventTurnCompleted) || len(l.delays) != chunks {
		return errors.Join(fmt.Errorf("the stream ended with %q after %d of %d words", ended, len(l.delays), chunks), lines.Err())
	}
	return nil
}

// words reads the clock's words out of one event and gives the last one.
func (l *listener) words(data string, now time.Time, last int64) (int64, error) {
	_, rest, _ := strings.Cut(data, `"text":"`)
	text, _, _ := strings.Cut(rest, `"`)
	for word := range strings.FieldsSeq(text) {
		due, err := strconv.ParseInt(word, 10, 64)
		if err != nil || due <= last {
			return last, fmt.Errorf("after the word %d came %q", last, word)
		}
		last = due
		l.delays = append(l.delays, now.Sub(time.UnixMicro(due)))
	}
	return last, nil
}

func refusal(res *http.Response) error {
	body, _ := io.ReadAll(res.Body)
	problem := (&harness.Answer{Body: body}).Problem()
	if res.StatusCode != http.StatusServiceUnavailable {
		return fmt.Errorf("answered %d %s", res.StatusCode, body)
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return &putOff{code: problem.Code, after: time.Duration(seconds) * time.Second}
}
