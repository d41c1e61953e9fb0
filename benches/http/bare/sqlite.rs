//! Bare programs on SQLite, `synchronous=FULL`.

mod create;

use std::path::Path;

use serde_json::json;
use signup_core::{Clock as _, SystemClock};
use signup_store_sql::SqliteStore;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Row as _};
use tempfile::TempDir;
use uuid::Uuid;

use super::{Draft, organization, serve};

pub(crate) use create::{create_batches, create_each};

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
     iif(e.longitude IS NULL, NULL, format('%!.17g', e.longitude)), e.start_date, e.end_date, e.timezone, \
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
            let rows: String = query.fetch_one(&pool).await.unwrap();
            rows
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
        create::create(&pool, organization, &draft).await.unwrap();
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
