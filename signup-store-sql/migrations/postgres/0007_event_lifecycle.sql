-- Events can be changed, cancelled and deleted, and shifts deleted. Deleted rows stay until they are purged. No query of a list
-- reads them, so the indexes of lists leave them out.
--
-- A server of the version before goes on with these tables: every new column has a default, and every function that it calls
-- is still there. The locks come first, as no session can then hold a weaker one that another statement here waits for.
LOCK TABLE events, shifts, questions, signups IN ACCESS EXCLUSIVE MODE;

ALTER TABLE events
    ADD COLUMN version             bigint NOT NULL DEFAULT 1 CHECK (version >= 1),
    ADD COLUMN cancelled_at        bigint,
    ADD COLUMN cancellation_reason text   CHECK (length(cancellation_reason) BETWEEN 1 AND 1000),
    ADD COLUMN deleted_at          bigint;
DROP INDEX events_by_start, published_events_by_start, drafts_by_start, published_events_by_end;
CREATE INDEX events_by_start ON events (organization_id, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX published_events_by_start ON events (organization_id, starts_at, id)
    WHERE is_published AND deleted_at IS NULL;
CREATE INDEX drafts_by_start ON events (organization_id, starts_at, id) WHERE NOT is_published AND deleted_at IS NULL;
CREATE INDEX active_events_by_end ON events (organization_id, ends_at)
    WHERE is_published AND cancelled_at IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX deleted_events ON events (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX events_by_deletion ON events (deleted_at) WHERE deleted_at IS NOT NULL;

ALTER TABLE shifts ADD COLUMN deleted_at bigint;
CREATE INDEX shifts_by_deletion ON shifts (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX questions_by_id ON questions (organization_id, id);

-- NULL for a confirmed sign-up, and for one that an earlier version cancelled. The cause is then unknown, and shown as the volunteer.
ALTER TABLE signups ADD COLUMN cancelled_by text COLLATE "C"
    CHECK (cancelled_by IN ('volunteer', 'operator', 'shift_deletion', 'event_cancellation'));
-- All sign-ups for a shift, in the place of the confirmed ones: their list shows cancelled ones, too.
DROP INDEX confirmed_signups_by_shift;
CREATE INDEX signups_by_shift ON signups (organization_id, shift_id, id);

-- As before, without events that are cancelled or deleted.
CREATE OR REPLACE FUNCTION locked_active_events(owner uuid, at bigint) RETURNS bigint LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM 1 FROM organizations WHERE id = owner FOR NO KEY UPDATE;
    RETURN (SELECT count(*) FROM events WHERE organization_id = owner AND is_published AND cancelled_at IS NULL
        AND deleted_at IS NULL AND ends_at > at);
END $$;

-- The same looks for an address as before, by a range of addresses whose first one is taken. Only the index that has the
-- addresses in their order gives the first one without a sort. An equality can be looked for in each index that begins with
-- the shift, and the planner may take the sign-ups of one shift for few. Replacing the functions
-- invalidates the prepared plans of running sessions, which expect fewer columns in signups.
CREATE OR REPLACE FUNCTION locked_signups_of_address(owner uuid, shift uuid, address text) RETURNS SETOF signups
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
    PERFORM 1 FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN QUERY SELECT first.* FROM (SELECT * FROM signups u WHERE u.organization_id = owner AND u.shift_id = shift
        AND u.email_key >= address AND u.status = 'confirmed' ORDER BY u.email_key LIMIT 1) first
        WHERE first.email_key = address;
END $$;

CREATE OR REPLACE FUNCTION locked_signups_of_addresses(owner uuid, shift uuid, addresses text[]) RETURNS SETOF signups
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
    PERFORM 1 FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN QUERY SELECT first.* FROM unnest(addresses) a (address) CROSS JOIN LATERAL (
        SELECT * FROM signups u WHERE u.organization_id = owner AND u.shift_id = shift AND u.email_key >= a.address
            AND u.status = 'confirmed' ORDER BY u.email_key LIMIT 1) first WHERE first.email_key = a.address;
END $$;

-- Returns capacity minus filled. Returns 0 if the shift is missing or deleted.
CREATE FUNCTION locked_room_of_shift(owner uuid, shift uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
BEGIN
    SELECT s.capacity - s.filled INTO room FROM shifts s
        WHERE s.organization_id = owner AND s.id = shift AND s.deleted_at IS NULL FOR NO KEY UPDATE;
    RETURN COALESCE(room, 0);
END $$;

-- For servers of the version before, which know no event that is cancelled or deleted: such an event has no room.
CREATE OR REPLACE FUNCTION locked_room(owner uuid, shift uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room bigint := locked_room_of_shift(owner, shift);
BEGIN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM shifts s
        JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id
        WHERE s.organization_id = owner AND s.id = shift AND (e.cancelled_at IS NOT NULL OR e.deleted_at IS NOT NULL))
        THEN 0 ELSE room END;
END $$;

-- The event as it is after the wait for its lock. Both are NULL if there is no such event.
CREATE FUNCTION current_event(owner uuid, event uuid, OUT version bigint, OUT deleted_at bigint) LANGUAGE plpgsql AS $$
BEGIN
    SELECT e.version, e.deleted_at INTO version, deleted_at FROM events e WHERE e.organization_id = owner AND e.id = event;
END $$;

-- Whether any sign-up of the event, as they are after the wait for its lock, has an answer to the question.
CREATE FUNCTION question_is_answered(owner uuid, event uuid, question text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = owner AND u.event_id = event
        AND u.answers @> jsonb_build_array(jsonb_build_object('question_id', question)));
END $$;

-- As before, with a shared lock for a transaction that only reads an event. The shared lock is an advisory lock, which is
-- granted in the order of arrival. A row lock FOR SHARE is granted beside others at once: while sign-ups keep coming, an organizer who changes the
-- event would wait until the timeout.
CREATE OR REPLACE FUNCTION acquire_locks(kinds text[], owners uuid[], ids uuid[], names text[], timeout_ms bigint)
RETURNS TABLE (change bigint, number bigint, fact text, is_final boolean) LANGUAGE plpgsql AS $$
BEGIN
    -- Until the end of the transaction.
    PERFORM set_config('lock_timeout', CAST(timeout_ms AS text), TRUE) WHERE timeout_ms > 0;
    FOR i IN 1 .. cardinality(kinds) LOOP
        CASE kinds[i]
            WHEN 'name' THEN
                PERFORM pg_advisory_xact_lock(hashtextextended(names[i], 0));
            WHEN 'first organization' THEN
                PERFORM pg_advisory_xact_lock(7306931546094);
            WHEN 'organization' THEN
                PERFORM 1 FROM organizations o WHERE o.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'event' THEN
                PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', owners[i], ids[i]), 1));
                PERFORM 1 FROM events e WHERE e.organization_id = owners[i] AND e.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'shared event' THEN
                PERFORM pg_advisory_xact_lock_shared(hashtextextended(concat_ws(' ', owners[i], ids[i]), 1));
            WHEN 'shift' THEN
                PERFORM 1 FROM shifts s WHERE s.organization_id = owners[i] AND s.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'signup' THEN
                PERFORM 1 FROM signups u WHERE u.organization_id = owners[i] AND u.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'notice' THEN
                PERFORM 1 FROM notices n WHERE n.organization_id = owners[i] AND n.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'token' THEN
                PERFORM 1 FROM tokens t WHERE t.id = ids[i] FOR NO KEY UPDATE;
        END CASE;
    END LOOP;
END $$;

-- Removes at most `most` rows of what was deleted at or before `until`, children first, and returns how many. Returns 0 while
-- another transaction purges. An event that is being restored is locked: it is waited for, and then looked at again.
CREATE FUNCTION purge_deleted(until bigint, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room    bigint := most;
    removed bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7306931546095) THEN
        RETURN 0;
    END IF;
    PERFORM 1 FROM events WHERE deleted_at <= until ORDER BY organization_id, id FOR UPDATE;
    -- In the order of commits: a commit locks a shift before its sign-ups.
    PERFORM 1 FROM shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id
        WHERE e.deleted_at <= until ORDER BY s.organization_id, s.id FOR UPDATE OF s;
    DELETE FROM notices WHERE (organization_id, id) IN (SELECT n.organization_id, n.id FROM events e
        JOIN notices n ON n.organization_id = e.organization_id AND n.event_id = e.id
        WHERE e.deleted_at <= until ORDER BY n.id LIMIT room);
    GET DIAGNOSTICS removed = ROW_COUNT;
    room := room - removed;
    DELETE FROM signups WHERE (organization_id, id) IN (SELECT u.organization_id, u.id FROM events e
        JOIN signups u ON u.organization_id = e.organization_id AND u.event_id = e.id
        WHERE e.deleted_at <= until ORDER BY u.id LIMIT room);
    GET DIAGNOSTICS removed = ROW_COUNT;
    room := room - removed;
    DELETE FROM questions WHERE (organization_id, event_id, position, id) IN (
        SELECT q.organization_id, q.event_id, q.position, q.id FROM events e
        JOIN questions q ON q.organization_id = e.organization_id AND q.event_id = e.id
        WHERE e.deleted_at <= until LIMIT room);
    GET DIAGNOSTICS removed = ROW_COUNT;
    room := room - removed;
    DELETE FROM shifts WHERE (organization_id, id) IN (SELECT s.organization_id, s.id FROM events e
        JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id
        WHERE e.deleted_at <= until
        AND NOT EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = s.organization_id AND u.shift_id = s.id)
        AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.organization_id = s.organization_id AND n.shift_id = s.id)
        LIMIT room);
    GET DIAGNOSTICS removed = ROW_COUNT;
    room := room - removed;
    DELETE FROM shifts WHERE (organization_id, id) IN (SELECT s.organization_id, s.id FROM shifts s
        WHERE s.deleted_at <= until
        AND NOT EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = s.organization_id AND u.shift_id = s.id)
        AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.organization_id = s.organization_id AND n.shift_id = s.id)
        LIMIT room);
    GET DIAGNOSTICS removed = ROW_COUNT;
    room := room - removed;
    DELETE FROM events WHERE (organization_id, id) IN (SELECT e.organization_id, e.id FROM events e
        WHERE e.deleted_at <= until
        AND NOT EXISTS (SELECT 1 FROM shifts s WHERE s.organization_id = e.organization_id AND s.event_id = e.id)
        AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.organization_id = e.organization_id AND q.event_id = e.id)
        ORDER BY e.id LIMIT room);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN most - room + removed;
END $$;
