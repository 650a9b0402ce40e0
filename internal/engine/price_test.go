package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

// counted counts the transactions that turns cost.
type counted struct {
	*sqlite.Store
	own, reserved, shared atomic.Int64
}

func (c *counted) ReserveBudget(ctx context.Context, r agent.BudgetReservation) (agent.BudgetAnswer, error) {
	c.reserved.Add(1)
	return c.Store.ReserveBudget(ctx, r)
}

func (c *counted) SettleBudget(ctx context.Context, list []agent.BudgetSettlement) error {
	c.own.Add(1)
	return c.Store.SettleBudget(ctx, list)
}

func (c *counted) StartTurn(ctx context.Context, s agent.TurnStart) (agent.Turn, bool, error) {
	c.own.Add(1)
	return c.Store.StartTurn(ctx, s)
}

func (c *counted) Commit(ctx context.Context, m agent.Milestone) error {
	c.own.Add(1)
	return c.Store.Commit(ctx, m)
}

func (c *counted) AppendLive(ctx context.Context, b []agent.LiveBatch) ([]agent.TurnID, error) {
	c.shared.Add(1)
	return c.Store.AppendLive(ctx, b)
}

// chunks streams n chunks of text.
func chunks(n int) streams {
	return func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		text := ""
		for i := range n {
			piece := fmt.Sprintf("word%d ", i)
			text += piece
			if !yield(agent.Delta{Kind: agent.DeltaText, Text: piece}, nil) {
				return
			}
		}
		yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{Stop: agent.StopEnd, Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}}}}, nil)
	}
}

func TestATurnOfFiveHundredChunksCostsTwoTransactionsOfItsOwnAndAReservation(t *testing.T) {
	w := newWorld(t)
	store := &counted{Store: w.store}
	w.model.raw = chunks(500)
	e, err := engine.New(context.Background(), engine.Config{App: "Notebook", Store: store, Members: w.store, Registry: w.reg, Models: models{w.model},
		Vault: w.vault, Redactions: maps(t, w.store), Host: w.host, Now: w.clock.Now, IDs: w.mint, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer e.Close(context.Background())
	turn, err := e.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Count"}})
	must(t, err)
	for _, err := range e.Events(me(), turn.ID, agent.Position{}) {
		must(t, err)
	}
	if store.own.Load() != 2 || store.reserved.Load() != 1 {
		t.Fatalf("%d transactions of its own, %d reservations, %d shared", store.own.Load(), store.reserved.Load(), store.shared.Load())
	}
}

func BenchmarkATurnOf500Chunks(b *testing.B) {
	dir := b.TempDir()
	store, err := sqlite.Open(context.Background(), sqlite.Config{App: dir + "/agent.db"})
	must(b, err)
	defer func() { _ = store.Close() }()
	ctx := context.Background()
	must(b, store.PutOrg(ctx, agent.Org{ID: orgID, Slug: "one"}))
	must(b, store.PutUser(ctx, agent.User{ID: userID, Name: "u", Email: "u@example.test"}))
	must(b, store.PutMembership(ctx, agent.Membership{UserID: userID, OrgID: orgID, Role: agent.RoleEditor}))
	must(b, store.RefreshPolicies(ctx))
	w := &world{clock: &clock{}, notes: newNotebook(), model: &director{raw: chunks(500)}, vault: &keyring{}, host: &host{}}
	e, err := engine.New(ctx, engine.Config{App: "N", Store: store, Members: store, Registry: registry(w.notes), Models: models{w.model},
		Vault: w.vault, Redactions: maps(b, store), Host: w.host, Now: w.clock.Now, IDs: w.mint, Log: slog.New(slog.DiscardHandler)})
	must(b, err)
	defer e.Close(ctx)
	b.ReportAllocs()
	for b.Loop() {
		turn, err := e.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Count"}})
		must(b, err)
		for _, err := range e.Events(me(), turn.ID, agent.Position{}) {
			must(b, err)
		}
	}
}
