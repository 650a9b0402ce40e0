package sqlite

import (
	agent "github.com/lossless-group/in-app-agent"
)

const heldColumns = `id, org_id, user_id, thread_id, capability, model, month, held_nano_usd, held_tokens, lost_nano_usd, lost_tokens`

const (
	selectHeld = `SELECT ` + heldColumns + ` FROM budget_ledger WHERE id = ? AND org_id = ? AND user_id = ? AND state = 'held'`

	selectHeldOfTurn = `SELECT ` + heldColumns + ` FROM budget_ledger WHERE turn_id = ? AND org_id = ? AND user_id = ? AND state = 'held'`

	selectHeldOfThread = `SELECT ` + heldColumns + ` FROM budget_ledger
		WHERE turn_id IN (SELECT id FROM turns WHERE thread_id = ? AND +org_id = ? AND +user_id = ?) AND state = 'held'`

	selectHeldOfOthers = `SELECT ` + heldColumns + ` FROM budget_ledger WHERE owner <> ? AND state = 'held'`

	// A reservation ends once: what does not stand any more stays as it is.
	updateSpent = `UPDATE budget_ledger SET state = ?, cost_nano_usd = ?, tokens_in = ?, tokens_out = ?, cache_read_tokens = ?,
		cache_creation_tokens = ?, estimated = ?, settled_at_ms = ? WHERE id = ? AND org_id = ? AND user_id = ? AND state = 'held' RETURNING ` + heldColumns

	// A row that is gone, with its thread, is not made again.
	moveTotals = `UPDATE budget_totals SET held_nano_usd = held_nano_usd - ?1, held_tokens = held_tokens - ?2,
		spent_nano_usd = spent_nano_usd + coalesce(?3, 0), spent_tokens = spent_tokens + ?4, calls = calls + 1,
		unpriced_calls = unpriced_calls + (?3 IS NULL), estimated_calls = estimated_calls + ?5,
		tokens_in = tokens_in + ?6, tokens_out = tokens_out + ?7, cache_read_tokens = cache_read_tokens + ?8,
		cache_creation_tokens = cache_creation_tokens + ?9
		FROM (VALUES ('org', ''), ('user', ?12), ('thread', ?13), ('model', ?14), ('capability', ?15)) w
		WHERE org_id = ?10 AND month = ?11 AND scope = w.column1 AND subject = w.column2`

	deleteThreadTotals = `DELETE FROM budget_totals WHERE org_id = ? AND month IN (SELECT value FROM json_each(?)) AND scope = 'thread' AND subject = ?`
)

func scanReserved(s scanner) (h held, err error) {
	return h, s.Scan(&h.id, &h.who.org, &h.who.user, &h.thread, &h.capability, &h.model, &h.month, &h.cost, &h.tokens, &h.lostCost, &h.lostTokens)
}

// settleBudget settles reservations of the caller; one that does not stand any more
// stays as it is.
func settleBudget(t *tx, who tenant, list []agent.BudgetSettlement) error {
	for _, s := range list {
		if err := endHeld(t, who, "settled", s); err != nil {
			return err
		}
	}
	return nil
}

// endHeld replaces what a reservation held by what its call used.
func endHeld(t *tx, who tenant, state string, s agent.BudgetSettlement) error {
	u := s.Usage
	h, stood, err := one(t, scanReserved, updateSpent, state, s.Cost, u.TokensIn, u.TokensOut, u.CacheRead, u.CacheCreation, s.Estimated, s.At,
		s.ID, who.org, who.user)
	if err != nil || !stood {
		return err
	}
	in, out, read, made := value(u.TokensIn), value(u.TokensOut), value(u.CacheRead), value(u.CacheCreation)
	_, err = t.exec(moveTotals, value(h.cost), h.tokens, s.Cost, in+out+read+made, s.Estimated, in, out, read, made,
		h.who.org, h.month, h.who.user, h.thread, h.model, h.capability)
	return err
}

// loseHeld ends the reservations that a query finds and nobody will settle: each
// counts with its prompt.
func loseHeld(t *tx, at int64, query string, args ...any) error {
	list, err := all(t, scanReserved, query, args...)
	if err != nil {
		return err
	}
	for _, h := range list {
		prompt := h.lostTokens
		lost := agent.BudgetSettlement{ID: h.id, Usage: agent.Usage{TokensIn: &prompt}, Cost: h.lostCost, Estimated: true, At: at}
		if err := endHeld(t, h.who, "lost", lost); err != nil {
			return err
		}
	}
	return nil
}
