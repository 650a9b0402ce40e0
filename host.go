package agent

import "context"

// Project is an opened project of the host app.
type Project struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
}

// Fact is something that the host knows about the open project.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Host is what only the app knows. A server without a Host refuses every project.
type Host interface {
	// OpenProject says whether the principal of the context may open a project and
	// what it is; kind "" asks the host to say. It runs before a turn starts,
	// before every decision and on every thread read, so it must be quick. Errors:
	// not_found, also for a project of another org. Callers: the engine, account.
	OpenProject(ctx context.Context, kind, id string) (Project, error)
	// ResolveNoun gives title, content and version of an attached noun; content of
	// at most 64 KiB. Errors: not_found. Caller: the engine.
	ResolveNoun(ctx context.Context, p Project, kind, id string) (Noun, error)
	// Facts gives what the host knows about the project. Caller: facts.list.
	Facts(ctx context.Context, p Project) ([]Fact, error)
	// Suggestions gives up to 3 next steps after a capability was used, "" for an
	// opened project; no model call. Caller: the engine.
	Suggestions(ctx context.Context, p Project, capability string) ([]Suggestion, error)
}
