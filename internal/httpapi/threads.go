package httpapi

import (
	"context"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// threadHold is how long a thread's stream waits with its headers, so that a
// refusal of the agent's is still a status.
const threadHold = 250 * time.Millisecond

// threads lists the caller's threads.
func (a *api) threads(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	archived, err := queryBool(r, "archived")
	if err != nil {
		return err
	}
	page, err := a.Threads.Threads(r.Context(), agent.ThreadQuery{
		ProjectID: q.Get("projectId"), Q: q.Get("q"), Archived: archived, Cursor: q.Get("cursor"), Limit: limit,
	})
	if err != nil {
		return err
	}
	if page.Items == nil {
		page.Items = []agent.Thread{}
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

// thread gives a thread with a page of its turns.
func (a *api) thread(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "thread")
	if err != nil {
		return err
	}
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	view, err := a.Threads.Thread(r.Context(), agent.ThreadID(id), agent.TurnID(r.URL.Query().Get("before")), limit)
	if err != nil {
		return err
	}
	if view.Turns == nil {
		view.Turns = []agent.TurnView{}
	}
	writeJSON(w, http.StatusOK, view)
	return nil
}

// patchThread renames or archives.
func (a *api) patchThread(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "thread")
	if err != nil {
		return err
	}
	var p agent.ThreadPatch
	err = decode(w, r, func(o *object) {
		if title, ok := o.optional("title"); ok {
			p.Title = &title
		}
		p.Archived = o.boolean("archived")
	})
	if err != nil {
		return err
	}
	t, err := a.Threads.PatchThread(r.Context(), agent.ThreadID(id), p)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, t)
	return nil
}

// deleteThread removes a thread and all that hangs on it.
func (a *api) deleteThread(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "thread")
	if err != nil {
		return err
	}
	if err := noBody(w, r); err != nil {
		return err
	}
	if err := a.Threads.DeleteThread(r.Context(), agent.ThreadID(id)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// watchThread follows a thread: every turn of it, whoever started it.
func (a *api) watchThread(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "thread")
	if err != nil {
		return err
	}
	after, err := agent.ParseCursor(lastEventID(r))
	if err != nil {
		return err
	}
	// A thread has a turn from its beginning, so none means that it is not the caller's.
	page, err := a.Agent.Turns(r.Context(), agent.TurnQuery{ThreadID: agent.ThreadID(id), Limit: 1})
	if err != nil {
		return err
	}
	if len(page.Items) == 0 {
		return agent.NotFound("thread")
	}
	began, err := a.serve(w, r, streaming{id: threadFrameID, hold: threadHold},
		func(ctx context.Context) iter.Seq2[agent.Event, error] {
			return a.Agent.ThreadEvents(ctx, agent.ThreadID(id), after)
		})
	if began {
		return nil
	}
	return err
}

// threadFrameID numbers the frames of a thread's stream; thread.changed belongs to
// no turn and keeps the client's place.
func threadFrameID(e agent.Event) string {
	if e.Kind == agent.EventThreadChanged || e.Turn == "" {
		return ""
	}
	return agent.Cursor{Turn: e.Turn, Run: e.Run, Seq: e.Seq}.String()
}

// exportThread gives a conversation as a file.
func (a *api) exportThread(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "thread")
	if err != nil {
		return err
	}
	format := r.URL.Query().Get("format")
	if format == "" {
		format = "md"
	}
	e, err := a.Threads.ExportThread(r.Context(), agent.ThreadID(id), format)
	if err != nil {
		return err
	}
	download(w, e.Name, e.MIME, e.Data)
	return nil
}

// download sends a file that no browser may open in our origin.
func download(w http.ResponseWriter, name, media string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", safeType(media))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(data) // the client is gone: nobody to tell
}

func queryInt(r *http.Request, name string) (int, error) {
	v := r.URL.Query().Get(name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, queryFault(name, "a number that is not negative")
	}
	return n, nil
}

func queryBool(r *http.Request, name string) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, queryFault(name, "true or false")
}

func queryFault(name, want string) error {
	return &agent.Error{Code: agent.CodeInvalidRequest, Pointer: "/" + name, Message: "The parameter " + name + " must be " + want + "."}
}
