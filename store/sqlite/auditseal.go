package sqlite

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// seal gives the HMAC that says that a place of a log was written by who holds the
// audit key. What tells a row's from a head's, so that none serves as the other.
func (s *Store) seal(what, org string, seq int64, hash string) string {
	h := hmac.New(sha256.New, s.auditKey)
	fmt.Fprintf(h, "in-app-agent audit %s %d %s %s", what, seq, hash, org)
	return hex.EncodeToString(h.Sum(nil))
}

func (s *Store) isSeal(seal, what, org string, seq int64, hash string) bool {
	return hmac.Equal([]byte(seal), []byte(s.seal(what, org, seq, hash)))
}

const selectAuditSealed = `SELECT seal, ` + auditColumns + ` FROM audit_log WHERE org_id = ? AND seq > ? ORDER BY seq LIMIT ?`

type sealedEntry struct {
	agent.AuditEntry
	seal string
}

func scanSealedEntry(s scanner) (e sealedEntry, err error) {
	e.AuditEntry, err = scanAudit(prefixed{s, []any{&e.seal}})
	return e, err
}

// verifyPage is how many rows are checked at a time.
const verifyPage = 500

// VerifyAudit reads the log of the caller's org on one snapshot and names the first
// row that does not hold.
func (s *Store) VerifyAudit(ctx context.Context, anchor agent.AuditHead) (report agent.AuditReport, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		v := verifier{s: s, org: who.org, anchor: anchor}
		for {
			rows, err := all(t, scanSealedEntry, selectAuditSealed, who.org, v.last.seq, verifyPage)
			if err != nil {
				return err
			}
			for _, e := range rows {
				if v.report.Broken = v.row(e); v.report.Broken != nil {
					report = v.report
					return nil
				}
			}
			if len(rows) < verifyPage {
				break
			}
		}
		head, told, err := one(t, scanSealed, selectAuditHead, who.org)
		if err != nil {
			return err
		}
		v.report.Broken = v.end(head, told)
		report = v.report
		return nil
	})
	return report, err
}

// verifier walks along one log.
type verifier struct {
	s      *Store
	org    string
	anchor agent.AuditHead
	last   sealed
	report agent.AuditReport
}

func (v *verifier) row(e sealedEntry) *agent.AuditBreak {
	want := v.last.seq + 1
	anchored := e.Seq <= v.anchor.Seq
	switch {
	case e.Seq != want:
		return &agent.AuditBreak{Seq: want, Reason: "the row is missing"}
	case e.ChainHash(v.org, v.last.hash) != e.Hash:
		return &agent.AuditBreak{Seq: want, Reason: "the row is not what was chained here: it was changed, or is in another's place"}
	case e.Seq == v.anchor.Seq && e.Hash != v.anchor.Hash:
		return &agent.AuditBreak{Seq: want, Reason: "the row is another than the anchor tells of"}
	case !anchored && !v.s.isSeal(e.seal, "row", v.org, e.Seq, e.Hash):
		return &agent.AuditBreak{Seq: want, Reason: "the row was not sealed with this audit key"}
	case !anchored && e.Action == agent.AuditResealed:
		return &agent.AuditBreak{Seq: want, Reason: "the log did not end as it was sealed when this row came"}
	}
	v.last = sealed{seq: e.Seq, hash: e.Hash}
	v.report.Rows, v.report.Head = e.Seq, agent.AuditHead{Seq: e.Seq, Hash: e.Hash}
	return nil
}

func (v *verifier) end(head sealed, told bool) *agent.AuditBreak {
	last := v.last
	switch {
	case v.anchor.Seq > last.seq:
		return &agent.AuditBreak{Seq: last.seq + 1, Reason: "the row is missing: the anchor tells of it"}
	case !told && last.seq == 0:
		return nil
	case !told:
		return &agent.AuditBreak{Seq: last.seq + 1, Reason: "the sealed end of the log is missing"}
	case head.seq > last.seq:
		return &agent.AuditBreak{Seq: last.seq + 1, Reason: "the row is missing: the log was sealed with more"}
	case head.seq < last.seq:
		return &agent.AuditBreak{Seq: head.seq + 1, Reason: "the row was put in behind the sealed end"}
	case head.hash != last.hash || (head.seq > v.anchor.Seq && !v.s.isSeal(head.seal, "head", v.org, head.seq, head.hash)):
		return &agent.AuditBreak{Seq: last.seq, Reason: "the end of the log was not sealed with this audit key"}
	}
	return nil
}
