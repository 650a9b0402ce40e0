package engine_test

import (
	"context"
	"database/sql"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
)

// faulty is a store some of whose operations go wrong: from the nth that is counted
// as many as width says. It embeds nothing, so that a method added to the port
// cannot be forgotten here.
type faulty struct {
	store engine.Store
	mu    sync.Mutex
	n     int // operations so far
	at    int // which one goes wrong first, 0 for none
	width int
	on    bool
	hit   string // its method, once it came
	fault func(op func() error) error
}

func (f *faulty) do(method string, op func() error) error {
	f.mu.Lock()
	f.n++
	wrong := f.on && f.at > 0 && f.n >= f.at && f.n < f.at+f.width
	if f.on && f.n == f.at {
		f.hit = method
	}
	f.mu.Unlock()
	if wrong {
		return f.fault(op)
	}
	return op()
}

// begin counts from here.
func (f *faulty) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n, f.on = 0, true
}

// ops counts the operations so far.
func (f *faulty) ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *faulty) StartTurn(ctx context.Context, s agent.TurnStart) (v agent.Turn, ok bool, err error) {
	err = f.do("StartTurn", func() (err error) {
		v, ok, err = f.store.StartTurn(ctx, s)
		return err
	})
	return v, ok, err
}

func (f *faulty) AppendLive(ctx context.Context, batches []agent.LiveBatch) (v []agent.TurnID, err error) {
	err = f.do("AppendLive", func() (err error) {
		v, err = f.store.AppendLive(ctx, batches)
		return err
	})
	return v, err
}

func (f *faulty) Commit(ctx context.Context, m agent.Milestone) error {
	return f.do("Commit", func() error { return f.store.Commit(ctx, m) })
}

func (f *faulty) Take(ctx context.Context, t agent.Take) (v agent.Turn, err error) {
	err = f.do("Take", func() (err error) {
		v, err = f.store.Take(ctx, t)
		return err
	})
	return v, err
}

func (f *faulty) Adopt(ctx context.Context, id agent.TurnID, owner string, run int64) (v agent.Turn, err error) {
	err = f.do("Adopt", func() (err error) {
		v, err = f.store.Adopt(ctx, id, owner, run)
		return err
	})
	return v, err
}

func (f *faulty) StopTurn(ctx context.Context, id agent.TurnID, by string) error {
	return f.do("StopTurn", func() error { return f.store.StopTurn(ctx, id, by) })
}

func (f *faulty) Turn(ctx context.Context, id agent.TurnID) (v agent.Turn, err error) {
	err = f.do("Turn", func() (err error) {
		v, err = f.store.Turn(ctx, id)
		return err
	})
	return v, err
}

func (f *faulty) CallTurn(ctx context.Context, id agent.CallID) (v agent.TurnID, err error) {
	err = f.do("CallTurn", func() (err error) {
		v, err = f.store.CallTurn(ctx, id)
		return err
	})
	return v, err
}

func (f *faulty) Record(ctx context.Context, id agent.TurnID) (v agent.TurnRecord, err error) {
	err = f.do("Record", func() (err error) {
		v, err = f.store.Record(ctx, id)
		return err
	})
	return v, err
}

func (f *faulty) Path(ctx context.Context, id agent.TurnID, limit int) (v []agent.TurnRecord, err error) {
	err = f.do("Path", func() (err error) {
		v, err = f.store.Path(ctx, id, limit)
		return err
	})
	return v, err
}

func (f *faulty) Compaction(ctx context.Context, id agent.TurnID, limit int) (c agent.Compaction, n int, ok bool, err error) {
	err = f.do("Compaction", func() (err error) {
		c, n, ok, err = f.store.Compaction(ctx, id, limit)
		return err
	})
	return c, n, ok, err
}

func (f *faulty) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) (v []agent.Event, err error) {
	err = f.do("EventsAfter", func() (err error) {
		v, err = f.store.EventsAfter(ctx, id, after, limit)
		return err
	})
	return v, err
}

func (f *faulty) NextTurn(ctx context.Context, thread agent.ThreadID, after agent.TurnID) (v agent.Turn, ok bool, err error) {
	err = f.do("NextTurn", func() (err error) {
		v, ok, err = f.store.NextTurn(ctx, thread, after)
		return err
	})
	return v, ok, err
}

func (f *faulty) TurnList(ctx context.Context, q agent.TurnQuery) (v agent.Page[agent.Turn], err error) {
	err = f.do("TurnList", func() (err error) {
		v, err = f.store.TurnList(ctx, q)
		return err
	})
	return v, err
}

func (f *faulty) RegisterOwner(ctx context.Context, owner string, at int64) error {
	return f.do("RegisterOwner", func() error { return f.store.RegisterOwner(ctx, owner, at) })
}

func (f *faulty) RenewOwner(ctx context.Context, owner string, at int64) error {
	return f.do("RenewOwner", func() error { return f.store.RenewOwner(ctx, owner, at) })
}

func (f *faulty) Orphans(ctx context.Context, owner string) (v []agent.Turn, err error) {
	err = f.do("Orphans", func() (err error) {
		v, err = f.store.Orphans(ctx, owner)
		return err
	})
	return v, err
}

func (f *faulty) Blob(ctx context.Context, call agent.CallID, digest string) (v agent.Blob, err error) {
	err = f.do("Blob", func() (err error) {
		v, err = f.store.Blob(ctx, call, digest)
		return err
	})
	return v, err
}

func (f *faulty) Expired(ctx context.Context, now int64, limit int) (v []agent.Receipt, err error) {
	err = f.do("Expired", func() (err error) {
		v, err = f.store.Expired(ctx, now, limit)
		return err
	})
	return v, err
}

func (f *faulty) MarkCleaned(ctx context.Context, id agent.ReceiptID, at int64) error {
	return f.do("MarkCleaned", func() error { return f.store.MarkCleaned(ctx, id, at) })
}

func (f *faulty) ThreadRow(ctx context.Context, id agent.ThreadID) (v agent.Thread, err error) {
	err = f.do("ThreadRow", func() (err error) {
		v, err = f.store.ThreadRow(ctx, id)
		return err
	})
	return v, err
}

func (f *faulty) ThreadRowList(ctx context.Context, q agent.ThreadQuery) (v agent.Page[agent.Thread], err error) {
	err = f.do("ThreadRowList", func() (err error) {
		v, err = f.store.ThreadRowList(ctx, q)
		return err
	})
	return v, err
}

func (f *faulty) UpdateThread(ctx context.Context, id agent.ThreadID, p agent.ThreadPatch, at int64) (v agent.Thread, err error) {
	err = f.do("UpdateThread", func() (err error) {
		v, err = f.store.UpdateThread(ctx, id, p, at)
		return err
	})
	return v, err
}

func (f *faulty) DeleteThreadRows(ctx context.Context, id agent.ThreadID) error {
	return f.do("DeleteThreadRows", func() error { return f.store.DeleteThreadRows(ctx, id) })
}

func (f *faulty) PathTurns(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) (v []agent.Turn, err error) {
	err = f.do("PathTurns", func() (err error) {
		v, err = f.store.PathTurns(ctx, id, before, limit)
		return err
	})
	return v, err
}

func (f *faulty) Transcripts(ctx context.Context, id agent.ThreadID) (v []agent.TranscriptRow, err error) {
	err = f.do("Transcripts", func() (err error) {
		v, err = f.store.Transcripts(ctx, id)
		return err
	})
	return v, err
}

func (f *faulty) UserSettings(ctx context.Context) (v agent.UserSettings, err error) {
	err = f.do("UserSettings", func() (err error) {
		v, err = f.store.UserSettings(ctx)
		return err
	})
	return v, err
}

func (f *faulty) PutUserSettings(ctx context.Context, s agent.UserSettings, at int64) error {
	return f.do("PutUserSettings", func() error { return f.store.PutUserSettings(ctx, s, at) })
}

func (f *faulty) Policy(ctx context.Context) (v agent.OrgPolicy, err error) {
	err = f.do("Policy", func() (err error) {
		v, err = f.store.Policy(ctx)
		return err
	})
	return v, err
}

func (f *faulty) PermissionList(ctx context.Context, q agent.PermissionQuery, now int64) (v agent.Page[agent.Permission], err error) {
	err = f.do("PermissionList", func() (err error) {
		v, err = f.store.PermissionList(ctx, q, now)
		return err
	})
	return v, err
}

func (f *faulty) PermissionsFor(ctx context.Context, capability string, project agent.Project, now int64) (v []agent.Permission, err error) {
	err = f.do("PermissionsFor", func() (err error) {
		v, err = f.store.PermissionsFor(ctx, capability, project, now)
		return err
	})
	return v, err
}

func (f *faulty) RevokePermission(ctx context.Context, id string, at int64) error {
	return f.do("RevokePermission", func() error { return f.store.RevokePermission(ctx, id, at) })
}

func (f *faulty) SettleWith(ctx context.Context, entry agent.LedgerEntry, host func(*sql.Tx) error) error {
	return f.do("SettleWith", func() error { return f.store.SettleWith(ctx, entry, host) })
}

func (f *faulty) ReserveBudget(ctx context.Context, r agent.BudgetReservation) (v agent.BudgetAnswer, err error) {
	err = f.do("ReserveBudget", func() (err error) {
		v, err = f.store.ReserveBudget(ctx, r)
		return err
	})
	return v, err
}

func (f *faulty) SettleBudget(ctx context.Context, list []agent.BudgetSettlement) error {
	return f.do("SettleBudget", func() error { return f.store.SettleBudget(ctx, list) })
}

func (f *faulty) EgressOf(ctx context.Context, id agent.ThreadID) (v []agent.EgressLine, err error) {
	err = f.do("EgressOf", func() (err error) {
		v, err = f.store.EgressOf(ctx, id)
		return err
	})
	return v, err
}

func (f *faulty) AddEgress(ctx context.Context, id agent.TurnID, lines []agent.EgressLine) error {
	return f.do("AddEgress", func() error { return f.store.AddEgress(ctx, id, lines) })
}
