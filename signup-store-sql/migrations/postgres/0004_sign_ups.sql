-- What many who sign up for one shift at once ask about it. As before, the lock comes first, and then the look.

-- Each address is looked up by itself, as that is how it is found by an index.
CREATE FUNCTION locked_signups_of_addresses(owner uuid, shift uuid, addresses text[]) RETURNS SETOF signups
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN QUERY SELECT found.* FROM unnest(addresses) a (address) CROSS JOIN LATERAL (
        SELECT * FROM signups u WHERE u.organization_id = owner AND u.shift_id = shift AND u.email_key = a.address
            AND u.status = 'confirmed' LIMIT 1) found;
END $$;

-- Less than 1 if it has none, or there is no such shift.
CREATE FUNCTION locked_room(owner uuid, shift uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
BEGIN
    SELECT capacity - filled INTO room FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN COALESCE(room, 0);
END $$;

-- A plan for any values takes the sign-ups of one shift for few, and looked for an address among all of them in this index. Its
-- condition says the same as before, in words that a look for an address does not use. The stronger lock comes first: to ask for
-- it later would be a deadlock with who has read a sign-up meanwhile, and writes it then.
DROP INDEX confirmed_signups_by_shift;
CREATE INDEX confirmed_signups_by_shift ON signups (organization_id, shift_id, id) WHERE cancelled_at IS NULL;
