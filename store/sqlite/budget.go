package sqlite

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// budgetScopes are the subjects that a call counts for: ?1 org, ?2 user, ?3 thread,
// ?4 capability. budgetCaps are the caps on them; one that names its subject replaces
// the one for each, and the org's token caps of the auth database count beside ours.
const (
	budgetScopes = `who (scope, subject) AS (VALUES ('org', ''), ('user', ?2), ('thread', ?3), ('capability', ?4)),`

	budgetCaps = ` caps AS (
		SELECT w.scope, w.subject, b.soft_nano_usd, b.hard_nano_usd, b.soft_tokens, b.hard_tokens FROM who w CROSS JOIN budgets b
		ON b.org_id = ?1 AND b.scope = w.scope AND b.subject = CASE WHEN EXISTS (SELECT 1 FROM budgets x
			WHERE x.org_id = ?1 AND x.scope = w.scope AND x.subject = w.subject) THEN w.subject ELSE '*' END
		WHERE w.subject <> '' OR w.scope = 'org'
		UNION ALL SELECT 'org', '', NULL, NULL, c.soft_tokens, c.hard_tokens FROM org_caps c WHERE c.org_id = ?1),
	standing AS (
		SELECT caps.scope, caps.subject, soft_nano_usd, hard_nano_usd, soft_tokens, hard_tokens, ?5 AS month,
			coalesce(t.spent_nano_usd, 0) AS spent, coalesce(t.held_nano_usd, 0) AS held,
			coalesce(t.spent_tokens, 0) AS spent_tokens, coalesce(t.held_tokens, 0) AS held_tokens, coalesce(t.warned, 0) AS warned
		FROM caps LEFT JOIN budget_totals t ON t.org_id = ?1 AND t.month = ?5 AND t.scope = caps.scope AND t.subject = caps.subject)`

	standingColumns = `scope, subject, soft_nano_usd, hard_nano_usd, soft_tokens, hard_tokens, month, spent, held, spent_tokens, held_tokens`

	// ?6 is what the call may cost, null where nobody knows, ?7 its tokens.
	overCap = `((hard_nano_usd IS NOT NULL AND (?6 IS NULL OR spent + held + ?6 > hard_nano_usd))
		OR (hard_tokens IS NOT NULL AND spent_tokens + held_tokens + ?7 > hard_tokens))`
)

const (
	// The one statement that decides: the reservation is a row, or it is not.
	insertHeld = `WITH ` + budgetScopes + budgetCaps + `
		INSERT INTO budget_ledger (org_id, user_id, thread_id, capability, month, held_nano_usd, held_tokens, id, turn_id, run, owner,
			provider, model, key_source, state, lost_nano_usd, lost_tokens, reserved_at_ms)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'held', ?15, ?16, ?17
		WHERE NOT EXISTS (SELECT 1 FROM standing WHERE ` + overCap + `) ON CONFLICT (id) DO NOTHING`

	selectOver = `WITH ` + budgetScopes + budgetCaps + ` SELECT ` + standingColumns + ` FROM standing WHERE ` + overCap + `
		ORDER BY (hard_nano_usd IS NULL OR spent + ?6 <= hard_nano_usd), scope LIMIT 1`

	selectStanding = `WITH ` + budgetScopes + budgetCaps + ` SELECT ` + standingColumns + ` FROM standing`

	selectSoft = selectStanding + ` WHERE warned = 0 AND (spent >= soft_nano_usd OR spent_tokens >= soft_tokens)`

	updateWarned = `UPDATE budget_totals SET warned = 1 WHERE org_id = ? AND month = ? AND scope = ? AND subject = ?`

	addHeld = `INSERT INTO budget_totals (org_id, month, scope, subject, held_nano_usd, held_tokens)
		SELECT ?1, ?2, w.column1, w.column2, ?3, ?4 FROM (VALUES ('org', ''), ('user', ?5), ('thread', ?6), ('model', ?7), ('capability', ?8)) w
		WHERE w.column1 = 'org' OR w.column2 <> ''
		ON CONFLICT (org_id, month, scope, subject) DO UPDATE SET held_nano_usd = held_nano_usd + excluded.held_nano_usd,
		held_tokens = held_tokens + excluded.held_tokens`
)

// held is a reservation that stands.
type held struct {
	id, month                 string
	who                       tenant
	thread, capability, model string
	cost, lostCost            *agent.NanoUSD // nil where the price is not known
	tokens, lostTokens        int64
}

func scanStanding(s scanner) (b agent.BudgetStanding, err error) {
	return b, s.Scan(&b.Scope, &b.Subject, &b.SoftCost, &b.HardCost, &b.SoftTokens, &b.HardTokens, &b.Month,
		&b.Spent, &b.Held, &b.SpentTokens, &b.HeldTokens)
}

// ReserveBudget reserves what a call may take, unless a hard cap is in the way. It
// needs no disk of its own: the next durable transaction carries it.
func (s *Store) ReserveBudget(ctx context.Context, r agent.BudgetReservation) (a agent.BudgetAnswer, err error) {
	month := agent.BudgetMonth(r.At)
	err = s.writeAs(ctx, false, func(t *tx, who tenant) error {
		scope := []any{who.org, who.user, r.Thread, r.Capability, month}
		n, err := t.exec(insertHeld, append(scope, r.Cost, r.Tokens, r.ID, r.Turn, r.Run, r.Owner, r.Provider, r.Model, r.KeySource,
			r.LostCost, r.LostTokens, r.At)...)
		if err != nil {
			return err
		}
		if n == 0 {
			// A connection may break after the commit, and the same call comes again.
			if _, stands, err := one(t, scanReserved, selectHeld, r.ID, who.org, who.user); err != nil || stands {
				return err
			}
			over, _, err := one(t, scanStanding, selectOver, append(scope, r.Cost, r.Tokens)...)
			a.Refused = &agent.BudgetRefusal{BudgetStanding: over, Cost: r.Cost, Tokens: r.Tokens, Renews: monthEnd(r.At)}
			return err
		}
		if _, err := t.exec(addHeld, who.org, month, value(r.Cost), r.Tokens, who.user, r.Thread, r.Model, r.Capability); err != nil {
			return err
		}
		if a.Warned, err = all(t, scanStanding, selectSoft, scope...); err != nil {
			return err
		}
		for _, b := range a.Warned {
			if _, err := t.exec(updateWarned, who.org, month, b.Scope, b.Subject); err != nil {
				return err
			}
		}
		return nil
	})
	return a, err
}

func monthEnd(at int64) int64 {
	t := time.UnixMilli(at).UTC()
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// SettleBudget settles calls outside of a milestone.
func (s *Store) SettleBudget(ctx context.Context, list []agent.BudgetSettlement) error {
	if len(list) == 0 {
		return nil
	}
	return s.writeAs(ctx, false, func(t *tx, who tenant) error { return settleBudget(t, who, list) })
}
