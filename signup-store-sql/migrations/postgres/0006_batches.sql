-- One statement commits several change sets. It acquires all of its locks in one order before it checks anything, so that
-- no two transactions wait for each other.
--
-- With timeout_ms above 0, a wait for a lock that takes longer fails. The result has no rows. Its columns are those of the checks that follow in the same UNION ALL.
CREATE FUNCTION acquire_locks(kinds text[], owners uuid[], ids uuid[], names text[], timeout_ms bigint)
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
                PERFORM 1 FROM events e WHERE e.organization_id = owners[i] AND e.id = ids[i] FOR NO KEY UPDATE;
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
