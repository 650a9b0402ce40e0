package sqlite

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	insertBlob = `INSERT INTO blobs (thread_id, digest, org_id, user_id, mime, data) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (thread_id, digest) DO NOTHING`

	selectBlob = `SELECT b.digest, b.thread_id, b.mime, b.data FROM calls c
		JOIN turns t ON t.id = c.turn_id JOIN blobs b ON b.thread_id = t.thread_id
		WHERE c.id = ?1 AND b.digest = ?2 AND c.org_id = ?3 AND c.user_id = ?4 AND b.org_id = ?3 AND b.user_id = ?4`
)

// putBlob stores an artifact once by digest. Each thread has its own copy: what is
// shared between threads could not be deleted with one of them.
func putBlob(t *tx, h head, b agent.Blob) error {
	data := b.Data
	if data == nil {
		data = []byte{}
	}
	_, err := t.exec(insertBlob, h.thread, b.Digest, h.who.org, h.who.user, b.MIME, data)
	return err
}

func scanBlob(s scanner) (b agent.Blob, err error) {
	return b, s.Scan(&b.Digest, &b.Thread, &b.MIME, &b.Data)
}

// Blob gives a stored artifact of the thread that the call is of. Errors: not_found.
func (s *Store) Blob(ctx context.Context, call agent.CallID, digest string) (b agent.Blob, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		found, ok, err := one(t, scanBlob, selectBlob, call, digest, who.org, who.user)
		if err == nil && !ok {
			err = agent.NotFound("artifact")
		}
		b = found
		return err
	})
	return b, err
}
