//! Bare programs on SQLite, `synchronous=FULL`.

use std::path::Path;

use serde_json::{Value, json};
use signup_benches::event;
use signup_core::{Clock as _, SystemClock};
use signup_store_sql::SqliteStore;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Row as _};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::{Draft, organization, serve};

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging()
}

const SLOTS: &str = "SELECT (SELECT json_group_array(json_array(hex(s.id), hex(s.organization_id), hex(s.event_id), s.title, \
     s.location, s.start_minute, s.end_minute, s.capacity, s.filled, s.position, s.version, s.created_at, s.updated_at, \
     e.start_date, e.timezone, e.is_virtual)) FROM shifts s WHERE s.organization_id = e.organization_id \
     AND s.event_id = e.id) FROM events e WHERE e.organization_id = $1 AND e.id = $2";
const LIST: &str = "SELECT json_group_array(json_array(hex(e.id), hex(e.organization_id), e.title, e.slug, e.description, \
     e.location, e.is_virtual, iif(e.latitude IS NULL, NULL, format('%!.17g', e.latitude)), \
     iif(e.longitude IS NULL, NULL, format('%!.17g', e.longitude)), e.location_data, e.start_date, e.end_date, e.timezone, \
     e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at)) \
     FROM (SELECT * FROM events WHERE organization_id = $1 ORDER BY starts_at DESC, id DESC LIMIT 26) e";

/// Reads all rows as one, which is the fastest way through sqlx, and answers with its text.
pub(crate) async fn read(file: &str, rows: &str, organization: Uuid, event: Uuid) {
    // As many connections as processors, without a look at each before it is used: more of either is slower.
    let pool = SqlitePoolOptions::new().max_connections(2).test_before_acquire(false);
    let pool = pool.connect_with(options(Path::new(file)).read_only(true)).await.unwrap();
    let is_slots = rows == "slots";
    serve(move || {
        let pool = pool.clone();
        async move {
            let query = sqlx::query_scalar(if is_slots { SLOTS } else { LIST }).bind(organization);
            let query = if is_slots { query.bind(event) } else { query };
            query.fetch_one(&pool).await.unwrap()
        }
    })
    .await;
}

/// A new database with the schema of the store, an organization, and the one connection that writes.
async fn database() -> (TempDir, Uuid, SqliteConnectOptions) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bare.db");
    let store = SqliteStore::open(&file).await.unwrap();
    let organization = organization(store.clone()).await;
    store.close().await;
    (folder, organization, options(&file))
}

/// As a pool of one, so that requests wait for each other here and not for SQLite's lock.
async fn writer(options: SqliteConnectOptions) -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).test_before_acquire(false);
    // Whoever comes last has waited for all the others.
    pool.acquire_timeout(std::time::Duration::from_secs(60)).connect_with(options).await.unwrap()
}

const RECEIPT: &str = "SELECT outcome FROM receipts WHERE organization_id = $1 AND token_id = $1 \
     AND operation = 'create-event' AND idempotency_key = $2 AND expires_at > $3";
const INSERT_EVENT: &str = "INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, \
     start_date, timezone, is_published, created_at, updated_at, starts_at, ends_at) \
     VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, 0, $9, $9, $10, $11)";
const INSERT_SHIFTS: &str = "INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, \
     position, version, created_at, updated_at) SELECT $1, $2, unhex(value->>0), value->>1, value->>2, value->>3, \
     value->>4, value->>5, 1, $3, $3 FROM json_each($4)";
const INSERT_RECEIPT: &str = "INSERT INTO receipts (organization_id, token_id, operation, idempotency_key, outcome, expires_at) \
     VALUES ($1, $1, 'create-event', $2, $3, $4)";

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

async fn create(pool: &SqlitePool, organization: Uuid, draft: &Draft) -> sqlx::Result<String> {
    let (key, outcome) = (draft.key(), draft.outcome());
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let receipt = sqlx::query_scalar(RECEIPT).bind(organization).bind(&key).bind(draft.now);
    if let Some(outcome) = receipt.fetch_optional(&mut *transaction).await? {
        return Ok(outcome);
    }
    // A slug that is taken is refused by its unique index.
    let event = sqlx::query(INSERT_EVENT).bind(organization).bind(draft.event);
    let event = event.bind(event::TITLE).bind(draft.slug()).bind(event::DESCRIPTION).bind(event::LOCATION);
    let event = event.bind(event::DATE).bind(event::ZONE).bind(draft.now);
    event.bind(Draft::STARTS_AT).bind(Draft::ENDS_AT).execute(&mut *transaction).await?;
    let shifts = sqlx::query(INSERT_SHIFTS).bind(organization).bind(draft.event).bind(draft.now);
    shifts.bind(Value::Array(draft.shift_rows()).to_string()).execute(&mut *transaction).await?;
    let receipt = sqlx::query(INSERT_RECEIPT).bind(organization).bind(key).bind(&outcome);
    receipt.bind(draft.expires_at()).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(outcome)
}

/// The most that one commit takes.
const MOST_IN_A_BATCH: usize = 256;
const INSERT_BATCH: &str = "BEGIN IMMEDIATE; \
     INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, start_date, timezone, \
     is_published, created_at, updated_at, starts_at, ends_at) SELECT $1, unhex(value->>0), value->>1, value->>2, value->>3, \
     value->>4, 0, value->>5, value->>6, 0, value->>7, value->>7, value->>8, value->>9 FROM json_each($2); \
     INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, version, \
     created_at, updated_at) SELECT $1, unhex(e.value->>0), unhex(s.value->>0), s.value->>1, s.value->>2, s.value->>3, \
     s.value->>4, s.value->>5, 1, e.value->>7, e.value->>7 FROM json_each($2) e, json_each(e.value, '$[10]') s; \
     INSERT INTO receipts (organization_id, token_id, operation, idempotency_key, outcome, expires_at) \
     SELECT $1, $1, 'create-event', value->>11, value->>12, value->>13 FROM json_each($2); \
     COMMIT;";

/// All that waits in one commit, and one hand-off to SQLite's thread.
///
/// Unique indexes check what has to be checked. A batch in which a slug or a key is taken already would fail as a whole, and
/// be tried one by one; here none is.
pub(crate) async fn create_batches() {
    let (_folder, organization, options) = database().await;
    let connection = options.connect().await.unwrap();
    let (sender, waiting) = mpsc::channel::<Waiting>(1024);
    drop(tokio::spawn(commit_batches(connection, organization, waiting)));
    serve(move || {
        let sender = sender.clone();
        async move {
            let draft = Draft::new();
            let outcome = draft.outcome();
            let row = json!([
                draft.event.simple().to_string(),
                event::TITLE,
                draft.slug(),
                event::DESCRIPTION,
                event::LOCATION,
                event::DATE,
                event::ZONE,
                draft.now,
                Draft::STARTS_AT,
                Draft::ENDS_AT,
                draft.shift_rows(),
                draft.key(),
                outcome,
                draft.expires_at(),
            ]);
            let (done, committed) = oneshot::channel();
            sender.send((row.to_string(), done)).await.unwrap();
            committed.await.unwrap();
            outcome
        }
    })
    .await;
}

/// A row of a batch, and whom to tell when it is durable.
type Waiting = (String, oneshot::Sender<()>);

async fn commit_batches(
    mut connection: SqliteConnection,
    organization: Uuid,
    mut waiting: mpsc::Receiver<Waiting>,
) {
    let mut batch = vec![];
    while waiting.recv_many(&mut batch, MOST_IN_A_BATCH).await > 0 {
        let rows: Vec<_> = batch.iter().map(|(row, _)| row.as_str()).collect();
        let rows = format!("[{}]", rows.join(","));
        sqlx::query(INSERT_BATCH).bind(organization).bind(rows).execute(&mut connection).await.unwrap();
        for (_, done) in batch.drain(..) {
            done.send(()).unwrap();
        }
    }
}

const SHIFT: &str = "SELECT title, location, start_minute, end_minute, capacity, version FROM shifts \
     WHERE organization_id = $1 AND id = $2";
const UPDATE_SHIFT: &str = "UPDATE shifts SET title = $3, location = $4, start_minute = $5, end_minute = $6, capacity = $7, \
     version = $8, updated_at = $9 WHERE organization_id = $1 AND id = $2";

/// Gives a shift another title: a transaction for each request.
pub(crate) async fn patch_each() {
    let (_folder, organization, options) = database().await;
    let pool = writer(options).await;
    let mut shifts = vec![];
    for _ in 0..crate::site::EVENTS {
        let draft = Draft::new();
        create(&pool, organization, &draft).await.unwrap();
        shifts.extend(draft.shifts().map(|(id, _)| id));
    }
    let next = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    serve(move || {
        let pool = pool.clone();
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let shift = shifts[number % shifts.len()];
        async move { patch(&pool, organization, shift, &format!("Shift {number}")).await.unwrap() }
    })
    .await;
}

async fn patch(pool: &SqlitePool, organization: Uuid, shift: Uuid, title: &str) -> sqlx::Result<String> {
    let now = SystemClock.now().as_second();
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let row = sqlx::query(SHIFT).bind(organization).bind(shift).fetch_one(&mut *transaction).await?;
    let (location, start, end) =
        (row.get::<Option<String>, _>(1), row.get::<u32, _>(2), row.get::<u32, _>(3));
    let (capacity, version) = (row.get::<u32, _>(4), row.get::<u32, _>(5) + 1);
    let update = sqlx::query(UPDATE_SHIFT).bind(organization).bind(shift).bind(title).bind(&location);
    let update = update.bind(start).bind(end).bind(capacity).bind(version).bind(now);
    update.execute(&mut *transaction).await?;
    transaction.commit().await?;
    let changed = json!({
        "id": shift, "title": title, "location": location, "hours": [start, end], "capacity": capacity,
        "version": version, "updated_at": now,
    });
    Ok(changed.to_string())
}
