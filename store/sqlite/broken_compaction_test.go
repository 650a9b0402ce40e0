package sqlite_test

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

type (
	losesCompaction struct{ storetest.Store }
	farCompaction   struct{ storetest.Store }
	losesCut        struct{ storetest.Store }
	losesTrace      struct{ storetest.Store }
	mixesTraces     struct{ storetest.Store }
)

func (s losesCompaction) Commit(ctx context.Context, m agent.Milestone) error {
	m.Compaction = nil
	return s.Store.Commit(ctx, m)
}

// farCompaction looks further up than it may.
func (s farCompaction) Compaction(ctx context.Context, id agent.TurnID, _ int) (agent.Compaction, int, bool, error) {
	return s.Store.Compaction(ctx, id, 1000)
}

func (s losesCut) Commit(ctx context.Context, m agent.Milestone) error {
	m.CutBefore = 0
	return s.Store.Commit(ctx, m)
}

func (s losesTrace) Commit(ctx context.Context, m agent.Milestone) error {
	if m.Step != nil {
		step := *m.Step
		step.Trace = nil
		m.Step = &step
	}
	return s.Store.Commit(ctx, m)
}

// mixesTraces gives the newest first.
func (s mixesTraces) StepTraces(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) ([]agent.StepTrace, []agent.TurnID, error) {
	steps, turns, err := s.Store.StepTraces(ctx, id, before, limit)
	for i, j := 0, len(steps)-1; i < j; i, j = i+1, j-1 {
		steps[i], steps[j] = steps[j], steps[i]
	}
	return steps, turns, err
}
