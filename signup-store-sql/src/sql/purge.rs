//! The statements that remove deleted records for good.

/// Each removes at most `$2` rows of what was deleted at or before `$1`. Children come before their parents. The statements
/// run in one transaction, and each sees what the ones before have removed.
///
/// `CROSS JOIN` makes SQLite read the few deleted events first.
pub(crate) const DELETED: &[&str] = &[
    "DELETE FROM notices WHERE id IN (SELECT n.id FROM events e CROSS JOIN notices n \
     WHERE e.deleted_at <= $1 AND n.organization_id = e.organization_id AND n.event_id = e.id \
     ORDER BY n.id LIMIT $2)",
    "DELETE FROM signups WHERE (organization_id, id) IN (SELECT u.organization_id, u.id \
     FROM events e CROSS JOIN signups u \
     WHERE e.deleted_at <= $1 AND u.organization_id = e.organization_id AND u.event_id = e.id \
     ORDER BY u.id LIMIT $2)",
    "DELETE FROM questions WHERE (organization_id, id) IN (SELECT q.organization_id, q.id \
     FROM events e CROSS JOIN questions q \
     WHERE e.deleted_at <= $1 AND q.organization_id = e.organization_id AND q.event_id = e.id LIMIT $2)",
    "DELETE FROM shifts WHERE (organization_id, id) IN (SELECT s.organization_id, s.id \
     FROM events e CROSS JOIN shifts s \
     WHERE e.deleted_at <= $1 AND s.organization_id = e.organization_id AND s.event_id = e.id \
     AND NOT EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = s.organization_id AND u.shift_id = s.id) \
     AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.organization_id = s.organization_id AND n.shift_id = s.id) \
     LIMIT $2)",
    "DELETE FROM shifts WHERE (organization_id, id) IN (SELECT s.organization_id, s.id \
     FROM shifts s WHERE s.deleted_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = s.organization_id AND u.shift_id = s.id) \
     AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.organization_id = s.organization_id AND n.shift_id = s.id) \
     LIMIT $2)",
    "DELETE FROM events WHERE (organization_id, id) IN (SELECT e.organization_id, e.id \
     FROM events e WHERE e.deleted_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM shifts s WHERE s.organization_id = e.organization_id AND s.event_id = e.id) \
     AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.organization_id = e.organization_id AND q.event_id = e.id) \
     ORDER BY e.id LIMIT $2)",
];
