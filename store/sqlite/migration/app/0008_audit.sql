-- +goose Up
-- What was done in an org by whom: one chain an org. Rows are added and read, nothing
-- else; user_id is the actor. hash chains a row to the one before, seal is an HMAC of
-- it under a key that is not in the database.
CREATE TABLE audit_log (
  org_id      TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  id          TEXT NOT NULL,
  at_ms       INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  action      TEXT NOT NULL,
  object      TEXT NOT NULL,
  detail      TEXT NOT NULL,
  receipt_id  TEXT NOT NULL,
  hash        TEXT NOT NULL,
  seal        TEXT NOT NULL,
  PRIMARY KEY (org_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX idx_audit_log_id ON audit_log(org_id, id);

-- +goose StatementBegin
CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE ON audit_log
BEGIN
  SELECT raise(ABORT, 'the audit log is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_log_is_not_deleted BEFORE DELETE ON audit_log
BEGIN
  SELECT raise(ABORT, 'the audit log is only added to');
END;
-- +goose StatementEnd

-- The sealed end of each log, so that rows missing there are noticed.
CREATE TABLE audit_heads (
  org_id  TEXT PRIMARY KEY,
  seq     INTEGER NOT NULL,
  hash    TEXT NOT NULL,
  seal    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE org_state ADD COLUMN response_mode TEXT NOT NULL DEFAULT '';
ALTER TABLE org_state ADD COLUMN cross_client_search TEXT NOT NULL DEFAULT '';

-- Rows of the log that the org's admins are told of while they are away.
CREATE TABLE audit_notices (
  org_id          TEXT NOT NULL,
  seq             INTEGER NOT NULL,
  tries           INTEGER NOT NULL DEFAULT 0,
  next_try_at_ms  INTEGER,
  sent_at_ms      INTEGER,
  PRIMARY KEY (org_id, seq),
  FOREIGN KEY (org_id, seq) REFERENCES audit_log(org_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_audit_notices_due ON audit_notices(next_try_at_ms) WHERE next_try_at_ms IS NOT NULL;
