-- What model calls may take, and what they took. Money is in billionths of a US
-- dollar; a null cap bounds nothing. Months are UTC, such as 2026-01.
-- +goose Up

-- The subject is empty for the org, "*" for each user, thread or capability.
CREATE TABLE budgets (
  org_id         TEXT NOT NULL,
  scope          TEXT NOT NULL CHECK (scope IN ('org', 'user', 'thread', 'capability')),
  subject        TEXT NOT NULL,
  soft_nano_usd  INTEGER,
  hard_nano_usd  INTEGER,
  soft_tokens    INTEGER,
  hard_tokens    INTEGER,
  updated_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (org_id, scope, subject)
) STRICT, WITHOUT ROWID;

-- The token caps of orgs as the auth database has them, copied with the policy.
CREATE TABLE org_caps (
  org_id       TEXT PRIMARY KEY,
  soft_tokens  INTEGER,
  hard_tokens  INTEGER
) STRICT, WITHOUT ROWID;

-- The sums that a reservation is decided on, and the scope model beside them.
CREATE TABLE budget_totals (
  org_id                 TEXT NOT NULL,
  month                  TEXT NOT NULL,
  scope                  TEXT NOT NULL,
  subject                TEXT NOT NULL,
  spent_nano_usd         INTEGER NOT NULL DEFAULT 0,
  held_nano_usd          INTEGER NOT NULL DEFAULT 0,
  spent_tokens           INTEGER NOT NULL DEFAULT 0,
  held_tokens            INTEGER NOT NULL DEFAULT 0,
  calls                  INTEGER NOT NULL DEFAULT 0,
  unpriced_calls         INTEGER NOT NULL DEFAULT 0,
  estimated_calls        INTEGER NOT NULL DEFAULT 0,
  tokens_in              INTEGER NOT NULL DEFAULT 0,
  tokens_out             INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens      INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens  INTEGER NOT NULL DEFAULT 0,
  warned                 INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, month, scope, subject)
) STRICT, WITHOUT ROWID;

-- One row a model call. It outlives its thread: what was spent stays spent. A lost
-- call is one whose process, run or thread was gone before it was settled.
CREATE TABLE budget_ledger (
  id                     TEXT PRIMARY KEY,
  org_id                 TEXT NOT NULL,
  user_id                TEXT NOT NULL,
  thread_id              TEXT NOT NULL,
  turn_id                TEXT NOT NULL,
  run                    INTEGER NOT NULL,
  owner                  TEXT NOT NULL,
  capability             TEXT NOT NULL,
  provider               TEXT NOT NULL,
  model                  TEXT NOT NULL,
  key_source             TEXT NOT NULL,
  month                  TEXT NOT NULL,
  state                  TEXT NOT NULL CHECK (state IN ('held', 'settled', 'lost')),
  held_nano_usd          INTEGER,
  held_tokens            INTEGER NOT NULL,
  lost_nano_usd          INTEGER,
  lost_tokens            INTEGER NOT NULL,
  cost_nano_usd          INTEGER,
  tokens_in              INTEGER,
  tokens_out             INTEGER,
  cache_read_tokens      INTEGER,
  cache_creation_tokens  INTEGER,
  estimated              INTEGER NOT NULL DEFAULT 0,
  reserved_at_ms         INTEGER NOT NULL,
  settled_at_ms          INTEGER
) STRICT;
CREATE INDEX idx_budget_ledger_held ON budget_ledger(turn_id) WHERE state = 'held';
CREATE INDEX idx_budget_ledger_user ON budget_ledger(org_id, user_id, month);

-- What a turn cost; null where a price or a count is not known.
ALTER TABLE agent_transcripts ADD COLUMN cost_nano_usd INTEGER;

-- What left on behalf of a turn, added up by host and purpose.
CREATE TABLE egress (
  thread_id    TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  turn_id      TEXT NOT NULL,
  host         TEXT NOT NULL,
  purpose      TEXT NOT NULL,
  org_id       TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  requests     INTEGER NOT NULL,
  failures     INTEGER NOT NULL,
  bytes_out    INTEGER NOT NULL,
  bytes_in     INTEGER NOT NULL,
  redactions   INTEGER NOT NULL,
  first_at_ms  INTEGER NOT NULL,
  last_at_ms   INTEGER NOT NULL,
  PRIMARY KEY (thread_id, turn_id, host, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_egress_recent ON egress(thread_id, last_at_ms);
