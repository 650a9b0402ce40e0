-- +goose Up
-- Who told a running turn to stop: a stop outlives the process that it was told.
ALTER TABLE turns ADD COLUMN stop_by TEXT NOT NULL DEFAULT '';
