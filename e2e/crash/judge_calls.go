package crash

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// asked is one model call as the provider saw it.
type asked struct {
	words string // of the message or the wish
	step  int    // of a message: 0 for its first
	once  bool   // a capability's question
	at    int64  // milliseconds since the epoch
}

// judgeCalls checks what the provider was asked: never again for an answer that was
// committed, and no more often than lives and faults explain.
func (s *scene) judgeCalls() {
	committed := map[string]int64{}
	for _, row := range harness.Rows(s.t, s.server, `SELECT a.user_message, s.step_index, s.at_ms FROM steps s
		JOIN turns t ON t.id = s.turn_id JOIN agent_transcripts a ON a.id = t.transcript_id WHERE s.stop <> 'other'`) {
		committed[row[0]+" "+row[1]] = number(row[2])
	}
	total, cut := map[asked]int{}, 0
	for _, seen := range s.provider.Requests("") {
		if len(seen.Body) == 0 || string(seen.Body) == "null" {
			cut++ // its process died while it sent it
			continue
		}
		q, heard, ok := read(seen)
		if !ok {
			s.t.Errorf("a model call for nothing that anybody said: %.300s", seen.Raw)
			continue
		}
		if seen.Refused != "" && seen.Fault == "" {
			s.t.Errorf("the provider refused a request of %s: %s", q.words, seen.Refused)
		}
		if path := s.world.said(q.words); !q.once && !slices.Equal(heard, path) {
			s.t.Errorf("step %d of %s was asked with the messages %v, its path is %v", q.step, q.words, heard, path)
		}
		total[asked{words: q.words, step: q.step, once: q.once}]++
		if at, ok := committed[fmt.Sprintf("%s %d", q.words, q.step)]; ok && !q.once && q.at > at {
			s.t.Errorf("step %d of %s was asked for again %d ms after its answer was committed", q.step, q.words, q.at-at)
		}
	}
	if deaths := s.life.deaths(); cut > widest*deaths {
		s.t.Errorf("%d deaths cut %d model calls", deaths, cut)
	}
	for q, n := range total {
		if most := s.world.asked[q.words]; n > most {
			s.t.Errorf("step %d of %s took %d model calls, at most %d are explained", q.step, q.words, n, most)
		}
	}
}

// read finds what a request asks for, and the messages that it was asked with.
func read(seen fake.Seen) (q asked, heard []string, ok bool) {
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []json.RawMessage
	}
	if json.Unmarshal(seen.Body, &body) != nil {
		return q, nil, false
	}
	q.at, q.once = seen.At.UnixMilli(), len(body.Tools) == 0
	prefix := "say-"
	if q.once {
		prefix = "wish-"
	}
	for _, m := range body.Messages {
		if m.Role == "assistant" {
			q.step++
			continue
		}
		for _, words := range spoken.FindAllString(string(m.Content), -1) {
			if strings.HasPrefix(words, prefix) {
				q.words, q.step = words, 0
				heard = append(heard, words)
			}
		}
	}
	return q, heard, q.words != ""
}
