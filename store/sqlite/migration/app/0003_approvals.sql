-- +goose Up
-- What waits for a person, newest first.
CREATE INDEX idx_receipts_waiting ON receipts(org_id, user_id, created_at_ms, id) WHERE state = 'open';

-- "Always allow": the scope is what the server derived from one accepted preview.
-- A rule is revoked and never deleted, so that what it allowed can be accounted for.
CREATE TABLE permissions (
  id             TEXT PRIMARY KEY,
  org_id         TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  receipt_id     TEXT NOT NULL UNIQUE,
  capability     TEXT NOT NULL,
  project_id     TEXT NOT NULL,
  project_kind   TEXT NOT NULL,
  summary        TEXT NOT NULL,
  resources      TEXT NOT NULL,
  limits         TEXT NOT NULL,
  created_at_ms  INTEGER NOT NULL,
  until_ms       INTEGER NOT NULL,
  revoked_at_ms  INTEGER,
  uses           INTEGER NOT NULL DEFAULT 0,
  used_at_ms     INTEGER
) STRICT;
CREATE INDEX idx_permissions_live ON permissions(org_id, user_id, created_at_ms, id) WHERE revoked_at_ms IS NULL;

-- The rule that accepted a preview, and the rule that its accept made.
ALTER TABLE receipts ADD COLUMN permission_id TEXT NOT NULL DEFAULT '';
ALTER TABLE receipts ADD COLUMN grants_id TEXT NOT NULL DEFAULT '';

-- The admin's ceiling on such rules.
ALTER TABLE org_state ADD COLUMN remember TEXT NOT NULL DEFAULT 'preview';
ALTER TABLE org_state ADD COLUMN remember_days INTEGER NOT NULL DEFAULT 30;

-- A link to a waiting preview, for a person who is not there. It is spent by one
-- answer; following it changes nothing.
CREATE TABLE approval_links (
  id              TEXT PRIMARY KEY,
  receipt_id      TEXT NOT NULL UNIQUE REFERENCES receipts(id) ON DELETE CASCADE,
  org_id          TEXT NOT NULL,
  user_id         TEXT NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  expires_at_ms   INTEGER NOT NULL,
  tries           INTEGER NOT NULL DEFAULT 0,
  next_try_at_ms  INTEGER,
  sent_at_ms      INTEGER,
  spent_at_ms     INTEGER
) STRICT;
CREATE INDEX idx_approval_links_due ON approval_links(next_try_at_ms) WHERE next_try_at_ms IS NOT NULL;
ALTER TABLE receipts ADD COLUMN noticed_at_ms INTEGER;
CREATE INDEX idx_receipts_unnoticed ON receipts(created_at_ms) WHERE state = 'open' AND noticed_at_ms IS NULL;
