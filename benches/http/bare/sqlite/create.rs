//! Creates: a commit for each request, and a commit for each batch of waiting requests.
//!
//! Both programs bind every column of every row as a parameter and insert all rows of a table with one statement. Columns
//! in JSON are slower: SQLite spends more time on the JSON than on the insert. The text of a statement is built once for
//! each number of rows, and sqlx caches the prepared statement.

use std::sync::{LazyLock, OnceLock};

use signup_benches::event;
use sqlx::Sqlite;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqlitePool};
use sqlx::{ConnectOptions as _, query};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::{ACTOR, Draft, database, serve, writer};

/// The beginning of an insert, and the text of one row. A parameter is a plain `?`, because sqlx looks up a numbered one by
/// its text at every execution.
type Insert = [&'static str; 2];

const EVENTS: Insert = [
    "INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, start_date, timezone, \
     is_published, version, gate, created_at, updated_at, starts_at, ends_at, length_class) VALUES ",
    "(?, ?, ?, ?, ?, ?, 0, ?, ?, 0, 1, 1, ?, ?, ?, ?, 0)",
];
const SHIFTS: Insert = [
    "INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, filled, version, \
     gate, ends_at, created_at, updated_at) VALUES ",
    "(?, ?, ?, ?, ?, ?, ?, ?, 0, 1, 1, 0, ?, ?)",
];
const RECEIPTS: Insert = [
    "INSERT INTO receipts (organization_id, caller_id, operation, idempotency_key, outcome, expires_at) VALUES ",
    "(?, ?, 'create-event', ?, ?, ?)",
];
const ACTIVITY: Insert = [
    "INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, changes, expires_at) VALUES ",
    "(?, ?, 'event.created', ?, ?, ?, '[]', ?)",
];
const SHIFTS_EACH: usize = event::SHIFTS as usize;

fn insert([beginning, row]: Insert, rows: usize) -> String {
    beginning.to_owned() + &vec![row; rows].join(", ")
}

type Query = query::Query<'static, Sqlite, SqliteArguments>;

fn bind_event(query: Query, organization: Uuid, draft: &Draft) -> Query {
    let query = query.bind(organization).bind(draft.event).bind(event::TITLE).bind(draft.slug());
    let query = query.bind(event::DESCRIPTION).bind(event::LOCATION).bind(event::DATE).bind(event::ZONE);
    query.bind(draft.now).bind(draft.now).bind(Draft::STARTS_AT).bind(Draft::ENDS_AT)
}

fn bind_shifts(query: Query, organization: Uuid, draft: &Draft) -> Query {
    let [start, end] = event::MINUTES;
    draft.shifts().fold(query, |query, (id, position)| {
        let query = query.bind(organization).bind(draft.event).bind(id).bind(event::shift_title(position));
        let query = query.bind(start).bind(end).bind(event::CAPACITY).bind(position);
        query.bind(draft.now).bind(draft.now)
    })
}

fn bind_receipt(query: Query, organization: Uuid, draft: &Draft, outcome: String) -> Query {
    let query = query.bind(organization).bind(organization).bind(draft.key());
    query.bind(outcome).bind(draft.expires_at())
}

fn bind_activity(query: Query, organization: Uuid, draft: &Draft) -> Query {
    let query = query.bind(organization).bind(draft.activity).bind(draft.now).bind(ACTOR);
    query.bind(draft.event).bind(draft.activity_expires_at())
}

const RECEIPT: &str = "SELECT outcome FROM receipts WHERE organization_id = $1 AND caller_id = $1 \
     AND operation = 'create-event' AND idempotency_key = $2 AND expires_at > $3";
static INSERT_EVENT: LazyLock<String> = LazyLock::new(|| insert(EVENTS, 1));
static INSERT_SHIFTS: LazyLock<String> = LazyLock::new(|| insert(SHIFTS, SHIFTS_EACH));
static INSERT_RECEIPT: LazyLock<String> = LazyLock::new(|| insert(RECEIPTS, 1));
static INSERT_ACTIVITY: LazyLock<String> = LazyLock::new(|| insert(ACTIVITY, 1));

/// Runs a transaction for each request, as the documentation of sqlx shows.
pub(crate) async fn create_each() {
    let (_folder, organization, options) = database().await;
    let pool = writer(options).await;
    serve(move |_| {
        let pool = pool.clone();
        async move { create(&pool, organization, &Draft::new()).await.unwrap() }
    })
    .await;
}

pub(super) async fn create(pool: &SqlitePool, organization: Uuid, draft: &Draft) -> sqlx::Result<String> {
    let outcome = draft.outcome();
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let receipt = sqlx::query_scalar(RECEIPT).bind(organization).bind(draft.key()).bind(draft.now);
    if let Some(outcome) = receipt.fetch_optional(&mut *transaction).await? {
        return Ok(outcome);
    }
    // The unique index refuses a slug that is taken.
    let event = bind_event(sqlx::query(INSERT_EVENT.as_str()), organization, draft);
    event.execute(&mut *transaction).await?;
    let shifts = bind_shifts(sqlx::query(INSERT_SHIFTS.as_str()), organization, draft);
    shifts.execute(&mut *transaction).await?;
    let receipt = sqlx::query(INSERT_RECEIPT.as_str());
    bind_receipt(receipt, organization, draft, outcome.clone()).execute(&mut *transaction).await?;
    let activity = bind_activity(sqlx::query(INSERT_ACTIVITY.as_str()), organization, draft);
    activity.execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(outcome)
}

/// The maximum number of creates in one commit. The parameters of their shifts stay below SQLite's limit for one statement.
const MAX_BATCH: usize = 256;

/// Commits all waiting creates together, with one call to SQLite's thread.
///
/// Unique indexes refuse a key or a slug that is taken. A batch with one would fail as a whole and be retried one create at
/// a time. No request of the benchmark has such a key or slug, so this program has no retry.
pub(crate) async fn create_batches() {
    let (_folder, organization, options) = database().await;
    let connection = options.connect().await.unwrap();
    let (sender, waiting) = mpsc::channel(1024);
    drop(tokio::spawn(commit_batches(connection, organization, waiting)));
    serve(move |_| {
        let sender = sender.clone();
        async move {
            let draft = Draft::new();
            let outcome = draft.outcome();
            let (done, committed) = oneshot::channel();
            sender.send(Waiting { draft, outcome: outcome.clone(), done }).await.unwrap();
            committed.await.unwrap();
            outcome
        }
    })
    .await;
}

/// A create that waits for its commit.
struct Waiting {
    draft: Draft,
    outcome: String,
    /// Resolves the request after the commit.
    done: oneshot::Sender<()>,
}

async fn commit_batches(
    mut connection: SqliteConnection,
    organization: Uuid,
    mut waiting: mpsc::Receiver<Waiting>,
) {
    let mut batch = vec![];
    while waiting.recv_many(&mut batch, MAX_BATCH).await > 0 {
        insert_batch(organization, &mut batch).execute(&mut connection).await.unwrap();
        for Waiting { done, .. } in batch.drain(..) {
            done.send(()).unwrap();
        }
    }
}

/// Builds the transaction of a batch, table by table, and takes the outcomes out of the batch.
fn insert_batch(organization: Uuid, batch: &mut [Waiting]) -> Query {
    let mut query = sqlx::query(batch_text(batch.len()));
    for Waiting { draft, .. } in &*batch {
        query = bind_event(query, organization, draft);
    }
    for Waiting { draft, .. } in &*batch {
        query = bind_shifts(query, organization, draft);
    }
    for Waiting { draft, outcome, .. } in &mut *batch {
        query = bind_receipt(query, organization, draft, std::mem::take(outcome));
    }
    for Waiting { draft, .. } in batch {
        query = bind_activity(query, organization, draft);
    }
    query
}

fn batch_text(size: usize) -> &'static str {
    static TEXTS: [OnceLock<String>; MAX_BATCH + 1] = [const { OnceLock::new() }; MAX_BATCH + 1];
    TEXTS[size].get_or_init(|| {
        let rows = [(EVENTS, size), (SHIFTS, size * SHIFTS_EACH), (RECEIPTS, size), (ACTIVITY, size)];
        let tables = rows.map(|(table, rows)| insert(table, rows));
        format!("BEGIN IMMEDIATE; {}; COMMIT", tables.join("; "))
    })
}
