package sqlite_test

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// Each store here is broken in one way; see brokenStores for who catches it.
type (
	dropsEvent     struct{ storetest.Store }
	doublesEvent   struct{ storetest.Store }
	reordersEvents struct{ storetest.Store }
	readsOneEarly  struct{ storetest.Store }
	readsOneLate   struct{ storetest.Store }
	neverCuts      struct{ storetest.Store }
	appendsStale   struct{ storetest.Store }
	commitsStale   struct{ storetest.Store }
	losesUsage     struct{ storetest.Store }
	writesHalf     struct{ storetest.Store }
	losesSettle    struct{ storetest.Store }
	claimsTwice    struct{ storetest.Store }
	keepsOwner     struct{ storetest.Store }
	keepsRun       struct{ storetest.Store }
	startsTwice    struct{ storetest.Store }
	digestBlind    struct{ storetest.Store }
	pathWithSelf   struct{ storetest.Store }
)

func (s dropsEvent) AppendLive(ctx context.Context, list []agent.LiveBatch) ([]agent.TurnID, error) {
	list = slices.Clone(list)
	for i, b := range list {
		if len(b.Events) > 1 {
			list[i].Events = b.Events[:len(b.Events)-1]
		}
	}
	return s.Store.AppendLive(ctx, list)
}

func (s doublesEvent) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	list, err := s.Store.EventsAfter(ctx, id, after, limit)
	if len(list) > 1 {
		list = append(list[:2:2], list[1:]...)
	}
	return list, err
}

func (s reordersEvents) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	list, err := s.Store.EventsAfter(ctx, id, after, limit)
	slices.Reverse(list)
	return list, err
}

func (s readsOneEarly) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	return s.Store.EventsAfter(ctx, id, max(after-1, 0), limit)
}

func (s readsOneLate) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	if after > 0 {
		after++
	}
	return s.Store.EventsAfter(ctx, id, after, limit)
}

// neverCuts gives a joined event whole, also to a reader who has half of it.
func (s neverCuts) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	list, err := s.Store.EventsAfter(ctx, id, 0, 10_000)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e agent.Event) bool { return e.Seq <= after })
	return list[:min(len(list), max(limit, 0))], nil
}

func (s appendsStale) AppendLive(ctx context.Context, list []agent.LiveBatch) ([]agent.TurnID, error) {
	for run := range int64(4) {
		for i := range list {
			list[i].Run = max(list[i].Run, run)
		}
		if over, err := s.Store.AppendLive(ctx, list); err != nil || len(over) == 0 {
			return over, err
		}
	}
	return nil, nil
}

func (s commitsStale) Commit(ctx context.Context, m agent.Milestone) error {
	if turn, err := s.Turn(ctx, m.Turn); err == nil {
		m.Run = turn.Run
	}
	return s.Store.Commit(ctx, m)
}

func (s losesUsage) Commit(ctx context.Context, m agent.Milestone) error {
	if m.Transcript != nil {
		row := *m.Transcript
		row.CacheRead = nil
		m.Transcript = &row
	}
	return s.Store.Commit(ctx, m)
}

// writesHalf keeps the step of a milestone whose rest failed.
func (s writesHalf) Commit(ctx context.Context, m agent.Milestone) error {
	err := s.Store.Commit(ctx, m)
	if err != nil && m.Step != nil {
		_ = s.Store.Commit(ctx, agent.Milestone{Turn: m.Turn, Run: m.Run, Step: m.Step})
	}
	return err
}

func (s losesSettle) Commit(ctx context.Context, m agent.Milestone) error {
	m.Settles = nil
	return s.Store.Commit(ctx, m)
}

func (s claimsTwice) Commit(ctx context.Context, m agent.Milestone) error {
	err := s.Store.Commit(ctx, m)
	if len(m.Claims) > 0 && agent.ErrorCode(err) == agent.CodeConflict {
		m.Claims = nil
		return s.Store.Commit(ctx, m)
	}
	return err
}

func (s keepsOwner) Turn(ctx context.Context, id agent.TurnID) (agent.Turn, error) {
	turn, err := s.Store.Turn(ctx, id)
	if err == nil && turn.State == agent.TurnAwaiting {
		turn.Owner = "owner-1"
	}
	return turn, err
}

func (s keepsRun) Adopt(ctx context.Context, id agent.TurnID, owner string, run int64) (agent.Turn, error) {
	turn, err := s.Store.Adopt(ctx, id, owner, run)
	turn.Run--
	return turn, err
}

func (s startsTwice) StartTurn(ctx context.Context, start agent.TurnStart) (agent.Turn, bool, error) {
	turn, created, err := s.Store.StartTurn(ctx, start)
	if err == nil && !created {
		start.Turn.MessageID, start.Turn.ID, start.Transcript.ID = start.Turn.MessageID+"'", start.Turn.ID+"'", start.Transcript.ID+"'"
		start.Thread.ID += "'"
		return s.Store.StartTurn(ctx, start)
	}
	return turn, created, err
}

func (s digestBlind) StartTurn(ctx context.Context, start agent.TurnStart) (agent.Turn, bool, error) {
	start.ContentDigest = ""
	return s.Store.StartTurn(ctx, start)
}

func (s pathWithSelf) Path(ctx context.Context, id agent.TurnID, limit int) ([]agent.TurnRecord, error) {
	list, err := s.Store.Path(ctx, id, limit)
	if err != nil {
		return nil, err
	}
	self, err := s.Record(ctx, id)
	return append(list, self), err
}
