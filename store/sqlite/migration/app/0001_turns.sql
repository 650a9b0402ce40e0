-- Conversations and all that hangs on them. Times are milliseconds since the Unix
-- epoch: columns say so (_ms), but in agent_transcripts, whose names are given.
-- Users and orgs live in the auth database, so nothing here references them; each
-- row of tenant data carries its org and its user instead.
-- +goose Up

CREATE TABLE owners (
  id             TEXT PRIMARY KEY,
  started_at_ms  INTEGER NOT NULL,
  renewed_at_ms  INTEGER NOT NULL
) STRICT;

CREATE TABLE threads (
  id              TEXT PRIMARY KEY,
  org_id          TEXT NOT NULL,
  user_id         TEXT NOT NULL,
  project_id      TEXT NOT NULL,
  project_kind    TEXT NOT NULL,
  title           TEXT NOT NULL,
  head_turn_id    TEXT NOT NULL DEFAULT '',
  created_at_ms   INTEGER NOT NULL,
  updated_at_ms   INTEGER NOT NULL,
  archived_at_ms  INTEGER
) STRICT;
CREATE INDEX idx_threads_recent ON threads(org_id, user_id, updated_at_ms, id);

-- n is the order of acceptance, whatever the clock did. The message stands last: a
-- new last_seq then touches the first page of the row only.
CREATE TABLE turns (
  n               INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  org_id          TEXT NOT NULL,
  user_id         TEXT NOT NULL,
  thread_id       TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  parent_turn_id  TEXT NOT NULL DEFAULT '',
  turn_index      INTEGER NOT NULL,
  ordinal         INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('running', 'awaiting_confirmation', 'completed', 'failed', 'canceled')),
  owner           TEXT NOT NULL DEFAULT '',
  run             INTEGER NOT NULL,
  last_seq        INTEGER NOT NULL,
  message_id      TEXT NOT NULL,
  content_digest  TEXT NOT NULL,
  started_by      TEXT NOT NULL,
  model           TEXT NOT NULL,
  provider        TEXT NOT NULL,
  key_source      TEXT NOT NULL,
  key_id          TEXT NOT NULL DEFAULT '',
  project_id      TEXT NOT NULL,
  project_kind    TEXT NOT NULL,
  transcript_id   TEXT NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  ended_at_ms     INTEGER,
  error_code      TEXT NOT NULL DEFAULT '',
  whitelist       TEXT NOT NULL,
  capabilities    TEXT NOT NULL,
  attachments     TEXT NOT NULL,
  context         TEXT NOT NULL,
  message         TEXT NOT NULL,
  CHECK (owner = '' OR state = 'running')
) STRICT;
CREATE UNIQUE INDEX idx_turns_message ON turns(org_id, user_id, message_id);
CREATE UNIQUE INDEX idx_turns_ordinal ON turns(thread_id, ordinal);
CREATE UNIQUE INDEX idx_turns_one_at_a_time ON turns(thread_id) WHERE state IN ('running', 'awaiting_confirmation');
CREATE INDEX idx_turns_recent ON turns(org_id, user_id, n);
CREATE INDEX idx_turns_state ON turns(org_id, user_id, state, n);
CREATE INDEX idx_turns_running ON turns(owner) WHERE state = 'running';

-- raw holds the provider's blocks byte for byte.
CREATE TABLE steps (
  turn_id                TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  step_index             INTEGER NOT NULL,
  org_id                 TEXT NOT NULL,
  user_id                TEXT NOT NULL,
  run                    INTEGER NOT NULL,
  provider               TEXT NOT NULL,
  model                  TEXT NOT NULL,
  stop                   TEXT NOT NULL,
  tokens_in              INTEGER,
  tokens_out             INTEGER,
  cache_read_tokens      INTEGER,
  cache_creation_tokens  INTEGER,
  at_ms                  INTEGER NOT NULL,
  blocks                 TEXT NOT NULL,
  raw                    BLOB,
  PRIMARY KEY (turn_id, step_index)
) STRICT;

CREATE TABLE calls (
  id                     TEXT PRIMARY KEY,
  turn_id                TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  org_id                 TEXT NOT NULL,
  user_id                TEXT NOT NULL,
  step_index             INTEGER NOT NULL,
  call_index             INTEGER NOT NULL,
  wire_id                TEXT NOT NULL,
  capability             TEXT NOT NULL,
  state                  TEXT NOT NULL CHECK (state IN ('pending', 'running', 'open', 'done')),
  started_at_ms          INTEGER,
  ended_at_ms            INTEGER,
  tokens_in              INTEGER,
  tokens_out             INTEGER,
  cache_read_tokens      INTEGER,
  cache_creation_tokens  INTEGER,
  input                  TEXT,
  result                 TEXT
) STRICT;
CREATE INDEX idx_calls_turn ON calls(turn_id, step_index, call_index);

-- One row stands for from_seq..seq. cuts holds the byte lengths of the single
-- deltas of a joined text, so that a reader may begin between them.
CREATE TABLE events (
  turn_id   TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  seq       INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  org_id    TEXT NOT NULL,
  user_id   TEXT NOT NULL,
  run       INTEGER NOT NULL,
  at_ms     INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  cuts      TEXT,
  data      TEXT,
  PRIMARY KEY (turn_id, seq),
  CHECK (from_seq BETWEEN 1 AND seq)
) STRICT;

CREATE TABLE receipts (
  id              TEXT PRIMARY KEY,
  call_id         TEXT NOT NULL,
  turn_id         TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  thread_id       TEXT NOT NULL,
  org_id          TEXT NOT NULL,
  user_id         TEXT NOT NULL,
  project_id      TEXT NOT NULL,
  project_kind    TEXT NOT NULL,
  project_title   TEXT NOT NULL,
  capability      TEXT NOT NULL,
  input_digest    TEXT NOT NULL,
  policy_version  INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'discarded', 'stale', 'expired')),
  decided_by      TEXT NOT NULL DEFAULT '',
  decided_at_ms   INTEGER,
  reason          TEXT NOT NULL DEFAULT '',
  created_at_ms   INTEGER NOT NULL,
  expires_at_ms   INTEGER NOT NULL,
  replaces        TEXT NOT NULL DEFAULT '',
  cleaned_at_ms   INTEGER,
  summary         TEXT NOT NULL,
  resources       TEXT NOT NULL,
  input           TEXT,
  preview_state   TEXT,
  artifacts       TEXT NOT NULL
) STRICT;
CREATE INDEX idx_receipts_turn ON receipts(turn_id);
CREATE INDEX idx_receipts_due ON receipts(expires_at_ms) WHERE state = 'open';
CREATE INDEX idx_receipts_unclean ON receipts(decided_at_ms) WHERE state IN ('discarded', 'expired') AND cleaned_at_ms IS NULL;

CREATE TABLE ledger (
  turn_id        TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  call_id        TEXT NOT NULL,
  phase          TEXT NOT NULL,
  org_id         TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  input_digest   TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('claimed', 'settled', 'outcome_unknown')),
  run            INTEGER NOT NULL,
  claimed_at_ms  INTEGER NOT NULL,
  settled_at_ms  INTEGER,
  result         TEXT,
  PRIMARY KEY (turn_id, call_id, phase)
) STRICT;

CREATE TABLE blobs (
  thread_id  TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  digest     TEXT NOT NULL,
  org_id     TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  mime       TEXT NOT NULL,
  data       BLOB NOT NULL,
  PRIMARY KEY (thread_id, digest)
) STRICT;

CREATE TABLE agent_transcripts (
  id                     TEXT PRIMARY KEY,
  org_id                 TEXT NOT NULL,
  user_id                TEXT NOT NULL,
  project_id             TEXT NOT NULL,
  project_kind           TEXT NOT NULL,
  thread_id              TEXT NOT NULL,
  turn_index             INTEGER NOT NULL,
  user_message           TEXT,
  model_message          TEXT,
  tool_calls             TEXT,
  tool_results           TEXT,
  model                  TEXT NOT NULL,
  key_source             TEXT NOT NULL,
  tokens_in              INTEGER,
  tokens_out             INTEGER,
  cache_read_tokens      INTEGER,
  cache_creation_tokens  INTEGER,
  latency_ms             INTEGER,
  created_at             INTEGER NOT NULL
);
CREATE INDEX idx_transcripts_project ON agent_transcripts(org_id, project_id, thread_id, turn_index);

CREATE TABLE user_settings (
  org_id         TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  model          TEXT NOT NULL DEFAULT '',
  response_mode  TEXT NOT NULL DEFAULT '',
  updated_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE feedback (
  turn_id        TEXT PRIMARY KEY REFERENCES turns(id) ON DELETE CASCADE,
  org_id         TEXT NOT NULL,
  user_id        TEXT NOT NULL,
  thumb          TEXT NOT NULL CHECK (thumb IN ('up', 'down')),
  note           TEXT NOT NULL DEFAULT '',
  updated_at_ms  INTEGER NOT NULL
) STRICT;

-- A copy of the orgs' policy: the two databases may be two files, and a decision
-- is conditional on the version that stands here.
CREATE TABLE org_state (
  org_id                 TEXT PRIMARY KEY,
  version                INTEGER NOT NULL,
  disabled_capabilities  TEXT NOT NULL DEFAULT '[]',
  default_model          TEXT NOT NULL DEFAULT '',
  allow_model_choice     INTEGER NOT NULL DEFAULT 1,
  billing_status         TEXT NOT NULL,
  refreshed_at_ms        INTEGER NOT NULL
) STRICT;
