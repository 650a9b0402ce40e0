package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	agent "github.com/lossless-group/in-app-agent"
)

const auditColumns = `seq, id, at_ms, user_id, action, object, detail, receipt_id, hash`

const (
	insertAudit = `INSERT INTO audit_log (org_id, seq, id, at_ms, user_id, action, object, detail, receipt_id, hash, seal)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectAuditByID = `SELECT ` + auditColumns + ` FROM audit_log WHERE org_id = ? AND id = ?`

	selectAuditBefore = `SELECT ` + auditColumns + ` FROM audit_log WHERE org_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`

	selectAuditAfter = `SELECT ` + auditColumns + ` FROM audit_log WHERE org_id = ? AND seq > ? ORDER BY seq LIMIT ?`

	selectAuditLast = `SELECT seq, hash, seal FROM audit_log WHERE org_id = ? ORDER BY seq DESC LIMIT 1`

	selectAuditHead = `SELECT seq, hash, seal FROM audit_heads WHERE org_id = ?`

	putAuditHead = `INSERT INTO audit_heads (org_id, seq, hash, seal) VALUES (?, ?, ?, ?)
		ON CONFLICT (org_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, seal = excluded.seal`
)

func scanAudit(s scanner) (e agent.AuditEntry, err error) {
	var detail string
	err = s.Scan(&e.Seq, &e.ID, &e.At, &e.Actor, &e.Action, &e.Object, &detail, &e.ReceiptID, &e.Hash)
	e.Detail = json.RawMessage(detail)
	return e, err
}

// sealed is a place in a log with its seal.
type sealed struct {
	seq        int64
	hash, seal string
}

func scanSealed(s scanner) (v sealed, err error) {
	return v, s.Scan(&v.seq, &v.hash, &v.seal)
}

// record adds a row to an org's log, in the transaction of what it tells. The one
// writer makes the rows of an org follow one another.
func (s *Store) record(t *tx, org string, e agent.AuditEntry) (agent.AuditEntry, error) {
	e, err := e.Clean()
	if err != nil {
		return e, err
	}
	if e.ID == "" {
		e.ID = s.ids("audit")
	} else if have, ok, err := one(t, scanAudit, selectAuditByID, org, e.ID); err != nil || ok {
		return have, err
	}
	end, err := s.auditEnd(t, org)
	if err != nil {
		return e, err
	}
	e, end, err = s.chain(t, org, end, e)
	if err != nil {
		return e, err
	}
	_, err = t.exec(putAuditHead, org, end.seq, end.hash, s.seal("head", org, end.seq, end.hash))
	return e, err
}

// auditEnd gives the row that the next one follows. Where the log does not end as it
// was sealed, a row says so for good before anything else is added: sealing the new
// end must not make the old fault good.
func (s *Store) auditEnd(t *tx, org string) (sealed, error) {
	head, told, err := one(t, scanSealed, selectAuditHead, org)
	if err != nil {
		return sealed{}, err
	}
	last, _, err := one(t, scanSealed, selectAuditLast, org)
	if err != nil {
		return sealed{}, err
	}
	if (!told && last.seq == 0) || (told && head.seq == last.seq && head.hash == last.hash && s.isSeal(head.seal, "head", org, head.seq, head.hash)) {
		return last, nil
	}
	s.log.Error("the audit log does not end as it was sealed", "org", org, "sealed", head.seq, "found", last.seq)
	_, end, err := s.chain(t, org, last, agent.AuditEntry{ID: s.ids("audit"), At: s.now(), Actor: agent.ActorOutside, Action: agent.AuditResealed,
		Object: "audit", Detail: json.RawMessage(fmt.Sprintf(`{"sealed":%d,"found":%d}`, head.seq, last.seq))})
	return end, err
}

// chain writes one row after another.
func (s *Store) chain(t *tx, org string, after sealed, e agent.AuditEntry) (agent.AuditEntry, sealed, error) {
	e.Seq = after.seq + 1
	e.Hash = e.ChainHash(org, after.hash)
	seal := s.seal("row", org, e.Seq, e.Hash)
	_, err := t.exec(insertAudit, org, e.Seq, e.ID, e.At, e.Actor, e.Action, e.Object, string(e.Detail), e.ReceiptID, e.Hash, seal)
	return e, sealed{e.Seq, e.Hash, seal}, err
}

// AppendAudit records a fact for the caller's org. Errors: invalid_input, too_large.
func (s *Store) AppendAudit(ctx context.Context, e agent.AuditEntry) (stored agent.AuditEntry, err error) {
	err = s.writeAs(ctx, true, func(t *tx, who tenant) (err error) {
		e.Actor = who.user
		if e.At == 0 {
			e.At = s.now()
		}
		stored, err = s.record(t, who.org, e)
		return err
	})
	if err != nil {
		return agent.AuditEntry{}, err
	}
	return stored, nil
}

// AuditList lists the log of the caller's org, newest first. Errors: invalid_input (a
// cursor that is none of ours).
func (s *Store) AuditList(ctx context.Context, q agent.AuditQuery) (page agent.Page[agent.AuditEntry], err error) {
	before, err := parseSeqCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	limit := pageSize(q.Limit)
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		list, err := all(t, scanAudit, selectAuditBefore, who.org, before, limit+1)
		if err != nil {
			return err
		}
		if len(list) > limit {
			list = list[:limit]
			page.Next = strconv.FormatInt(list[limit-1].Seq, 10)
		}
		page.Items = append([]agent.AuditEntry{}, list...) // an empty page is a list, too
		return nil
	})
	return page, err
}

// AuditAfter gives up to limit rows of the caller's org after a seq, oldest first.
func (s *Store) AuditAfter(ctx context.Context, seq int64, limit int) (list []agent.AuditEntry, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		list, err = all(t, scanAudit, selectAuditAfter, who.org, seq, max(limit, 0))
		return err
	})
	return list, err
}

// parseSeqCursor reads the place after a row: its seq. Only the form that we give
// out is one.
func parseSeqCursor(s string) (int64, error) {
	if s == "" {
		return math.MaxInt64, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, &agent.Error{Code: agent.CodeInvalidInput, Message: "This cursor is none of ours.", Hint: "Start again without it.", Pointer: "/cursor"}
	}
	return n, nil
}
