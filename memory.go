package agent

import (
	"context"
	"database/sql"
	"slices"
)

// ReminderFile names one of the three files in which an org keeps what its people
// said: Markdown, versioned, always in the prompt, authoritative.
type ReminderFile string

// The reminder files.
const (
	ReminderProfile   ReminderFile = "client_profile"
	ReminderDecisions ReminderFile = "our_decisions"
	ReminderGotchas   ReminderFile = "gotchas"
)

// ReminderFiles lists them, in the order they are shown.
var ReminderFiles = []ReminderFile{ReminderProfile, ReminderDecisions, ReminderGotchas}

// Valid reports whether f is one of the three files.
func (f ReminderFile) Valid() bool { return slices.Contains(ReminderFiles, f) }

// Path is the name under which the file is shown and previewed.
func (f ReminderFile) Path() string { return "reminders/" + string(f) + ".md" }

// ReminderVia is the way that a version took into its file.
type ReminderVia string

// The ways. Each of them is an act of a person.
const (
	ReminderSeeded    ReminderVia = "seed"       // made with the org
	ReminderByHand    ReminderVia = "hand"       // written in an editor
	ReminderSuggested ReminderVia = "suggestion" // proposed by the agent and accepted
	ReminderUndone    ReminderVia = "undo"       // an accepted suggestion taken back
)

// Reminder is one version of a reminder file. Version 0, without text and author, is
// a file that nobody has written yet.
type Reminder struct {
	File    ReminderFile `json:"file"`
	Version int64        `json:"version"` // grows by one with each change
	Text    string       `json:"text"`    // Markdown of at most 16 KiB
	ReminderOrigin
}

// ReminderOrigin is how a version came to be.
type ReminderOrigin struct {
	By     string      `json:"by,omitempty"`     // id of the user who wrote or accepted it
	ByName string      `json:"byName,omitempty"` // what that user was called then
	Via    ReminderVia `json:"via,omitempty"`
	At     int64       `json:"at,omitempty"` // when, in milliseconds since the Unix epoch
}

// ReminderVersion is a line of a file's history: a version without its text.
type ReminderVersion struct {
	Version int64 `json:"version"`
	Bytes   int64 `json:"bytes"` // size of the text
	ReminderOrigin
}

// ReminderEdit is a new text for a file that was read at a version.
type ReminderEdit struct {
	Text    string `json:"text"`
	Version int64  `json:"version"` // that the text was made from; 0 for a file nobody wrote yet
}

// ReminderQuery asks for a page of a file's history, and where From or To is set for
// the difference of two versions besides.
type ReminderQuery struct {
	Before int64 // Next of the page before; 0 means from the newest
	Limit  int   // 0 means 50, at most 200
	// From and To are the versions to compare. To 0 means the newest; From may be 0,
	// the empty file.
	From, To *int64
}

// ReminderHistory is a page of a file's history, newest first.
type ReminderHistory struct {
	Items []ReminderVersion `json:"items"`
	Next  int64             `json:"next,omitempty"` // asks for the page of older ones
	Diff  *ReminderDiff     `json:"diff,omitempty"` // where two versions were named
}

// ReminderDiff is the difference of two versions, unified; "" where there is none.
type ReminderDiff struct {
	From int64  `json:"from"` // version of the lines with -; 0 is the empty file
	To   int64  `json:"to"`   // version of the lines with +
	Text string `json:"text"`
}

// Reminders serves the reminder files of the caller's org. Callers: presenters.
type Reminders interface {
	// Reminder gives a file at a version, 0 for the newest. Errors: not_found (no such
	// file or version).
	Reminder(ctx context.Context, file ReminderFile, version int64) (Reminder, error)
	// PutReminder stores a new version. Errors: not_found (no such file), conflict
	// (somebody else changed it since the version that the text was made from),
	// invalid_input, too_large, forbidden (a viewer, or a credential without approve).
	PutReminder(ctx context.Context, file ReminderFile, e ReminderEdit) (Reminder, error)
	// ReminderHistory lists versions, newest first, and compares two. Errors: not_found
	// (no such file or version), invalid_input (limit).
	ReminderHistory(ctx context.Context, file ReminderFile, q ReminderQuery) (ReminderHistory, error)
}

// ReminderWrite is a new version on its way into the store. The author is the
// principal of the context.
type ReminderWrite struct {
	File ReminderFile
	Text string // as CheckReminder gives it
	Via  ReminderVia
	From int64 // the version that it replaces; another one is a conflict
	At   int64
	// Receipt is the preview whose accept it is, "" for none.
	Receipt ReceiptID
}

// ReminderRows is the store's side of reminders. The tenant is the org of the context's
// principal: what one member writes every member reads.
type ReminderRows interface {
	// ReminderList gives the newest version of each file, in the order of
	// ReminderFiles. Callers: the engine, reminders.read.
	ReminderList(ctx context.Context) ([]Reminder, error)
	// ReminderRow gives a file at a version, 0 for the newest. Errors: not_found (no
	// such file or version). Callers: account, reminders.suggest.
	ReminderRow(ctx context.Context, file ReminderFile, version int64) (Reminder, error)
	// ReminderVersions lists at most limit versions before one (0: from the newest),
	// newest first. Errors: not_found. Caller: account.
	ReminderVersions(ctx context.Context, file ReminderFile, before int64, limit int) ([]ReminderVersion, error)
	// PutReminder stores a version. Of a file's versions the newest MaxReminderVersions
	// are kept. Errors: not_found, conflict, too_large. Callers: account, the seed of an
	// org.
	PutReminder(ctx context.Context, w ReminderWrite) (Reminder, error)
	// PutReminderIn is PutReminder inside the transaction of a Call.Commit. Caller:
	// reminders.suggest.
	PutReminderIn(ctx context.Context, tx *sql.Tx, w ReminderWrite) (Reminder, error)
}

// Limits of reminders.
const (
	MaxReminderBytes    = 16 << 10 // of a file: it is in every prompt
	MaxReminderVersions = 500      // of a file
)
