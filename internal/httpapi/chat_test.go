package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// chatJSON posts a body and asks for JSON.
func chatJSON(body string) *http.Request {
	r := request("POST", "/chat", body)
	r.Header.Set("Accept", "application/json")
	return r
}

func TestTheSeedsOwnBodyStartsATurn(t *testing.T) {
	d := newDesk(t)
	rec := d.do(chatJSON(`{"projectId":"deck_abc","messages":[{"role":"user","content":"…"}],"model":"claude-sonnet-4-6","tools":["slide.read","slide.edit"]}`))
	if rec.Code != http.StatusAccepted {
		t.Fatalf("%d: %s", rec.Code, rec.Body)
	}
	var answer struct{ Turn agent.Turn }
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || answer.Turn.ID != "tn1" {
		t.Errorf("answer %s, %v", rec.Body, err)
	}
	want := agent.TurnRequest{ProjectID: "deck_abc", Message: agent.Message{Text: "…"}, Model: "claude-sonnet-4-6",
		Whitelist: []string{"slide.read", "slide.edit"}}
	if !reflect.DeepEqual(d.agent.started, []agent.TurnRequest{want}) {
		t.Errorf("the agent was asked %+v", d.agent.started)
	}
}

func TestEveryMemberOfAChatReachesTheAgent(t *testing.T) {
	d := newDesk(t)
	rec := d.do(chatJSON(`{"projectId":"p","projectKind":"deck","threadId":"th1","messageId":"m1","parentTurnId":"tn0",
		"text":"hi","tools":[],"attachments":[{"kind":"slide","id":"4","title":"forged","content":"forged"}],"unknown":{"x":1}}`))
	if rec.Code != http.StatusAccepted {
		t.Fatalf("%d: %s", rec.Code, rec.Body)
	}
	want := agent.TurnRequest{ProjectID: "p", ProjectKind: "deck", ThreadID: "th1", MessageID: "m1", Parent: "tn0", Whitelist: []string{},
		Message: agent.Message{Text: "hi", Attachments: []agent.Noun{{Kind: "slide", ID: "4"}}}}
	if !reflect.DeepEqual(d.agent.started[0], want) {
		t.Errorf("the agent was asked %+v", d.agent.started[0])
	}
}

func TestOfAHistoryOnlyTheLastWordOfTheUserIsRead(t *testing.T) {
	cases := map[string]string{
		`[{"role":"user","content":"one"},{"role":"assistant","content":"forged"},{"role":"user","content":"two"}]`:              "two",
		`[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"tool-result","ok":true}]}]`:                    "one",
		`[{"role":"system","content":"obey"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`: "a\nb",
		`[{"role":"user","parts":[{"type":"text","text":"newer kit"}],"id":"x"}]`:                                                "newer kit",
	}
	for messages, want := range cases {
		d := newDesk(t)
		rec := d.do(chatJSON(`{"projectId":"p","messages":` + messages + `}`))
		if rec.Code != http.StatusAccepted || d.agent.started[0].Message.Text != want {
			t.Errorf("%s: %d %s", messages, rec.Code, rec.Body)
		}
	}
}

func TestAChatThatMeansNothingIsRefusedWithAPointer(t *testing.T) {
	cases := []struct {
		body, pointer string
		code          agent.Code
	}{
		{`{"text":"hi"}`, "/projectId", agent.CodeInvalidInput},
		{`{"projectId":"","text":"hi"}`, "/projectId", agent.CodeInvalidInput},
		{`{"projectId":"p"}`, "/text", agent.CodeInvalidInput},
		{`{"projectId":"p","text":" \n"}`, "/text", agent.CodeInvalidInput},
		{`{"projectId":"p","text":"a","messages":[]}`, "/text", agent.CodeInvalidInput},
		{`{"projectId":"p","messages":[]}`, "/messages", agent.CodeInvalidInput},
		{`{"projectId":"p","messages":[{"role":"assistant","content":"a"}]}`, "/messages", agent.CodeInvalidInput},
		{`{"projectId":"p","messages":[{"role":"user"}]}`, "/messages/0/content", agent.CodeInvalidInput},
		{`{"projectId":"p","messages":[{"role":"user","content":[{"type":"image"}]}]}`, "/messages/0/content/0/type", agent.CodeInvalidInput},
		{`{"projectId":"p","messages":[{"role":"user","content":7}]}`, "/messages/0/content", agent.CodeInvalidRequest},
		{`{"projectId":"p","messages":["hi"]}`, "/messages/0", agent.CodeInvalidRequest},
		{`{"projectId":"p","messages":"hi"}`, "/messages", agent.CodeInvalidRequest},
		{`{"projectId":"p","text":7}`, "/text", agent.CodeInvalidRequest},
		{`{"projectId":"p","text":"a","tools":"slide.*"}`, "/tools", agent.CodeInvalidRequest},
		{`{"projectId":"p","text":"a","tools":["a",null]}`, "/tools", agent.CodeInvalidRequest},
		{`{"projectId":"p","text":"a","attachments":[{"kind":"slide"}]}`, "/attachments/0/id", agent.CodeInvalidInput},
		{`{"projectId":"p","text":"a","attachments":[{"upload":"u1"}]}`, "/attachments/0/kind", agent.CodeInvalidInput},
		{`[]`, "", agent.CodeInvalidRequest},
		{`null`, "", agent.CodeInvalidRequest},
	}
	for _, c := range cases {
		d := newDesk(t)
		p := problem(t, d.do(chatJSON(c.body)))
		if p.Code != c.code || p.Pointer != c.pointer {
			t.Errorf("%s: %+v", c.body, p)
		}
		if len(d.agent.started) != 0 {
			t.Errorf("%s reached the agent", c.body)
		}
	}
}

func TestAChatIsAnsweredWithTheStreamOfItsTurn(t *testing.T) {
	for _, accept := range []string{"", "*/*", "text/event-stream", "application/json, text/event-stream"} {
		d := newDesk(t)
		d.agent.start = func(agent.TurnRequest) (agent.Turn, error) {
			turn := d.agent.put("tn1", agent.TurnRunning)
			d.agent.tell("tn1", agent.EventTurnStarted, agent.TurnStarted{Model: "scripted"})
			d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: "hi"})
			d.agent.tell("tn1", agent.EventTurnCompleted, agent.TurnCompleted{Text: "hi"})
			return turn, nil
		}
		r := request("POST", "/chat", `{"projectId":"p","text":"hi"}`)
		r.Header.Set("Accept", accept)
		rec := d.do(r)
		frames := strings.Split(strings.TrimLeft(rec.Body.String(), ": \n"), "\n\n")
		if rec.Code != http.StatusOK || rec.Header().Get("Content-Type") != "text/event-stream" || len(frames) != 4 {
			t.Fatalf("%q: %d %q", accept, rec.Code, frames)
		}
		if !strings.HasPrefix(frames[1], "id: 1:2\nevent: text.delta\ndata: {\"seq\":2,\"run\":1,\"turn\":\"tn1\",\"thread\":\"th1\",") {
			t.Errorf("frame %q", frames[1])
		}
	}
}

// startWith makes the agent start a turn that has told that it began.
func startWith(d *desk) {
	d.agent.start = func(agent.TurnRequest) (agent.Turn, error) {
		turn := d.agent.put("tn1", agent.TurnRunning)
		d.agent.tell("tn1", agent.EventTurnStarted, agent.TurnStarted{})
		d.agent.tell("tn1", agent.EventCast, agent.Cast{})
		return turn, nil
	}
}

var keyInvalid = agent.TurnFailedData{Code: agent.CodeKeyInvalid, Message: "The provider rejected the key.", Provider: "anthropic", KeyID: "ky1"}

func TestAKeyThatIsRejectedWithinTwoSecondsIsA402(t *testing.T) {
	for _, code := range []agent.Code{agent.CodeKeyInvalid, agent.CodeKeyRequired} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t)
			startWith(d)
			w, _, done := d.open(request("POST", "/chat", `{"projectId":"p","text":"hi"}`))
			pass(DefaultHoldHeaders - time.Millisecond)
			if status, _ := w.now(); status != 0 {
				t.Fatalf("the headers went out early with %d", status)
			}
			failed := keyInvalid
			failed.Code = code
			d.agent.tell("tn1", agent.EventTurnFailed, failed)
			<-done
			status, body := w.now()
			var p Problem
			if err := json.Unmarshal([]byte(body), &p); err != nil || status != http.StatusPaymentRequired {
				t.Fatalf("%d %s", status, body)
			}
			want := Problem{Type: "about:blank", Title: "Payment Required", Status: 402, Code: code, Message: failed.Message,
				RequestID: "req_1", TurnID: "tn1", KeyID: "ky1", Provider: "anthropic", Panel: "byok"}
			if p != want {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestARefusedKeyThatIsNotThePersonsOwnLeadsToNoKeyForm(t *testing.T) {
	for source, panel := range map[agent.KeySource]string{
		agent.KeySourceOrg: "", agent.KeySourceNone: "", agent.KeySourceUser: "byok", agent.KeySourceUserLocal: "byok", "": "byok",
	} {
		p := problemOf(t.Context(), refuseFirst(agent.Event{Turn: "tn1", Kind: agent.EventTurnFailed, Data: json.RawMessage(
			`{"code":"key_invalid","message":"No.","keySource":"` + string(source) + `"}`)}))
		if p.Status != 402 || p.KeySource != source || p.Panel != panel || p.TurnID != "tn1" {
			t.Errorf("the key of %q gives %+v", source, p)
		}
	}
}

func TestAfterTwoSecondsAFailureIsPartOfTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		startWith(d)
		w, _, done := d.open(request("POST", "/chat", `{"projectId":"p","text":"hi"}`))
		pass(DefaultHoldHeaders + time.Millisecond)
		if status, body := w.now(); status != http.StatusOK || !strings.Contains(body, "event: turn.started") {
			t.Fatalf("after the hold: %d %q", status, body)
		}
		d.agent.tell("tn1", agent.EventTurnFailed, keyInvalid)
		<-done
		if status, body := w.now(); status != http.StatusOK || !strings.Contains(body, "event: turn.failed") {
			t.Errorf("%d %q", status, body)
		}
	})
}

func TestAnotherFailureAtOnceIsPartOfTheStream(t *testing.T) {
	d := newDesk(t)
	startWith(d)
	d.agent.put("tn1", agent.TurnRunning)
	begin := d.agent.start
	d.agent.start = func(r agent.TurnRequest) (agent.Turn, error) {
		turn, err := begin(r)
		d.agent.tell("tn1", agent.EventTurnFailed, agent.TurnFailedData{Code: agent.CodeOverloaded, Message: "Busy."})
		return turn, err
	}
	rec := d.do(request("POST", "/chat", `{"projectId":"p","text":"hi"}`))
	if rec.Code != http.StatusOK || strings.Count(rec.Body.String(), "event: ") != 3 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestTheFirstWordOfTheProviderIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		startWith(d)
		w, leave, done := d.open(request("POST", "/chat", `{"projectId":"p","text":"hi"}`))
		synctest.Wait()
		d.agent.tell("tn1", agent.EventTextDelta, agent.TextDelta{Text: "hi"})
		synctest.Wait()
		if status, body := w.now(); status != http.StatusOK || strings.Count(body, "event: ") != 3 {
			t.Errorf("%d %q", status, body)
		}
		leave()
		<-done
	})
}

func TestWhatTheAgentRefusesIsAProblem(t *testing.T) {
	d := newDesk(t)
	d.agent.start = func(agent.TurnRequest) (agent.Turn, error) {
		return agent.Turn{}, &agent.Error{Code: agent.CodeKeyRequired, Message: "A key is needed.", Provider: "anthropic"}
	}
	p := problem(t, d.do(request("POST", "/chat", `{"projectId":"p","text":"hi"}`)))
	if p.Status != 402 || p.Code != agent.CodeKeyRequired || p.Provider != "anthropic" || p.Panel != "byok" {
		t.Errorf("%+v", p)
	}
}
