-- The first organization goes through a lock of its own: a lock of the table would be asked for by transactions that already
-- hold a weaker one, and they would wait for each other.
CREATE OR REPLACE FUNCTION locked_organizations_exist() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7306931546094);
    RETURN EXISTS (SELECT 1 FROM organizations);
END $$;

-- How many of an organization's events have not ended depends on the time that is asked for more than on anything else: the
-- plan for any time expects too many of them, and reads the table.
ALTER FUNCTION locked_active_events(uuid, bigint) SET plan_cache_mode = force_custom_plan;
