-- The tables of the store.
--
-- Instants are Unix seconds. Texts that are looked up or sorted by have the collation "C": they are compared by bytes.
--
-- Every table with records of an organization has the column organization_id, so the tables can be distributed by it. The
-- column comes first in the keys, except in that of `notices`, and in the indexes of the lists. Ids, slugs and digests are unique
-- over the whole service. They are long and random, or derived from such values. A distributed table that cannot have a unique
-- index on one of them can have a plain index, which serves the same queries.
--
-- The library checks lengths and formats before it writes. A CHECK here is what an index or a total relies on.

-- Facts about the database itself, by name. 'zone_data' is the release of the time zone data from which the stored instants
-- of events were derived.
CREATE TABLE meta (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

-- The customers of the service. Every record belongs to one of them, except `people` and what is about them alone.
CREATE TABLE organizations (
    id          uuid   PRIMARY KEY,
    name        text   NOT NULL,
    slug        text   COLLATE "C" NOT NULL UNIQUE,
    sport       text,
    public_url  text,
    contact     text,
    privacy_url text,
    plan        text   NOT NULL,
    version     bigint NOT NULL,
    gate        bigint NOT NULL,
    created_at  bigint NOT NULL
);

-- The API tokens of organizations. A token itself is not stored: `digest` is its SHA-256.
CREATE TABLE tokens (
    organization_id uuid   NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              uuid   NOT NULL UNIQUE,
    name            text   NOT NULL,
    digest          bytea  NOT NULL UNIQUE,
    scopes          text   NOT NULL,
    created_at      bigint NOT NULL,
    -- The caller that created it, as a JSON object.
    created_by      json   NOT NULL,
    last_used_at    bigint,
    expires_at      bigint NOT NULL,
    revoked_at      bigint,
    version         bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);

-- The people who may sign in. A person belongs to no organization.
CREATE TABLE people (
    id         uuid   PRIMARY KEY,
    email      text   NOT NULL,
    -- The address in lower-case ASCII, by which addresses are compared.
    email_key  text   COLLATE "C" NOT NULL UNIQUE,
    name       text   NOT NULL,
    -- A sign-in of another generation is void.
    generation bigint NOT NULL,
    version    bigint NOT NULL,
    created_at bigint NOT NULL
);

-- The roles of people in organizations. The person is not a foreign key: the last membership of a person and the person are
-- removed in one transaction. A foreign key that cascades could only hide a mistake of the rule that removes both.
CREATE TABLE memberships (
    organization_id uuid   NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    person_id       uuid   NOT NULL,
    role            text   NOT NULL,
    version         bigint NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, person_id)
);
CREATE INDEX memberships_by_person ON memberships (person_id);

-- The open invitations. A secret itself is not stored: `digest` is its SHA-256.
CREATE TABLE invitations (
    organization_id uuid   NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              uuid   NOT NULL,
    -- Who is invited. NULL for a first owner, who gives an address and a name later.
    email           text,
    email_key       text   COLLATE "C",
    name            text,
    role            text   NOT NULL,
    -- The person who invites. Not a foreign key: the invitation is void when the person has gone.
    inviter_id      uuid,
    digest          bytea  NOT NULL UNIQUE,
    version         bigint NOT NULL,
    created_at      bigint NOT NULL,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX one_invitation_of_an_address ON invitations (organization_id, email_key);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- The codes to sign in, one for each browser that asked. `browser` is the SHA-256 of the secret of the browser, and `digest`
-- that of the secret and the code.
CREATE TABLE sign_in_codes (
    browser    bytea  PRIMARY KEY,
    email      text   NOT NULL,
    digest     bytea  NOT NULL,
    -- The number of wrong codes.
    tries      bigint NOT NULL,
    version    bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at);

-- The people who are signed in, in one browser each. `digest` is the SHA-256 of the secret of the browser.
CREATE TABLE sign_ins (
    digest     bytea  PRIMARY KEY,
    person_id  uuid   NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    generation bigint NOT NULL,
    version    bigint NOT NULL,
    created_at bigint NOT NULL,
    used_at    bigint NOT NULL,
    -- Derived from the times.
    expires_at bigint NOT NULL
);
CREATE INDEX sign_ins_by_person ON sign_ins (person_id);
CREATE INDEX sign_ins_by_expiry ON sign_ins (expires_at);

-- What happened, to which record, when and by whom. Each row is written in the transaction of its cause, and never changes.
-- As in `receipts`, the organization is not a foreign key: a check for each write would cost a fifth of its insert.
CREATE TABLE activity (
    organization_id uuid   NOT NULL,
    id              uuid   NOT NULL,
    type            text   COLLATE "C" NOT NULL,
    created_at      bigint NOT NULL,
    -- The caller that caused it, as a JSON object.
    actor           json   NOT NULL,
    -- The record and its parents. They are not foreign keys: a row stays when its record is purged.
    event_id        uuid,
    shift_id        uuid,
    signup_id       uuid,
    question_id     uuid,
    token_id        uuid,
    webhook_id      uuid,
    person_id       uuid,
    -- The names of the fields that changed, as a JSON array.
    changes         json   NOT NULL,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX activity_by_event ON activity (organization_id, event_id, id);
CREATE INDEX activity_by_expiry ON activity (expires_at);

-- The URLs to which activity is delivered. A secret is needed to sign each delivery, so it is stored as it is.
CREATE TABLE webhooks (
    organization_id uuid   NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id              uuid   NOT NULL UNIQUE,
    url             text   NOT NULL,
    description     text,
    -- The types that are delivered, as a JSON array of filters.
    types           jsonb  NOT NULL,
    secret          text   NOT NULL,
    -- The secret before the last rotation, and until when it signs.
    former_secret   text,
    former_until    bigint,
    disabled_at     bigint,
    disabled_reason text,
    last_success_at bigint,
    -- The first failure after the last success.
    failing_since   bigint,
    version         bigint NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);

-- The deliveries of activity to webhooks.
CREATE TABLE deliveries (
    organization_id uuid    NOT NULL,
    id              uuid    NOT NULL,
    webhook_id      uuid    NOT NULL,
    -- What is delivered, as a JSON object.
    activity        json    NOT NULL,
    is_test         boolean NOT NULL,
    status          text    NOT NULL,
    -- When the next attempt may be made, the end of the lease of a process that makes one, and when the delivery ended.
    due_at          bigint  CHECK ((due_at IS NULL) = (status <> 'pending')),
    leased_until    bigint,
    ended_at        bigint,
    attempts        bigint  NOT NULL,
    last_status     bigint,
    last_error      text,
    version         bigint  NOT NULL,
    created_at      bigint  NOT NULL,
    expires_at      bigint  NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, webhook_id) REFERENCES webhooks (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX deliveries_by_webhook ON deliveries (organization_id, webhook_id, id);
CREATE INDEX pending_deliveries ON deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX pending_deliveries_by_creation ON deliveries (webhook_id, created_at) WHERE due_at IS NOT NULL;
CREATE INDEX pending_tests ON deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL AND is_test;
CREATE INDEX deliveries_in_flight ON deliveries (organization_id, webhook_id, leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_by_expiry ON deliveries (expires_at);

-- The events. A deleted event stays until it is purged, with all that belongs to it.
CREATE TABLE events (
    organization_id     uuid    NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    id                  uuid    NOT NULL UNIQUE,
    title               text    NOT NULL,
    slug                text    COLLATE "C" NOT NULL UNIQUE,
    description         text,
    instructions        text,
    location            text,
    is_virtual          boolean NOT NULL,
    latitude            double precision,
    longitude           double precision,
    start_date          date    NOT NULL,
    end_date            date,
    timezone            text    NOT NULL,
    -- Derived from the dates and the zone, for sorting and counting. No other use reads these columns.
    starts_at           bigint  NOT NULL,
    ends_at             bigint  NOT NULL,
    language            text    NOT NULL,
    is_published        boolean NOT NULL,
    -- Whether volunteers are reminded of their shifts on the day before.
    reminders_enabled   boolean NOT NULL,
    theme               text,
    badge_label         text,
    -- The id in the organizer's own system. A deleted event keeps it, and holds it no longer.
    external_id         text    COLLATE "C",
    held_external_id    text    COLLATE "C" GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN external_id END) STORED,
    -- By the wall clock of the zone, written YYYY-MM-DDTHH:MM.
    signups_open_at     text,
    signups_close_at    text,
    waitlist_enabled    boolean NOT NULL DEFAULT FALSE,
    version             bigint  NOT NULL,
    -- A second version: only changes that affect whether and how volunteers may sign up raise it.
    gate                bigint  NOT NULL,
    created_at          bigint  NOT NULL,
    updated_at          bigint  NOT NULL,
    cancelled_at        bigint,
    cancellation_reason text,
    deleted_at          bigint,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX events_by_start ON events (organization_id, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX events_by_publication ON events (organization_id, is_published, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX cancelled_events_by_start ON events (organization_id, starts_at, id)
    WHERE cancelled_at IS NOT NULL AND deleted_at IS NULL;
-- Finds the longest event: only an event that starts at most this long before a period can last into it.
CREATE INDEX events_by_duration ON events (organization_id, (ends_at - starts_at)) WHERE deleted_at IS NULL;
CREATE INDEX active_events_by_end ON events (organization_id, ends_at)
    WHERE is_published AND cancelled_at IS NULL AND deleted_at IS NULL;
-- Partial, because most events hold no external id.
CREATE UNIQUE INDEX events_by_external_id ON events (organization_id, held_external_id) WHERE held_external_id IS NOT NULL;
CREATE UNIQUE INDEX deleted_events ON events (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX events_by_deletion ON events (deleted_at) WHERE deleted_at IS NOT NULL;

-- Data about the places of events. json keeps the text that was written. jsonb would store numbers as NUMERIC: the largest
-- double would come back with 309 digits, as a number that a JSON reader refuses.
CREATE TABLE location_data (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    data            json NOT NULL,
    PRIMARY KEY (organization_id, event_id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);

-- The shifts of events. A deleted shift stays until it is purged.
CREATE TABLE shifts (
    organization_id uuid    NOT NULL,
    id              uuid    NOT NULL,
    event_id        uuid    NOT NULL,
    title           text    NOT NULL,
    description     text,
    location        text,
    -- The id in the organizer's own system.
    external_id     text    COLLATE "C",
    -- The number of the day of the event on which the shift begins.
    day             integer NOT NULL DEFAULT 1,
    -- Minutes since midnight by the wall clock. 1440 is the end of the day.
    start_minute    integer NOT NULL,
    end_minute      integer NOT NULL,
    -- Whether the end is a time of the next day.
    ends_next_day   boolean NOT NULL DEFAULT false,
    -- Derived from the day, the minutes and the first day of the event, so that events can be selected by their open shifts.
    ends_at         bigint  NOT NULL,
    capacity        integer NOT NULL,
    minimum         integer,
    -- The number of rows in signups for this shift with the status 'confirmed'. Only writes of sign-ups change it.
    filled          integer NOT NULL CHECK (filled >= 0),
    -- The number of rows in signups for this shift with the status 'waitlisted'.
    waitlisted      integer NOT NULL DEFAULT 0 CHECK (waitlisted >= 0),
    position        integer NOT NULL,
    version         bigint  NOT NULL,
    gate            bigint  NOT NULL,
    created_at      bigint  NOT NULL,
    updated_at      bigint  NOT NULL,
    -- When, by whom and why all sign-ups for the shift were cancelled at once. The rows of the sign-ups and the totals
    -- stay as they were, so this cancellation costs the same for any number of sign-ups.
    closed_at       bigint,
    closed_by       text    COLLATE "C",
    closing_reason  text,
    closed_silently boolean NOT NULL DEFAULT FALSE,
    deleted_at      bigint,
    -- How often the time or the place changed in a way that volunteers are mailed about.
    announced       integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX shifts_by_event ON shifts (organization_id, event_id, position);
CREATE INDEX shifts_by_deletion ON shifts (deleted_at) WHERE deleted_at IS NOT NULL;

-- The questions that the sign-up form of an event asks. `options` is a JSON array of texts.
CREATE TABLE questions (
    organization_id uuid    NOT NULL,
    event_id        uuid    NOT NULL,
    position        integer NOT NULL,
    id              uuid    NOT NULL,
    label           text    NOT NULL,
    kind            text    NOT NULL,
    options         jsonb   NOT NULL,
    required        boolean NOT NULL,
    version         bigint  NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX questions_by_event ON questions (organization_id, event_id, position, id);

-- The messages of organizers to the volunteers of an event, as they were sent.
CREATE TABLE messages (
    organization_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    id              uuid NOT NULL,
    -- The only shift whose volunteers get the message, or NULL for all shifts of the event.
    shift_id        uuid,
    -- Which of the volunteers get the message: all, attended or waiting.
    audience        text NOT NULL DEFAULT 'all',
    -- Whether the message is for shifts that were over when it was sent, too.
    includes_past   boolean NOT NULL DEFAULT FALSE,
    -- The number of addresses that the message was for when it was sent.
    recipients      bigint NOT NULL DEFAULT 0,
    subject         text NOT NULL,
    text            text NOT NULL,
    sender_id       uuid NOT NULL,
    sender_name     text NOT NULL,
    created_at      bigint NOT NULL,
    -- Until when the message counts towards the limit of the event.
    counts_until    bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX messages_by_event ON messages (organization_id, event_id, counts_until);

-- The sign-ups of volunteers for shifts, as they were written. Reads use the view current_signups.
CREATE TABLE signups (
    organization_id uuid    NOT NULL,
    id              uuid    NOT NULL,
    event_id        uuid    NOT NULL,
    shift_id        uuid    NOT NULL,
    name            text    NOT NULL,
    -- The name, the address and their words in lower case and without accents, each after a line break. A search looks in this text.
    search_key      text    COLLATE "C" NOT NULL,
    email           text    NOT NULL,
    -- The address in lower-case ASCII, by which addresses are compared.
    email_key       text    COLLATE "C" NOT NULL,
    -- The name by which people with one address are told apart: NFKC, with its case folded.
    person_key      text    COLLATE "C" NOT NULL,
    -- The beginning of the sort key of the name in the root collation of Unicode, in hexadecimal digits. Other data of the collation
    -- needs a migration that writes it again.
    name_order      text    COLLATE "C" NOT NULL,
    -- What the address was told about the sign-up by the last mail, as a JSON object.
    told            jsonb   NOT NULL,
    -- The answers to the questions of the event, as a JSON array.
    answers         jsonb   NOT NULL,
    status          text    COLLATE "C" NOT NULL CHECK (status IN ('confirmed', 'waitlisted', 'cancelled')),
    version         bigint  NOT NULL,
    created_at      bigint  NOT NULL,
    -- When the mail about a repeated sign-up was last queued.
    repeated_at     bigint,
    -- Whether the volunteer came. NULL if nobody has marked it.
    attendance      text    COLLATE "C",
    -- When an organizer last marked the attendance, corrected the name or the address, or moved the sign-up to another shift.
    changed_at      bigint,
    -- Whether the sign-up waited for a place at first.
    has_waited      boolean NOT NULL DEFAULT FALSE,
    -- When a sign-up that had waited got a place.
    promoted_at     bigint,
    cancelled_at    bigint
                    CONSTRAINT signups_cancelled_at_check CHECK ((cancelled_at IS NULL) = (status <> 'cancelled')),
    cancelled_by    text    COLLATE "C",
    -- Why the organizer cancelled this one sign-up.
    cancellation_reason text,
    -- Whether nobody is mailed about the cancellation of this one sign-up.
    is_silent       boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, shift_id) REFERENCES shifts (organization_id, id) ON DELETE CASCADE
);
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
    organization_id uuid   NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    digest          bytea  NOT NULL UNIQUE,
    -- The address in lower-case ASCII.
    email_key       text   COLLATE "C" NOT NULL,
    -- What the mail is about. Not a foreign key: the link outlives the event.
    event_id        uuid   NOT NULL,
    -- The mails that the link turns off. NULL if the mail is none that can be turned off.
    unsubscribes_from text,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, email_key, digest)
);
CREATE INDEX links_by_expiry ON links (expires_at);

-- The mails that volunteers have turned off, by address and kind of mail.
CREATE TABLE opt_outs (
    organization_id uuid   NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    -- The address in lower-case ASCII.
    email_key       text   COLLATE "C" NOT NULL,
    subscription    text   NOT NULL,
    created_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, email_key, subscription)
);

-- The sign-ups as they are now: an active sign-up for a closed shift is cancelled.
--
-- The subquery has a limit, so the planner cannot make it a join. It looks up each shift by key, and the list keeps the
-- order of its index.
CREATE VIEW current_signups AS
SELECT u.organization_id, u.id, u.event_id, u.shift_id, u.name, u.search_key, u.email, u.email_key, u.person_key, u.told, u.answers,
    u.status AS stored_status, u.version, u.created_at, u.repeated_at, u.changed_at, u.has_waited, u.promoted_at, u.cancellation_reason,
    u.is_silent, CASE WHEN s.closed_at IS NULL THEN u.attendance END AS attendance,
    CASE WHEN s.closed_at IS NULL THEN u.status ELSE 'cancelled' END AS status,
    coalesce(s.closed_at, u.cancelled_at) AS cancelled_at,
    coalesce(s.closed_by, u.cancelled_by) AS cancelled_by
FROM signups u LEFT JOIN LATERAL (SELECT closed_at, closed_by FROM shifts
    WHERE organization_id = u.organization_id AND id = u.shift_id AND u.status <> 'cancelled' LIMIT 1) s ON TRUE;

-- The stored answers to requests with an idempotency key. A large outcome is compressed. `outcome` is a JSON object of type
-- json, because jsonb changes large numbers (see location_data).
CREATE TABLE receipts (
    organization_id uuid   NOT NULL,
    caller_id       uuid   NOT NULL,
    operation       text   COLLATE "C" NOT NULL,
    idempotency_key text   COLLATE "C" NOT NULL,
    outcome         json   NOT NULL,
    mails_queued    bigint NOT NULL DEFAULT 0,
    -- The SHA-256 of the input in hexadecimal digits, if the caller gave it.
    input           text,
    expires_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, caller_id, operation, idempotency_key)
);
CREATE INDEX receipts_by_expiry ON receipts (expires_at);

-- The outbox: addresses with places at an event and the mails to them, jobs, mails to send, and mails that could not be sent.
CREATE TABLE notices (
    organization_id uuid    NOT NULL,
    -- The key is the id alone: the lists of the notices of all organizations are sorted by id.
    id              uuid    PRIMARY KEY,
    -- NULL in a mail to a person who signs in or is invited.
    event_id        uuid,
    -- The address of the volunteer that the notice is for, as addresses are compared. NULL if it is for none, or for several.
    email_key       text COLLATE "C",
    -- Whether the mail may wait behind others. A code to sign in and an invitation may not.
    can_wait        boolean NOT NULL,
    -- What the notice is for, as a JSON object.
    cause           jsonb   NOT NULL,
    version         integer NOT NULL,
    attempts        integer NOT NULL,
    created_at      bigint  NOT NULL,
    -- When a process may claim the notice: the end of a lease or of a backoff. NULL while there is nothing to send.
    due_at          bigint,
    -- When a recipient with nothing to send may have to be reminded of a place. NULL for any other notice.
    remind_at       bigint,
    -- When the mail failed for good, or NULL while it is still to be sent, and why its last attempt failed.
    failed_at       bigint,
    reason          text,
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id) ON DELETE CASCADE
);
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

-- The requests of each caller in the present minute or hour, counted for all processes together. A caller is a token or a
-- person, or under the organization 0 a person, the address of a client, an email address for which codes are asked, with or without
-- the address of a client, or a sign-in that is confirmed. The table is unlogged: a commit that changes no other table does not wait
-- for the disk, and a crash loses the counts.
CREATE UNLOGGED TABLE windows (
    organization_id uuid    NOT NULL,
    caller          text    COLLATE "C" NOT NULL,
    opened_at       bigint  NOT NULL,
    ends_at         bigint  NOT NULL,
    requests        integer NOT NULL,
    PRIMARY KEY (organization_id, caller)
) WITH (fillfactor = 50);
CREATE INDEX windows_by_end ON windows (ends_at);
