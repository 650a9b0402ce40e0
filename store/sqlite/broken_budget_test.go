package sqlite_test

import (
	"context"
	"slices"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// Stores that are broken where money is counted, and what left.
type (
	passesCap    struct{ storetest.Store }
	doublesCost  struct{ storetest.Store }
	losesSpends  struct{ storetest.Store }
	hidesUnknown struct{ storetest.Store }
	losesEgress  struct{ storetest.Store }
	warnsAgain   struct {
		storetest.Store
		said *sayings
	}
)

type sayings struct {
	mu   sync.Mutex
	list []agent.BudgetStanding
}

// passesCap lets a call through that a cap is in the way of.
func (s passesCap) ReserveBudget(ctx context.Context, r agent.BudgetReservation) (agent.BudgetAnswer, error) {
	a, err := s.Store.ReserveBudget(ctx, r)
	a.Refused = nil
	return a, err
}

func (s doublesCost) SettleBudget(ctx context.Context, list []agent.BudgetSettlement) error {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Cost != nil {
			twice := *list[i].Cost * 2
			list[i].Cost = &twice
		}
	}
	return s.Store.SettleBudget(ctx, list)
}

func (s losesSpends) Commit(ctx context.Context, m agent.Milestone) error {
	m.Spends = nil
	return s.Store.Commit(ctx, m)
}

// hidesUnknown takes a call without a price for a free one.
func (s hidesUnknown) ReserveBudget(ctx context.Context, r agent.BudgetReservation) (agent.BudgetAnswer, error) {
	if r.Cost == nil {
		r.Cost = new(agent.NanoUSD)
	}
	return s.Store.ReserveBudget(ctx, r)
}

func (s warnsAgain) ReserveBudget(ctx context.Context, r agent.BudgetReservation) (agent.BudgetAnswer, error) {
	a, err := s.Store.ReserveBudget(ctx, r)
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	s.said.list = append(s.said.list, a.Warned...)
	a.Warned = slices.Clone(s.said.list)
	return a, err
}

func (s losesEgress) Commit(ctx context.Context, m agent.Milestone) error {
	m.Egress = nil
	return s.Store.Commit(ctx, m)
}
