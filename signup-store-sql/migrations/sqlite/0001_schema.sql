-- The tables of the store.
--
-- Ids are 16-byte blobs, which sort as their UUIDs do. Instants are Unix seconds. Booleans are 0 or 1. Every table with
-- records of an organization has the column organization_id. It comes first in the keys, except for `notices`, and in the
-- indexes of an organization's lists.
--
-- The library checks lengths and formats before it writes. A CHECK here is what an index or a total relies on.

-- Facts about the database itself, by name. 'zone_data' is the release of the time zone data from which the stored instants
-- of events were derived.
CREATE TABLE meta (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- The customers of the service. Every record belongs to one of them, except `people` and what is about them alone.
CREATE TABLE organizations (
    id          BLOB    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    slug        TEXT    NOT NULL UNIQUE,
    sport       TEXT,
    public_url  TEXT,
    contact     TEXT,
    privacy_url TEXT,
    plan        TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    gate        INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

-- The API tokens of organizations. A token itself is not stored: `digest` is its SHA-256.
CREATE TABLE tokens (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              BLOB    NOT NULL UNIQUE,
    name            TEXT    NOT NULL,
    digest          BLOB    NOT NULL UNIQUE,
    scopes          TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    -- The caller that created it, as a JSON object.
    created_by      TEXT    NOT NULL,
    last_used_at    INTEGER,
    expires_at      INTEGER NOT NULL,
    revoked_at      INTEGER,
    version         INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

-- The people who may sign in. A person belongs to no organization.
CREATE TABLE people (
    id         BLOB    NOT NULL PRIMARY KEY,
    email      TEXT    NOT NULL,
    -- The address in lower-case ASCII, by which addresses are compared.
    email_key  TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL,
    -- A sign-in of another generation is void.
    generation INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- The roles of people in organizations. The person is not a foreign key: the last membership of a person and the person are
-- removed in one transaction. A foreign key that cascades could only hide a mistake of the rule that removes both.
CREATE TABLE memberships (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    person_id       BLOB    NOT NULL,
    role            TEXT    NOT NULL,
    version         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, person_id)
) STRICT;
CREATE INDEX memberships_by_person ON memberships (person_id);

-- The open invitations. A secret itself is not stored: `digest` is its SHA-256.
CREATE TABLE invitations (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              BLOB    NOT NULL,
    -- Who is invited. NULL for a first owner, who gives an address and a name later.
    email           TEXT,
    email_key       TEXT,
    name            TEXT,
    role            TEXT    NOT NULL,
    -- The person who invites. Not a foreign key: the invitation is void when the person has gone.
    inviter_id      BLOB,
    digest          BLOB    NOT NULL UNIQUE,
    version         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE UNIQUE INDEX one_invitation_of_an_address ON invitations (organization_id, email_key);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- The codes to sign in, one for each browser that asked. `browser` is the SHA-256 of the secret of the browser, and `digest`
-- that of the secret and the code.
CREATE TABLE sign_in_codes (
    browser    BLOB    NOT NULL PRIMARY KEY,
    email      TEXT    NOT NULL,
    digest     BLOB    NOT NULL,
    -- The number of wrong codes.
    tries      INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at);

-- The people who are signed in, in one browser each. `digest` is the SHA-256 of the secret of the browser.
CREATE TABLE sign_ins (
    digest     BLOB    NOT NULL PRIMARY KEY,
    person_id  BLOB    NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    version    INTEGER NOT NULL,
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
    id              BLOB    NOT NULL,
    type            TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    -- The caller that caused it, as a JSON object.
    actor           TEXT    NOT NULL,
    -- The record and its parents. They are not foreign keys: a row stays when its record is purged.
    event_id        BLOB,
    shift_id        BLOB,
    signup_id       BLOB,
    question_id     BLOB,
    token_id        BLOB,
    webhook_id      BLOB,
    person_id       BLOB,
    -- The names of the fields that changed, as a JSON array.
    changes         TEXT    NOT NULL,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE INDEX activity_by_event ON activity (organization_id, event_id, id);
CREATE INDEX activity_by_expiry ON activity (expires_at);

-- The URLs to which activity is delivered. A secret is needed to sign each delivery, so it is stored as it is.
CREATE TABLE webhooks (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              BLOB    NOT NULL UNIQUE,
    url             TEXT    NOT NULL,
    description     TEXT,
    -- The types that are delivered, as a JSON array of filters.
    types           TEXT    NOT NULL,
    secret          TEXT    NOT NULL,
    -- The secret before the last rotation, and until when it signs.
    former_secret   TEXT,
    former_until    INTEGER,
    disabled_at     INTEGER,
    disabled_reason TEXT,
    last_success_at INTEGER,
    -- The first failure after the last success.
    failing_since   INTEGER,
    version         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id)
) STRICT;

-- The deliveries of activity to webhooks.
CREATE TABLE deliveries (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL,
    webhook_id      BLOB    NOT NULL,
    -- What is delivered, as a JSON object.
    activity        TEXT    NOT NULL,
    is_test         INTEGER NOT NULL,
    status          TEXT    NOT NULL,
    -- When the next attempt may be made, the end of the lease of a process that makes one, and when the delivery ended.
    due_at          INTEGER CHECK ((due_at IS NULL) = (status <> 'pending')),
    leased_until    INTEGER,
    ended_at        INTEGER,
    attempts        INTEGER NOT NULL,
    last_status     INTEGER,
    last_error      TEXT,
    version         INTEGER NOT NULL,
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
    id                  BLOB    NOT NULL UNIQUE,
    title               TEXT    NOT NULL,
    slug                TEXT    NOT NULL UNIQUE,
    description         TEXT,
    instructions        TEXT,
    location            TEXT,
    is_virtual          INTEGER NOT NULL,
    latitude            REAL,
    longitude           REAL,
    start_date          TEXT    NOT NULL,
    end_date            TEXT,
    timezone            TEXT    NOT NULL,
    -- Derived from the dates and the zone, for sorting and counting. No other use reads these columns.
    starts_at           INTEGER NOT NULL,
    ends_at             INTEGER NOT NULL,
    language            TEXT    NOT NULL,
    is_published        INTEGER NOT NULL,
    -- Whether volunteers are reminded of their shifts on the day before.
    reminders_enabled   INTEGER NOT NULL,
    theme               TEXT,
    badge_label         TEXT,
    -- The id in the organizer's own system. A deleted event keeps it, and holds it no longer.
    external_id         TEXT,
    held_external_id    TEXT    GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN external_id END) VIRTUAL,
    -- By the wall clock of the zone, written YYYY-MM-DDTHH:MM.
    signups_open_at     TEXT,
    signups_close_at    TEXT,
    waitlist_enabled    INTEGER NOT NULL DEFAULT 0,
    version             INTEGER NOT NULL,
    -- A second version: only changes that affect whether and how volunteers may sign up raise it.
    gate                INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    cancelled_at        INTEGER,
    cancellation_reason TEXT,
    deleted_at          INTEGER,
    PRIMARY KEY (organization_id, id)
) STRICT;
CREATE INDEX events_by_start ON events (organization_id, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX events_by_publication ON events (organization_id, is_published, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX cancelled_events_by_start ON events (organization_id, starts_at, id)
    WHERE cancelled_at IS NOT NULL AND deleted_at IS NULL;
-- Finds the longest event: only an event that starts at most this long before a period can last into it.
CREATE INDEX events_by_duration ON events (organization_id, (ends_at - starts_at)) WHERE deleted_at IS NULL;
-- The last two columns are always NULL here. With them the index alone answers a count of active events.
CREATE INDEX active_events_by_end ON events (organization_id, ends_at, cancelled_at, deleted_at)
    WHERE cancelled_at IS NULL AND deleted_at IS NULL AND is_published = 1;
-- Partial, because most events hold no external id.
CREATE UNIQUE INDEX events_by_external_id ON events (organization_id, held_external_id) WHERE held_external_id IS NOT NULL;
CREATE UNIQUE INDEX deleted_events ON events (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX events_by_deletion ON events (deleted_at) WHERE deleted_at IS NOT NULL;

-- Data about the places of events, as JSON objects.
CREATE TABLE location_data (
    organization_id BLOB NOT NULL,
    event_id        BLOB NOT NULL,
    data            TEXT NOT NULL,
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;

-- The shifts of events. A deleted shift stays until it is purged.
CREATE TABLE shifts (
    organization_id BLOB    NOT NULL,
    id              BLOB    NOT NULL,
    event_id        BLOB    NOT NULL,
    title           TEXT    NOT NULL,
    description     TEXT,
    location        TEXT,
    -- The id in the organizer's own system.
    external_id     TEXT,
    -- The number of the day of the event on which the shift begins.
    day             INTEGER NOT NULL DEFAULT 1,
    -- Minutes since midnight by the wall clock. 1440 is the end of the day.
    start_minute    INTEGER NOT NULL,
    end_minute      INTEGER NOT NULL,
    -- Whether the end is a time of the next day.
    ends_next_day   INTEGER NOT NULL DEFAULT 0,
    -- Derived from the day, the minutes and the first day of the event, so that events can be selected by their open shifts.
    ends_at         INTEGER NOT NULL,
    capacity        INTEGER NOT NULL,
    minimum         INTEGER,
    -- The number of rows in signups for this shift with the status 'confirmed'. Only writes of sign-ups change it.
    filled          INTEGER NOT NULL CHECK (filled >= 0),
    -- The number of rows in signups for this shift with the status 'waitlisted'.
    waitlisted      INTEGER NOT NULL DEFAULT 0 CHECK (waitlisted >= 0),
    position        INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    gate            INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    -- When, by whom and why all sign-ups for the shift were cancelled at once. The rows of the sign-ups and the totals
    -- stay as they were, so this cancellation costs the same for any number of sign-ups.
    closed_at       INTEGER,
    closed_by       TEXT,
    closing_reason  TEXT,
    closed_silently INTEGER NOT NULL DEFAULT 0,
    deleted_at      INTEGER,
    -- How often the time or the place changed in a way that volunteers are mailed about.
    announced       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX shifts_by_event ON shifts (organization_id, event_id, position);
CREATE INDEX shifts_by_deletion ON shifts (deleted_at) WHERE deleted_at IS NOT NULL;

-- The questions that the sign-up form of an event asks. `options` is a JSON array of texts.
CREATE TABLE questions (
    organization_id BLOB    NOT NULL,
    event_id        BLOB    NOT NULL,
    position        INTEGER NOT NULL,
    id              BLOB    NOT NULL,
    label           TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    options         TEXT    NOT NULL,
    required        INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX questions_by_event ON questions (organization_id, event_id, position, id);

-- The messages of organizers to the volunteers of an event, as they were sent.
CREATE TABLE messages (
    organization_id BLOB NOT NULL,
    event_id        BLOB NOT NULL,
    id              BLOB NOT NULL,
    -- The only shift whose volunteers get the message, or NULL for all shifts of the event.
    shift_id        BLOB,
    -- Which of the volunteers get the message: all, attended or waiting.
    audience        TEXT NOT NULL DEFAULT 'all',
    -- Whether the message is for shifts that were over when it was sent, too.
    includes_past   INTEGER NOT NULL DEFAULT 0,
    -- The number of addresses that the message was for when it was sent.
    recipients      INTEGER NOT NULL DEFAULT 0,
    subject         TEXT NOT NULL,
    text            TEXT NOT NULL,
    sender_id       BLOB NOT NULL,
    sender_name     TEXT NOT NULL,
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
    id              BLOB    NOT NULL,
    event_id        BLOB    NOT NULL,
    shift_id        BLOB    NOT NULL,
    name            TEXT    NOT NULL,
    -- The name, the address and their words in lower case and without accents, each after a line break. A search looks in this text.
    search_key      TEXT    NOT NULL,
    email           TEXT    NOT NULL,
    -- The address in lower-case ASCII, by which addresses are compared.
    email_key       TEXT    NOT NULL,
    -- The name by which people with one address are told apart: NFKC, with its case folded.
    person_key      TEXT    NOT NULL,
    -- The beginning of the sort key of the name in the root collation of Unicode, in hexadecimal digits. Other data of the collation
    -- needs a migration that writes it again.
    name_order      TEXT    NOT NULL,
    -- What the address was told about the sign-up by the last mail, as a JSON object.
    told            TEXT    NOT NULL,
    -- The answers to the questions of the event, as a JSON array.
    answers         TEXT    NOT NULL,
    status          TEXT    NOT NULL CHECK (status IN ('confirmed', 'waitlisted', 'cancelled')),
    version         INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    -- When the mail about a repeated sign-up was last queued.
    repeated_at     INTEGER,
    -- Whether the volunteer came. NULL if nobody has marked it.
    attendance      TEXT,
    -- When an organizer last marked the attendance, corrected the name or the address, or moved the sign-up to another shift.
    changed_at      INTEGER,
    -- Whether the sign-up waited for a place at first.
    has_waited      INTEGER NOT NULL DEFAULT 0,
    -- When a sign-up that had waited got a place.
    promoted_at     INTEGER,
    cancelled_at    INTEGER CHECK ((cancelled_at IS NULL) = (status <> 'cancelled')),
    cancelled_by    TEXT,
    -- Why the organizer cancelled this one sign-up.
    cancellation_reason TEXT,
    -- Whether nobody is mailed about the cancellation of this one sign-up.
    is_silent       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX signups_by_event ON signups (organization_id, event_id, id);
CREATE INDEX signups_by_shift ON signups (organization_id, shift_id, id);
CREATE INDEX signups_by_address ON signups (organization_id, email_key, name_order);
CREATE INDEX signups_by_name ON signups (organization_id, name_order, email_key);
CREATE UNIQUE INDEX one_place_for_a_person ON signups (organization_id, shift_id, email_key, person_key)
    WHERE status <> 'cancelled';
CREATE INDEX signups_that_wait ON signups (organization_id, shift_id, id) WHERE status = 'waitlisted';

-- The links in mails to volunteers. Each mail has a link of its own, to all places of its address. `digest` is the SHA-256 of
-- the secret in the link.
CREATE TABLE links (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    digest          BLOB    NOT NULL UNIQUE,
    -- The address in lower-case ASCII.
    email_key       TEXT    NOT NULL,
    -- What the mail is about. Not a foreign key: the link outlives the event.
    event_id        BLOB    NOT NULL,
    -- The mails that the link turns off. NULL if the mail is none that can be turned off.
    unsubscribes_from TEXT,
    expires_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, email_key, digest)
) STRICT;
CREATE INDEX links_by_expiry ON links (expires_at);

-- The mails that volunteers have turned off, by address and kind of mail.
CREATE TABLE opt_outs (
    organization_id BLOB    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    -- The address in lower-case ASCII.
    email_key       TEXT    NOT NULL,
    subscription    TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, email_key, subscription)
) STRICT;

-- The sign-ups as they are now: an active sign-up for a closed shift is cancelled. An outer join never comes before the
-- sign-ups, so the lists keep the order of their index.
CREATE VIEW current_signups AS
SELECT u.organization_id, u.id, u.event_id, u.shift_id, u.name, u.search_key, u.email, u.email_key, u.person_key, u.told, u.answers,
    u.status AS stored_status, u.version, u.created_at, u.repeated_at, u.changed_at, u.has_waited, u.promoted_at, u.cancellation_reason,
    u.is_silent, iif(s.closed_at IS NULL, u.attendance, NULL) AS attendance,
    iif(s.closed_at IS NULL, u.status, 'cancelled') AS status,
    coalesce(s.closed_at, u.cancelled_at) AS cancelled_at,
    coalesce(s.closed_by, u.cancelled_by) AS cancelled_by
FROM signups u LEFT JOIN shifts s
    ON s.organization_id = u.organization_id AND s.id = u.shift_id AND u.status <> 'cancelled';

-- The stored answers to requests with an idempotency key. A large outcome is compressed. `outcome` is a JSON
-- object.
CREATE TABLE receipts (
    organization_id BLOB    NOT NULL,
    caller_id       BLOB    NOT NULL,
    operation       TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    outcome         TEXT    NOT NULL,
    mails_queued    INTEGER NOT NULL DEFAULT 0,
    -- The SHA-256 of the input in hexadecimal digits, if the caller gave it.
    input           TEXT,
    expires_at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX receipts_by_key ON receipts (organization_id, caller_id, operation, idempotency_key);
CREATE INDEX receipts_by_expiry ON receipts (expires_at);

-- The outbox: addresses with places at an event and the mails to them, jobs, mails to send, and mails that could not be sent.
CREATE TABLE notices (
    id              BLOB    NOT NULL PRIMARY KEY,
    organization_id BLOB    NOT NULL,
    -- NULL in a mail to a person who signs in or is invited.
    event_id        BLOB,
    -- The address of the volunteer that the notice is for, as addresses are compared. NULL if it is for none, or for several.
    email_key       TEXT,
    -- Whether the mail may wait behind others. A code to sign in and an invitation may not.
    can_wait        INTEGER NOT NULL,
    -- What the notice is for, as a JSON object.
    cause           TEXT    NOT NULL,
    version         INTEGER NOT NULL,
    attempts        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    -- When a process may claim the notice: the end of a lease or of a backoff. NULL while there is nothing to send.
    due_at          INTEGER,
    -- When a recipient with nothing to send may have to be reminded of a place. NULL for any other notice.
    remind_at       INTEGER,
    -- When the mail failed for good, or NULL while it is still to be sent, and why its last attempt failed.
    failed_at       INTEGER,
    reason          TEXT,
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX notices_by_event ON notices (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX notices_by_address ON notices (organization_id, email_key) WHERE email_key IS NOT NULL;
CREATE INDEX due_notices ON notices (can_wait, due_at, id) WHERE due_at IS NOT NULL;
-- All of them can wait. With that column, the index has the order of the queue.
CREATE INDEX due_reminders ON notices (can_wait, remind_at, id) WHERE remind_at IS NOT NULL;
CREATE INDEX queued_notices ON notices (id) WHERE due_at IS NOT NULL;
CREATE INDEX failed_notices ON notices (id) WHERE failed_at IS NOT NULL;
CREATE INDEX failed_notices_of_organization ON notices (organization_id, id) WHERE failed_at IS NOT NULL;
CREATE INDEX failed_notices_by_event ON notices (event_id, id) WHERE failed_at IS NOT NULL;
CREATE INDEX notices_by_failure ON notices (failed_at) WHERE failed_at IS NOT NULL;
