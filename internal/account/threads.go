package account

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// Page sizes of a thread's turns.
const (
	defaultTurns = 20
	maxTurns     = 100
	maxThreads   = 200
)

// Threads lists the caller's threads whose project they may still open. A page
// can be shorter than asked for; Next alone says whether there is more.
func (a *Account) Threads(ctx context.Context, q agent.ThreadQuery) (agent.Page[agent.Thread], error) {
	if _, err := agent.PrincipalFrom(ctx); err != nil {
		return agent.Page[agent.Thread]{}, err
	}
	if q.Limit < 0 || q.Limit > maxThreads {
		return agent.Page[agent.Thread]{}, invalid("/limit", "The limit must be from 1 to 200.")
	}
	page, err := a.Config.Threads.ThreadRowList(ctx, q)
	if err != nil {
		return agent.Page[agent.Thread]{}, err
	}
	page.Items, err = opens(ctx, a, page.Items, func(t agent.Thread) project { return project{t.ProjectKind, t.ProjectID} })
	if err != nil {
		return agent.Page[agent.Thread]{}, err
	}
	return page, nil
}

// project is one of the host's, as rows name it.
type project struct{ kind, id string }

// opens keeps the rows of a list whose project the caller may open; the host is
// asked once about each.
func opens[T any](ctx context.Context, a *Account, rows []T, of func(T) project) ([]T, error) {
	open := make(map[project]bool)
	kept := make([]T, 0, len(rows))
	for _, row := range rows {
		p := of(row)
		may, asked := open[p]
		if !asked {
			var err error
			if may, err = a.mayOpen(ctx, p); err != nil {
				return nil, err
			}
			open[p] = may
		}
		if may {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// mayOpen asks the host about a project. A host that cannot say (it is down) is an
// error and not a no.
func (a *Account) mayOpen(ctx context.Context, p project) (bool, error) {
	if a.Host == nil {
		return false, nil
	}
	_, err := a.Host.OpenProject(ctx, p.kind, p.id)
	switch agent.ErrorCode(err) {
	case agent.CodeNotFound, agent.CodeForbidden, agent.CodeUnauthenticated:
		return false, nil
	}
	return err == nil, err
}

// readable gives a thread that the caller may read now: it is theirs, and its
// project opens.
func (a *Account) readable(ctx context.Context, id agent.ThreadID) (agent.Thread, error) {
	t, err := a.Config.Threads.ThreadRow(ctx, id)
	if err != nil {
		return agent.Thread{}, err
	}
	ok, err := a.mayOpen(ctx, project{t.ProjectKind, t.ProjectID})
	if err != nil {
		return agent.Thread{}, err
	}
	if !ok {
		return agent.Thread{}, agent.NotFound("thread")
	}
	return t, nil
}

// Thread gives a thread with the newest turns of its path before the given one,
// each with its events. Cursor is set on the newest page only: the live stream
// goes on from the last event of that page.
func (a *Account) Thread(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) (agent.ThreadView, error) {
	if limit < 0 || limit > maxTurns {
		return agent.ThreadView{}, invalid("/limit", "The limit must be from 1 to 100.")
	}
	if limit == 0 {
		limit = defaultTurns
	}
	t, err := a.readable(ctx, id)
	if err != nil {
		return agent.ThreadView{}, err
	}
	turns, err := a.Config.Threads.PathTurns(ctx, id, before, limit)
	if err != nil {
		return agent.ThreadView{}, err
	}
	view := agent.ThreadView{Thread: t, Turns: make([]agent.TurnView, 0, len(turns))}
	for _, turn := range turns {
		tv, err := a.turnView(ctx, turn)
		if err != nil {
			return agent.ThreadView{}, err
		}
		view.Turns = append(view.Turns, tv)
	}
	if len(turns) == 0 {
		return view, nil
	}
	if turns[0].Parent != "" {
		view.Before = turns[0].ID
	}
	if before == "" {
		last := view.Turns[len(turns)-1]
		c := agent.Cursor{Turn: last.Turn.ID}
		if n := len(last.Events); n > 0 {
			c.Run, c.Seq = last.Events[n-1].Run, last.Events[n-1].Seq
		}
		view.Cursor = c.String()
	}
	return view, nil
}

// turnView gives a turn with its events. The state is read before the events, so
// that the events may be newer than the state and never older.
func (a *Account) turnView(ctx context.Context, turn agent.Turn) (agent.TurnView, error) {
	if !turn.State.Terminal() {
		now, err := a.Agent.Turn(ctx, turn.ID)
		if err != nil {
			return agent.TurnView{}, err
		}
		turn = now
	}
	events, err := a.events(ctx, turn.ID)
	if err != nil {
		return agent.TurnView{}, err
	}
	return agent.TurnView{Turn: turn, Events: compact(events, turn.State.Terminal())}, nil
}

// PatchThread renames or archives.
func (a *Account) PatchThread(ctx context.Context, id agent.ThreadID, p agent.ThreadPatch) (agent.Thread, error) {
	if p.Title != nil {
		title := strings.TrimSpace(*p.Title)
		if fault := titleFault(title); fault != "" {
			return agent.Thread{}, invalid("/title", fault)
		}
		p.Title = &title
	}
	t, err := a.readable(ctx, id)
	if err != nil || p.Title == nil && p.Archived == nil {
		return t, err
	}
	t, err = a.Config.Threads.UpdateThread(ctx, id, p, a.now())
	if err != nil {
		return agent.Thread{}, err
	}
	a.Changed(ctx, id, agent.ThreadChangedData{Title: t.Title, Head: t.Head})
	return t, nil
}

func titleFault(title string) string {
	switch {
	case title == "":
		return "A title cannot be empty."
	case len(title) > agent.MaxTitleBytes:
		return "A title can have at most 200 bytes."
	case !utf8.ValidString(title) || strings.ContainsFunc(title, unicode.IsControl):
		return "A title is one line of text."
	}
	return ""
}

// Artifact gives a stored artifact of a preview in a thread that the caller may read.
func (a *Account) Artifact(ctx context.Context, call agent.CallID, digest string) (agent.Blob, error) {
	b, err := a.Receipts.Blob(ctx, call, digest)
	if err != nil {
		return agent.Blob{}, err
	}
	if _, err := a.readable(ctx, b.Thread); err != nil {
		if agent.ErrorCode(err) == agent.CodeNotFound {
			return agent.Blob{}, agent.NotFound("artifact")
		}
		return agent.Blob{}, err
	}
	return b, nil
}
