package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// malformed is how many bodies are sent.
const malformed = 10_000

var (
	goodChat = `{"projectId":"demo-deck","projectKind":"dididecks-deck","model":"scripted","threadId":"thread_x","messageId":"m","parentTurnId":"turn_x",` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}],"tools":["slide.*"],"attachments":[{"kind":"slide","id":"4"}]}`
	goodConfirm = `{"turnId":"turn_x","decisions":[{"callId":"call_x","receiptId":"receipt_x","decision":"accept"}]}`
)

// mangled makes one bad body of a good one, in a way that the generator picks.
func mangled(rng *rand.Rand, good string) string {
	switch rng.IntN(10) {
	case 0: // cut off
		return good[:rng.IntN(len(good))]
	case 1: // bytes changed
		b := []byte(good)
		for range 1 + rng.IntN(4) {
			b[rng.IntN(len(b))] = byte(rng.IntN(256))
		}
		return string(b)
	case 2: // a piece doubled
		from := rng.IntN(len(good))
		to := from + rng.IntN(len(good)-from)
		return good[:to] + good[from:to] + good[to:]
	case 3: // a piece lost
		from := rng.IntN(len(good))
		to := from + rng.IntN(len(good)-from)
		return good[:from] + good[to:]
	case 4: // nested too deep
		depth := 1 << (4 + rng.IntN(14))
		open, shut := "[", "]"
		if rng.IntN(2) == 0 {
			open, shut = `{"a":`, "}"
		}
		return `{"projectId":` + strings.Repeat(open, depth) + "1" + strings.Repeat(shut, rng.IntN(2)*depth) + "}"
	case 5: // something before or after
		extra := harness.Pick(rng, []string{"\ufeff", "{}", "\x00", "//", "]", ",", "nul", "\xff\xfe", "<html>"})
		if rng.IntN(2) == 0 {
			return extra + good
		}
		return good + extra
	case 6: // noise
		b := make([]byte, rng.IntN(400))
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		return string(b)
	case 7: // an odd number, string or name
		odd := harness.Pick(rng, []string{"1e999999", "-0", "0x10", "1_000", `"\ud800"`, `"\u0000"`, "\"\x80\"", strings.Repeat("9", 20_000), `""`, "null", "{}", "[[]]"})
		return `{"projectId":` + odd + `,"turnId":` + odd + `,"text":` + odd + `,"decisions":` + odd + "}"
	default: // members of other types
		return retyped(rng, good)
	}
}

// retyped puts values of other types in place of some members, wherever they stand.
func retyped(rng *rand.Rand, good string) string {
	var v any
	if err := json.Unmarshal([]byte(good), &v); err != nil {
		panic(err)
	}
	others := []any{nil, true, -1, 1e300, "", "x", strings.Repeat("x", 70_000), []any{}, map[string]any{}, []any{nil}, []any{[]any{1}}, map[string]any{"a": map[string]any{}}, "../..", "turn_\u202e"}
	var walk func(v any) any
	walk = func(v any) any {
		if rng.IntN(4) == 0 {
			return others[rng.IntN(len(others))]
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range sorted(v) {
				v[name] = walk(v[name])
				if rng.IntN(12) == 0 {
					delete(v, name)
				}
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		}
		return v
	}
	text, err := json.Marshal(walk(v))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func sorted(m map[string]any) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestTenThousandMalformedBodiesGiveNoFault(t *testing.T) {
	t.Parallel()
	rng, seed := harness.Seed(t)
	s := harness.Start(t, harness.Options{Programs: programs})
	demo := s.SignIn("demo")
	type body struct{ what, text, kind string }
	bodies := make(chan body)
	var mu sync.Mutex
	statuses := map[int]int{}
	var slow []time.Duration
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for b := range bodies {
				begun := time.Now()
				a, err := demo.Send(t.Context(), b.what, b.text, harness.Set("Content-Type", b.kind), harness.Set("Accept", "application/json"))
				took := time.Since(begun)
				mu.Lock()
				if err != nil {
					t.Errorf("%s %.200q: %v", b.what, b.text, err)
				} else {
					statuses[a.Status]++
					slow = append(slow, took)
					if p := a.Problem(); a.Status >= 500 || a.Status >= 300 && (p.Code == "" || p.Message == "" || strings.Contains(string(a.Body), "goroutine ")) {
						t.Errorf("seed %d: %s %.200q answered %s", seed, b.what, b.text, a)
					}
				}
				mu.Unlock()
			}
		})
	}
	for n := range malformed {
		what, good, kind := "POST /chat", goodChat, "application/json"
		if n%3 == 0 {
			what, good = "POST /confirm", goodConfirm
		}
		if rng.IntN(20) == 0 {
			kind = harness.Pick(rng, []string{"text/plain", "", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/x-www-form-urlencoded", ";;;"})
		}
		bodies <- body{what, mangled(rng, good), kind}
	}
	close(bodies)
	workers.Wait()
	slices.Sort(slow)
	t.Logf("answers by status: %v; half within %s, all within %s", fmt.Sprint(statuses), slow[len(slow)/2], slow[len(slow)-1])
	if refused := malformed - statuses[http.StatusAccepted] - statuses[http.StatusOK]; refused < malformed*9/10 {
		t.Errorf("only %d of %d bodies were refused: the generator makes good ones", refused, malformed)
	}
	if strings.Contains(s.Log(), "panic") {
		t.Error("something panicked")
	}
	demo.Must(http.StatusOK, "GET /readyz", nil)
	if done := demo.Chat(harness.Say("what can you do?")); done.Completed().Text == "" {
		t.Error("the server does not answer any more")
	}
	if n := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state = 'running'`); n != 0 {
		t.Errorf("%d turns run", n)
	}
}
