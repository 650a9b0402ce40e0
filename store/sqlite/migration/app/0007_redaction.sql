-- +goose Up
-- What placeholders stand for in a thread, sealed like a key. It grows with the thread
-- and goes with it; version counts its writes.
CREATE TABLE redaction_maps (
  thread_id      TEXT PRIMARY KEY REFERENCES threads(id) ON DELETE CASCADE,
  org_id         TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  version        INTEGER NOT NULL,
  key_version    INTEGER NOT NULL,
  updated_at_ms  INTEGER NOT NULL,
  iv             BLOB NOT NULL,
  ciphertext     BLOB NOT NULL
) STRICT;

-- What an org keeps from providers.
ALTER TABLE org_state ADD COLUMN redaction TEXT NOT NULL DEFAULT '{"kinds":["secret"]}';
