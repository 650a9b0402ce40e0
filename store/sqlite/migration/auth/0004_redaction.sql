-- +goose Up
-- What an org keeps from providers: kinds of details, and patterns of its own.
ALTER TABLE orgs ADD COLUMN redaction TEXT NOT NULL DEFAULT '{"kinds":["secret"]}' CHECK (json_valid(redaction));

-- A trigger of its own beside orgs_policy_moves_its_version: where one statement changes
-- both, both set the same number.
-- +goose StatementBegin
CREATE TRIGGER orgs_redaction_moves_the_policy_version
AFTER UPDATE OF redaction ON orgs
WHEN new.policy_version = old.policy_version AND new.redaction IS NOT old.redaction
BEGIN
  UPDATE orgs SET policy_version = old.policy_version + 1 WHERE id = new.id;
END;
-- +goose StatementEnd
