-- Events can be changed, cancelled and deleted, and shifts deleted. Deleted rows stay until they are purged. No query of a list
-- reads them, so the indexes of lists leave them out.

ALTER TABLE events ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1);
ALTER TABLE events ADD COLUMN cancelled_at INTEGER;
ALTER TABLE events ADD COLUMN cancellation_reason TEXT CHECK (length(cancellation_reason) BETWEEN 1 AND 1000);
ALTER TABLE events ADD COLUMN deleted_at INTEGER;
DROP INDEX events_by_start;
DROP INDEX events_by_publication_and_start;
DROP INDEX published_events_by_end;
CREATE INDEX events_by_start ON events (organization_id, starts_at, id) WHERE deleted_at IS NULL;
CREATE INDEX events_by_publication_and_start ON events (organization_id, is_published, starts_at, id)
    WHERE deleted_at IS NULL;
-- The last two columns are always NULL here. With them the index alone answers a count of active events.
CREATE INDEX active_events_by_end ON events (organization_id, ends_at, cancelled_at, deleted_at)
    WHERE cancelled_at IS NULL AND deleted_at IS NULL AND is_published = 1;
CREATE UNIQUE INDEX deleted_events ON events (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX events_by_deletion ON events (deleted_at) WHERE deleted_at IS NOT NULL;

ALTER TABLE shifts ADD COLUMN deleted_at INTEGER;
CREATE INDEX shifts_by_deletion ON shifts (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX questions_by_id ON questions (organization_id, id);

-- NULL for a confirmed sign-up, and for one that an earlier version cancelled: it was the volunteer.
ALTER TABLE signups ADD COLUMN cancelled_by TEXT
    CHECK (cancelled_by IN ('volunteer', 'operator', 'shift_deletion', 'event_cancellation'));
-- All sign-ups for a shift, in the place of the confirmed ones: their list shows cancelled ones, too.
DROP INDEX confirmed_signups_by_shift;
CREATE INDEX signups_by_shift ON signups (organization_id, shift_id, id);
