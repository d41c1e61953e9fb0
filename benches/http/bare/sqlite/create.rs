//! Creates: a commit for each request, and one for all requests that wait.
//!
//! Both bind every column of every row as a parameter, and insert all rows of a table in one statement: taking columns out
//! of JSON costs SQLite more than all else that it does for them. A text is built once for each number of rows, and sqlx
//! keeps it prepared.

use std::sync::{LazyLock, OnceLock};

use signup_benches::event;
use sqlx::Sqlite;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqlitePool};
use sqlx::{ConnectOptions as _, query};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::{Draft, database, serve, writer};

/// How an insert begins, and a row of it. A `?` is the next of the values: a number would be looked up by its text in every
/// run.
type Insert = [&'static str; 2];

const EVENTS: Insert = [
    "INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, start_date, timezone, \
     is_published, created_at, updated_at, starts_at, ends_at) VALUES ",
    "(?, ?, ?, ?, ?, ?, 0, ?, ?, 0, ?, ?, ?, ?)",
];
const SHIFTS: Insert = [
    "INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, version, \
     created_at, updated_at) VALUES ",
    "(?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
];
const RECEIPTS: Insert = [
    "INSERT INTO receipts (organization_id, token_id, operation, idempotency_key, outcome, expires_at) VALUES ",
    "(?, ?, 'create-event', ?, ?, ?)",
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

const RECEIPT: &str = "SELECT outcome FROM receipts WHERE organization_id = $1 AND token_id = $1 \
     AND operation = 'create-event' AND idempotency_key = $2 AND expires_at > $3";
static INSERT_EVENT: LazyLock<String> = LazyLock::new(|| insert(EVENTS, 1));
static INSERT_SHIFTS: LazyLock<String> = LazyLock::new(|| insert(SHIFTS, SHIFTS_EACH));
static INSERT_RECEIPT: LazyLock<String> = LazyLock::new(|| insert(RECEIPTS, 1));

/// A transaction for each request, as the documentation of sqlx shows it.
pub(crate) async fn create_each() {
    let (_folder, organization, options) = database().await;
    let pool = writer(options).await;
    serve(move || {
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
    // A slug that is taken is refused by its unique index.
    let event = bind_event(sqlx::query(INSERT_EVENT.as_str()), organization, draft);
    event.execute(&mut *transaction).await?;
    let shifts = bind_shifts(sqlx::query(INSERT_SHIFTS.as_str()), organization, draft);
    shifts.execute(&mut *transaction).await?;
    let receipt = sqlx::query(INSERT_RECEIPT.as_str());
    bind_receipt(receipt, organization, draft, outcome.clone()).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(outcome)
}

/// The most that one commit takes: all shifts of so many are fewer parameters than one statement of SQLite may have.
const MOST_IN_A_BATCH: usize = 256;

/// All that waits in one commit, and one hand-off to SQLite's thread.
///
/// Unique indexes check what has to be checked. A batch in which a slug or a key is taken already would fail as a whole, and
/// be tried one by one; here none is.
pub(crate) async fn create_batches() {
    let (_folder, organization, options) = database().await;
    let connection = options.connect().await.unwrap();
    let (sender, waiting) = mpsc::channel(1024);
    drop(tokio::spawn(commit_batches(connection, organization, waiting)));
    serve(move || {
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

/// What a batch is made of, and whom to tell when it is durable.
struct Waiting {
    draft: Draft,
    outcome: String,
    done: oneshot::Sender<()>,
}

async fn commit_batches(
    mut connection: SqliteConnection,
    organization: Uuid,
    mut waiting: mpsc::Receiver<Waiting>,
) {
    let mut batch = vec![];
    while waiting.recv_many(&mut batch, MOST_IN_A_BATCH).await > 0 {
        insert_batch(organization, &mut batch).execute(&mut connection).await.unwrap();
        for Waiting { done, .. } in batch.drain(..) {
            done.send(()).unwrap();
        }
    }
}

/// The whole transaction, table by table.
fn insert_batch(organization: Uuid, batch: &mut [Waiting]) -> Query {
    let mut query = sqlx::query(batch_text(batch.len()));
    for Waiting { draft, .. } in &*batch {
        query = bind_event(query, organization, draft);
    }
    for Waiting { draft, .. } in &*batch {
        query = bind_shifts(query, organization, draft);
    }
    for Waiting { draft, outcome, .. } in batch {
        query = bind_receipt(query, organization, draft, std::mem::take(outcome));
    }
    query
}

fn batch_text(size: usize) -> &'static str {
    static TEXTS: [OnceLock<String>; MOST_IN_A_BATCH + 1] = [const { OnceLock::new() }; MOST_IN_A_BATCH + 1];
    TEXTS[size].get_or_init(|| {
        let tables = [insert(EVENTS, size), insert(SHIFTS, size * SHIFTS_EACH), insert(RECEIPTS, size)];
        format!("BEGIN IMMEDIATE; {}; COMMIT", tables.join("; "))
    })
}
