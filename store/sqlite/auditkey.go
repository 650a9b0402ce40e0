package sqlite

import (
	"context"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	// A key of an org, or of a person in the org that they are in now.
	putOutboxOwn = `INSERT INTO audit_outbox (id, org_id, user_id, at_ms, action, object, detail)
		SELECT ?1, id, ?2, ?3, ?4, ?5, ?6 FROM orgs WHERE id = ?7`

	// What is done to a person's key from outside of an org concerns all of theirs.
	putOutboxEach = `INSERT INTO audit_outbox (id, org_id, user_id, at_ms, action, object, detail)
		SELECT ?1, org_id, ?2, ?3, ?4, ?5, ?6 FROM memberships WHERE user_id = ?7`

	selectOutbox = `SELECT number, id, org_id, user_id, at_ms, action, object, detail FROM audit_outbox ORDER BY number LIMIT ?`

	deleteOutbox = `DELETE FROM audit_outbox WHERE number <= ?`
)

// keyFact is what happened to a key, without anything of the key.
type keyFact struct {
	Provider string `json:"provider,omitempty"`
	Owner    string `json:"owner"` // user or org
	Replaced bool   `json:"replaced,omitempty"`
}

// noteKey writes a fact of a key into the auth database's outbox, in the key's
// transaction.
func (s *Store) noteKey(t *tx, who tenant, action, key string, at int64, fact keyFact) error {
	detail, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	id := action + "/" + key
	n, err := t.exec(putOutboxOwn, id, who.user, at, action, key, string(detail), who.org)
	if err != nil || n > 0 {
		return err
	}
	_, err = t.exec(putOutboxEach, id, agent.ActorOperator, at, action, key, string(detail), who.user)
	return err
}

// outbox is a fact on its way into the log of an org.
type outbox struct {
	number int64
	org    string
	entry  agent.AuditEntry
}

func scanOutbox(s scanner) (o outbox, err error) {
	var detail string
	e := &o.entry
	err = s.Scan(&o.number, &e.ID, &o.org, &e.Actor, &e.At, &e.Action, &e.Object, &detail)
	e.Detail = json.RawMessage(detail)
	return o, err
}

// outboxPage is how many facts are moved at once.
const outboxPage = 200

// forwardAudit moves what waits in the outbox into the logs. A crash between writing
// and removing moves the same facts again, which are recorded once.
func (s *Store) forwardAudit(ctx context.Context) error {
	for {
		var list []outbox
		if err := s.auth.read(ctx, func(t *tx) (err error) {
			list, err = all(t, scanOutbox, selectOutbox, outboxPage)
			return err
		}); err != nil || len(list) == 0 {
			return err
		}
		if err := s.app.write(ctx, true, func(t *tx) error {
			for _, o := range list {
				if _, err := s.record(t, o.org, o.entry); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		if err := s.auth.write(ctx, true, func(t *tx) error {
			_, err := t.exec(deleteOutbox, list[len(list)-1].number)
			return err
		}); err != nil {
			return err
		}
	}
}

// keyed ends a change of a key that was kept: its fact goes into the log now, and at
// the next refresh of the policies where that fails.
func (s *Store) keyed(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if err := s.forwardAudit(context.WithoutCancel(ctx)); err != nil {
		s.log.Warn("a fact waits for the audit log", "error", err)
	}
	return nil
}
