package sqlite

import (
	"context"
	"encoding/json"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const usageSums = `calls, unpriced_calls, estimated_calls, tokens_in, tokens_out, cache_read_tokens, cache_creation_tokens, spent_nano_usd`

const (
	selectUserModels = `SELECT model, count(*), sum(cost_nano_usd IS NULL), sum(estimated), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),
		coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_creation_tokens), 0), coalesce(sum(cost_nano_usd), 0) FROM budget_ledger
		WHERE org_id = ? AND user_id = ? AND month = ? AND state <> 'held' GROUP BY model ORDER BY model`

	selectLines = `SELECT subject, ` + usageSums + ` FROM budget_totals WHERE org_id = ? AND month = ? AND scope = ? AND calls > 0
		ORDER BY spent_nano_usd DESC, subject LIMIT 1000`

	usedOfOrg = `?2, coalesce(t.spent_nano_usd, 0), coalesce(t.held_nano_usd, 0), coalesce(t.spent_tokens, 0), coalesce(t.held_tokens, 0)`

	selectOrgStanding = `SELECT b.scope, b.subject, b.soft_nano_usd, b.hard_nano_usd, b.soft_tokens, b.hard_tokens, ` + usedOfOrg + `
		FROM budgets b LEFT JOIN budget_totals t ON t.org_id = ?1 AND t.month = ?2 AND t.scope = b.scope AND t.subject = b.subject
		WHERE b.org_id = ?1 AND b.subject <> '*'
		UNION ALL SELECT b.scope, t.subject, b.soft_nano_usd, b.hard_nano_usd, b.soft_tokens, b.hard_tokens, ` + usedOfOrg + `
		FROM budgets b CROSS JOIN budget_totals t ON t.org_id = ?1 AND t.month = ?2 AND t.scope = b.scope
		WHERE b.org_id = ?1 AND b.subject = '*'
		AND NOT EXISTS (SELECT 1 FROM budgets x WHERE x.org_id = ?1 AND x.scope = b.scope AND x.subject = t.subject)
		UNION ALL SELECT 'org', '', NULL, NULL, c.soft_tokens, c.hard_tokens, ` + usedOfOrg + ` FROM org_caps c
		LEFT JOIN budget_totals t ON t.org_id = ?1 AND t.month = ?2 AND t.scope = 'org' AND t.subject = '' WHERE c.org_id = ?1
		ORDER BY 1, 8 DESC, 2 LIMIT 1000`

	selectBudgets = `SELECT scope, subject, soft_nano_usd, hard_nano_usd, soft_tokens, hard_tokens FROM budgets WHERE org_id = ? ORDER BY scope, subject`

	deleteBudgets = `DELETE FROM budgets WHERE org_id = ?`

	insertBudget = `INSERT INTO budgets (org_id, scope, subject, soft_nano_usd, hard_nano_usd, soft_tokens, hard_tokens, updated_at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	updateUnwarned = `UPDATE budget_totals SET warned = 0 WHERE org_id = ? AND month = ? AND warned = 1`

	selectOrgCaps = `SELECT id, token_cap_soft, token_cap_hard FROM orgs`

	selectCapCopies = `SELECT org_id, soft_tokens, hard_tokens FROM org_caps`

	replaceCaps = `DELETE FROM org_caps`

	insertCaps = `INSERT INTO org_caps (org_id, soft_tokens, hard_tokens) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`
)

func scanLine(s scanner) (l agent.UsageLine, err error) {
	return l, s.Scan(&l.Subject, &l.Calls, &l.UnpricedCalls, &l.EstimatedCalls, &l.TokensIn, &l.TokensOut, &l.CacheRead, &l.CacheCreation, &l.Cost)
}

func addUp(lines []agent.UsageLine) (sum agent.UsageSum) {
	for _, l := range lines {
		sum.Calls += l.Calls
		sum.UnpricedCalls += l.UnpricedCalls
		sum.EstimatedCalls += l.EstimatedCalls
		sum.TokensIn += l.TokensIn
		sum.TokensOut += l.TokensOut
		sum.CacheRead += l.CacheRead
		sum.CacheCreation += l.CacheCreation
		sum.Cost += l.Cost
	}
	return sum
}

// UsageOf gives the sums of the caller's calls of a month, and how far the budgets of
// caller and org are used.
func (s *Store) UsageOf(ctx context.Context, month string) (r agent.UsageReport, err error) {
	r.Month = month
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		if r.Models, err = all(t, scanLine, selectUserModels, who.org, who.user, month); err != nil {
			return err
		}
		r.Total = addUp(r.Models)
		r.Budgets, err = all(t, scanStanding, selectStanding, who.org, who.user, "", "", month)
		return err
	})
	return r, err
}

// UsageOfOrg gives the sums of the caller's org and the standing of its budgets, at
// most 1,000 lines of each, the dearest first.
func (s *Store) UsageOfOrg(ctx context.Context, month string) (r agent.UsageReport, err error) {
	r.Month = month
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		var org []agent.UsageLine
		for _, part := range []struct {
			scope string
			into  *[]agent.UsageLine
		}{{"org", &org}, {"model", &r.Models}, {"user", &r.Users}, {"capability", &r.Capabilities}} {
			lines, err := all(t, scanLine, selectLines, who.org, month, part.scope)
			if err != nil {
				return err
			}
			*part.into = lines
		}
		r.Total = addUp(org)
		var err error
		r.Budgets, err = all(t, scanStanding, selectOrgStanding, who.org, month)
		return err
	})
	return r, err
}

func scanBudget(s scanner) (b agent.Budget, err error) {
	return b, s.Scan(&b.Scope, &b.Subject, &b.SoftCost, &b.HardCost, &b.SoftTokens, &b.HardTokens)
}

// BudgetRows gives the budgets of the caller's org.
func (s *Store) BudgetRows(ctx context.Context) (list []agent.Budget, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		list, err = all(t, scanBudget, selectBudgets, who.org)
		return err
	})
	return list, err
}

// PutBudgetRows replaces the budgets of the caller's org.
func (s *Store) PutBudgetRows(ctx context.Context, list []agent.Budget, at int64) error {
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		if _, err := t.exec(deleteBudgets, who.org); err != nil {
			return err
		}
		for _, b := range list {
			if _, err := t.exec(insertBudget, who.org, b.Scope, b.Subject, b.SoftCost, b.HardCost, b.SoftTokens, b.HardTokens, at); err != nil {
				return err
			}
		}
		_, err := t.exec(updateUnwarned, who.org, agent.BudgetMonth(at))
		return err
	})
}

// orgCaps are the token caps of an org, null for none.
type orgCaps struct {
	org        string
	soft, hard *int64
}

func scanCaps(s scanner) (c orgCaps, err error) { return c, s.Scan(&c.org, &c.soft, &c.hard) }

// refreshCaps copies the orgs' token caps of the auth database where they changed.
func (s *Store) refreshCaps(ctx context.Context) error {
	rows := map[string][]any{}
	if err := s.auth.read(ctx, func(t *tx) error {
		list, err := all(t, scanCaps, selectOrgCaps)
		for _, c := range list {
			if c.soft != nil || c.hard != nil {
				rows[c.org] = []any{c.org, c.soft, c.hard}
			}
		}
		return err
	}); err != nil {
		return err
	}
	same := true
	if err := s.app.read(ctx, func(t *tx) error {
		copies, err := all(t, scanCaps, selectCapCopies)
		same = len(copies) == len(rows)
		for _, c := range copies {
			row := rows[c.org]
			same = same && row != nil && equal(row[1], c.soft) && equal(row[2], c.hard)
		}
		return err
	}); err != nil || same {
		return err
	}
	list := make([][]any, 0, len(rows))
	for _, row := range rows {
		list = append(list, row)
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return s.app.write(ctx, true, func(t *tx) error {
		if _, err := t.exec(replaceCaps); err != nil {
			return err
		}
		_, err := t.exec(insertCaps, string(data))
		return err
	})
}

func equal(a any, b *int64) bool {
	p, _ := a.(*int64)
	return (p == nil) == (b == nil) && value(p) == value(b)
}

// monthsSince gives the months from one time to another, as a JSON array.
func monthsSince(from, to int64) string {
	var list []string
	for t := time.UnixMilli(from).UTC(); ; t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC) {
		if len(list) > 0 && t.UnixMilli() > to {
			break
		}
		list = append(list, agent.BudgetMonth(t.UnixMilli()))
	}
	b, _ := json.Marshal(list) // strings always encode
	return string(b)
}
