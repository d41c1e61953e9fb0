-- A shift whose sign-ups were all cancelled at once. The rows of these sign-ups stay as they were, and so does the column
-- `filled`. So the cancellation costs the same for any number of sign-ups.

ALTER TABLE shifts ADD COLUMN closed_at INTEGER;
-- A list of texts is slow to check, and most shifts are open.
ALTER TABLE shifts ADD COLUMN closed_by TEXT CHECK ((closed_at IS NULL) = (closed_by IS NULL)
    AND (closed_by IS NULL OR closed_by IN ('volunteer', 'operator', 'shift_deletion', 'event_cancellation')));

-- The sign-ups as they are now. The shift has a row here if its closing cancelled the sign-up. An outer join never comes before
-- the sign-ups, so the lists keep the order of their index.
CREATE VIEW current_signups AS
SELECT u.organization_id, u.id, u.event_id, u.shift_id, u.shift_version, u.name, u.email, u.email_key, u.answers, u.secret,
    u.created_at, u.mailed_at,
    iif(s.closed_at IS NULL, u.status, 'cancelled') AS status,
    coalesce(s.closed_at, u.cancelled_at) AS cancelled_at,
    coalesce(s.closed_by, u.cancelled_by) AS cancelled_by
FROM signups u LEFT JOIN shifts s
    ON s.organization_id = u.organization_id AND s.id = u.shift_id AND u.status = 'confirmed';
