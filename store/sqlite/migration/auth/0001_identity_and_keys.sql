-- Who is who, who pays, and keys at rest. Times are milliseconds since the Unix
-- epoch: columns say so (_ms), but in user_api_keys, whose names are given.
-- +goose Up

CREATE TABLE users (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL DEFAULT '',
  email         TEXT NOT NULL DEFAULT ''
) STRICT;

-- The token caps are placeholders for budgets: null means no cap.
CREATE TABLE orgs (
  id                     TEXT PRIMARY KEY,
  slug                   TEXT NOT NULL UNIQUE,
  name                   TEXT NOT NULL DEFAULT '',
  billing_status         TEXT NOT NULL DEFAULT 'lingering' CHECK (billing_status IN ('paying', 'lingering')),
  default_model          TEXT NOT NULL DEFAULT '',
  allow_model_choice     INTEGER NOT NULL DEFAULT 1 CHECK (allow_model_choice IN (0, 1)),
  disabled_capabilities  TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(disabled_capabilities)),
  token_cap_soft         INTEGER,
  token_cap_hard         INTEGER,
  policy_version         INTEGER NOT NULL DEFAULT 1
) STRICT;

-- A decision rests on a version, so no writer, ours or not, may change a policy
-- and keep its number.
-- +goose StatementBegin
CREATE TRIGGER orgs_policy_moves_its_version
AFTER UPDATE OF billing_status, default_model, allow_model_choice, disabled_capabilities ON orgs
WHEN new.policy_version = old.policy_version
 AND (new.billing_status IS NOT old.billing_status
   OR new.default_model IS NOT old.default_model
   OR new.allow_model_choice IS NOT old.allow_model_choice
   OR new.disabled_capabilities IS NOT old.disabled_capabilities)
BEGIN
  UPDATE orgs SET policy_version = old.policy_version + 1 WHERE id = new.id;
END;
-- +goose StatementEnd

CREATE TABLE memberships (
  user_id  TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  org_id   TEXT NOT NULL REFERENCES orgs(id) ON DELETE CASCADE,
  role     TEXT NOT NULL,
  PRIMARY KEY (user_id, org_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memberships_org ON memberships(org_id);

CREATE TABLE sessions (
  id             TEXT PRIMARY KEY,
  user_id        TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  org_id         TEXT NOT NULL REFERENCES orgs(id) ON DELETE CASCADE,
  created_at_ms  INTEGER NOT NULL,
  expires_at_ms  INTEGER NOT NULL,
  revoked_at_ms  INTEGER
) STRICT;
CREATE INDEX idx_sessions_user ON sessions(user_id);
CREATE INDEX idx_sessions_org ON sessions(org_id);

CREATE TABLE user_api_keys (
  id            TEXT PRIMARY KEY,
  user_id       TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  provider      TEXT NOT NULL,
  ciphertext    BLOB NOT NULL,
  iv            BLOB NOT NULL,
  label         TEXT,
  last_four     TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER,
  revoked_at    INTEGER,
  key_version   INTEGER NOT NULL DEFAULT 1,
  prefix        TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_user_api_keys_user ON user_api_keys(user_id) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX idx_user_api_keys_live ON user_api_keys(user_id, provider, coalesce(label, '')) WHERE revoked_at IS NULL;

CREATE TABLE org_api_keys (
  id            TEXT PRIMARY KEY,
  org_id        TEXT NOT NULL REFERENCES orgs(id) ON DELETE CASCADE,
  provider      TEXT NOT NULL,
  ciphertext    BLOB NOT NULL,
  iv            BLOB NOT NULL,
  label         TEXT,
  last_four     TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER,
  revoked_at    INTEGER,
  key_version   INTEGER NOT NULL DEFAULT 1,
  prefix        TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX idx_org_api_keys_live ON org_api_keys(org_id, provider) WHERE revoked_at IS NULL;
