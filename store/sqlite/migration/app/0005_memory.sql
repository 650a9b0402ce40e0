-- +goose Up
-- What the people of an org said: three Markdown files, versioned. Rows belong to the
-- org; user_id is who wrote them, or accepted them.
CREATE TABLE reminders (
  org_id         TEXT NOT NULL,
  file           TEXT NOT NULL CHECK (file IN ('client_profile', 'our_decisions', 'gotchas')),
  version        INTEGER NOT NULL CHECK (version > 0),
  user_id        TEXT NOT NULL,
  updated_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (org_id, file)
) STRICT, WITHOUT ROWID;

-- receipt_id names the preview whose accept made the version; the receipt goes with its
-- conversation, the version stays.
CREATE TABLE reminder_versions (
  org_id      TEXT NOT NULL,
  file        TEXT NOT NULL,
  version     INTEGER NOT NULL,
  user_id     TEXT NOT NULL,
  user_name   TEXT NOT NULL,
  via         TEXT NOT NULL CHECK (via IN ('seed', 'hand', 'suggestion', 'undo')),
  receipt_id  TEXT NOT NULL DEFAULT '',
  at_ms       INTEGER NOT NULL,
  text        TEXT NOT NULL,
  PRIMARY KEY (org_id, file, version),
  FOREIGN KEY (org_id, file) REFERENCES reminders(org_id, file) ON DELETE CASCADE
) STRICT;

-- What the agent guessed. Rows belong to the org and go with the conversation that they
-- came from; user_id is in whose turn a note was made.
CREATE TABLE agent_memory_cache (
  n              INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  org_id         TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  thread_id      TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  turn_id        TEXT NOT NULL,
  topic          TEXT NOT NULL DEFAULT '',
  created_at_ms  INTEGER NOT NULL,
  used_at_ms     INTEGER NOT NULL,
  text           TEXT NOT NULL
) STRICT;
CREATE INDEX idx_memory_recent ON agent_memory_cache(org_id, created_at_ms, n);
CREATE INDEX idx_memory_used ON agent_memory_cache(org_id, used_at_ms, n);
CREATE INDEX idx_memory_thread ON agent_memory_cache(thread_id);
CREATE INDEX idx_memory_old ON agent_memory_cache(created_at_ms);

-- An org that set no limits has no row; user_id is who set them.
CREATE TABLE note_limits (
  org_id         TEXT PRIMARY KEY,
  user_id        TEXT NOT NULL,
  days           INTEGER NOT NULL CHECK (days BETWEEN 1 AND 365),
  max_notes      INTEGER NOT NULL CHECK (max_notes BETWEEN 0 AND 2000),
  updated_at_ms  INTEGER NOT NULL
) STRICT;
