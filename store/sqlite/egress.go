package sqlite

import (
	"context"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

const egressColumns = `turn_id, host, purpose, requests, failures, bytes_out, bytes_in, redactions, first_at_ms, last_at_ms`

const (
	addEgress = `INSERT INTO egress (thread_id, turn_id, host, purpose, org_id, user_id, requests, failures, bytes_out, bytes_in, redactions,
		first_at_ms, last_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (thread_id, turn_id, host, purpose) DO UPDATE SET requests = requests + excluded.requests, failures = failures + excluded.failures,
		bytes_out = bytes_out + excluded.bytes_out, bytes_in = bytes_in + excluded.bytes_in, redactions = redactions + excluded.redactions,
		first_at_ms = min(first_at_ms, excluded.first_at_ms), last_at_ms = max(last_at_ms, excluded.last_at_ms) RETURNING requests`

	selectEgress = `SELECT ` + egressColumns + ` FROM egress WHERE thread_id = ? AND org_id = ? AND user_id = ? ORDER BY last_at_ms DESC, turn_id DESC, host, purpose`

	countEgress = `SELECT count(*) FROM egress WHERE thread_id = ? AND org_id = ? AND user_id = ? AND turn_id <> ''`

	selectOldEgress = `SELECT ` + egressColumns + ` FROM egress WHERE thread_id = ? AND org_id = ? AND user_id = ? AND turn_id <> ''
		ORDER BY last_at_ms LIMIT ?`

	deleteEgress = `DELETE FROM egress WHERE thread_id = ? AND turn_id = ? AND host = ? AND purpose = ? AND org_id = ? AND user_id = ?`
)

func scanEgress(s scanner) (l agent.EgressLine, err error) {
	return l, s.Scan(&l.TurnID, &l.Host, &l.Purpose, &l.Requests, &l.Failures, &l.BytesOut, &l.BytesIn, &l.Redactions, &l.FirstAt, &l.At)
}

// putEgress adds lines to those of a turn. Beyond MaxEgressRows the oldest tenth is
// added up without its turns, so that no sum is lost and no thread grows for ever.
func putEgress(t *tx, id agent.TurnID, h head, lines []agent.EgressLine) error {
	if len(lines) == 0 {
		return nil
	}
	more := false
	for _, l := range lines {
		isNew, err := addEgressLine(t, id, h, l)
		if err != nil {
			return err
		}
		more = more || isNew
	}
	if !more {
		return nil
	}
	n, _, err := one(t, plain[int], countEgress, h.thread, h.who.org, h.who.user)
	if err != nil || n <= agent.MaxEgressRows {
		return err
	}
	old, err := all(t, scanEgress, selectOldEgress, h.thread, h.who.org, h.who.user, n-agent.MaxEgressRows*9/10)
	if err != nil {
		return err
	}
	for _, l := range old {
		if _, err := t.exec(deleteEgress, h.thread, l.TurnID, l.Host, l.Purpose, h.who.org, h.who.user); err != nil {
			return err
		}
		if _, err := addEgressLine(t, "", h, l); err != nil {
			return err
		}
	}
	return nil
}

// addEgressLine adds a line to the one that is there, or makes it.
func addEgressLine(t *tx, id agent.TurnID, h head, l agent.EgressLine) (isNew bool, err error) {
	sum, _, err := one(t, plain[int64], addEgress, h.thread, id, word(l.Host), word(l.Purpose), h.who.org, h.who.user, l.Requests, l.Failures,
		l.BytesOut, l.BytesIn, l.Redactions, l.FirstAt, l.At)
	return sum == l.Requests, err
}

// word bounds what a line says in words, and keeps it text.
func word(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= agent.MaxEgressWord {
		return s
	}
	end := agent.MaxEgressWord
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// AddEgress adds lines of a turn outside of its milestones. Errors: not_found.
func (s *Store) AddEgress(ctx context.Context, id agent.TurnID, lines []agent.EgressLine) error {
	return s.writeAs(ctx, false, func(t *tx, who tenant) error {
		h, err := findHead(t, who, id)
		if err != nil {
			return err
		}
		return putEgress(t, id, h, lines)
	})
}

// EgressOf gives what left for a thread, newest first. Errors: not_found.
func (s *Store) EgressOf(ctx context.Context, id agent.ThreadID) (lines []agent.EgressLine, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		if _, err := findThread(t, who, id); err != nil {
			return err
		}
		lines, err = all(t, scanEgress, selectEgress, id, who.org, who.user)
		return err
	})
	return lines, err
}
