-- The tables of the store.
--
-- Ids are 16-byte blobs, which sort as their UUIDs do. Instants are Unix seconds. Booleans are 0 or 1. Every table with
-- records of an organization has the column organization_id. It comes first in the keys, except for `notices`, and in the
-- indexes of an organization's lists.
--
-- A CHECK repeats a bound that the library checks before it writes. So no other program can store a value that the library
-- cannot read.

-- Facts about the database itself, by name. 'zone_data' is the release of the time zone data from which the stored instants
-- of events were derived.
CREATE TABLE meta (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- The customers of the service. Every record belongs to one of them, except `people` and what is about them alone.
CREATE TABLE organizations (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name        TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    slug        TEXT    NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 255),
    sport       TEXT    CHECK (length(sport) BETWEEN 1 AND 255),
    public_url  TEXT    CHECK (length(public_url) BETWEEN 1 AND 2048),
    contact     TEXT    CHECK (length(contact) BETWEEN 3 AND 254),
    privacy_url TEXT    CHECK (length(privacy_url) BETWEEN 1 AND 2048),
    plan        TEXT    NOT NULL CHECK (plan IN ('free', 'calendar', 'starter', 'pro')),
    version     INTEGER NOT NULL CHECK (version >= 1),
    gate        INTEGER NOT NULL CHECK (gate >= 1),
    created_at  INTEGER NOT NULL
) STRICT;

-- The API tokens of organizations. A token itself is not stored: `digest` is its SHA-256.
CREATE TABLE tokens (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    name            TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    digest          BLOB    NOT NULL UNIQUE CHECK (length(digest) = 32),
    scopes          TEXT    NOT NULL CHECK (length(scopes) BETWEEN 1 AND 255),
    created_at      INTEGER NOT NULL,
    -- The caller that created it, as a JSON object.
    created_by      TEXT    NOT NULL CHECK (json_type(created_by) = 'object'),
    last_used_at    INTEGER,
    expires_at      INTEGER NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + 365 * 86400),
    revoked_at      INTEGER,
    version         INTEGER NOT NULL CHECK (version >= 1),
    PRIMARY KEY (organization_id, id)
) STRICT;

-- The people who may sign in. A person belongs to no organization.
CREATE TABLE people (
    id         BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    email      TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    -- The address in lower-case ASCII, by which addresses are compared.
    email_key  TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- A sign-in of another generation is void.
    generation INTEGER NOT NULL CHECK (generation >= 1),
    version    INTEGER NOT NULL CHECK (version >= 1),
    created_at INTEGER NOT NULL
) STRICT;

-- The roles of people in organizations. The person is not a foreign key: the last membership of a person and the person are
-- removed in one transaction. A foreign key that cascades could only hide a mistake of the rule that removes both.
CREATE TABLE memberships (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    person_id       BLOB    NOT NULL CHECK (length(person_id) = 16),
    role            TEXT    NOT NULL CHECK (role IN ('organizer', 'admin', 'owner')),
    version         INTEGER NOT NULL CHECK (version >= 1),
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, person_id)
) STRICT;
CREATE INDEX memberships_by_person ON memberships (person_id);

-- The open invitations. A secret itself is not stored: `digest` is its SHA-256.
CREATE TABLE invitations (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    -- Who is invited. NULL for a first owner, who gives an address and a name later.
    email           TEXT    CHECK (length(email) BETWEEN 3 AND 254),
    email_key       TEXT    CHECK ((email_key IS NULL) = (email IS NULL)),
    name            TEXT    CHECK (length(name) BETWEEN 1 AND 255 AND (name IS NULL) = (email IS NULL)),
    role            TEXT    NOT NULL CHECK (role IN ('organizer', 'admin', 'owner')),
    -- The person who invites. Not a foreign key: the invitation is void when the person has gone.
    inviter_id      BLOB    CHECK (length(inviter_id) = 16),
    digest          BLOB    NOT NULL UNIQUE CHECK (length(digest) = 32),
    version         INTEGER NOT NULL CHECK (version >= 1),
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE UNIQUE INDEX one_invitation_of_an_address ON invitations (organization_id, email_key);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- The codes to sign in, one for each browser that asked. `browser` is the SHA-256 of the secret of the browser, and `digest`
-- that of the secret and the code.
CREATE TABLE sign_in_codes (
    browser    BLOB    NOT NULL PRIMARY KEY CHECK (length(browser) = 32),
    email      TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    digest     BLOB    NOT NULL CHECK (length(digest) = 32),
    -- The number of wrong codes.
    tries      INTEGER NOT NULL CHECK (tries >= 0),
    version    INTEGER NOT NULL CHECK (version >= 1),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at);

-- The people who are signed in, in one browser each. `digest` is the SHA-256 of the secret of the browser.
CREATE TABLE sign_ins (
    digest     BLOB    NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    person_id  BLOB    NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL CHECK (generation >= 1),
    version    INTEGER NOT NULL CHECK (version >= 1),
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    -- Derived from the times.
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_ins_by_person ON sign_ins (person_id);
CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at);

-- What happened, to which record, when and by whom. Each row is written in the transaction of its cause, and never changes.
-- As in `receipts`, the organization is not a foreign key: a check for each write would cost a fifth of its insert.
CREATE TABLE activity (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    type            TEXT    NOT NULL CHECK (length(type) BETWEEN 1 AND 255),
    created_at      INTEGER NOT NULL,
    -- The caller that caused it, as a JSON object.
    actor           TEXT    NOT NULL CHECK (json_type(actor) = 'object'),
    -- The record and its parents. They are not foreign keys: a row stays when its record is purged.
    event_id        BLOB,
    shift_id        BLOB,
    signup_id       BLOB,
    question_id     BLOB,
    token_id        BLOB,
    webhook_id      BLOB,
    person_id       BLOB,
    -- The names of the fields that changed, as a JSON array.
    changes         TEXT    NOT NULL CHECK (json_type(changes) = 'array'),
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE INDEX activity_by_event ON activity (organization_id, event_id, id);
CREATE INDEX activity_by_expiry ON activity (expires_at);

-- The URLs to which activity is delivered. A secret is needed to sign each delivery, so it is stored as it is.
CREATE TABLE webhooks (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    url             TEXT    NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    description     TEXT    CHECK (length(description) BETWEEN 1 AND 255),
    -- The types that are delivered, as a JSON array of filters.
    types           TEXT    NOT NULL CHECK (json_type(types) = 'array'),
    secret          TEXT    NOT NULL,
    -- The secret before the last rotation, and until when it signs.
    former_secret   TEXT,
    former_until    INTEGER CHECK ((former_until IS NULL) = (former_secret IS NULL)),
    disabled_at     INTEGER,
    disabled_reason TEXT    CHECK (disabled_reason IS NULL OR (disabled_reason IN ('gone', 'failing') AND disabled_at IS NOT NULL)),
    last_success_at INTEGER,
    -- The first failure after the last success.
    failing_since   INTEGER,
    version         INTEGER NOT NULL CHECK (version >= 1),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

-- The deliveries of activity to webhooks.
CREATE TABLE deliveries (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    webhook_id      BLOB    NOT NULL,
    -- What is delivered, as a JSON object.
    activity        TEXT    NOT NULL CHECK (json_type(activity) = 'object'),
    is_test         INTEGER NOT NULL CHECK (is_test IN (0, 1)),
    status          TEXT    NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    -- When the next attempt may be made, the end of the lease of a process that makes one, and when the delivery ended.
    due_at          INTEGER CHECK ((due_at IS NULL) = (status <> 'pending')),
    leased_until    INTEGER CHECK (leased_until IS NULL OR leased_until = due_at),
    ended_at        INTEGER CHECK ((ended_at IS NULL) = (status = 'pending')),
    attempts        INTEGER NOT NULL CHECK (attempts >= 0),
    last_status     INTEGER,
    last_error      TEXT    CHECK (length(last_error) <= 255),
    version         INTEGER NOT NULL CHECK (version >= 1),
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, webhook_id) REFERENCES webhooks (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX deliveries_by_webhook ON deliveries (organization_id, webhook_id, id);
CREATE INDEX pending_deliveries ON deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX pending_deliveries_by_creation ON deliveries (webhook_id, created_at) WHERE due_at IS NOT NULL;
CREATE INDEX pending_tests ON deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL AND is_test;
CREATE INDEX deliveries_in_flight ON deliveries (organization_id, webhook_id, leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_by_expiry ON deliveries (expires_at);

-- The events. A deleted event stays until it is purged, with all that belongs to it.
CREATE TABLE events (
    organization_id     BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id                  BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    title               TEXT    NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    slug                TEXT    NOT NULL UNIQUE CHECK (length(slug) BETWEEN 1 AND 255),
    description         TEXT    CHECK (length(description) BETWEEN 1 AND 65535),
    location            TEXT    CHECK (length(location) BETWEEN 1 AND 2048),
    is_virtual          INTEGER NOT NULL CHECK (is_virtual IN (0, 1)),
    latitude            REAL    CHECK (latitude BETWEEN -90 AND 90),
    longitude           REAL    CHECK (longitude BETWEEN -180 AND 180),
    start_date          TEXT    NOT NULL CHECK (start_date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    end_date            TEXT    CHECK (end_date >= start_date AND end_date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    timezone            TEXT    NOT NULL CHECK (length(timezone) > 0),
    -- Derived from the dates and the zone, for sorting and counting. No other use reads these columns.
    starts_at           INTEGER NOT NULL,
    ends_at             INTEGER NOT NULL CHECK (ends_at >= starts_at),
    -- The class of the number of days: 0 for one day.
    length_class        INTEGER NOT NULL CHECK (length_class BETWEEN 0 AND 2),
    is_published        INTEGER NOT NULL CHECK (is_published IN (0, 1)),
    theme               TEXT    CHECK (theme IN ('purple-indigo', 'ocean-blue', 'sunset-orange', 'forest-green', 'rose-pink',
                                'slate-charcoal', 'golden-hour', 'midnight')),
    badge_label         TEXT    CHECK (length(badge_label) BETWEEN 1 AND 255),
    -- The id in the organizer's own system. A deleted event keeps it, and holds it no longer.
    external_id         TEXT    CHECK (length(external_id) BETWEEN 1 AND 255),
    held_external_id    TEXT    GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN external_id END) VIRTUAL,
    version             INTEGER NOT NULL CHECK (version >= 1),
    -- A second version: only changes that affect whether and how volunteers may sign up raise it.
    gate                INTEGER NOT NULL CHECK (gate >= 1),
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    cancelled_at        INTEGER,
    cancellation_reason TEXT    CHECK (length(cancellation_reason) BETWEEN 1 AND 1000),
    deleted_at          INTEGER,
    -- Whether a purge has begun to remove the event. Reads and restores no longer find the event.
    is_purged           INTEGER NOT NULL DEFAULT 0 CHECK (is_purged = 0 OR is_purged = 1 AND deleted_at IS NOT NULL),
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE INDEX events_by_start ON events (organization_id, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX current_events_by_start ON events (organization_id, is_published, starts_at, id)
    WHERE cancelled_at IS NULL AND deleted_at IS NULL;
CREATE INDEX cancelled_events_by_start ON events (organization_id, is_published, starts_at, id)
    WHERE cancelled_at IS NOT NULL AND deleted_at IS NULL;
-- The events that can begin before a period and last into it.
CREATE INDEX long_events_by_start ON events (organization_id, length_class, starts_at, id)
    WHERE length_class > 0 AND deleted_at IS NULL;
-- The last two columns are always NULL here. With them the index alone answers a count of active events.
CREATE INDEX active_events_by_end ON events (organization_id, ends_at, cancelled_at, deleted_at)
    WHERE cancelled_at IS NULL AND deleted_at IS NULL AND is_published = 1;
-- Partial, because most events hold no external id.
CREATE UNIQUE INDEX events_by_external_id ON events (organization_id, held_external_id) WHERE held_external_id IS NOT NULL;
CREATE UNIQUE INDEX deleted_events ON events (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX events_by_deletion ON events (deleted_at) WHERE deleted_at IS NOT NULL AND NOT is_purged;
CREATE UNIQUE INDEX purged_events ON events (organization_id, id) WHERE is_purged;

-- Data about the places of events, as JSON objects.
CREATE TABLE location_data (
    organization_id BLOB NOT NULL,
    event_id        BLOB NOT NULL,
    data            TEXT NOT NULL CHECK (json_type(data) = 'object' AND length(CAST(data AS BLOB)) <= 16384),
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;

-- The shifts of events. A deleted shift stays until it is purged.
CREATE TABLE shifts (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    event_id        BLOB    NOT NULL,
    title           TEXT    NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    description     TEXT    CHECK (length(description) BETWEEN 1 AND 2000),
    location        TEXT    CHECK (length(location) BETWEEN 1 AND 255),
    -- The id in the organizer's own system.
    external_id     TEXT    CHECK (length(external_id) BETWEEN 1 AND 255),
    -- The number of the day of the event on which the shift begins.
    day             INTEGER NOT NULL DEFAULT 1 CHECK (day >= 1),
    -- Minutes since midnight by the wall clock. 1440 is the end of the day.
    start_minute    INTEGER NOT NULL CHECK (start_minute BETWEEN 0 AND 1439),
    end_minute      INTEGER NOT NULL CHECK (CASE WHEN ends_next_day THEN end_minute BETWEEN 0 AND start_minute
                            ELSE end_minute > start_minute AND end_minute <= 1440 END),
    -- Whether the end is a time of the next day.
    ends_next_day   INTEGER NOT NULL DEFAULT 0 CHECK (ends_next_day IN (0, 1)),
    -- Derived from the day, the minutes and the first day of the event, so that events can be selected by their open shifts.
    ends_at         INTEGER NOT NULL,
    capacity        INTEGER NOT NULL CHECK (capacity BETWEEN 0 AND 1000000),
    minimum         INTEGER CHECK (minimum BETWEEN 1 AND 1000000),
    -- The number of rows in signups for this shift with the status 'confirmed'. Only writes of sign-ups change it.
    filled          INTEGER NOT NULL CHECK (filled >= 0),
    position        INTEGER NOT NULL CHECK (position >= 0),
    version         INTEGER NOT NULL CHECK (version >= 1),
    gate            INTEGER NOT NULL CHECK (gate >= 1),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    -- When, by whom and why all sign-ups for the shift were cancelled at once. The rows of the sign-ups and the column `filled`
    -- stay as they were, so this cancellation costs the same for any number of sign-ups. `closed_by` is compared with the
    -- list only if there is a value, because a list of texts is slow to check and most shifts are open.
    closed_at       INTEGER,
    closed_by       TEXT    CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_by IS NULL
                            OR closed_by IN ('volunteer', 'organizer', 'shift_deletion', 'event_cancellation'))),
    closing_reason  TEXT    CHECK (length(closing_reason) BETWEEN 1 AND 1000),
    deleted_at      INTEGER,
    -- The latest gathering of changes: when the first one was made, when the mails are due, and the notice of the latest change.
    gathering_first_at  INTEGER,
    gathering_due_at    INTEGER CHECK ((gathering_due_at IS NULL) = (gathering_first_at IS NULL)),
    gathering_notice_id BLOB    CHECK ((gathering_notice_id IS NULL) = (gathering_first_at IS NULL)),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX shifts_by_event ON shifts (organization_id, event_id, position);
CREATE INDEX shifts_by_deletion ON shifts (deleted_at) WHERE deleted_at IS NOT NULL;

-- The questions that the sign-up form of an event asks. `options` is a JSON array of texts.
CREATE TABLE questions (
    organization_id BLOB    NOT NULL,
    event_id        BLOB    NOT NULL,
    position        INTEGER NOT NULL CHECK (position >= 0),
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    label           TEXT    NOT NULL CHECK (length(label) BETWEEN 1 AND 255),
    kind            TEXT    NOT NULL CHECK (kind IN ('text', 'select', 'checkbox')),
    options         TEXT    NOT NULL CHECK (json_type(options) = 'array'),
    required        INTEGER NOT NULL CHECK (required IN (0, 1)),
    version         INTEGER NOT NULL CHECK (version >= 1),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX questions_by_event ON questions (organization_id, event_id, position, id);

-- The messages of organizers to the volunteers of an event, as they were sent.
CREATE TABLE messages (
    organization_id BLOB NOT NULL,
    event_id        BLOB NOT NULL,
    id              BLOB NOT NULL CHECK (length(id) = 16),
    -- The only shift whose volunteers get the message, or NULL for all shifts of the event.
    shift_id        BLOB,
    subject         TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 150),
    text            TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 5000),
    sender_id       BLOB NOT NULL,
    sender_name     TEXT NOT NULL CHECK (length(sender_name) BETWEEN 1 AND 255),
    created_at      INTEGER NOT NULL,
    -- Until when the message counts towards the limit of the event.
    counts_until    INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX messages_by_event ON messages (organization_id, event_id, counts_until);

-- The sign-ups of volunteers for shifts, as they were written. Reads use the view current_signups.
CREATE TABLE signups (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    event_id        BLOB    NOT NULL,
    shift_id        BLOB    NOT NULL,
    name            TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- The name and the address in lower case, with composed letters (NFC), in which a search looks.
    search_key      TEXT    NOT NULL,
    email           TEXT    NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    -- The address in lower-case ASCII, by which addresses are compared.
    email_key       TEXT    NOT NULL,
    -- When and where the shift is by the last mail to the volunteer, as a JSON object.
    told            TEXT    NOT NULL CHECK (json_type(told) = 'object'),
    -- The answers to the questions of the event, as a JSON array.
    answers         TEXT    NOT NULL CHECK (json_type(answers) = 'array'),
    status          TEXT    NOT NULL CHECK (status IN ('confirmed', 'cancelled')),
    version         INTEGER NOT NULL CHECK (version >= 1),
    created_at      INTEGER NOT NULL,
    -- When the mail about a repeated sign-up was last queued.
    repeated_at     INTEGER,
    cancelled_at    INTEGER CHECK ((cancelled_at IS NULL) = (status = 'confirmed')),
    cancelled_by    TEXT    CHECK ((cancelled_by IS NULL) = (status = 'confirmed') AND (cancelled_by IS NULL
                            OR cancelled_by IN ('volunteer', 'organizer', 'shift_deletion', 'event_cancellation'))),
    -- Why the organizer cancelled this one sign-up.
    cancellation_reason TEXT CHECK (length(cancellation_reason) BETWEEN 1 AND 1000),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX signups_by_event ON signups (organization_id, event_id, id);
CREATE INDEX signups_by_shift ON signups (organization_id, shift_id, id);
CREATE INDEX signups_by_address ON signups (organization_id, email_key);
CREATE UNIQUE INDEX one_place_for_an_address ON signups (organization_id, shift_id, email_key)
    WHERE status = 'confirmed';

-- The links in mails to volunteers. Each mail has a link of its own. `digest` is the SHA-256 of the secret in the link.
CREATE TABLE links (
    organization_id BLOB NOT NULL,
    event_id        BLOB NOT NULL,
    shift_id        BLOB NOT NULL,
    signup_id       BLOB NOT NULL CHECK (length(signup_id) = 16),
    digest          BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    -- Finds the links of a shift and of a sign-up, too.
    PRIMARY KEY (organization_id, shift_id, signup_id, digest),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id) ON DELETE CASCADE
) STRICT;

-- The sign-ups as they are now: a confirmed sign-up for a closed shift is cancelled. An outer join never comes before the
-- sign-ups, so the lists keep the order of their index.
CREATE VIEW current_signups AS
SELECT u.organization_id, u.id, u.event_id, u.shift_id, u.name, u.search_key, u.email, u.email_key, u.told, u.answers,
    u.version, u.created_at, u.repeated_at, u.cancellation_reason,
    iif(s.closed_at IS NULL, u.status, 'cancelled') AS status,
    coalesce(s.closed_at, u.cancelled_at) AS cancelled_at,
    coalesce(s.closed_by, u.cancelled_by) AS cancelled_by
FROM signups u LEFT JOIN shifts s
    ON s.organization_id = u.organization_id AND s.id = u.shift_id AND u.status = 'confirmed';

-- The stored answers to requests with an idempotency key. A large outcome is compressed. `outcome` is a JSON object. The CHECK only notices an object that
-- is cut off, because reading all of it as JSON took a sixth of the time of a commit that creates an event. It compares the
-- last byte: to find the last character, SQLite counts all characters before it.
CREATE TABLE receipts (
    organization_id BLOB    NOT NULL,
    caller_id       BLOB    NOT NULL,
    operation       TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    outcome         TEXT    NOT NULL CHECK (substr(outcome, 1, 1) = '{' AND substr(CAST(outcome AS BLOB), -1) = x'7D'),
    mails_queued    INTEGER NOT NULL DEFAULT 0,
    -- The SHA-256 of the input in hexadecimal digits, if the caller gave it.
    input           TEXT,
    expires_at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX receipts_by_key ON receipts (organization_id, caller_id, operation, idempotency_key);
CREATE INDEX receipts_by_expiry ON receipts (expires_at);

-- The outbox: mails to send, and mails that could not be sent. A sent mail has no row.
CREATE TABLE notices (
    id              BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    organization_id BLOB    NOT NULL,
    -- Both are NULL in a mail to a person who signs in or is invited.
    event_id        BLOB,
    shift_id        BLOB    CHECK ((shift_id IS NULL) = (event_id IS NULL)),
    -- The sign-up that the mail is about, or NULL if the notice is for several volunteers.
    signup_id       BLOB    CHECK (signup_id IS NULL OR (length(signup_id) = 16 AND shift_id IS NOT NULL)),
    -- What happened, as a JSON object.
    cause           TEXT    NOT NULL CHECK (json_valid(cause)),
    version         INTEGER NOT NULL CHECK (version >= 1),
    attempts        INTEGER NOT NULL CHECK (attempts >= 0),
    created_at      INTEGER NOT NULL,
    -- When a process may claim the notice: the end of a lease or of a backoff.
    due_at          INTEGER NOT NULL,
    -- When the mail failed for good, or NULL while it is still to be sent, and why its last attempt failed.
    failed_at       INTEGER,
    reason          TEXT    CHECK ((failed_at IS NULL OR reason IS NOT NULL) AND length(reason) <= 500),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id) ON DELETE CASCADE
) STRICT;
-- Finds the notices for a shift, and those about one of its sign-ups.
CREATE INDEX notices_by_shift ON notices (shift_id, signup_id);
CREATE INDEX due_notices ON notices (due_at, id) WHERE failed_at IS NULL;
CREATE INDEX failed_notices ON notices (id) WHERE failed_at IS NOT NULL;
CREATE INDEX notices_by_failure ON notices (failed_at) WHERE failed_at IS NOT NULL;
