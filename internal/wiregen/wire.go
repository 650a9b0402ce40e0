package main

import agent "github.com/lossless-group/in-app-agent"

// The bodies that exist on the wire only: the root has no type for them, because
// the presenter turns them into TurnRequest, NewKey and Error.

// ChatRequest starts a turn. Only projectId and one of text or messages are needed.
type ChatRequest struct {
	ProjectID   string `json:"projectId"`
	ProjectKind string `json:"projectKind,omitempty"`
	Text        string `json:"text,omitempty"`
	// Of messages only the last user message is read.
	Messages []ChatMessage `json:"messages,omitempty"`
	Model    string        `json:"model,omitempty"`
	// Globs of the capabilities of this turn; absent means all, an empty list none but the shared ones.
	Tools    []string       `json:"tools,omitempty"`
	ThreadID agent.ThreadID `json:"threadId,omitempty"`
	// Made by the client, at most 64 characters: a resend with it is safe.
	MessageID    string       `json:"messageId,omitempty"`
	ParentTurnID agent.TurnID `json:"parentTurnId,omitempty"`
	Attachments  []NounRef    `json:"attachments,omitempty"`
}

// ChatMessage is one message of the older request form.
type ChatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// NounRef names a thing of the host app; its title and content are the host's.
type NounRef struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// TurnAnswer is what a chat request answers when it does not stream.
type TurnAnswer struct {
	Turn agent.Turn `json:"turn"`
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
	Provider string `json:"provider"`
	Label    string `json:"label"`
	Key      string `json:"key"`
}

// RotateBody replaces the bytes of a key.
type RotateBody struct {
	Key string `json:"key"`
}
