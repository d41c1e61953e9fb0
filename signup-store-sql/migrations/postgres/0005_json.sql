-- JSON that callers send is stored as the text that was written. jsonb stores numbers as NUMERIC: 1e308 comes back as 309
-- digits, and the largest double as a number that a JSON reader refuses. Rows that are there keep their digits, which are
-- read as the same doubles.
--
-- Both tables are rewritten. A server of the version before goes on with them: a jsonb value that it writes is cast to json.
LOCK TABLE events, receipts IN ACCESS EXCLUSIVE MODE;
ALTER TABLE events
    DROP CONSTRAINT events_location_data_check,
    ALTER COLUMN location_data TYPE json,
    ADD CONSTRAINT events_location_data_check CHECK (json_typeof(location_data) = 'object');
ALTER TABLE receipts ALTER COLUMN outcome TYPE json;

-- The same function. That it is replaced makes the sessions of servers that run already plan again what they have prepared: their
-- plans expect rows of receipts with a jsonb column, and fail on any other.
CREATE OR REPLACE FUNCTION locked_receipts(owner uuid, token uuid, what text, key text) RETURNS SETOF receipts
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', owner, token, what, key), 0));
    RETURN QUERY SELECT * FROM receipts r
        WHERE r.organization_id = owner AND r.token_id = token AND r.operation = what AND r.idempotency_key = key;
END $$;
