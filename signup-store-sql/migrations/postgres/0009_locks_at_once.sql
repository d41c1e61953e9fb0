-- Acquires the locks in the given order. Only `shift` differs from the version before: one query locks all shifts. A query for
-- each shift took a large part of the time of a commit that locks ten. The locks are sorted by kind, so the shifts are
-- adjacent. PostgreSQL locks the rows of the query in the order of its ORDER BY.
CREATE OR REPLACE FUNCTION acquire_locks(kinds text[], owners uuid[], ids uuid[], names text[], timeout_ms bigint)
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

-- Returns the number of active events of an organization. The caller holds the lock of the organization. The function
-- `locked_active_events` stays for servers of the version before.
CREATE FUNCTION active_events(owner uuid, at bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT count(*) FROM events WHERE organization_id = owner AND is_published AND cancelled_at IS NULL
        AND deleted_at IS NULL AND ends_at > at);
END $$;
