-- +goose Up
-- Jobs that run by the clock. run is raised by each claim and fences out a process
-- that was overtaken; renewed_at_ms is the last sign of life of a running one.
CREATE TABLE jobs (
  name           TEXT PRIMARY KEY,
  state          TEXT NOT NULL CHECK (state IN ('planned', 'running', 'done', 'failed', 'stopped')),
  owner          TEXT NOT NULL DEFAULT '',
  run            INTEGER NOT NULL DEFAULT 0,
  tries          INTEGER NOT NULL DEFAULT 0,
  started_at_ms  INTEGER,
  renewed_at_ms  INTEGER,
  ended_at_ms    INTEGER,
  next_at_ms     INTEGER NOT NULL,
  message        TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- When the deltas of an ended turn were joined.
ALTER TABLE turns ADD COLUMN compacted_at_ms INTEGER;
CREATE INDEX idx_turns_uncompacted ON turns(ended_at_ms) WHERE ended_at_ms IS NOT NULL AND compacted_at_ms IS NULL;

-- The orgs whose transcripts stay out of the corpus.
CREATE TABLE transcript_opt_outs (
  org_id           TEXT PRIMARY KEY,
  opted_out_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The way of a transcript row into the corpus: due, then held; skipped where its org
-- was out when its turn ended; doomed where it was deleted and its passages are not
-- removed yet. writing marks a row whose passages may be on their way right now.
CREATE TABLE transcript_passages (
  n               INTEGER PRIMARY KEY AUTOINCREMENT,
  transcript_id   TEXT NOT NULL UNIQUE,
  org_id          TEXT NOT NULL,
  user_id         TEXT NOT NULL,
  thread_id       TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('due', 'held', 'skipped', 'doomed')),
  writing         INTEGER NOT NULL DEFAULT 0 CHECK (writing IN (0, 1)),
  tenant          TEXT NOT NULL DEFAULT '',
  sections        INTEGER NOT NULL DEFAULT 0,
  ingested_at_ms  INTEGER
) STRICT;
CREATE INDEX idx_passages_due ON transcript_passages(org_id, n) WHERE state = 'due' AND writing = 0;
CREATE INDEX idx_passages_doomed ON transcript_passages(n) WHERE state = 'doomed';
CREATE INDEX idx_passages_thread ON transcript_passages(thread_id, n) WHERE state = 'doomed';
CREATE INDEX idx_passages_writing ON transcript_passages(n) WHERE writing = 1;

INSERT INTO transcript_passages (transcript_id, org_id, user_id, thread_id, state)
  SELECT id, org_id, user_id, thread_id, 'due' FROM agent_transcripts WHERE latency_ms IS NOT NULL ORDER BY created_at, id;

-- A row is finished once it has a latency. Triggers, so that whoever writes or
-- deletes a row moves its mark in the same transaction.
-- +goose StatementBegin
CREATE TRIGGER transcripts_finished AFTER UPDATE OF latency_ms ON agent_transcripts WHEN NEW.latency_ms IS NOT NULL
BEGIN
  INSERT INTO transcript_passages (transcript_id, org_id, user_id, thread_id, state)
  VALUES (NEW.id, NEW.org_id, NEW.user_id, NEW.thread_id,
    CASE WHEN EXISTS (SELECT 1 FROM transcript_opt_outs WHERE org_id = NEW.org_id) THEN 'skipped' ELSE 'due' END)
  ON CONFLICT (transcript_id) DO UPDATE SET state = CASE WHEN state = 'skipped' THEN state ELSE excluded.state END,
    org_id = excluded.org_id, user_id = excluded.user_id, thread_id = excluded.thread_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_arrived AFTER INSERT ON agent_transcripts WHEN NEW.latency_ms IS NOT NULL
BEGIN
  INSERT INTO transcript_passages (transcript_id, org_id, user_id, thread_id, state)
  VALUES (NEW.id, NEW.org_id, NEW.user_id, NEW.thread_id,
    CASE WHEN EXISTS (SELECT 1 FROM transcript_opt_outs WHERE org_id = NEW.org_id) THEN 'skipped' ELSE 'due' END)
  ON CONFLICT (transcript_id) DO UPDATE SET state = CASE WHEN state = 'skipped' THEN state ELSE excluded.state END,
    org_id = excluded.org_id, user_id = excluded.user_id, thread_id = excluded.thread_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transcripts_deleted AFTER DELETE ON agent_transcripts
BEGIN
  DELETE FROM transcript_passages WHERE transcript_id = OLD.id AND writing = 0 AND ingested_at_ms IS NULL;
  UPDATE transcript_passages SET state = 'doomed' WHERE transcript_id = OLD.id;
END;
-- +goose StatementEnd
