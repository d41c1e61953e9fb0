-- A shift whose sign-ups were all cancelled at once. The rows of these sign-ups stay as they were, and so does the column
-- `filled`. So the cancellation costs the same for any number of sign-ups.
--
-- A server of the version before works with these tables. It reads the sign-ups for a closed shift as confirmed, and finds no
-- room on the shift.
ALTER TABLE shifts
    ADD COLUMN closed_at bigint,
    ADD COLUMN closed_by text COLLATE "C" CHECK ((closed_at IS NULL) = (closed_by IS NULL)
        AND (closed_by IS NULL OR closed_by IN ('volunteer', 'operator', 'shift_deletion', 'event_cancellation')));

-- The sign-ups as they are now. The shift has a row here if its closing cancelled the sign-up. Only a server of the version
-- before writes no cause: its cancellation of a sign-up that the closing had cancelled changes nothing.
--
-- With a limit the subquery is no join, but looks up each shift by its key: the lists keep the order of their index, whatever
-- the planner knows of the tables.
CREATE VIEW current_signups AS
SELECT u.organization_id, u.id, u.event_id, u.shift_id, u.shift_version, u.name, u.email, u.email_key, u.answers, u.secret,
    u.created_at, u.mailed_at,
    CASE WHEN s.closed_at IS NULL THEN u.status ELSE 'cancelled' END AS status,
    coalesce(s.closed_at, u.cancelled_at) AS cancelled_at,
    coalesce(s.closed_by, u.cancelled_by) AS cancelled_by
FROM signups u LEFT JOIN LATERAL (SELECT closed_at, closed_by FROM shifts
    WHERE organization_id = u.organization_id AND id = u.shift_id
    AND (u.status = 'confirmed' OR u.cancelled_by IS NULL AND u.cancelled_at >= closed_at) LIMIT 1) s ON TRUE;

-- Whether the shift, as it is after the wait for its lock, is open.
CREATE FUNCTION shift_is_open(owner uuid, shift uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM shifts s
        WHERE s.organization_id = owner AND s.id = shift AND s.closed_at IS NULL);
END $$;

-- As before, and 0 for a closed shift.
CREATE OR REPLACE FUNCTION locked_room_of_shift(owner uuid, shift uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
BEGIN
    SELECT s.capacity - s.filled INTO room FROM shifts s
        WHERE s.organization_id = owner AND s.id = shift AND s.deleted_at IS NULL AND s.closed_at IS NULL
        FOR NO KEY UPDATE;
    RETURN COALESCE(room, 0);
END $$;

-- For servers of the version before. Their sign-ups do not check the event at the commit, so an event that was unpublished
-- meanwhile has no room either.
CREATE OR REPLACE FUNCTION locked_room(owner uuid, shift uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room bigint := locked_room_of_shift(owner, shift);
BEGIN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM shifts s
        JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id
        WHERE s.organization_id = owner AND s.id = shift
        AND (NOT e.is_published OR e.cancelled_at IS NOT NULL OR e.deleted_at IS NOT NULL))
        THEN 0 ELSE room END;
END $$;

-- As before, and no sign-up for a closed shift.
CREATE OR REPLACE FUNCTION locked_signups_of_address(owner uuid, shift uuid, address text) RETURNS SETOF signups
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
    PERFORM 1 FROM shifts s WHERE s.organization_id = owner AND s.id = shift AND s.closed_at IS NULL FOR NO KEY UPDATE;
    IF FOUND THEN
        RETURN QUERY SELECT first.* FROM (SELECT * FROM signups u WHERE u.organization_id = owner AND u.shift_id = shift
            AND u.email_key >= address AND u.status = 'confirmed' ORDER BY u.email_key LIMIT 1) first
            WHERE first.email_key = address;
    END IF;
END $$;

-- As before, without a plan for each call. Since the last migration an index has only published events that are neither
-- cancelled nor deleted, and the count is a range of that index. So a plan for any time reads that index, too.
CREATE OR REPLACE FUNCTION locked_active_events(owner uuid, at bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM organizations WHERE id = owner FOR NO KEY UPDATE;
    RETURN (SELECT count(*) FROM events WHERE organization_id = owner AND is_published AND cancelled_at IS NULL
        AND deleted_at IS NULL AND ends_at > at);
END $$;
