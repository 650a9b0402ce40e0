package httpapi

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// chat starts a turn. It answers 202 with the turn where JSON is asked for, else
// with the turn's stream.
func (a *api) chat(w http.ResponseWriter, r *http.Request) error {
	var req agent.TurnRequest
	if err := decodeOpen(w, r, func(o *object) { req = turnRequest(o) }); err != nil {
		return err
	}
	turn, err := a.Agent.StartTurn(r.Context(), req)
	if err != nil {
		return err
	}
	if wantsJSON(r) {
		writeJSON(w, http.StatusAccepted, struct {
			Turn agent.Turn `json:"turn"`
		}{turn})
		return nil
	}
	began, err := a.serve(w, r, streaming{
		id: turnFrameID, hold: a.HoldHeaders, quiet: beforeProvider, refuse: refuseFirst,
	}, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return a.Agent.Events(ctx, turn.ID, agent.Position{Run: turn.Run})
	})
	if began {
		return nil
	}
	return err
}

// turnRequest reads the body of /chat. Members that we do not know are left alone:
// clients of other kits send their own beside ours.
func turnRequest(o *object) agent.TurnRequest {
	req := agent.TurnRequest{
		ProjectID:   o.required("projectId"),
		ProjectKind: o.str("projectKind"),
		ThreadID:    agent.ThreadID(o.str("threadId")),
		MessageID:   o.str("messageId"),
		Parent:      agent.TurnID(o.str("parentTurnId")),
		Model:       o.str("model"),
		Whitelist:   o.strings("tools"),
	}
	text, hasText := o.optional("text")
	_, hasMessages := o.raw("messages")
	switch {
	case hasText && hasMessages:
		o.invalid("text", "Send text or messages, not both.")
	case hasText:
		req.Message.Text = text
	case hasMessages:
		req.Message.Text = lastUserText(o)
	default:
		o.invalid("text", "The member /text is needed, or /messages with what the user said.")
	}
	if strings.TrimSpace(req.Message.Text) == "" {
		o.invalid("text", "The message is empty.")
	}
	for _, n := range o.objects("attachments") {
		// Title and content are the host's word, whatever a client sends.
		req.Message.Attachments = append(req.Message.Attachments,
			agent.Noun{Kind: n.required("kind"), ID: n.required("id")})
	}
	return req
}

// lastUserText gives what the user said last. The rest of the history is ours and
// is not read: a client cannot put words into anybody's mouth.
func lastUserText(o *object) string {
	var last *object
	for _, m := range o.objects("messages") {
		if m.str("role") == "user" {
			last = m
		}
	}
	if last == nil {
		o.invalid("messages", "The member /messages holds no message of the user.")
		return ""
	}
	name := "content"
	raw, ok := last.raw(name)
	if !ok {
		name = "parts"
		raw, ok = last.raw(name)
	}
	if !ok {
		last.invalid("content", "The message has no content.")
		return ""
	}
	if raw[0] == '"' {
		return last.str(name)
	}
	var text []string
	for _, part := range last.objects(name) {
		if part.required("type") != "text" {
			part.invalid("type", "Only text parts can be sent; attach a thing of the app by its kind and id.")
			return ""
		}
		text = append(text, part.str("text"))
	}
	return strings.Join(text, "\n")
}

// wantsJSON reports whether a client asks for JSON and not for a stream.
func wantsJSON(r *http.Request) bool {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/event-stream")
}

// turnFrameID numbers the frames of a turn's stream.
func turnFrameID(e agent.Event) string {
	return strconv.FormatInt(e.Run, 10) + ":" + strconv.FormatInt(int64(e.Seq), 10)
}

// beforeProvider reports whether an event comes before the provider's first word.
func beforeProvider(k agent.EventKind) bool {
	return k == agent.EventTurnStarted || k == agent.EventCast
}

// turnFault is an error that belongs to a turn; its problem names the turn.
type turnFault struct {
	turn  agent.TurnID
	cause *agent.Error
}

func (f turnFault) Error() string { return f.cause.Error() }

// Unwrap gives the error that is told.
func (f turnFault) Unwrap() error { return f.cause }

// refuseFirst makes a 402 of a turn whose first word is that its key is no good, and
// a 429 of one whose budget leaves no room for its first call.
func refuseFirst(e agent.Event) error {
	if e.Kind != agent.EventTurnFailed {
		return nil
	}
	var d agent.TurnFailedData
	if err := e.Decode(&d); err != nil {
		return err
	}
	if d.Code == agent.CodeBudgetExceeded {
		return turnFault{turn: e.Turn, cause: &agent.Error{Code: d.Code, Message: d.Message, Hint: d.Hint, Panel: d.Panel,
			RetryAfter: time.Duration(d.RetryAfterMS) * time.Millisecond}}
	}
	if d.Code != agent.CodeKeyInvalid && d.Code != agent.CodeKeyRequired {
		return nil
	}
	return turnFault{turn: e.Turn, cause: &agent.Error{
		Code: d.Code, Message: d.Message, Hint: d.Hint, KeyID: d.KeyID, Provider: d.Provider, KeySource: d.KeySource,
	}}
}
