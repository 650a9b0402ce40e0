package sqlite_test

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// Stores that are broken where a decided change moves on: previewed again, edited,
// taken back, or taken up by the process that lost it.
type (
	losesRelease struct{ storetest.Store }
	losesRestate struct{ storetest.Store }
	losesEdit    struct{ storetest.Store }
	adoptsAnyRun struct{ storetest.Store }
	anyonesCall  struct{ storetest.Store }
	losesStop    struct{ storetest.Store }
)

func (s losesRelease) Commit(ctx context.Context, m agent.Milestone) error {
	m.Releases = nil
	return s.Store.Commit(ctx, m)
}

func (s losesRestate) Commit(ctx context.Context, m agent.Milestone) error {
	m.Restates = nil
	return s.Store.Commit(ctx, m)
}

func (s losesEdit) Take(ctx context.Context, t agent.Take) (agent.Turn, error) {
	for i := range t.Decisions {
		t.Decisions[i].Calls = nil
	}
	return s.Store.Take(ctx, t)
}

func (s adoptsAnyRun) Adopt(ctx context.Context, id agent.TurnID, owner string, run int64) (agent.Turn, error) {
	if turn, err := s.Turn(ctx, id); err == nil {
		run = turn.Run
	}
	return s.Store.Adopt(ctx, id, owner, run)
}

func (s losesStop) StopTurn(ctx context.Context, id agent.TurnID, _ string) error {
	_, err := s.Turn(ctx, id)
	return err
}

func (s anyonesCall) CallTurn(ctx context.Context, id agent.CallID) (agent.TurnID, error) {
	turn, err := s.Store.CallTurn(ctx, id)
	if err != nil {
		turn, err = "turn_1", nil
	}
	return turn, err
}
