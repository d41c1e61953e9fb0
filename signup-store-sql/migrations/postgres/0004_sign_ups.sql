-- What many who sign up for one shift at once ask about it. As before, the lock comes first, and then the look.

CREATE FUNCTION locked_signups_of_addresses(owner uuid, shift uuid, addresses text[]) RETURNS SETOF signups
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN QUERY SELECT * FROM signups u
        WHERE u.organization_id = owner AND u.shift_id = shift AND u.email_key = ANY (addresses) AND u.status = 'confirmed';
END $$;

-- Less than 1 if it has none, or there is no such shift.
CREATE FUNCTION locked_room(owner uuid, shift uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    room bigint;
BEGIN
    SELECT capacity - filled INTO room FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN COALESCE(room, 0);
END $$;
