-- A check that shifts have no sign-ups locks no shift. It needs the exclusive lock of their event. That lock excludes new
-- sign-ups, because every sign-up of this version shares it.

-- Waits for running sign-ups of earlier versions, which have no lock of their event.
LOCK TABLE shifts IN EXCLUSIVE MODE;

-- Returns whether one of these shifts of the event has a confirmed sign-up. The caller holds the exclusive lock of the event.
CREATE FUNCTION shifts_have_signups(owner uuid, event uuid, ids json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM shifts s
        WHERE s.organization_id = owner AND s.event_id = event AND s.filled > 0 AND s.closed_at IS NULL
        AND s.id = ANY (ARRAY(SELECT CAST(value AS uuid) FROM json_array_elements_text(ids))));
END $$;

-- Acquires the locks in the given order. The locks are sorted by kind. One query locks all shifts, in the order of its
-- ORDER BY.
CREATE FUNCTION lock_in_order(kinds text[], owners uuid[], ids uuid[], names text[], timeout_ms bigint)
RETURNS TABLE (change bigint, number bigint, fact text, is_final boolean) LANGUAGE plpgsql AS $$
BEGIN
    -- Until the end of the transaction.
    PERFORM set_config('lock_timeout', CAST(timeout_ms AS text), TRUE) WHERE timeout_ms > 0;
    FOR i IN 1 .. cardinality(kinds) LOOP
        -- The query for the first shift has locked the others.
        CONTINUE WHEN kinds[i] = 'shift' AND kinds[i - 1] = 'shift';
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
                PERFORM 1 FROM unnest(kinds, owners, ids) WITH ORDINALITY lock (kind, owner, id, place)
                    JOIN shifts s ON s.organization_id = lock.owner AND s.id = lock.id
                    WHERE lock.kind = 'shift' ORDER BY lock.place FOR NO KEY UPDATE OF s;
            WHEN 'signup' THEN
                PERFORM 1 FROM signups u WHERE u.organization_id = owners[i] AND u.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'notice' THEN
                PERFORM 1 FROM notices n WHERE n.organization_id = owners[i] AND n.id = ids[i] FOR NO KEY UPDATE;
            WHEN 'token' THEN
                PERFORM 1 FROM tokens t WHERE t.id = ids[i] FOR NO KEY UPDATE;
        END CASE;
    END LOOP;
END $$;

-- For servers that call this function for their locks, and whose sign-ups lock the shift but not the event. The function also
-- acquires the shared locks of the events of all shifts. The locks of events come first, in the order of their ids, as in this
-- version. The locks that the function then acquires again are granted at once.
CREATE OR REPLACE FUNCTION acquire_locks(kinds text[], owners uuid[], ids uuid[], names text[], timeout_ms bigint)
RETURNS TABLE (change bigint, number bigint, fact text, is_final boolean) LANGUAGE plpgsql AS $$
DECLARE
    events text[];
    event_owners uuid[];
    event_ids uuid[];
BEGIN
    WITH locks AS (SELECT * FROM unnest(kinds, owners, ids) lock (kind, owner, id)),
    first AS (
        SELECT kind, owner, id FROM locks WHERE kind IN ('event', 'shared event')
        UNION SELECT 'shared event', s.organization_id, s.event_id
            FROM locks JOIN shifts s ON s.organization_id = locks.owner AND s.id = locks.id WHERE locks.kind = 'shift')
    SELECT coalesce(array_agg(kind ORDER BY owner, id, kind), '{}'), array_agg(owner ORDER BY owner, id, kind),
        array_agg(id ORDER BY owner, id, kind) INTO events, event_owners, event_ids FROM first;
    PERFORM lock_in_order(events, event_owners, event_ids, '{}', timeout_ms);
    PERFORM lock_in_order(kinds, owners, ids, names, timeout_ms);
END $$;

-- For older servers, whose sign-ups call this function first, and no function that acquires locks. As before, after the shared
-- lock of the event.
CREATE OR REPLACE FUNCTION locked_signups_of_addresses(owner uuid, shift uuid, addresses text[]) RETURNS SETOF signups
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(concat_ws(' ', s.organization_id, s.event_id), 1))
        FROM shifts s WHERE s.organization_id = owner AND s.id = shift;
    PERFORM 1 FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN QUERY SELECT first.* FROM unnest(addresses) a (address) CROSS JOIN LATERAL (
        SELECT * FROM signups u WHERE u.organization_id = owner AND u.shift_id = shift AND u.email_key >= a.address
            AND u.status = 'confirmed' ORDER BY u.email_key LIMIT 1) first WHERE first.email_key = a.address;
END $$;
