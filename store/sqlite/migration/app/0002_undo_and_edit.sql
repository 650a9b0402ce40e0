-- +goose Up
-- A call that a person edited, or that takes another one back, names it.
ALTER TABLE calls ADD COLUMN parent_call_id TEXT NOT NULL DEFAULT '';

-- When a previewed change happened, and when it was taken back.
ALTER TABLE receipts ADD COLUMN applied_at_ms INTEGER;
ALTER TABLE receipts ADD COLUMN undone_at_ms INTEGER;
