package main

// Operation is one row of the table that routes, client methods and conformance
// cases come from.
type Operation struct {
	Name   string // method of AgentClient
	Method string
	Path   string // under the base path
	Stream bool   // answers with events
	Does   string
}

// operations is the table, in the order of the reference page.
var operations = []Operation{
	{"chat", "POST", "/chat", true, "Starts a turn and streams it."},
	{"turn", "GET", "/turns/{id}", false, "Gives state, last seq and open calls of a turn."},
	{"attach", "GET", "/turns/{id}/events", true, "Replays a turn after a place, then tails it."},
	{"cancel", "POST", "/turns/{id}/cancel", false, "Stops a turn; partial text is kept."},
	{"confirm", "POST", "/confirm", false, "Answers previews of a turn."},
	{"threads", "GET", "/threads", false, "Lists and searches conversations."},
	{"thread", "GET", "/threads/{id}", false, "Gives a conversation with its newest turns."},
	{"watchThread", "GET", "/threads/{id}/events", true, "Streams every turn of a conversation after a cursor."},
	{"patchThread", "PATCH", "/threads/{id}", false, "Renames or archives a conversation."},
	{"deleteThread", "DELETE", "/threads/{id}", false, "Deletes a conversation and all that hangs on it."},
	{"exportThread", "GET", "/threads/{id}/export", false, "Gives a conversation as a file."},
	{"capabilities", "GET", "/capabilities", false, "Tells what this caller may use here."},
	{"listKeys", "GET", "/keys", false, "Lists the caller's keys, masked."},
	{"setKey", "POST", "/keys", false, "Tests and stores a key."},
	{"rotateKey", "POST", "/keys/{id}/rotate", false, "Replaces the bytes of a key."},
	{"revokeKey", "DELETE", "/keys/{id}", false, "Ends a key at once."},
	{"testKey", "POST", "/keys/{id}/test", false, "Makes one real call with a key."},
	{"settings", "GET", "/settings", false, "Gives settings with what can be chosen."},
	{"putSettings", "PUT", "/settings", false, "Stores settings."},
	{"feedback", "POST", "/feedback", false, "Keeps a thumb and a note on a turn."},
	{"artifact", "GET", "/calls/{id}/artifacts/{digest}", false, "Gives a stored artifact of a preview."},
}
