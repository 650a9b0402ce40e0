-- +goose Up
-- What members may have remembered as "always allow", and for how many days: nothing,
-- whatever changes nothing that lasts by itself, or changes as well.
ALTER TABLE orgs ADD COLUMN remember TEXT NOT NULL DEFAULT 'preview' CHECK (remember IN ('off', 'preview', 'mutate'));
ALTER TABLE orgs ADD COLUMN remember_days INTEGER NOT NULL DEFAULT 30 CHECK (remember_days BETWEEN 1 AND 365);

DROP TRIGGER orgs_policy_moves_its_version;
-- +goose StatementBegin
CREATE TRIGGER orgs_policy_moves_its_version
AFTER UPDATE OF billing_status, default_model, allow_model_choice, disabled_capabilities, remember, remember_days ON orgs
WHEN new.policy_version = old.policy_version
 AND (new.billing_status IS NOT old.billing_status
   OR new.default_model IS NOT old.default_model
   OR new.allow_model_choice IS NOT old.allow_model_choice
   OR new.disabled_capabilities IS NOT old.disabled_capabilities
   OR new.remember IS NOT old.remember
   OR new.remember_days IS NOT old.remember_days)
BEGIN
  UPDATE orgs SET policy_version = old.policy_version + 1 WHERE id = new.id;
END;
-- +goose StatementEnd
