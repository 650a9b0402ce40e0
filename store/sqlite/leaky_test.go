package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// More stores that are broken in one way: in who may see what, in approvals, and in
// the rows around turns.
type (
	leaksThread   struct{ leak }
	leaksEvents   struct{ leak } // within the org
	leaksList     struct{ leak }
	leaksKey      struct{ storetest.Store }
	samplesOne    struct{ storetest.Store }
	leaksBlob     struct{ leak }
	leaksInbox    struct{ leak }
	keepsRule     struct{ storetest.Store }
	takesTwice    struct{ storetest.Store }
	splitsHost    struct{ storetest.Store } // the host's change from its row
	takesStale    struct{ storetest.Store }
	takesLate     struct{ storetest.Store }
	takesUnder    struct{ storetest.Store } // whatever policy
	deletesHead   struct{ storetest.Store }
	wildSearch    struct{ storetest.Store }
	losesInPage   struct{ storetest.Store }
	keepsSession  struct{ storetest.Store }
	keepsKey      struct{ storetest.Store }
	neverRefresh  struct{ storetest.Store }
	forgetsClean  struct{ storetest.Store }
	expiresEarly  struct{ storetest.Store }
	orgsSettings  struct{ storetest.Store } // settings of the org, not the user
	reversesPages struct{ storetest.Store }
)

// leak remembers who started what, to ask as them.
type leak struct {
	storetest.Store
	owners *sync.Map // thread and turn ids → principal
}

func newLeak(s storetest.Store) leak { return leak{Store: s, owners: &sync.Map{}} }

func (s leak) StartTurn(ctx context.Context, start agent.TurnStart) (agent.Turn, bool, error) {
	turn, created, err := s.Store.StartTurn(ctx, start)
	if p, noone := agent.PrincipalFrom(ctx); err == nil && noone == nil {
		s.owners.Store(string(turn.ThreadID), p)
		s.owners.Store(string(turn.ID), p)
		s.owners.Store("someone", p)
	}
	return turn, created, err
}

// as gives the context of whoever owns the id.
func (s leak) as(ctx context.Context, id string, sameOrg bool) context.Context {
	owner, ok := s.owners.Load(id)
	asking, err := agent.PrincipalFrom(ctx)
	if !ok || err != nil || (sameOrg && asking.OrgID != owner.(agent.Principal).OrgID) {
		return ctx
	}
	return agent.WithPrincipal(ctx, owner.(agent.Principal))
}

func (s leaksThread) ThreadRow(ctx context.Context, id agent.ThreadID) (agent.Thread, error) {
	return s.Store.ThreadRow(s.as(ctx, string(id), false), id)
}

func (s leaksEvents) EventsAfter(ctx context.Context, id agent.TurnID, after agent.Seq, limit int) ([]agent.Event, error) {
	return s.Store.EventsAfter(s.as(ctx, string(id), true), id, after, limit)
}

func (s leaksList) TurnList(ctx context.Context, q agent.TurnQuery) (agent.Page[agent.Turn], error) {
	return s.Store.TurnList(s.as(ctx, string(q.ThreadID), false), q)
}

func (s leaksBlob) Blob(ctx context.Context, call agent.CallID, digest string) (agent.Blob, error) {
	return s.Store.Blob(s.as(ctx, "someone", false), call, digest)
}

func (s splitsHost) SettleWith(ctx context.Context, e agent.LedgerEntry, f func(*sql.Tx) error) error {
	var host error
	err := s.Store.SettleWith(ctx, e, func(tx *sql.Tx) error {
		host = f(tx)
		return nil
	})
	return errors.Join(host, err)
}

func (s keepsRule) RevokePermission(context.Context, string, int64) error { return nil }

func (s leaksInbox) ApprovalList(ctx context.Context, q agent.ApprovalQuery, now int64) (agent.Page[agent.Approval], error) {
	return s.Store.ApprovalList(s.as(ctx, "someone", false), q, now)
}

func (s leaksKey) Key(ctx context.Context, id string) (agent.KeyRow, error) {
	row, err := s.Store.Key(ctx, id)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		_, visit := s.EachKey(ctx, func(k agent.KeyRow) (agent.KeyRow, error) {
			if k.ID == id && k.RevokedAt == 0 && k.UserID != "" {
				row, err = k, nil
			}
			return k, nil
		})
		if visit != nil {
			return row, visit
		}
	}
	return row, err
}

// samplesOne gives one key of the first version alone.
func (s samplesOne) SampleKeys(ctx context.Context, n int) ([]agent.KeyRow, error) {
	rows, err := s.Store.SampleKeys(ctx, n)
	return rows[:min(1, len(rows))], err
}

// takesTwice tells a late answer that it won.
func (s takesTwice) Take(ctx context.Context, take agent.Take) (agent.Turn, error) {
	turn, err := s.Store.Take(ctx, take)
	if err != nil && strings.Contains(agent.ErrorMessage(err), "answered before") {
		return s.Turn(ctx, take.Turn)
	}
	return turn, err
}

func (s takesStale) Take(ctx context.Context, take agent.Take) (agent.Turn, error) {
	if turn, err := s.Turn(ctx, take.Turn); err == nil && turn.State == agent.TurnRunning {
		take.Owner, take.Run = turn.Owner, turn.Run
	}
	return s.Store.Take(ctx, take)
}

func (s takesLate) Take(ctx context.Context, take agent.Take) (agent.Turn, error) {
	for i, d := range take.Decisions {
		if d.Verdict != agent.VerdictExpired {
			take.Decisions[i].At = 1
		}
	}
	return s.Store.Take(ctx, take)
}

func (s takesUnder) Take(ctx context.Context, take agent.Take) (agent.Turn, error) {
	if p, err := s.Policy(ctx); err == nil {
		take.PolicyVersion = p.Version
	}
	return s.Store.Take(ctx, take)
}

// deletesHead hides a thread instead of deleting it.
func (s deletesHead) DeleteThreadRows(ctx context.Context, id agent.ThreadID) error {
	yes := true
	_, err := s.UpdateThread(ctx, id, agent.ThreadPatch{Archived: &yes}, 1)
	return err
}

func (s wildSearch) ThreadRowList(ctx context.Context, q agent.ThreadQuery) (agent.Page[agent.Thread], error) {
	if len(q.Q) < 900 && strings.ContainsAny(q.Q, "%_") {
		q.Q = ""
	}
	return s.Store.ThreadRowList(ctx, q)
}

func (s losesInPage) ThreadRowList(ctx context.Context, q agent.ThreadQuery) (agent.Page[agent.Thread], error) {
	page, err := s.Store.ThreadRowList(ctx, q)
	if page.Next != "" && len(page.Items) > 1 {
		page.Items = page.Items[:len(page.Items)-1]
	}
	return page, err
}

func (s keepsSession) RevokeSession(context.Context, string, int64) error { return nil }

func (s keepsKey) PutKey(ctx context.Context, row agent.KeyRow) error {
	row.Label += row.ID // so that nothing is replaced
	return s.Store.PutKey(ctx, row)
}

func (s neverRefresh) RefreshPolicies(ctx context.Context) error {
	if _, err := s.Policy(agent.WithPrincipal(ctx, agent.Principal{UserID: "u", OrgID: "o_acme"})); err == nil {
		return nil
	}
	return s.Store.RefreshPolicies(ctx)
}

func (s forgetsClean) MarkCleaned(context.Context, agent.ReceiptID, int64) error { return nil }

func (s expiresEarly) Expired(ctx context.Context, now int64, limit int) ([]agent.Receipt, error) {
	return s.Store.Expired(ctx, now+1, limit)
}

func (s orgsSettings) UserSettings(ctx context.Context) (agent.UserSettings, error) {
	return s.Store.UserSettings(orgOnly(ctx))
}

func (s orgsSettings) PutUserSettings(ctx context.Context, u agent.UserSettings, at int64) error {
	return s.Store.PutUserSettings(orgOnly(ctx), u, at)
}

func orgOnly(ctx context.Context) context.Context {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return ctx
	}
	p.UserID = "everybody"
	return agent.WithPrincipal(ctx, p)
}

func (s reversesPages) PathTurns(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) ([]agent.Turn, error) {
	turns, err := s.Store.PathTurns(ctx, id, "", limit) // always the newest page
	return turns, err
}
