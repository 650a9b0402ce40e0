package httpapi

// Base is the path that every operation is under.
const Base = "/api/agent"

// Operation is one row of the table that routes, clients and the desktop's closed
// enum are made from.
type Operation struct {
	// Client is the name of the method of AgentClient.
	Client string
	Method string
	// Path is relative to Base, in the notation of net/http.
	Path string
	// Stream marks an operation that may answer with an event stream.
	Stream bool
}

// Operations is the table of everything that this presenter serves.
var Operations = []Operation{
	{Client: "chat", Method: "POST", Path: "/chat", Stream: true},
	{Client: "turn", Method: "GET", Path: "/turns/{id}"},
	{Client: "attach", Method: "GET", Path: "/turns/{id}/events", Stream: true},
	{Client: "cancel", Method: "POST", Path: "/turns/{id}/cancel"},
	{Client: "confirm", Method: "POST", Path: "/confirm"},
	{Client: "threads", Method: "GET", Path: "/threads"},
	{Client: "thread", Method: "GET", Path: "/threads/{id}"},
	{Client: "patchThread", Method: "PATCH", Path: "/threads/{id}"},
	{Client: "deleteThread", Method: "DELETE", Path: "/threads/{id}"},
	{Client: "watchThread", Method: "GET", Path: "/threads/{id}/events", Stream: true},
	{Client: "exportThread", Method: "GET", Path: "/threads/{id}/export"},
	{Client: "threadCache", Method: "GET", Path: "/threads/{id}/cache"},
	{Client: "approvals", Method: "GET", Path: "/approvals"},
	{Client: "permissions", Method: "GET", Path: "/permissions"},
	{Client: "revokePermission", Method: "DELETE", Path: "/permissions/{id}"},
	{Client: "capabilities", Method: "GET", Path: "/capabilities"},
	{Client: "listKeys", Method: "GET", Path: "/keys"},
	{Client: "setKey", Method: "POST", Path: "/keys"},
	{Client: "rotateKey", Method: "POST", Path: "/keys/{id}/rotate"},
	{Client: "revokeKey", Method: "DELETE", Path: "/keys/{id}"},
	{Client: "testKey", Method: "POST", Path: "/keys/{id}/test"},
	{Client: "settings", Method: "GET", Path: "/settings"},
	{Client: "putSettings", Method: "PUT", Path: "/settings"},
	{Client: "reminder", Method: "GET", Path: "/reminders/{file}"},
	{Client: "putReminder", Method: "PUT", Path: "/reminders/{file}"},
	{Client: "reminderHistory", Method: "GET", Path: "/reminders/{file}/history"},
	{Client: "feedback", Method: "POST", Path: "/feedback"},
	{Client: "previewRedaction", Method: "POST", Path: "/redaction/preview"},
	{Client: "undo", Method: "POST", Path: "/calls/{id}/undo"},
	{Client: "usage", Method: "GET", Path: "/usage"},
	{Client: "transparency", Method: "GET", Path: "/transparency"},
	{Client: "adminUsage", Method: "GET", Path: "/admin/usage"},
	{Client: "budgets", Method: "GET", Path: "/admin/budgets"},
	{Client: "putBudgets", Method: "PUT", Path: "/admin/budgets"},
	{Client: "artifact", Method: "GET", Path: "/calls/{id}/artifacts/{digest}"},
	{Client: "policy", Method: "GET", Path: "/admin/policy"},
	{Client: "putPolicy", Method: "PUT", Path: "/admin/policy"},
	{Client: "audit", Method: "GET", Path: "/admin/audit"},
	{Client: "exportAudit", Method: "GET", Path: "/admin/audit/export"},
}
