//! The statements that remove expired and deleted records for good.
//!
//! A purge is a list of steps, which run in their order. The cost of a step depends on its limit, and not on the number of
//! records that stay: each step starts at the end of an index, and finds children by an index of their parent. The exception
//! are deleted shifts of events that stay: each step looks at those that still have sign-ups again.
//!
//! A purge first marks the events that are due. From then on every read and every restore misses such an event, however long
//! the rest takes. Then each step removes rows that nothing refers to, so that `ON DELETE CASCADE` has nothing to remove.
//!
//! On PostgreSQL a step locks only the rows that it changes, and skips rows that are locked. So several processes can purge at
//! once, and a purge waits for no commit.

use signup_core::Purge;

use super::{Dialect, Statement, values};

/// One statement of a purge. It returns the number of rows that it changed: on PostgreSQL as a row with one text.
#[derive(Debug)]
pub(crate) struct Step {
    dialect: Dialect,
    text: String,
    until: i64,
    /// Whether the changed rows are gone. Otherwise they are only marked.
    pub(crate) removes: bool,
}

impl Step {
    /// Returns the statement for at most `limit` rows.
    pub(crate) fn statement(&self, limit: u64) -> Statement {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Statement::of(self.dialect, &self.text, values![limit, self.until])
    }
}

/// Returns the steps of a purge.
pub(crate) fn steps(dialect: Dialect, purge: Purge) -> Vec<Step> {
    let (until, texts) = match purge {
        Purge::Expired(until) => (until, expired(dialect)),
        Purge::FailedNotices(until) => (until, vec![failed_notices(dialect)]),
        Purge::Traces => return vec![],
        Purge::Deleted(until) => {
            let mark = mark(dialect);
            let mark = Step { dialect, text: mark, until: until.as_second(), removes: false };
            return std::iter::once(mark)
                .chain(removals(dialect, until.as_second(), deleted(dialect)))
                .collect();
        }
    };
    removals(dialect, until.as_second(), texts).collect()
}

fn removals(dialect: Dialect, until: i64, texts: Vec<String>) -> impl Iterator<Item = Step> {
    texts.into_iter().map(move |text| Step { dialect, text, until, removes: true })
}

/// The order within a kind is the same in every store.
fn expired(dialect: Dialect) -> Vec<String> {
    let tables = [
        ("receipts", "c.organization_id, c.caller_id, c.operation, c.idempotency_key"),
        ("activity", "c.organization_id, c.id"),
        ("deliveries", "c.organization_id, c.id"),
        ("invitations", "c.organization_id, c.id"),
        ("sign_in_codes", "c.browser"),
        ("sign_ins", "c.digest"),
    ];
    let remove = |(table, key)| {
        let rows = format!("c.expires_at <= $2 ORDER BY c.expires_at, {key}");
        delete(dialect, table, &first(dialect, table, &rows))
    };
    tables.map(remove).to_vec()
}

fn failed_notices(dialect: Dialect) -> String {
    delete(dialect, "notices", &first(dialect, "notices", "c.failed_at <= $2 ORDER BY c.failed_at"))
}

/// Marks the events that are due. A requirement on the old version or the old gate fails from then on. The slug is free for
/// another event.
fn mark(dialect: Dialect) -> String {
    let due = first(dialect, "events", "c.deleted_at <= $2 AND NOT c.is_purged ORDER BY c.deleted_at");
    let slug = dialect.id_text("id");
    let change = format!(
        "UPDATE events SET is_purged = TRUE, version = version + 1, gate = gate + 1, slug = 'purged ' || {slug}"
    );
    change_rows(dialect, &change, &due)
}

/// The first events that are marked.
const EVENTS: &str =
    "(SELECT organization_id, id FROM events WHERE is_purged ORDER BY organization_id, id LIMIT $1)";

/// Removes what belongs to the first marked events, and deleted shifts.
fn deleted(dialect: Dialect) -> Vec<String> {
    const OF_EVENT: &str = "c.organization_id = p.organization_id AND c.event_id = p.id";
    const OF_SHIFT: &str = "c.organization_id = p.organization_id AND c.shift_id = p.id";
    let place = place(dialect);
    let remove = |table: &str, parents: &str, condition: &str| {
        let rows =
            children(dialect, &place, parents, table, &format!("{condition} LIMIT $1{}", lock(dialect)));
        delete(dialect, table, &rows)
    };
    let shifts = format!(
        "({})",
        children(dialect, "c.organization_id, c.id", EVENTS, "shifts", &format!("{OF_EVENT} LIMIT $1"))
    );
    let has_no = |children: &str, column: &str| {
        format!(
            "(SELECT 1 FROM {children} n WHERE n.organization_id = c.organization_id AND n.{column} = c.id LIMIT 1) IS NULL"
        )
    };
    let signup_has_no = |children: &str| {
        format!(
            "(SELECT 1 FROM {children} n WHERE n.organization_id = c.organization_id AND n.shift_id = c.shift_id \
             AND n.signup_id = c.id LIMIT 1) IS NULL"
        )
    };
    let is_unused = format!("{} AND {}", has_no("signups", "shift_id"), has_no("notices", "shift_id"));
    let is_empty = ["shifts", "questions", "messages", "location_data"]
        .map(|table| has_no(table, "event_id"))
        .join(" AND ");
    let due_shifts = format!("c.deleted_at <= $2 AND {is_unused} ORDER BY c.deleted_at");
    vec![
        remove("notices", &shifts, OF_SHIFT),
        remove("links", &shifts, OF_SHIFT),
        remove(
            "signups",
            &shifts,
            &format!("{OF_SHIFT} AND {} AND {}", signup_has_no("notices"), signup_has_no("links")),
        ),
        remove("questions", EVENTS, OF_EVENT),
        remove("messages", EVENTS, OF_EVENT),
        remove("location_data", EVENTS, OF_EVENT),
        remove("shifts", EVENTS, &format!("{OF_EVENT} AND {is_unused}")),
        delete(dialect, "shifts", &first(dialect, "shifts", &due_shifts)),
        remove(
            "events",
            EVENTS,
            &format!("c.organization_id = p.organization_id AND c.id = p.id AND {is_empty}"),
        ),
    ]
}

/// Returns the place of a row `c` in its table.
fn place(dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite => "c.rowid AS place".to_owned(),
        Dialect::Postgres => "c.ctid AS place".to_owned(),
    }
}

const fn lock(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR UPDATE SKIP LOCKED",
    }
}

/// Returns a query for the places of the first rows `c` of a table.
fn first(dialect: Dialect, table: &str, condition_and_order: &str) -> String {
    let (place, lock) = (place(dialect), lock(dialect));
    format!("SELECT {place} FROM {table} c WHERE {condition_and_order} LIMIT $1{lock}")
}

/// Returns a query for `columns` of the first children `c` of the rows `p` of `parents`.
///
/// The database must take the parents one after another, and look up the children of each: SQLite does so for `CROSS JOIN`, and
/// PostgreSQL for a subquery with a limit.
fn children(dialect: Dialect, columns: &str, parents: &str, table: &str, condition: &str) -> String {
    match dialect {
        Dialect::Sqlite => {
            format!("SELECT {columns} FROM {parents} p CROSS JOIN {table} c WHERE {condition}")
        }
        Dialect::Postgres => format!(
            "SELECT c.* FROM {parents} p CROSS JOIN LATERAL (SELECT {columns} FROM {table} c WHERE {condition}) c LIMIT $1"
        ),
    }
}

fn delete(dialect: Dialect, table: &str, places: &str) -> String {
    change_rows(dialect, &format!("DELETE FROM {table}"), places)
}

/// Returns the statement that changes the rows at `places`. PostgreSQL reads a row at a place without an index.
fn change_rows(dialect: Dialect, change: &str, places: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("{change} WHERE rowid IN ({places})"),
        Dialect::Postgres => format!(
            "WITH changed AS ({change} WHERE ctid = ANY (ARRAY({places})) RETURNING 1) \
             SELECT CAST(count(*) AS TEXT) FROM changed"
        ),
    }
}
