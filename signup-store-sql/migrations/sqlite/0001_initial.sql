-- Conventions: ids are 16-byte blobs, which sort as their UUIDs do; instants are Unix seconds; booleans are 0 or 1.
-- Every table that an organization's data lives in leads its keys with organization_id.
-- What the library checks where it comes in is checked here again, so that no other writer can store what it could not read.

-- What the database knows of itself. 'zone_data': the release of the zone data by which sort keys were derived.
CREATE TABLE meta (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE organizations (
    id         BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    slug       TEXT    NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 255),
    sport      TEXT    CHECK (length(sport) BETWEEN 1 AND 255),
    public_url TEXT    CHECK (length(public_url) BETWEEN 1 AND 2048),
    plan       TEXT    NOT NULL CHECK (plan IN ('free', 'calendar', 'starter', 'pro')),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    organization_id BLOB    NOT NULL REFERENCES organizations (id),
    id              BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    name            TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    digest          BLOB    NOT NULL UNIQUE CHECK (length(digest) = 32),
    scopes          TEXT    NOT NULL CHECK (length(scopes) BETWEEN 1 AND 255),
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + 365 * 86400),
    revoked_at      INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT;

CREATE TABLE events (
    organization_id BLOB    NOT NULL REFERENCES organizations (id),
    id              BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    title           TEXT    NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    slug            TEXT    NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 255),
    description     TEXT    CHECK (length(description) BETWEEN 1 AND 65535),
    location        TEXT    CHECK (length(location) BETWEEN 1 AND 2048),
    is_virtual      INTEGER NOT NULL CHECK (is_virtual IN (0, 1)),
    latitude        REAL    CHECK (latitude BETWEEN -90 AND 90),
    longitude       REAL    CHECK (longitude BETWEEN -180 AND 180),
    location_data   TEXT    CHECK (json_type(location_data) = 'object' AND length(CAST(location_data AS BLOB)) <= 16384),
    start_date      TEXT    NOT NULL CHECK (start_date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    end_date        TEXT    CHECK (end_date >= start_date AND end_date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    timezone        TEXT    NOT NULL CHECK (length(timezone) > 0),
    is_published    INTEGER NOT NULL CHECK (is_published IN (0, 1)),
    theme           TEXT    CHECK (theme IN ('purple-indigo', 'ocean-blue', 'sunset-orange', 'forest-green', 'rose-pink',
                            'slate-charcoal', 'golden-hour', 'midnight')),
    badge_label     TEXT    CHECK (length(badge_label) BETWEEN 1 AND 255),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    -- Derived from the dates and the zone, to sort and to count by. Nothing else is read from them.
    starts_at       INTEGER NOT NULL,
    ends_at         INTEGER NOT NULL CHECK (ends_at >= starts_at),
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE INDEX events_by_start ON events (organization_id, starts_at, id);
CREATE INDEX events_by_publication_and_start ON events (organization_id, is_published, starts_at, id);
CREATE INDEX published_events_by_end ON events (organization_id, ends_at) WHERE is_published = 1;

CREATE TABLE shifts (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    event_id        BLOB    NOT NULL,
    title           TEXT    NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    location        TEXT    CHECK (length(location) BETWEEN 1 AND 255),
    -- Minutes since midnight by the wall clock; 1440 is the end of the day.
    start_minute    INTEGER NOT NULL CHECK (start_minute BETWEEN 0 AND 1439),
    end_minute      INTEGER NOT NULL CHECK (end_minute > start_minute AND end_minute <= 1440),
    capacity        INTEGER NOT NULL CHECK (capacity BETWEEN 1 AND 1000000),
    -- Kept by the writes of sign-ups, under the lock that checks for room. Never written by an edit.
    filled          INTEGER NOT NULL DEFAULT 0 CHECK (filled >= 0),
    position        INTEGER NOT NULL CHECK (position >= 0),
    version         INTEGER NOT NULL CHECK (version >= 1),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
) STRICT;
CREATE INDEX shifts_by_event ON shifts (organization_id, event_id, position);

CREATE TABLE questions (
    organization_id BLOB    NOT NULL,
    event_id        BLOB    NOT NULL,
    position        INTEGER NOT NULL CHECK (position >= 0),
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    label           TEXT    NOT NULL CHECK (length(label) BETWEEN 1 AND 255),
    kind            TEXT    NOT NULL CHECK (kind IN ('text', 'select', 'checkbox')),
    options         TEXT    NOT NULL CHECK (json_type(options) = 'array'),
    required        INTEGER NOT NULL CHECK (required IN (0, 1)),
    PRIMARY KEY (organization_id, event_id, position, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
) STRICT;

CREATE TABLE signups (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    event_id        BLOB    NOT NULL,
    shift_id        BLOB    NOT NULL,
    name            TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    email           TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    -- By it people are told apart: the address in lower case.
    email_key       TEXT    NOT NULL,
    answers         TEXT    NOT NULL CHECK (json_type(answers) = 'array'),
    status          TEXT    NOT NULL CHECK (status IN ('confirmed', 'cancelled')),
    secret          BLOB    NOT NULL UNIQUE CHECK (length(secret) = 32),
    created_at      INTEGER NOT NULL,
    cancelled_at    INTEGER CHECK ((cancelled_at IS NULL) = (status = 'confirmed')),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id)
) STRICT;
CREATE INDEX signups_by_event ON signups (organization_id, event_id, id);
CREATE UNIQUE INDEX one_place_for_an_address ON signups (organization_id, shift_id, email_key)
    WHERE status = 'confirmed';

CREATE TABLE receipts (
    organization_id BLOB    NOT NULL,
    token_id        BLOB    NOT NULL,
    operation       TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    outcome         TEXT    NOT NULL CHECK (json_valid(outcome)),
    expires_at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX receipts_by_key ON receipts (organization_id, token_id, operation, idempotency_key);
CREATE INDEX receipts_by_expiry ON receipts (expires_at);

CREATE TABLE notices (
    id              BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    organization_id BLOB    NOT NULL,
    event_id        BLOB    NOT NULL,
    shift_id        BLOB    NOT NULL,
    cause           TEXT    NOT NULL CHECK (json_valid(cause)),
    created_at      INTEGER NOT NULL,
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id)
) STRICT;
