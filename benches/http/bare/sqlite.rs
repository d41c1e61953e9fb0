//! Bare programs on SQLite with `synchronous=FULL`.

mod create;

use std::path::Path;

use serde_json::json;
use signup_core::{Clock as _, SystemClock, new_uuid};
use signup_store_sql::SqliteStore;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Row as _};
use tempfile::TempDir;
use uuid::Uuid;

use super::{ACTOR, Draft, Rows, activity_expires_at, event_in, organization, serve};

pub(crate) use create::{create_batches, create_each};

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging()
}

const SLOTS: &str = "SELECT (SELECT json_group_array(json_array(hex(s.id), s.title, \
     s.location, s.start_minute, s.end_minute, s.capacity, s.filled, s.position, s.version, s.created_at, s.updated_at, \
     e.start_date, e.timezone, e.is_virtual)) FROM shifts s WHERE s.organization_id = e.organization_id \
     AND s.event_id = e.id) FROM events e WHERE e.organization_id = $1 AND e.id = $2";
const LIST: &str = "SELECT json_group_array(json_array(hex(e.id), hex(e.organization_id), e.title, e.slug, e.description, \
     e.location, e.is_virtual, iif(e.latitude IS NULL, NULL, format('%!.17g', e.latitude)), \
     iif(e.longitude IS NULL, NULL, format('%!.17g', e.longitude)), e.start_date, e.end_date, e.timezone, \
     e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at, e.cancelled_at, e.cancellation_reason)) \
     FROM (SELECT * FROM events WHERE organization_id = $1 ORDER BY starts_at DESC, id DESC LIMIT 26) e";

/// Answers with one JSON value of all rows, which SQLite builds. One row is the fastest read through sqlx.
pub(crate) async fn read(file: &str, rows: Rows, organization: Uuid) {
    // One connection for each processor of the reference machine. More connections are slower, and so is a test of each
    // connection before its use.
    let pool = SqlitePoolOptions::new().max_connections(2).test_before_acquire(false);
    let pool = pool.connect_with(options(Path::new(file)).read_only(true)).await.unwrap();
    serve(move |path| {
        let pool = pool.clone();
        async move {
            let query = match rows {
                Rows::Slots => sqlx::query_scalar(SLOTS).bind(organization).bind(event_in(&path)),
                Rows::List => sqlx::query_scalar(LIST).bind(organization),
            };
            let rows: String = query.fetch_one(&pool).await.unwrap();
            rows
        }
    })
    .await;
}

/// Creates a database with the store's schema and one organization. Returns its folder, the organization and the options.
async fn database() -> (TempDir, Uuid, SqliteConnectOptions) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bare.db");
    let store = SqliteStore::open(&file).await.unwrap();
    let organization = organization(store.clone()).await;
    store.close().await;
    (folder, organization, options(&file))
}

/// Opens a pool of one connection, so that requests wait in the pool and not for SQLite's lock.
async fn writer(options: SqliteConnectOptions) -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).test_before_acquire(false);
    // The last request in the queue waits for all others.
    pool.acquire_timeout(std::time::Duration::from_secs(60)).connect_with(options).await.unwrap()
}

const SHIFT: &str = "SELECT title, location, start_minute, end_minute, capacity, version, event_id FROM shifts \
     WHERE organization_id = $1 AND id = $2";
const UPDATE_SHIFT: &str = "UPDATE shifts SET title = $3, location = $4, start_minute = $5, end_minute = $6, capacity = $7, \
     version = $8, updated_at = $9 WHERE organization_id = $1 AND id = $2";
const INSERT_ACTIVITY: &str = "INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, shift_id, changes, \
     expires_at) VALUES (?, ?, 'slot.updated', ?, ?, ?, ?, '[\"title\"]', ?)";

/// Changes the title of a shift, with a transaction for each request.
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
    serve(move |_| {
        let pool = pool.clone();
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let shift = shifts[number % shifts.len()];
        async move { patch(&pool, organization, shift, &format!("Shift {number}")).await.unwrap() }
    })
    .await;
}

async fn patch(pool: &SqlitePool, organization: Uuid, shift: Uuid, title: &str) -> sqlx::Result<String> {
    let at = SystemClock.now();
    let now = at.as_second();
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let row = sqlx::query(SHIFT).bind(organization).bind(shift).fetch_one(&mut *transaction).await?;
    let (location, start, end) =
        (row.get::<Option<String>, _>(1), row.get::<u32, _>(2), row.get::<u32, _>(3));
    let (capacity, version) = (row.get::<u32, _>(4), row.get::<u32, _>(5) + 1);
    let update = sqlx::query(UPDATE_SHIFT).bind(organization).bind(shift).bind(title).bind(&location);
    let update = update.bind(start).bind(end).bind(capacity).bind(version).bind(now);
    update.execute(&mut *transaction).await?;
    let activity = sqlx::query(INSERT_ACTIVITY).bind(organization).bind(new_uuid(at)).bind(now).bind(ACTOR);
    let activity = activity.bind(row.get::<Uuid, _>(6)).bind(shift).bind(activity_expires_at(now));
    activity.execute(&mut *transaction).await?;
    transaction.commit().await?;
    let changed = json!({
        "id": shift, "title": title, "location": location, "hours": [start, end], "capacity": capacity,
        "version": version, "updated_at": now,
    });
    Ok(changed.to_string())
}
