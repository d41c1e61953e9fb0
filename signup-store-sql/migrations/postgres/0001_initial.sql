-- Conventions: instants are Unix seconds. What the library checks where it comes in is checked here again, so that no other
-- writer can store what it could not read. Texts that are looked up or sorted by are compared by bytes, as everywhere.
--
-- Every table that an organization's data lives in leads its keys, and the indexes of its queries, with the organization,
-- so that the tables can be distributed by it. What is unique over the whole service (ids, slugs, digests) is long and
-- random; where a distributed table cannot have such an index as a unique one, a plain one serves the same queries.

-- What the database knows of itself. 'zone_data': the release of the zone data by which sort keys were derived.
CREATE TABLE meta (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE organizations (
    id         uuid   PRIMARY KEY,
    name       text   NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    slug       text   COLLATE "C" NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 255),
    sport      text   CHECK (length(sport) BETWEEN 1 AND 255),
    public_url text   CHECK (length(public_url) BETWEEN 1 AND 2048),
    plan       text   NOT NULL CHECK (plan IN ('free', 'calendar', 'starter', 'pro')),
    created_at bigint NOT NULL
);

CREATE TABLE tokens (
    organization_id uuid   NOT NULL REFERENCES organizations (id),
    id              uuid   NOT NULL UNIQUE,
    name            text   NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    digest          bytea  NOT NULL UNIQUE CHECK (length(digest) = 32),
    scopes          text   NOT NULL CHECK (length(scopes) BETWEEN 1 AND 255),
    created_at      bigint NOT NULL,
    expires_at      bigint NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + 365 * 86400),
    revoked_at      bigint,
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE events (
    organization_id uuid    NOT NULL REFERENCES organizations (id),
    id              uuid    NOT NULL UNIQUE,
    title           text    NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    slug            text    COLLATE "C" NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 255),
    description     text    CHECK (length(description) BETWEEN 1 AND 65535),
    location        text    CHECK (length(location) BETWEEN 1 AND 2048),
    is_virtual      boolean NOT NULL,
    latitude        double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude       double precision CHECK (longitude BETWEEN -180 AND 180),
    location_data   jsonb   CHECK (jsonb_typeof(location_data) = 'object'),
    start_date      date    NOT NULL,
    end_date        date    CHECK (end_date >= start_date),
    timezone        text    NOT NULL CHECK (length(timezone) > 0),
    is_published    boolean NOT NULL,
    theme           text    CHECK (theme IN ('purple-indigo', 'ocean-blue', 'sunset-orange', 'forest-green', 'rose-pink',
                            'slate-charcoal', 'golden-hour', 'midnight')),
    badge_label     text    CHECK (length(badge_label) BETWEEN 1 AND 255),
    created_at      bigint  NOT NULL,
    updated_at      bigint  NOT NULL,
    -- Derived from the dates and the zone, to sort and to count by. Nothing else is read from them.
    starts_at       bigint  NOT NULL,
    ends_at         bigint  NOT NULL CHECK (ends_at >= starts_at),
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX events_by_start ON events (organization_id, starts_at, id);
CREATE INDEX published_events_by_start ON events (organization_id, starts_at, id) WHERE is_published;
CREATE INDEX drafts_by_start ON events (organization_id, starts_at, id) WHERE NOT is_published;
CREATE INDEX published_events_by_end ON events (organization_id, ends_at) WHERE is_published;

CREATE TABLE shifts (
    organization_id uuid    NOT NULL,
    id              uuid    NOT NULL,
    event_id        uuid    NOT NULL,
    title           text    NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    location        text    CHECK (length(location) BETWEEN 1 AND 255),
    -- Minutes since midnight by the wall clock; 1440 is the end of the day.
    start_minute    integer NOT NULL CHECK (start_minute BETWEEN 0 AND 1439),
    end_minute      integer NOT NULL CHECK (end_minute > start_minute AND end_minute <= 1440),
    capacity        integer NOT NULL CHECK (capacity BETWEEN 1 AND 1000000),
    -- Kept by the writes of sign-ups, under the lock that checks for room. Never written by an edit.
    filled          integer NOT NULL DEFAULT 0 CHECK (filled >= 0),
    position        integer NOT NULL CHECK (position >= 0),
    version         bigint  NOT NULL CHECK (version >= 1),
    created_at      bigint  NOT NULL,
    updated_at      bigint  NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
);
CREATE INDEX shifts_by_event ON shifts (organization_id, event_id, position);

CREATE TABLE questions (
    organization_id uuid    NOT NULL,
    event_id        uuid    NOT NULL,
    position        integer NOT NULL CHECK (position >= 0),
    id              uuid    NOT NULL,
    label           text    NOT NULL CHECK (length(label) BETWEEN 1 AND 255),
    kind            text    NOT NULL CHECK (kind IN ('text', 'select', 'checkbox')),
    options         jsonb   NOT NULL CHECK (jsonb_typeof(options) = 'array'),
    required        boolean NOT NULL,
    PRIMARY KEY (organization_id, event_id, position, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id)
);

CREATE TABLE signups (
    organization_id uuid   NOT NULL,
    id              uuid   NOT NULL,
    event_id        uuid   NOT NULL,
    shift_id        uuid   NOT NULL,
    name            text   NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    email           text   NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    -- By it people are told apart: the address in lower case.
    email_key       text   COLLATE "C" NOT NULL,
    answers         jsonb  NOT NULL CHECK (jsonb_typeof(answers) = 'array'),
    status          text   COLLATE "C" NOT NULL CHECK (status IN ('confirmed', 'cancelled')),
    secret          bytea  NOT NULL UNIQUE CHECK (length(secret) = 32),
    created_at      bigint NOT NULL,
    cancelled_at    bigint CHECK ((cancelled_at IS NULL) = (status = 'confirmed')),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id)
);
CREATE INDEX signups_by_event ON signups (organization_id, event_id, id);
CREATE UNIQUE INDEX one_place_for_an_address ON signups (organization_id, shift_id, email_key)
    WHERE status = 'confirmed';

CREATE TABLE receipts (
    organization_id uuid   NOT NULL,
    token_id        uuid   NOT NULL,
    operation       text   COLLATE "C" NOT NULL,
    idempotency_key text   COLLATE "C" NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    outcome         jsonb  NOT NULL,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, token_id, operation, idempotency_key)
);
CREATE INDEX receipts_by_expiry ON receipts (expires_at);

CREATE TABLE notices (
    organization_id uuid   NOT NULL,
    id              uuid   NOT NULL,
    event_id        uuid   NOT NULL,
    shift_id        uuid   NOT NULL,
    cause           jsonb  NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id)
);
CREATE INDEX notices_by_id ON notices (id);

-- The minute of each caller, for all processes together. Unlogged: a commit that touches nothing else waits for no disk, and
-- what a crash takes away is a minute's counts. An address belongs to the organization 0.
CREATE UNLOGGED TABLE windows (
    organization_id uuid    NOT NULL,
    caller          text    COLLATE "C" NOT NULL,
    opened_at       bigint  NOT NULL,
    requests        integer NOT NULL CHECK (requests >= 1),
    PRIMARY KEY (organization_id, caller)
) WITH (fillfactor = 50);
CREATE INDEX windows_by_opening ON windows (opened_at);

-- The functions lock first, and look then: at what the lock keeps from changing until the commit. A function's statements
-- each have a snapshot of their own, which a part of a larger statement has not. Locks are taken in the order in which the
-- functions stand here.

-- Everything that is done under one idempotency key goes through one lock.
CREATE FUNCTION locked_receipts(owner uuid, token uuid, what text, key text) RETURNS SETOF receipts
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', owner, token, what, key), 0));
    RETURN QUERY SELECT * FROM receipts r
        WHERE r.organization_id = owner AND r.token_id = token AND r.operation = what AND r.idempotency_key = key;
END $$;

CREATE FUNCTION locked_organizations_exist() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE;
    RETURN EXISTS (SELECT 1 FROM organizations);
END $$;

CREATE FUNCTION locked_active_events(owner uuid, at bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM organizations WHERE id = owner FOR NO KEY UPDATE;
    RETURN (SELECT count(*) FROM events WHERE organization_id = owner AND is_published AND ends_at > at);
END $$;

-- NULL if there is no such event.
CREATE FUNCTION locked_question_count(owner uuid, event uuid) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM events WHERE organization_id = owner AND id = event FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT count(*) FROM questions WHERE organization_id = owner AND event_id = event);
END $$;

CREATE FUNCTION locked_signups_of_address(owner uuid, shift uuid, address text) RETURNS SETOF signups
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM shifts WHERE organization_id = owner AND id = shift FOR NO KEY UPDATE;
    RETURN QUERY SELECT * FROM signups u
        WHERE u.organization_id = owner AND u.shift_id = shift AND u.email_key = address AND u.status = 'confirmed';
END $$;

CREATE FUNCTION locked_signup_is_confirmed(owner uuid, signup uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM shifts WHERE organization_id = owner
        AND id = (SELECT shift_id FROM signups WHERE organization_id = owner AND id = signup) FOR NO KEY UPDATE;
    RETURN EXISTS (SELECT 1 FROM signups WHERE organization_id = owner AND id = signup AND status = 'confirmed');
END $$;

-- What a statement relied on has changed under it: undoes the statement, and asks for another try.
CREATE FUNCTION try_again() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'another transaction was first' USING ERRCODE = 'serialization_failure';
END $$;
