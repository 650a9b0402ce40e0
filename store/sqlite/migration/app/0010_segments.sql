-- +goose Up
-- What the request of a model call was made of: hashes of its segments and counts, as
-- JSON, for the cache doctor. No text of it.
ALTER TABLE steps ADD COLUMN trace TEXT;

-- Results of steps before this one are sent to the model in a short form.
ALTER TABLE turns ADD COLUMN cut_before_step INTEGER NOT NULL DEFAULT 0;

-- The short form in which older turns stand in the prompt, made once by a running turn
-- for everything up to another of its path.
CREATE TABLE compactions (
  n                INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  org_id           TEXT NOT NULL,
  user_id          TEXT NOT NULL,
  thread_id        TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  turn_id          TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  through_turn_id  TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  through_index    INTEGER NOT NULL,
  window_tokens    INTEGER NOT NULL,
  tokens_before    INTEGER NOT NULL,
  tokens_after     INTEGER NOT NULL,
  created_at_ms    INTEGER NOT NULL,
  text             TEXT NOT NULL
) STRICT;
CREATE INDEX idx_compactions_through ON compactions(through_turn_id, n);
CREATE INDEX idx_compactions_turn ON compactions(turn_id);
CREATE INDEX idx_compactions_thread ON compactions(thread_id);
