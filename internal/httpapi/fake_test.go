package httpapi

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeAgent is an agent in memory: turns with events that a test adds one by one.
// It knows owners, so that the presenter's behaviour towards strangers can be seen.
type fakeAgent struct {
	mu      sync.Mutex
	wake    chan struct{}
	turns   map[agent.TurnID]agent.Turn
	events  map[agent.TurnID][]agent.Event
	started []agent.TurnRequest
	start   func(agent.TurnRequest) (agent.Turn, error)
	decide  func(agent.DecisionRequest) ([]agent.Outcome, error)
	extra   error // what every stream ends with once its events are told
	stopped []agent.TurnID
}

func newFakeAgent() *fakeAgent {
	return &fakeAgent{wake: make(chan struct{}), turns: make(map[agent.TurnID]agent.Turn), events: make(map[agent.TurnID][]agent.Event)}
}

// put keeps a turn of alice, in the thread th1.
func (f *fakeAgent) put(id agent.TurnID, state agent.TurnState) agent.Turn {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := agent.Turn{ID: id, ThreadID: "th1", State: state, Run: 1, UserID: alice.UserID, OrgID: alice.OrgID}
	f.turns[id] = t
	return t
}

// tell adds an event to a turn and wakes its readers.
func (f *fakeAgent) tell(id agent.TurnID, kind agent.EventKind, data any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	t := f.turns[id]
	t.LastSeq++
	switch kind {
	case agent.EventTurnCompleted:
		t.State = agent.TurnComplete
	case agent.EventTurnFailed:
		t.State = agent.TurnFailed
	}
	f.turns[id] = t
	f.events[id] = append(f.events[id], agent.Event{
		Seq: t.LastSeq, Run: t.Run, Turn: id, Thread: t.ThreadID, Kind: kind, Data: raw,
	})
	close(f.wake)
	f.wake = make(chan struct{})
}

func (f *fakeAgent) owned(ctx context.Context, id agent.TurnID) (agent.Turn, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Turn{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.turns[id]
	if !ok || t.UserID != p.UserID || t.OrgID != p.OrgID {
		return agent.Turn{}, agent.NotFound("turn")
	}
	return t, nil
}

func (f *fakeAgent) StartTurn(_ context.Context, req agent.TurnRequest) (agent.Turn, error) {
	f.mu.Lock()
	f.started = append(f.started, req)
	start := f.start
	f.mu.Unlock()
	if start == nil {
		return f.put("tn1", agent.TurnRunning), nil
	}
	return start(req)
}

func (f *fakeAgent) Turn(ctx context.Context, id agent.TurnID) (agent.Turn, error) {
	return f.owned(ctx, id)
}

func (f *fakeAgent) Turns(ctx context.Context, q agent.TurnQuery) (agent.Page[agent.Turn], error) {
	var page agent.Page[agent.Turn]
	f.mu.Lock()
	ids := slices.Collect(func(yield func(agent.TurnID) bool) {
		for id := range f.turns {
			if !yield(id) {
				return
			}
		}
	})
	f.mu.Unlock()
	for _, id := range ids {
		if t, err := f.owned(ctx, id); err == nil && t.ThreadID == q.ThreadID {
			page.Items = append(page.Items, t)
		}
	}
	return page, nil
}

func (f *fakeAgent) Events(ctx context.Context, id agent.TurnID, after agent.Position) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if _, err := f.owned(ctx, id); err != nil {
			yield(agent.Event{}, err)
			return
		}
		seq := after.Seq
		for {
			f.mu.Lock()
			all, wake, extra := f.events[id], f.wake, f.extra
			f.mu.Unlock()
			for _, e := range all {
				if e.Seq <= seq {
					continue
				}
				seq = e.Seq
				if !yield(e, nil) {
					return
				}
			}
			if extra != nil {
				yield(agent.Event{}, extra)
				return
			}
			if n := len(all); n > 0 && all[n-1].Kind.Terminal() {
				return
			}
			select {
			case <-ctx.Done():
				yield(agent.Event{}, ctx.Err())
				return
			case <-wake:
			}
		}
	}
}

func (f *fakeAgent) ThreadEvents(ctx context.Context, id agent.ThreadID, after agent.Cursor) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if !yield(agent.Event{Thread: id, Kind: agent.EventThreadChanged, Data: json.RawMessage(`{"title":"A"}`)}, nil) {
			return
		}
		for e, err := range f.Events(ctx, "tn1", agent.Position{Run: after.Run, Seq: after.Seq}) {
			if !yield(e, err) {
				return
			}
		}
		<-ctx.Done()
	}
}

func (f *fakeAgent) Decide(ctx context.Context, d agent.DecisionRequest) ([]agent.Outcome, error) {
	if _, err := f.owned(ctx, d.TurnID); err != nil {
		return nil, err
	}
	return f.decide(d)
}

func (f *fakeAgent) CancelTurn(ctx context.Context, id agent.TurnID) error {
	_, err := f.owned(ctx, id)
	if err == nil {
		f.mu.Lock()
		f.stopped = append(f.stopped, id)
		f.mu.Unlock()
	}
	return err
}

// Undo knows the call cl1 of the turn tn1.
func (f *fakeAgent) Undo(ctx context.Context, id agent.CallID) (agent.Turn, error) {
	if id != "cl1" {
		return agent.Turn{}, agent.NotFound("call")
	}
	if _, err := f.owned(ctx, "tn1"); err != nil {
		return agent.Turn{}, agent.NotFound("call")
	}
	return agent.Turn{ID: "tn2", By: "hand"}, nil
}

func (f *fakeAgent) Describe(ctx context.Context) (agent.Description, error) {
	p, err := agent.PrincipalFrom(ctx)
	return agent.Description{App: "test", Protocol: agent.ProtocolVersion, User: agent.UserInfo{ID: p.UserID}}, err
}
