package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
	"github.com/lossless-group/in-app-agent/internal/policy"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// StartTurn accepts a message: it is checked, written with its turn in one
// transaction, and the run goes on without the request.
func (e *Engine) StartTurn(ctx context.Context, req agent.TurnRequest) (agent.Turn, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Turn{}, err
	}
	if !p.Has(agent.ScopeChat) {
		return agent.Turn{}, agent.Errorf(agent.CodeForbidden, "This credential may not chat.")
	}
	if e.Jobs {
		return agent.Turn{}, agent.Errorf(agent.CodeUnavailable, "This process runs jobs only.")
	}
	done, err := e.join()
	if err != nil {
		return agent.Turn{}, err
	}
	defer done()
	if err := checkRequest(req); err != nil {
		return agent.Turn{}, err
	}
	leave, err := e.enter(ctx)
	if err != nil {
		return agent.Turn{}, err
	}
	defer leave()
	s, err := e.prepare(ctx, p, req)
	if err != nil {
		return agent.Turn{}, err
	}
	l, release, err := e.admit(p, s.start.Turn)
	if err != nil {
		return agent.Turn{}, err
	}
	failpoint.Hit("message.received")
	t, created, err := e.accept(ctx, s.start, leave)
	if err != nil || !created {
		release()
		e.suspect(err)
		return t, err
	}
	failpoint.Hit("message.written")
	e.hub.wake(t.ThreadID)
	e.launch(l, release, &run{
		principal: p, project: s.project, policy: s.policy, rec: agent.TurnRecord{Turn: t},
	})
	return t, nil
}

// accept writes the turn. Where a parked turn of the thread is in the way, the
// person typed instead of clicking: its previews are discarded, it ends, and the
// message is accepted then. Where one is in the way that was stopped a moment ago,
// the message waits for its end, and meanwhile leaves its place to others.
func (e *Engine) accept(ctx context.Context, s agent.TurnStart, leave func()) (agent.Turn, bool, error) {
	t, created, err := e.Store.StartTurn(ctx, s)
	leave()
	if agent.ErrorCode(err) != agent.CodeTurnInProgress {
		return t, created, err
	}
	if e.awaitStopped(ctx, s.Turn.ThreadID) {
		return e.Store.StartTurn(ctx, s)
	}
	parked, perr := e.turnIn(ctx, s.Turn.ThreadID, agent.TurnAwaiting)
	if perr != nil || parked == "" {
		return agent.Turn{}, false, err
	}
	if perr := e.supersede(ctx, parked, stopped{by: s.Turn.UserID, reason: "superseded"}); perr != nil {
		return agent.Turn{}, false, err
	}
	return e.Store.StartTurn(ctx, s)
}

// stoppedWait is how long a message waits for a turn that was told to stop.
const stoppedWait = 5 * time.Second

// awaitStopped waits for the end of the thread's turn where it was told to stop.
func (e *Engine) awaitStopped(ctx context.Context, id agent.ThreadID) bool {
	running, err := e.turnIn(ctx, id, agent.TurnRunning)
	if err != nil || running == "" {
		return false
	}
	e.mu.Lock()
	l := e.live[running]
	e.mu.Unlock()
	if l == nil {
		return true // it has ended since
	}
	if l.ctx.Err() == nil {
		return false
	}
	timer := time.NewTimer(stoppedWait)
	defer timer.Stop()
	select {
	case <-l.done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

func (e *Engine) turnIn(ctx context.Context, id agent.ThreadID, state agent.TurnState) (agent.TurnID, error) {
	page, err := e.Store.TurnList(ctx, agent.TurnQuery{ThreadID: id, State: state, Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return "", err
	}
	return page.Items[0].ID, nil
}

func checkRequest(req agent.TurnRequest) error {
	invalid := func(pointer, message, hint string) error {
		return &agent.Error{Code: agent.CodeInvalidInput, Pointer: pointer, Message: message, Hint: hint}
	}
	switch {
	case len(req.Message.Text) > agent.MaxMessageBytes:
		return &agent.Error{Code: agent.CodeTooLarge, Pointer: "/text", Message: "The message is longer than 200 KiB.",
			Hint: "Shorten it, or attach the document instead of pasting it."}
	case !utf8.ValidString(req.Message.Text) || strings.ContainsRune(req.Message.Text, 0):
		return invalid("/text", "The message is not valid text.", "Remove the characters that are not text.")
	case strings.TrimSpace(req.Message.Text) == "":
		return invalid("/text", "The message is empty.", "Write what you want to be done.")
	case len(req.MessageID) > agent.MaxMessageID:
		return invalid("/messageId", "The message id is longer than 64 characters.", "Use a short random id.")
	case len(req.Message.Attachments) > agent.MaxAttachments:
		return invalid("/attachments", "More than 50 things are attached.", "Attach fewer.")
	case req.ProjectID == "":
		return invalid("/projectId", "No project is named.", "Send the id of the open project.")
	case len(req.Whitelist) > agent.MaxWhitelist:
		return invalid("/tools", "The whitelist has more than 100 entries.", "Use globs such as slide.*.")
	}
	return nil
}

// prepared is a checked request, ready to be written.
type prepared struct {
	start   agent.TurnStart
	project agent.Project
	policy  agent.OrgPolicy
	route   agent.ModelRoute
}

func (e *Engine) prepare(ctx context.Context, p agent.Principal, req agent.TurnRequest) (prepared, error) {
	th, parent, err := e.place(ctx, req)
	if err != nil {
		return prepared{}, err
	}
	kind := req.ProjectKind
	if th.ID != "" {
		kind = th.ProjectKind
	}
	project, err := e.Host.OpenProject(ctx, kind, req.ProjectID)
	if err != nil {
		return prepared{}, err
	}
	pol, err := e.Store.Policy(ctx)
	if err != nil {
		return prepared{}, err
	}
	settings, err := e.Store.UserSettings(ctx)
	if err != nil {
		return prepared{}, err
	}
	route, err := e.chooseModel(req.Model, settings.Model, pol)
	if err != nil {
		return prepared{}, err
	}
	key, err := e.chooseKey(ctx, p, route)
	if err != nil {
		return prepared{}, err
	}
	whitelist, err := e.whitelist(req.Whitelist)
	if err != nil {
		return prepared{}, err
	}
	nouns, err := e.resolve(ctx, project, req.Message.Attachments)
	if err != nil {
		return prepared{}, err
	}
	applied, err := e.leftBehind(ctx, th, parent)
	if err != nil {
		return prepared{}, err
	}

	now := e.Now()
	t := agent.Turn{
		ID: agent.TurnID(e.IDs("turn")), ThreadID: th.ID, Parent: parent.ID, State: agent.TurnRunning,
		MessageID: req.MessageID, By: "user", Message: agent.Message{Text: req.Message.Text, Attachments: nouns},
		Model: route.Name, Provider: route.Provider, KeySource: key.Source, KeyID: key.ID,
		Whitelist: whitelist, Capabilities: e.offer(p, pol, whitelist),
		Context: prompt.Context(now, project, nouns, responseMode(settings, pol), applied),
		OrgID:   p.OrgID, UserID: p.UserID, ProjectID: project.ID, ProjectKind: project.Kind,
		Owner: e.owner, Run: 1, CreatedAt: now.UnixMilli(),
	}
	if parent.ID != "" {
		t.Index = parent.Index + 1
	}
	if t.MessageID == "" || failpoint.Planted("resend_anew") {
		t.MessageID = e.IDs("msg")
	}
	s := agent.TurnStart{Turn: t, ContentDigest: digest(req)}
	if req.Parent == agent.RootTurn && th.ID != "" {
		s.Turn.Parent = agent.RootTurn
	}
	if th.ID == "" {
		th = agent.Thread{ID: agent.ThreadID(e.IDs("thread")), OrgID: p.OrgID, UserID: p.UserID, ProjectID: project.ID,
			ProjectKind: project.Kind, Title: title(req.Message.Text), CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt}
		s.Thread, s.Turn.ThreadID = th, th.ID
	}
	s.Turn.LastSeq = 1
	s.Events = []agent.Event{started(s.Turn)}
	s.Transcript = newRow(s.Turn)
	return prepared{start: s, project: project, policy: pol, route: route}, nil
}

// started is the first event of a turn; a reader of the thread that did not ask
// for the turn learns the message from it.
func started(t agent.Turn) agent.Event {
	parent := t.Parent
	if parent == agent.RootTurn {
		parent = ""
	}
	data := marshal(agent.TurnStarted{
		Model: t.Model, Provider: t.Provider, KeySource: t.KeySource, Capabilities: t.Capabilities, By: t.By,
		Message: t.Message, MessageID: t.MessageID, Parent: parent, TurnIndex: t.Index,
	})
	return agent.Event{Seq: 1, Run: t.Run, Turn: t.ID, Thread: t.ThreadID, At: t.CreatedAt, Kind: agent.EventTurnStarted, Data: data}
}

// place finds the thread that the turn joins and the turn that it follows.
func (e *Engine) place(ctx context.Context, req agent.TurnRequest) (agent.Thread, agent.Turn, error) {
	if req.ThreadID == "" {
		if req.Parent != "" && req.Parent != agent.RootTurn {
			return agent.Thread{}, agent.Turn{}, &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/parentTurnId",
				Message: "A parent turn needs its thread.", Hint: "Send threadId as well."}
		}
		return agent.Thread{}, agent.Turn{}, nil
	}
	th, err := e.Store.ThreadRow(ctx, req.ThreadID)
	if err != nil {
		return th, agent.Turn{}, err
	}
	if th.ProjectID != req.ProjectID {
		return th, agent.Turn{}, agent.NotFound("thread in this project")
	}
	at := req.Parent
	if at == "" {
		at = th.Head
	}
	if at == "" || at == agent.RootTurn {
		return th, agent.Turn{}, nil
	}
	parent, err := e.Store.Turn(ctx, at)
	if err == nil && parent.ThreadID != th.ID {
		err = agent.NotFound("turn in this thread")
	}
	return th, parent, err
}

// whitelist checks the globs: one that names nothing is a mistake worth telling.
func (e *Engine) whitelist(globs []string) ([]string, error) {
	if globs == nil {
		return nil, nil // not said: everything; an empty list offers the shared ones alone
	}
	if _, unmatched := e.Registry.Match(globs); len(unmatched) > 0 {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/tools",
			Message: "No capability here matches " + strings.Join(quoted(unmatched), ", ") + ".",
			Hint:    "GET /api/agent/capabilities lists what there is."}
	}
	return globs, nil
}

func quoted(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if r := []rune(n); len(r) > 40 {
			n = string(r[:40]) + "…"
		}
		out = append(out, "“"+n+"”")
	}
	return out
}

// offer gives the names of a turn: whitelist and shared, less what tier and
// policy take away, in stable order.
func (e *Engine) offer(p agent.Principal, pol agent.OrgPolicy, whitelist []string) []string {
	names, _ := e.Registry.Match(whitelist)
	caps := make([]agent.Capability, 0, len(names))
	for _, n := range names {
		if c, ok := e.Registry.Get(n); ok {
			caps = append(caps, c)
		}
	}
	return policy.Offer(caps, p, pol)
}

// resolve asks the host for every attached noun; what the client says of it
// besides kind and id is ignored.
func (e *Engine) resolve(ctx context.Context, project agent.Project, refs []agent.Noun) ([]agent.Noun, error) {
	var out []agent.Noun
	for _, ref := range refs {
		n, err := e.Host.ResolveNoun(ctx, project, ref.Kind, ref.ID)
		if err != nil {
			return nil, err
		}
		n.Kind, n.ID = ref.Kind, ref.ID
		if !slices.ContainsFunc(out, func(o agent.Noun) bool { return o.Kind == n.Kind && o.ID == n.ID }) {
			out = append(out, n)
		}
	}
	return out, nil
}

const titleRunes = 80

func title(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	if r := []rune(words); len(r) > titleRunes {
		return strings.TrimSpace(string(r[:titleRunes-1])) + "…"
	}
	return words
}

// digest tells a resend from another message under the same id.
func digest(req agent.TurnRequest) string {
	refs := make([]string, 0, len(req.Message.Attachments))
	for _, n := range req.Message.Attachments {
		refs = append(refs, n.Kind+"\x00"+n.ID)
	}
	data, _ := json.Marshal([]any{req.ProjectID, req.ThreadID, req.Parent, req.Message.Text, refs, req.Model, req.Whitelist})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
