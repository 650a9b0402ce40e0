package agent

import (
	"context"
	"database/sql"
	"time"
)

// Note is an observation that the agent made by itself: a guess, kept for an org for a
// while and recalled by similarity only. Times are milliseconds since the Unix epoch.
type Note struct {
	ID       string   `json:"id"`
	Topic    string   `json:"topic,omitempty"` // "" for none
	Text     string   `json:"text"`
	Thread   ThreadID `json:"-"` // where it was made: it goes when that is deleted
	Turn     TurnID   `json:"-"`
	At       int64    `json:"at"` // when it was made, or made again
	UsedAt   int64    `json:"-"`  // when it was recalled last
	AuthorID string   `json:"-"`  // the user in whose turn it was made
}

// NoteLimits bounds what an org keeps of notes. An admin can change them.
type NoteLimits struct {
	Days int `json:"days"` // how long a note lives, 1 to 365
	Max  int `json:"max"`  // how many there are, 0 to 2,000; the one used longest ago goes first
}

// DefaultNoteLimits are those of an org that has not set any.
var DefaultNoteLimits = NoteLimits{Days: 30, Max: 200}

// Limits of notes.
const (
	MaxNoteDays     = 365
	MaxNotes        = 2000
	MaxNoteBytes    = 1000 // of a note's text
	MaxTopicBytes   = 64   // of a note's topic
	MaxNotesPerTurn = 10
	MaxRecalled     = 5 // notes that one recall gives
)

// Life is how long a note lives.
func (l NoteLimits) Life() time.Duration { return time.Duration(l.Days) * 24 * time.Hour }

// Check refuses limits that an org cannot have. Errors: invalid_input.
func (l NoteLimits) Check() error {
	switch {
	case l.Days < 1 || l.Days > MaxNoteDays:
		return &Error{Code: CodeInvalidInput, Pointer: "/days", Message: "Notes live from 1 to 365 days."}
	case l.Max < 0 || l.Max > MaxNotes:
		return &Error{Code: CodeInvalidInput, Pointer: "/max", Message: "An org keeps from 0 to 2,000 notes."}
	}
	return nil
}

// NoteRows is the store's side of notes. The tenant is the org of the context's
// principal.
type NoteRows interface {
	// PutNoteIn keeps a note inside the transaction of a Call.Commit, and forgets what is
	// over the org's limits then. A note of the same thread with the same topic and text
	// is not doubled: it counts as made again, under its old id. Errors: rate_limited
	// (MaxNotesPerTurn), policy_denied (the org keeps none). Caller: cache.note.
	PutNoteIn(ctx context.Context, tx *sql.Tx, n Note) (Note, error)
	// NoteList gives every note of the org that is alive at the time now, newest first; a
	// topic narrows to it, in any case of its letters. Caller: cache.recall.
	NoteList(ctx context.Context, topic string, now int64) ([]Note, error)
	// TouchNotes notes that they were recalled; unknown ids do not matter. Caller:
	// cache.recall.
	TouchNotes(ctx context.Context, ids []string, at int64) error
	// NoteLimits gives the org's limits, the default where it has none.
	NoteLimits(ctx context.Context) (NoteLimits, error)
	// PutNoteLimits stores them; what is over them is forgotten at once. Errors:
	// invalid_input. Caller: the admin's side.
	PutNoteLimits(ctx context.Context, l NoteLimits, at int64) error
	// ForgetNotes removes what is over its org's time, of every org, and gives how many.
	// System; caller: the job that expires.
	ForgetNotes(ctx context.Context, now int64) (int, error)
}

// Similarity ranks texts by how near they are to a query. The built-in one compares
// words; one that compares embeddings fits as well. Caller: cache.recall.
type Similarity interface {
	// Similar gives a score for each text, in order; 0 or less means that it has nothing
	// to do with the query. Errors: unavailable, timeout.
	Similar(ctx context.Context, query string, texts []string) ([]float64, error)
}
