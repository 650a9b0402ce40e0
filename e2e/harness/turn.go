package harness

import (
	"net/http"
	"net/url"

	agent "github.com/lossless-group/in-app-agent"
)

// Project is the id of the deck that the demo opens.
const Project = "demo-deck"

// Chat is the body of POST /chat.
type Chat struct {
	ProjectID   string         `json:"projectId"`
	ProjectKind string         `json:"projectKind,omitempty"`
	Text        string         `json:"text"`
	ThreadID    agent.ThreadID `json:"threadId,omitempty"`
	MessageID   string         `json:"messageId,omitempty"`
	ParentID    agent.TurnID   `json:"parentTurnId,omitempty"`
	Model       string         `json:"model,omitempty"`
	Tools       []string       `json:"tools,omitempty"`
}

// Say gives the body for a new thread of the demo's deck.
func Say(text string) Chat { return Chat{ProjectID: Project, Text: text} }

// In gives the body for a message in a thread.
func (c Chat) In(thread agent.ThreadID) Chat {
	c.ThreadID = thread
	return c
}

// Begin starts a turn and does not wait for anything of it.
func (u *User) Begin(body any) agent.Turn {
	u.tb.Helper()
	var answer struct{ Turn agent.Turn }
	u.Must(http.StatusAccepted, "POST /chat", body, Set("Accept", "application/json")).Into(u.tb, &answer)
	return answer.Turn
}

// Chat starts a turn and gives its stream.
func (u *User) Chat(body any) *Stream {
	u.tb.Helper()
	return u.stream("POST /chat", body)
}

// TryChat is Chat for a server that may die at any moment.
func (u *User) TryChat(body any) (*Stream, error) { return u.tryStream("POST /chat", body) }

// Attach gives the stream of a turn after an event id, "" being the start.
func (u *User) Attach(turn agent.TurnID, after string) *Stream {
	u.tb.Helper()
	var changes []Change
	if after != "" {
		changes = append(changes, Set("Last-Event-ID", after))
	}
	return u.stream("GET /turns/"+string(turn)+"/events", nil, changes...)
}

// Turn gives where a turn stands.
func (u *User) Turn(id agent.TurnID) (t agent.Turn) {
	u.tb.Helper()
	u.Must(http.StatusOK, "GET /turns/"+string(id), nil).Into(u.tb, &t)
	return t
}

// Decision is the body of POST /confirm that gives one answer to previews.
func Decision(turn agent.TurnID, answer string, previews ...agent.PreviewShown) agent.DecisionRequest {
	d := agent.DecisionRequest{TurnID: turn}
	for _, p := range previews {
		d.Decisions = append(d.Decisions, agent.Decision{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: answer})
	}
	return d
}

// Outcomes is what POST /confirm answers.
type Outcomes struct {
	TurnID  agent.TurnID
	Results []agent.Outcome
}

// Accept accepts previews and gives what was told at once.
func (u *User) Accept(turn agent.TurnID, previews ...agent.PreviewShown) (o Outcomes) {
	u.tb.Helper()
	u.Must(http.StatusOK, "POST /confirm", Decision(turn, agent.AnswerAccept, previews...)).Into(u.tb, &o)
	return o
}

// Discard discards previews.
func (u *User) Discard(turn agent.TurnID, previews ...agent.PreviewShown) (o Outcomes) {
	u.tb.Helper()
	u.Must(http.StatusOK, "POST /confirm", Decision(turn, agent.AnswerDiscard, previews...)).Into(u.tb, &o)
	return o
}

// StoreKey stores a key and gives its masked line.
func (u *User) StoreKey(provider, key string) (k agent.StoredKey) {
	u.tb.Helper()
	u.Must(http.StatusCreated, "POST /keys", map[string]string{"provider": provider, "label": "personal", "key": key}).Into(u.tb, &k)
	return k
}

// Watch gives the stream of a thread after a cursor, "" being its start.
func (u *User) Watch(thread agent.ThreadID, after string) *Stream {
	u.tb.Helper()
	s := u.stream("GET /threads/"+string(thread)+"/events?after="+url.QueryEscape(after), nil)
	s.manyTurns = true
	return s
}
