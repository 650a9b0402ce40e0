package account

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeStore keeps threads, turns and events of alice in memory.
type fakeStore struct {
	threads map[agent.ThreadID]agent.Thread
	turns   []agent.Turn // of thread th1, its path
	events  map[agent.TurnID][]agent.Event
	blob    agent.Blob
	page    agent.Page[agent.Thread]
	query   agent.ThreadQuery
	patched int
	deleted []agent.ThreadID
	note    agent.FeedbackNote
	user    agent.UserSettings
	policy  agent.OrgPolicy
	log     *[]string // what was done, in order
	inbox   agent.Page[agent.Approval]
	asked   agent.ApprovalQuery
	askedAt int64
	receipt agent.Receipt
	rules   agent.Page[agent.Permission]
	rulesOf agent.PermissionQuery
	revoked string
	month   string // that was asked for
	budgets []agent.Budget
	err     error
	// The path of the cache doctor: how many turns, which made no call, and whose spine
	// is another.
	traced, traceLimit int
	quiet              agent.TurnID
	spine              map[agent.TurnID]string
}

func (f *fakeStore) ThreadRow(ctx context.Context, id agent.ThreadID) (agent.Thread, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Thread{}, err
	}
	t, ok := f.threads[id]
	if !ok || t.UserID != p.UserID || t.OrgID != p.OrgID {
		return agent.Thread{}, agent.NotFound("thread")
	}
	return t, f.err
}

func (f *fakeStore) ThreadRowList(_ context.Context, q agent.ThreadQuery) (agent.Page[agent.Thread], error) {
	f.query = q
	return f.page, f.err
}

func (f *fakeStore) UpdateThread(_ context.Context, id agent.ThreadID, p agent.ThreadPatch, at int64) (agent.Thread, error) {
	t := f.threads[id]
	if p.Title != nil {
		t.Title = *p.Title
	}
	if p.Archived != nil && *p.Archived {
		t.ArchivedAt = at
	}
	f.threads[id] = t
	f.patched++
	return t, f.err
}

func (f *fakeStore) DeleteThreadRows(_ context.Context, id agent.ThreadID) error {
	f.deleted = append(f.deleted, id)
	*f.log = append(*f.log, "delete "+string(id))
	return f.err
}

func (f *fakeStore) PathTurns(_ context.Context, _ agent.ThreadID, before agent.TurnID, limit int) ([]agent.Turn, error) {
	end := len(f.turns)
	if before != "" {
		end = slices.IndexFunc(f.turns, func(t agent.Turn) bool { return t.ID == before })
		if end < 0 {
			return nil, agent.NotFound("turn")
		}
	}
	return slices.Clone(f.turns[max(0, end-limit):end]), nil
}

func (f *fakeStore) Transcripts(context.Context, agent.ThreadID) ([]agent.TranscriptRow, error) {
	return []agent.TranscriptRow{{ID: "tr1", ThreadID: "th1", UserMessage: "hi"}}, nil
}

func (f *fakeStore) EventsAfter(_ context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	var page []agent.Event
	for _, e := range f.events[id] {
		if e.Seq > after && len(page) < limit {
			page = append(page, e)
		}
	}
	return page, nil
}

func (f *fakeStore) NextTurn(context.Context, agent.ThreadID, agent.TurnID) (agent.Turn, bool, error) {
	return agent.Turn{}, false, nil
}

func (f *fakeStore) TurnList(context.Context, agent.TurnQuery) (agent.Page[agent.Turn], error) {
	return agent.Page[agent.Turn]{}, nil
}

func (f *fakeStore) Blob(_ context.Context, call agent.CallID, digest string) (agent.Blob, error) {
	if call != "cl1" || digest != f.blob.Digest {
		return agent.Blob{}, agent.NotFound("artifact")
	}
	return f.blob, nil
}

func (f *fakeStore) Expired(context.Context, int64, int) ([]agent.Receipt, error) { return nil, nil }
func (f *fakeStore) MarkCleaned(context.Context, agent.ReceiptID, int64) error    { return nil }

func (f *fakeStore) UserSettings(context.Context) (agent.UserSettings, error) { return f.user, f.err }

func (f *fakeStore) PutUserSettings(_ context.Context, s agent.UserSettings, _ int64) error {
	f.user = s
	return f.err
}

func (f *fakeStore) PutFeedback(_ context.Context, n agent.FeedbackNote, _ int64) error {
	f.note = n
	return f.err
}

func (f *fakeStore) Policy(context.Context) (agent.OrgPolicy, error) { return f.policy, f.err }

// fakeHost opens the projects that it is told to.
type fakeHost struct {
	open  map[string]bool
	asked int
	err   error
}

func (h *fakeHost) OpenProject(_ context.Context, kind, id string) (agent.Project, error) {
	h.asked++
	if h.err != nil {
		return agent.Project{}, h.err
	}
	if !h.open[id] {
		return agent.Project{}, agent.NotFound("project")
	}
	return agent.Project{ID: id, Kind: kind}, nil
}

func (h *fakeHost) ResolveNoun(context.Context, agent.Project, string, string) (agent.Noun, error) {
	return agent.Noun{}, agent.NotFound("noun")
}
func (h *fakeHost) Facts(context.Context, agent.Project) ([]agent.Fact, error) { return nil, nil }
func (h *fakeHost) Suggestions(context.Context, agent.Project, string) ([]agent.Suggestion, error) {
	return nil, nil
}

// fakeEngine is an agent whose turns stop when they are told to.
type fakeEngine struct {
	agent.Agent // what a test does not expect panics
	active      []agent.Turn
	stopsWith   []agent.Event // what a cancelled turn tells
	log         *[]string
	err         error
}

func (f *fakeEngine) Turn(_ context.Context, id agent.TurnID) (agent.Turn, error) {
	for _, t := range f.active {
		if t.ID == id {
			return t, f.err
		}
	}
	return agent.Turn{}, agent.NotFound("turn")
}

func (f *fakeEngine) Turns(_ context.Context, q agent.TurnQuery) (agent.Page[agent.Turn], error) {
	var page agent.Page[agent.Turn]
	for _, t := range f.active {
		if t.State == q.State && t.ThreadID == q.ThreadID {
			page.Items = append(page.Items, t)
		}
	}
	return page, f.err
}

func (f *fakeEngine) CancelTurn(_ context.Context, id agent.TurnID) error {
	*f.log = append(*f.log, "cancel "+string(id))
	return f.err
}

func (f *fakeEngine) Events(_ context.Context, id agent.TurnID, _ agent.Position) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range f.stopsWith {
			*f.log = append(*f.log, fmt.Sprintf("%s of %s", e.Kind, id))
			if !yield(e, nil) {
				return
			}
		}
	}
}

// event makes an event of run 1.
func event(seq agent.Seq, kind agent.EventKind, data any) agent.Event {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return agent.Event{Seq: seq, Run: 1, Turn: "tn1", Thread: "th1", At: int64(seq), Kind: kind, Data: raw}
}
