package sqlite

import (
	"encoding/json"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// note records what the caller did, with a detail that is an object or nil.
func (s *Store) note(t *tx, who tenant, e agent.AuditEntry, detail any) error {
	e.Actor = who.user
	if detail != nil {
		text, err := json.Marshal(detail)
		if err != nil {
			return err
		}
		if len(text) > agent.MaxAuditDetail { // the log must not stand in the way of what it tells
			text = fmt.Appendf(nil, `{"omittedBytes":%d}`, len(text))
		}
		e.Detail = text
	}
	_, err := s.record(t, who.org, e)
	return err
}

// remembered is what a permission covers; what it was shown for stays with it.
type remembered struct {
	Capability  string `json:"capability"`
	ProjectID   string `json:"projectId"`
	ProjectKind string `json:"projectKind"`
	Until       int64  `json:"until"`
}

// linked is a decision that was given behind a link.
type linked struct {
	Decision agent.Verdict `json:"decision"`
	TurnID   agent.TurnID  `json:"turnId"`
	Link     string        `json:"link"`
}

// auditTake records what of a take belongs into the log: permissions that it made, and
// what a person decided away from the app.
func (s *Store) auditTake(t *tx, who tenant, take agent.Take) error {
	link := agent.ApprovalLinkFrom(t.ctx)
	for _, d := range take.Decisions {
		if p := d.Remember; p != nil {
			if err := s.note(t, who, agent.AuditEntry{At: d.At, Action: agent.AuditPermissionRemembered, Object: p.ID, ReceiptID: d.ReceiptID},
				remembered{p.Capability, p.ProjectID, p.ProjectKind, p.Until}); err != nil {
				return err
			}
		}
		if link != "" && d.By == who.user {
			if err := s.note(t, who, agent.AuditEntry{At: d.At, Action: agent.AuditLinkDecided, Object: string(d.CallID), ReceiptID: d.ReceiptID},
				linked{d.Verdict, take.Turn, link}); err != nil {
				return err
			}
		}
	}
	return nil
}
