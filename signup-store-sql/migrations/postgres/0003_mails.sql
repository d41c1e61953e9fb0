-- A notice is delivered by whoever takes it: a column for each thing that becomes of it.

ALTER TABLE signups ADD COLUMN mailed_at bigint NOT NULL DEFAULT 0;
ALTER TABLE signups ADD COLUMN shift_version integer NOT NULL DEFAULT 0 CHECK (shift_version >= 0);
UPDATE signups SET mailed_at = created_at;
CREATE INDEX confirmed_signups_by_shift ON signups (organization_id, shift_id, id) WHERE status = 'confirmed';
CREATE INDEX signups_by_address ON signups (organization_id, email_key);

ALTER TABLE notices
    -- The sign-up that it is about, if it is about one.
    ADD COLUMN signup_id uuid,
    ADD COLUMN version   integer NOT NULL DEFAULT 1 CHECK (version >= 1),
    ADD COLUMN attempts  integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- From when on it may be taken.
    ADD COLUMN due_at    bigint  NOT NULL DEFAULT 0,
    -- When and why it was given up, if it was.
    ADD COLUMN failed_at bigint,
    ADD COLUMN reason    text    CHECK ((reason IS NULL) = (failed_at IS NULL) AND length(reason) <= 500);
UPDATE notices SET due_at = created_at, signup_id = CAST(cause->>'signup' AS uuid);
CREATE INDEX due_notices ON notices (due_at, id) WHERE failed_at IS NULL;
CREATE INDEX failed_notices ON notices (id) WHERE failed_at IS NOT NULL;
