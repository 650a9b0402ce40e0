package agent

import "context"

// UserSettings is what a user chose.
type UserSettings struct {
	Model        string `json:"model"`        // "" means the org's default
	ResponseMode string `json:"responseMode"` // "concise" or "thorough"; "" is concise
}

// The response modes.
const (
	ResponseConcise  = "concise"
	ResponseThorough = "thorough"
)

// SettingsView is a user's settings with what the panel needs to offer them.
type SettingsView struct {
	UserSettings
	// Effective is the model that the next turn will ask.
	Effective ModelInfo   `json:"effective"`
	Models    []ModelInfo `json:"models"`
	Billing   Billing     `json:"billing"`
	// KeyRequired is true when the next turn would end in key_required.
	KeyRequired bool      `json:"keyRequired"`
	KeySource   KeySource `json:"keySource"`
	// Providers are those that take a user's own key.
	Providers   []string `json:"providers"`
	ModelChoice bool     `json:"modelChoice"`
}

// Settings serves the caller's settings. Caller: presenters.
type Settings interface {
	// Settings gives them with what can be chosen. No error but storage's.
	Settings(ctx context.Context) (SettingsView, error)
	// PutSettings stores them. Errors: invalid_input (unknown model or mode),
	// policy_denied (the org fixed the model).
	PutSettings(ctx context.Context, s UserSettings) (SettingsView, error)
}

// SettingsRows is the store's side of settings. Tenant as in Journal.
type SettingsRows interface {
	// UserSettings gives the caller's row, zero when there is none. Callers: account, the engine.
	UserSettings(ctx context.Context) (UserSettings, error)
	// PutUserSettings stores it. Caller: account.
	PutUserSettings(ctx context.Context, s UserSettings, at int64) error
}

// Thumbs of feedback.
const (
	ThumbUp   = "up"
	ThumbDown = "down"
)

// FeedbackNote is a thumb and a note of at most 4 KiB on a turn; a later one
// replaces it. Thumb "" takes it back.
type FeedbackNote struct {
	TurnID TurnID `json:"turnId"`
	Thumb  string `json:"thumb"`
	Note   string `json:"note,omitempty"`
}

// Feedback serves feedback. Caller: presenters.
type Feedback interface {
	// GiveFeedback stores it. Errors: not_found, invalid_input.
	GiveFeedback(ctx context.Context, n FeedbackNote) error
}

// FeedbackRows is the store's side of feedback. Tenant as in Journal. Caller: account.
type FeedbackRows interface {
	// PutFeedback stores a note on the caller's own turn. Errors: not_found.
	PutFeedback(ctx context.Context, n FeedbackNote, at int64) error
}
