package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// attach is a request for a turn's stream; last is Last-Event-ID.
func attach(after, last string) *http.Request {
	r := request("GET", "/turns/tn1/events?after="+after, "")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	return r
}

// ended is a desk with a turn of three events that has ended.
func ended(t *testing.T) *desk {
	d := newDesk(t)
	d.agent.put("tn1", agent.TurnRunning)
	d.agent.tell("tn1", agent.EventTurnStarted, agent.TurnStarted{})
	d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: "hi"})
	d.agent.tell("tn1", agent.EventTurnCompleted, agent.TurnCompleted{})
	return d
}

func TestAttachingReplaysAfterThePlaceThatWasSeen(t *testing.T) {
	cases := []struct {
		name, after, last string
		want              []string
	}{
		{"from the start", "", "", []string{"1:1", "1:2", "1:3"}},
		{"after a bare seq", "1", "", []string{"1:2", "1:3"}},
		{"after a run and seq", "1:2", "", []string{"1:3"}},
		{"the header wins", "0", "1:2", []string{"1:3"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rec := ended(t).do(attach(c.after, c.last))
			var ids []string
			for line := range strings.SplitSeq(rec.Body.String(), "\n") {
				if id, ok := strings.CutPrefix(line, "id: "); ok {
					ids = append(ids, id)
				}
			}
			if rec.Code != http.StatusOK || !reflect.DeepEqual(ids, c.want) {
				t.Errorf("%d %q, want %q", rec.Code, ids, c.want)
			}
		})
	}
}

func TestAnEndedTurnWithNothingLeftIs204(t *testing.T) {
	for _, after := range []string{"3", "1:3", "99"} {
		rec := ended(t).do(attach(after, ""))
		if rec.Code != http.StatusNoContent || rec.Body.Len() != 0 {
			t.Errorf("after %s: %d %q", after, rec.Code, rec.Body)
		}
	}
}

func TestAPlaceThatIsNoneIsRefused(t *testing.T) {
	for _, after := range []string{"x", "-1", "1:-1", "1:2:3", ":", "1:", ":1", "99999999999999999999", "+1", "1.0"} {
		p := problem(t, ended(t).do(attach("", after)))
		if p.Code != agent.CodeInvalidRequest {
			t.Errorf("%q: %+v", after, p)
		}
	}
	d := ended(t)
	for _, after := range []string{"x", "tn1", "tn1:x", "tn1:-1", ":1", "a:b:c:d"} {
		if p := problem(t, d.do(request("GET", "/threads/th1/events?after="+after, ""))); p.Code != agent.CodeInvalidRequest {
			t.Errorf("%q: %+v", after, p)
		}
	}
}

func TestALiveTurnOpensAtOnceAndIsFollowedToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		w, _, done := d.open(attach("", ""))
		synctest.Wait()
		if status, body := w.now(); status != http.StatusOK || body != "" {
			t.Fatalf("before any event: %d %q", status, body)
		}
		d.agent.tell("tn1", agent.EventTurnStarted, agent.TurnStarted{})
		synctest.Wait()
		if _, body := w.now(); !strings.HasPrefix(body, "id: 1:1\nevent: turn.started\n") {
			t.Fatalf("the first event: %q", body)
		}
		d.agent.tell("tn1", agent.EventTurnCompleted, agent.TurnCompleted{})
		<-done
	})
}

func TestASilentStreamBeatsEveryFifteenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		w, leave, done := d.open(attach("", ""))
		for beats := range 4 {
			if _, body := w.now(); strings.Count(body, ":") != beats {
				t.Fatalf("after %d beats: %q", beats, body)
			}
			pass(DefaultHeartbeat)
			synctest.Wait()
		}
		leave()
		<-done
	})
}

func TestAStreamIsClosedWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		w, _, done := d.open(attach("", ""))
		begun := time.Now()
		<-done
		if lived := time.Since(begun); lived != DefaultMaxStream {
			t.Errorf("it lived %v", lived)
		}
		if _, body := w.now(); strings.Contains(body, "event:") {
			t.Errorf("the end looks like an event: %q", body)
		}
	})
}

func TestALiveStreamEndsWithinFiveSecondsOfARevokedSession(t *testing.T) {
	refusals := map[string]func(agent.Principal) (agent.Principal, error){
		"unauthenticated": func(agent.Principal) (agent.Principal, error) {
			return agent.Principal{}, agent.Errorf(agent.CodeUnauthenticated, "Please sign in.")
		},
		"an error of the host's": func(agent.Principal) (agent.Principal, error) { return agent.Principal{}, errors.New("no") },
		"another user":           func(agent.Principal) (agent.Principal, error) { return bob, nil },
		"another org":            func(agent.Principal) (agent.Principal, error) { return mallory, nil },
		"a panic":                func(agent.Principal) (agent.Principal, error) { panic("a fault") },
	}
	for name, refuse := range refusals {
		for _, path := range []string{"/turns/tn1/events", "/threads/th1/events"} {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				d.agent.put("tn1", agent.TurnRunning)
				w, _, done := d.open(request("GET", path, ""))
				pass(time.Minute)
				revoked := time.Now()
				d.rule(refuse)
				<-done
				if took := time.Since(revoked); took > 5*time.Second {
					t.Errorf("%s, %s: it went on for %v", name, path, took)
				}
				if status, _ := w.now(); status != http.StatusOK {
					t.Errorf("%s: %d", name, status)
				}
			})
		}
	}
}

func TestALiveStreamOutlivesAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		w, _, done := d.open(attach("", ""))
		pass(time.Second)
		d.rule(func(agent.Principal) (agent.Principal, error) {
			return agent.Principal{}, agent.Errorf(agent.CodeUnavailable, "The sessions are away.")
		})
		pass(4 * time.Minute)
		d.agent.tell("tn1", agent.EventTurnCompleted, agent.TurnCompleted{})
		<-done
		if _, body := w.now(); !strings.Contains(body, "event: turn.completed") {
			t.Errorf("%q", body)
		}
	})
}

func TestAThreadIsFollowedWithCursorsAndChangesWithoutId(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := ended(t)
		w, leave, done := d.open(request("GET", "/threads/th1/events?after=tn1:1:1", ""))
		synctest.Wait()
		pass(burst)
		synctest.Wait()
		_, body := w.now()
		frames := strings.Split(body, "\n\n")
		if len(frames) != 4 || !strings.HasPrefix(frames[0], "event: thread.changed\n") ||
			!strings.HasPrefix(frames[1], "id: tn1:1:2\n") || !strings.HasPrefix(frames[2], "id: tn1:1:3\n") {
			t.Errorf("frames %q", frames)
		}
		leave()
		<-done
	})
}

func TestAnErrorBeforeTheStreamIsAStatusAndAfterItJustAnEnd(t *testing.T) {
	d := newDesk(t)
	d.agent.put("tn1", agent.TurnComplete)
	d.agent.extra = agent.Errorf(agent.CodeStorageBusy, "The store is busy.")
	if p := problem(t, d.do(attach("", ""))); p.Code != agent.CodeStorageBusy {
		t.Errorf("before: %+v", p)
	}
	d = newDesk(t)
	d.agent.put("tn1", agent.TurnRunning)
	d.agent.tell("tn1", agent.EventTurnStarted, agent.TurnStarted{})
	d.agent.extra = agent.Wrap(agent.CodeInternal, errors.New("secret cause"), "x")
	rec := d.do(attach("", ""))
	if rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), "secret") || strings.Count(rec.Body.String(), "event:") != 1 {
		t.Errorf("after: %d %s", rec.Code, rec.Body)
	}
	if !strings.Contains(d.log.String(), "secret cause") {
		t.Error("the log does not say why the stream ended")
	}
}

func TestAClientThatIsGoneEndsItsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		w, _, done := d.open(attach("", ""))
		synctest.Wait()
		w.break_(io.ErrClosedPipe)
		d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: "x"})
		<-done
	})
}

func TestABurstIsFlushedTogetherAndAQuietEventAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		for range 500 {
			d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: "x"})
		}
		w, leave, done := d.open(attach("", ""))
		synctest.Wait()
		pass(2 * burst)
		synctest.Wait()
		if w.flushed > 4 {
			t.Errorf("500 events took %d flushes", w.flushed)
		}
		before := w.flushed
		d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: "y"})
		synctest.Wait() // no time has passed
		if w.flushed != before+1 {
			t.Errorf("an event after a quiet moment took %d flushes", w.flushed-before)
		}
		leave()
		<-done
	})
}

// FuzzTheQuickEncoderSaysWhatTheSlowOneSays compares appendEvent with encoding/json.
func FuzzTheQuickEncoderSaysWhatTheSlowOneSays(f *testing.F) {
	f.Add(int64(1), int64(0), int64(2), "tn1", "th1", int64(1700000000000), "text.delta", `{"text":"<&>\u2028"}`)
	f.Add(int64(9), int64(3), int64(-1), "\"\\\x00\xff", "\u2028", int64(0), "", ``)
	f.Fuzz(func(t *testing.T, seq, from, run int64, turn, thread string, at int64, kind, data string) {
		e := agent.Event{Seq: agent.Seq(seq), From: agent.Seq(from), Run: run, Turn: agent.TurnID(turn),
			Thread: agent.ThreadID(thread), At: at, Kind: agent.EventKind(kind), Data: json.RawMessage(data)}
		slow, err := json.Marshal(e)
		if err != nil && data != "" {
			return // the data is no JSON
		}
		if data == "" {
			e.Data = nil
			slow, _ = json.Marshal(e)
		}
		var a, b any
		quick := appendEvent(nil, e)
		if json.Unmarshal(quick, &a) != nil || json.Unmarshal(slow, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("quick %s\nslow  %s", quick, slow)
		}
	})
}

func BenchmarkAppendEvent(b *testing.B) {
	e := agent.Event{Seq: 12345, Run: 1, Turn: "turn_0123456789abcdef", Thread: "thr_0123456789abcdef", At: 1700000000000,
		Kind: agent.EventTextDelta, Data: json.RawMessage(`{"block":0,"text":"twenty characters here"}`)}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = appendEvent(buf[:0], e)
	}
}
