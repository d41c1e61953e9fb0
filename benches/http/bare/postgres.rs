//! Bare programs on PostgreSQL. A read takes one round trip, or two if the program counts requests.

mod create;

use serde::Serialize;
use signup_core::{Clock as _, SystemClock};
use signup_store_sql::test_cluster::PLANNER;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::{ConnectOptions as _, Row as _, TypeInfo as _, ValueRef as _};
use uuid::Uuid;

use super::{ACTOR, Draft, Rows, event_in, organization, serve};

pub(crate) use create::{create_batches, create_each};

const SLOTS: &str = "SELECT s.id, s.title, s.location, s.start_minute, s.end_minute, s.capacity, \
     s.filled, s.position, s.version, s.created_at, s.updated_at, CAST(e.start_date AS TEXT), e.timezone, e.is_virtual \
     FROM events e LEFT JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id \
     WHERE e.organization_id = $1 AND e.id = $2";
const LIST: &str = "SELECT e.id, e.organization_id, e.title, e.slug, e.description, e.location, e.is_virtual, \
     CAST(e.latitude AS TEXT), CAST(e.longitude AS TEXT), CAST(e.start_date AS TEXT), \
     CAST(e.end_date AS TEXT), e.timezone, e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at, \
     e.cancelled_at, e.cancellation_reason \
     FROM events e WHERE organization_id = $1 ORDER BY starts_at DESC, id DESC LIMIT 26";

const SLOTS_AS_ONE: &str = "SELECT (SELECT CAST(COALESCE(json_agg(json_build_array(s.id, s.title, \
     s.location, s.start_minute, s.end_minute, s.capacity, s.filled, s.position, s.version, s.created_at, s.updated_at, \
     e.start_date, e.timezone, e.is_virtual)), '[]') AS TEXT) FROM shifts s WHERE s.organization_id = e.organization_id \
     AND s.event_id = e.id) FROM events e WHERE e.organization_id = $1 AND e.id = $2";
const LIST_AS_ONE: &str = "SELECT CAST(COALESCE(json_agg(json_build_array(e.id, e.organization_id, e.title, e.slug, e.description, \
     e.location, e.is_virtual, CAST(e.latitude AS TEXT), CAST(e.longitude AS TEXT), \
     e.start_date, e.end_date, e.timezone, e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at, \
     e.cancelled_at, e.cancellation_reason)), '[]') AS TEXT) \
     FROM (SELECT * FROM events WHERE organization_id = $1 ORDER BY starts_at DESC, id DESC LIMIT 26) e";

/// Returns connection options with the server's planner settings. Planning a statement costs as much as its execution, and
/// plans made for small tables stay in use while the tables grow.
fn options(url: &str) -> PgConnectOptions {
    let options = url.parse::<PgConnectOptions>().unwrap().disable_statement_logging();
    options.options([("plan_cache_mode", "force_generic_plan")]).options(PLANNER.iter().copied())
}

async fn pool(url: &str) -> PgPool {
    let pool = PgPoolOptions::new().max_connections(8).test_before_acquire(false);
    pool.acquire_timeout(std::time::Duration::from_secs(60)).connect_with(options(url)).await.unwrap()
}

/// Counts a request in its caller's current minute. The benchmark has one caller.
const COUNT: &str = "INSERT INTO windows AS w (organization_id, caller, opened_at, requests) VALUES ($1, 'bare', $2, 1) \
     ON CONFLICT (organization_id, caller) DO UPDATE SET \
     requests = CASE WHEN abs($2 - w.opened_at) < 60 THEN w.requests + 1 ELSE 1 END, \
     opened_at = CASE WHEN abs($2 - w.opened_at) < 60 THEN w.opened_at ELSE $2 END RETURNING requests";

/// Answers with one JSON value of all rows, which PostgreSQL builds.
pub(crate) async fn read_as_one(url: &str, rows: Rows, organization: Uuid) {
    let pool = pool(url).await;
    serve(move |path| {
        let pool = pool.clone();
        async move {
            let query = match rows {
                Rows::Slots => sqlx::query_scalar(SLOTS_AS_ONE).bind(organization).bind(event_in(&path)),
                Rows::List => sqlx::query_scalar(LIST_AS_ONE).bind(organization),
            };
            let rows: String = query.fetch_one(&pool).await.unwrap();
            rows
        }
    })
    .await;
}

/// Reads typed columns and serializes them to JSON.
///
/// With `is_counted`, the program also counts each request in the database, as the server does. The difference is the cost
/// of the count.
pub(crate) async fn read(url: &str, rows: Rows, organization: Uuid, is_counted: bool) {
    let pool = pool(url).await;
    serve(move |path| {
        let pool = pool.clone();
        async move {
            if is_counted {
                let count = sqlx::query_scalar(COUNT).bind(organization).bind(SystemClock.now().as_second());
                let _requests: i32 = count.fetch_one(&pool).await.unwrap();
            }
            let query = match rows {
                Rows::Slots => sqlx::query(SLOTS).bind(organization).bind(event_in(&path)),
                Rows::List => sqlx::query(LIST).bind(organization),
            };
            let rows = query.fetch_all(&pool).await.unwrap();
            serde_json::to_vec(&rows.iter().map(json).collect::<Vec<_>>()).unwrap()
        }
    })
    .await;
}

/// Returns the columns of a row as JSON values.
fn json(row: &PgRow) -> Vec<Cell<'_>> {
    let cell = |column: usize| {
        let value = row.try_get_raw(column).unwrap();
        if value.is_null() {
            return Cell::Null(());
        }
        match value.type_info().name() {
            "UUID" => Cell::Id(row.get(column)),
            "BOOL" => Cell::Flag(row.get(column)),
            "INT4" | "INT8" => Cell::Integer(row.get_unchecked(column)),
            _ => Cell::Text(row.get(column)),
        }
    };
    (0..row.len()).map(cell).collect()
}

#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'r> {
    Null(()),
    Flag(bool),
    Integer(i64),
    Id(Uuid),
    Text(&'r str),
}
