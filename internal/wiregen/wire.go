package main

import agent "github.com/lossless-group/in-app-agent"

// The bodies that exist on the wire only: the root has no type for them, because
// the presenter turns them into TurnRequest, NewKey and Error.

// ChatRequest starts a turn. Only projectId and one of text or messages are needed.
type ChatRequest struct {
	// The project of the host app that the turn works in.
	ProjectID string `json:"projectId"`
	// Its kind, as the host names it; absent lets the host say.
	ProjectKind string `json:"projectKind,omitempty"`
	// What the user says, at most 200 KiB (204,800 bytes) of UTF-8.
	Text string `json:"text,omitempty"`
	// Of messages only the last user message is read.
	Messages []ChatMessage `json:"messages,omitempty"`
	// The model to ask; absent means the user's own choice, else the org's, else the operator's.
	Model string `json:"model,omitempty"`
	// Globs of the capabilities of this turn, at most 100; absent means all, an empty list none but the shared ones.
	Tools []string `json:"tools,omitempty"`
	// The conversation to go on with; absent starts another one.
	ThreadID agent.ThreadID `json:"threadId,omitempty"`
	// Made by the client, at most 64 characters: a resend with it is safe.
	MessageID string `json:"messageId,omitempty"`
	// The turn that this one follows: absent means the newest, "root" the beginning. An older one makes a branch.
	ParentTurnID agent.TurnID `json:"parentTurnId,omitempty"`
	// Things of the app that the user attached, at most 50.
	Attachments []NounRef `json:"attachments,omitempty"`
}

// ChatMessage is one message of the older request form. Its text is content, or
// the text parts, joined by line breaks.
type ChatMessage struct {
	// user, or another word for what is not read.
	Role    string     `json:"role"`
	Content string     `json:"content,omitempty"` // a string, or a list as in parts
	Parts   []ChatPart `json:"parts,omitempty"`   // read where content is absent
}

// ChatPart is a piece of a message; there are no others than text.
type ChatPart struct {
	Type string `json:"type"` // text
	Text string `json:"text"`
}

// NounRef names a thing of the host app; its title and content are the host's.
type NounRef struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// TurnAnswer is what a chat request answers when it does not stream, and what undo answers.
type TurnAnswer struct {
	Turn agent.Turn `json:"turn"`
}

// CancelAnswer names the turn that was told to stop.
type CancelAnswer struct {
	TurnID agent.TurnID `json:"turnId"`
}

// ConfirmAnswer tells what became of each decision.
type ConfirmAnswer struct {
	TurnID  agent.TurnID    `json:"turnId"`
	Results []agent.Outcome `json:"results"`
	// Set on a 409: another answer was taken before.
	Code agent.Code `json:"code,omitempty"`
}

// KeyBody stores a key.
type KeyBody struct {
	// An id out of providers of SettingsView, such as anthropic.
	Provider string `json:"provider"`
	// A name among the user's keys of this provider, at most 64 characters; absent or "" is personal.
	Label string `json:"label,omitempty"`
	// The key itself: 8 to 512 bytes without spaces and control characters.
	Key string `json:"key"`
}

// RotateBody replaces the bytes of a key.
type RotateBody struct {
	// The new key: 8 to 512 bytes without spaces and control characters.
	Key string `json:"key"`
}

// RedactionBody is a text to look at.
type RedactionBody struct {
	// The text, at most 200 KiB (204,800 bytes) of UTF-8.
	Text string `json:"text"`
}
