package main

// does says what each operation of the presenter's table is for, in the words of
// the reference page. A test fails on an operation without words.
var does = map[string]string{
	"chat":             "Starts a turn and streams it.",
	"turn":             "Gives state, last seq and open calls of a turn.",
	"attach":           "Replays a turn after a place, then tails it.",
	"cancel":           "Stops a turn; partial text is kept.",
	"confirm":          "Answers previews of a turn.",
	"undo":             "Takes an applied change back, in a turn by hand.",
	"threads":          "Lists and searches conversations.",
	"thread":           "Gives a conversation with its newest turns.",
	"watchThread":      "Streams every turn of a conversation after a cursor.",
	"patchThread":      "Renames or archives a conversation.",
	"deleteThread":     "Deletes a conversation and all that hangs on it.",
	"exportThread":     "Gives a conversation as a file.",
	"approvals":        "Lists every preview that waits for the caller, newest first.",
	"permissions":      "Lists what the caller had remembered as \"always allow\", newest first.",
	"revokePermission": "Ends one at once.",
	"capabilities":     "Tells what this caller may use here.",
	"listKeys":         "Lists the caller's keys, masked.",
	"setKey":           "Tests and stores a key.",
	"rotateKey":        "Replaces the bytes of a key.",
	"revokeKey":        "Ends a key at once.",
	"testKey":          "Makes one real call with a key.",
	"settings":         "Gives settings with what can be chosen.",
	"putSettings":      "Stores settings.",
	"feedback":         "Keeps a thumb and a note on a turn.",
	"artifact":         "Gives a stored artifact of a preview.",
}
