-- +goose Up
-- The mode of answers for members who chose none, and the org's word on being searched
-- across clients, where '' leaves it to billing.
ALTER TABLE orgs ADD COLUMN response_mode TEXT NOT NULL DEFAULT '' CHECK (response_mode IN ('', 'concise', 'thorough'));
ALTER TABLE orgs ADD COLUMN cross_client_search TEXT NOT NULL DEFAULT '' CHECK (cross_client_search IN ('', 'allowed', 'refused'));

-- A trigger of its own beside orgs_policy_moves_its_version: where both fire they set
-- the same number.
-- +goose StatementBegin
CREATE TRIGGER orgs_modes_move_the_policy_version
AFTER UPDATE OF response_mode, cross_client_search ON orgs
WHEN new.policy_version = old.policy_version
 AND (new.response_mode IS NOT old.response_mode
   OR new.cross_client_search IS NOT old.cross_client_search)
BEGIN
  UPDATE orgs SET policy_version = old.policy_version + 1 WHERE id = new.id;
END;
-- +goose StatementEnd

-- Who made the version: another number in policy_version was made by somebody else.
ALTER TABLE orgs ADD COLUMN policy_changed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE orgs ADD COLUMN policy_changed_version INTEGER NOT NULL DEFAULT 0;

-- What happened to keys, on its way into the audit log of the app database: written
-- with the key, so that neither is there without the other.
CREATE TABLE audit_outbox (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT NOT NULL,
  org_id   TEXT NOT NULL,
  user_id  TEXT NOT NULL,
  at_ms    INTEGER NOT NULL,
  action   TEXT NOT NULL,
  object   TEXT NOT NULL,
  detail   TEXT NOT NULL,
  UNIQUE (org_id, id)
) STRICT;
