//! The statements that remove expired and deleted records for good.
//!
//! A purge is a list of statements, each with a limit. A deleted event is removed from below: its notices, its sign-ups, its
//! shifts, and then the event itself, with the little that is left of it. Each statement finds its rows by an index, so the cost
//! depends on the limit, and not on the number of records that stay. The exception are deleted shifts of events that stay: each
//! purge looks at those that still have sign-ups again.
//!
//! On PostgreSQL a statement locks only the rows that it removes, and skips rows that are locked. So several processes can purge at
//! once.

use signup_core::Purge;

use super::{Dialect, Statement, values};

/// The deleted event that comes first.
const EVENT: &str = "(SELECT organization_id, id FROM events WHERE deleted_at <= $2 ORDER BY deleted_at, organization_id, id LIMIT 1)";

/// A purge of at most `limit` records.
#[derive(Debug)]
pub(crate) struct Portion {
    dialect: Dialect,
    until: i64,
    room: u64,
    limit: u64,
    steps: Vec<String>,
    next: usize,
    /// The number of the first steps that remove one event. They are repeated while there is an event.
    of_event: usize,
}

impl Portion {
    pub(crate) fn new(dialect: Dialect, purge: Purge, limit: u32) -> Self {
        let (until, steps, of_event) = match purge {
            Purge::Expired(until) => (until.as_second(), expired(dialect), 0),
            Purge::FailedNotices(until) => (until.as_second(), vec![failed_notices(dialect)], 0),
            Purge::Deleted(until) => {
                let mut steps = event(dialect);
                let of_event = steps.len();
                steps.push(shifts(dialect));
                (until.as_second(), steps, of_event)
            }
            Purge::Traces => (0, vec![], 0),
        };
        let limit = u64::from(limit);
        Self { dialect, until, room: limit, limit, steps, next: 0, of_event }
    }

    /// Returns the next statement, `None` at the end. The statement returns the number of removed rows: on PostgreSQL as a row with
    /// one text.
    pub(crate) fn next(&self) -> Option<Statement> {
        let text = self.steps.get(self.next).filter(|_| self.room > 0)?;
        let room = i64::try_from(self.room).unwrap_or(i64::MAX);
        Some(Statement::of(self.dialect, text, values![room, self.until]))
    }

    /// Notes how many rows the statement has removed.
    pub(crate) fn removed(&mut self, rows: u64) {
        self.room = self.room.saturating_sub(rows);
        self.next += 1;
        if rows > 0 && self.next == self.of_event {
            self.next = 0;
        }
    }

    /// Returns how many records were removed.
    pub(crate) const fn total(&self) -> u64 {
        self.limit - self.room
    }

    /// Returns the text of each statement.
    #[cfg(test)]
    pub(crate) fn statements(mut self) -> Vec<Statement> {
        let texts = std::mem::take(&mut self.steps);
        texts.iter().map(|text| Statement::of(self.dialect, text, values![100_i64, self.until])).collect()
    }
}

/// The order within a kind is the same in every store.
fn expired(dialect: Dialect) -> Vec<String> {
    let tables = [
        ("receipts", "c.organization_id, c.caller_id, c.operation, c.idempotency_key"),
        ("links", "c.organization_id, c.digest"),
        ("activity", "c.organization_id, c.id"),
        ("deliveries", "c.organization_id, c.id"),
        ("invitations", "c.organization_id, c.id"),
        ("sign_in_codes", "c.browser"),
        ("sign_ins", "c.digest"),
    ];
    let remove = |(table, key)| {
        delete(dialect, table, &format!("{table} c WHERE c.expires_at <= $2 ORDER BY c.expires_at, {key}"))
    };
    tables.map(remove).to_vec()
}

fn failed_notices(dialect: Dialect) -> String {
    delete(dialect, "notices", "notices c WHERE c.failed_at <= $2 ORDER BY c.failed_at")
}

/// Removes the first deleted event. A statement that finds fewer rows than it may remove leaves none for those that follow.
fn event(dialect: Dialect) -> Vec<String> {
    let of_event = |table: &str| {
        delete(dialect, table, &format!("{table} c WHERE (c.organization_id, c.event_id) = {EVENT}"))
    };
    let event = delete(dialect, "events", &format!("events c WHERE (c.organization_id, c.id) = {EVENT}"));
    vec![of_event("notices"), of_event("signups"), of_event("shifts"), event]
}

/// Removes deleted shifts that no sign-up refers to.
fn shifts(dialect: Dialect) -> String {
    let has_no_signup = "(SELECT 1 FROM signups n WHERE n.organization_id = c.organization_id AND n.shift_id = c.id LIMIT 1) IS NULL";
    let rows = format!("shifts c WHERE c.deleted_at <= $2 AND {has_no_signup} ORDER BY c.deleted_at");
    delete(dialect, "shifts", &rows)
}

/// Returns the statement that removes the first rows `c` of a table. PostgreSQL finds a row by its `ctid` without an index.
fn delete(dialect: Dialect, table: &str, rows: &str) -> String {
    match dialect {
        Dialect::Sqlite => {
            format!("DELETE FROM {table} WHERE rowid IN (SELECT c.rowid FROM {rows} LIMIT $1)")
        }
        Dialect::Postgres => format!(
            "WITH removed AS (DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT c.ctid FROM {rows} LIMIT $1 \
             FOR UPDATE OF c SKIP LOCKED)) RETURNING 1) SELECT CAST(count(*) AS TEXT) FROM removed"
        ),
    }
}
