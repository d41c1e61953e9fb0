-- A notice is delivered by whoever takes it: a column for each thing that becomes of it.

ALTER TABLE signups ADD COLUMN mailed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE signups ADD COLUMN shift_version INTEGER NOT NULL DEFAULT 0 CHECK (shift_version >= 0);
UPDATE signups SET mailed_at = created_at;
CREATE INDEX confirmed_signups_by_shift ON signups (organization_id, shift_id, id) WHERE status = 'confirmed';
CREATE INDEX signups_by_address ON signups (organization_id, email_key);

-- The sign-up that it is about, if it is about one.
ALTER TABLE notices ADD COLUMN signup_id BLOB CHECK (length(signup_id) = 16);
ALTER TABLE notices ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1);
ALTER TABLE notices ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0);
-- From when on it may be taken.
ALTER TABLE notices ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
-- When and why it was given up, if it was.
ALTER TABLE notices ADD COLUMN failed_at INTEGER;
ALTER TABLE notices ADD COLUMN reason TEXT CHECK ((reason IS NULL) = (failed_at IS NULL) AND length(reason) <= 500);
UPDATE notices SET due_at = created_at, signup_id = unhex(cause->>'signup', '-');
CREATE INDEX due_notices ON notices (due_at, id) WHERE failed_at IS NULL;
CREATE INDEX failed_notices ON notices (id) WHERE failed_at IS NOT NULL;
