-- Returns whether an event satisfies the conditions of the fourteen CHECKs that the table had. PostgreSQL reads and prepares
-- every CHECK of a table again for each statement that writes the table. One function takes less time than fourteen CHECKs.
-- In return, the error for a broken condition shows the row and does not name the column.
--
-- **Invariant:** this function is never replaced. PostgreSQL would not check the stored rows again. Other conditions are
-- another function and another constraint.
CREATE FUNCTION is_event(title text, slug text, description text, location text, latitude double precision,
    longitude double precision, location_data json, start_date date, end_date date, timezone text, theme text,
    badge_label text, starts_at bigint, ends_at bigint, cancellation_reason text, version bigint)
RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    -- A CHECK accepts NULL, which is the result if a column is NULL and no condition is broken.
    RETURN length(title) BETWEEN 1 AND 255
        AND length(slug) BETWEEN 1 AND 255
        AND length(description) BETWEEN 1 AND 65535
        AND length(location) BETWEEN 1 AND 2048
        AND latitude BETWEEN -90 AND 90
        AND longitude BETWEEN -180 AND 180
        AND json_typeof(location_data) = 'object'
        AND end_date >= start_date
        AND length(timezone) > 0
        AND theme IN ('purple-indigo', 'ocean-blue', 'sunset-orange', 'forest-green', 'rose-pink', 'slate-charcoal',
            'golden-hour', 'midnight')
        AND length(badge_label) BETWEEN 1 AND 255
        AND ends_at >= starts_at
        AND length(cancellation_reason) BETWEEN 1 AND 1000
        AND version >= 1;
END $$;

-- Locks the table, and checks all rows: a million events in about a second. Servers of the version before wait so long, and
-- then go on.
ALTER TABLE events
    DROP CONSTRAINT events_title_check,
    DROP CONSTRAINT events_slug_check,
    DROP CONSTRAINT events_description_check,
    DROP CONSTRAINT events_location_check,
    DROP CONSTRAINT events_latitude_check,
    DROP CONSTRAINT events_longitude_check,
    DROP CONSTRAINT events_location_data_check,
    DROP CONSTRAINT events_check,
    DROP CONSTRAINT events_timezone_check,
    DROP CONSTRAINT events_theme_check,
    DROP CONSTRAINT events_badge_label_check,
    DROP CONSTRAINT events_check1,
    DROP CONSTRAINT events_cancellation_reason_check,
    DROP CONSTRAINT events_version_check,
    ADD CONSTRAINT events_check CHECK (is_event(title, slug, description, location, latitude, longitude, location_data,
        start_date, end_date, timezone, theme, badge_label, starts_at, ends_at, cancellation_reason, version));
