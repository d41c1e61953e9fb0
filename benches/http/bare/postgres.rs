//! Bare programs on PostgreSQL: each request is one statement, and one round trip; with counting two.

use serde::Serialize;
use serde_json::Value;
use signup_benches::event;
use signup_core::{Clock as _, SystemClock};
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::{ConnectOptions as _, Row as _, TypeInfo as _, ValueRef as _};
use uuid::Uuid;

use super::{Draft, organization, serve};

const SLOTS: &str = "SELECT s.id, s.organization_id, s.event_id, s.title, s.location, s.start_minute, s.end_minute, s.capacity, \
     s.filled, s.position, s.version, s.created_at, s.updated_at, CAST(e.start_date AS TEXT), e.timezone, e.is_virtual \
     FROM events e LEFT JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id \
     WHERE e.organization_id = $1 AND e.id = $2";
const LIST: &str = "SELECT e.id, e.organization_id, e.title, e.slug, e.description, e.location, e.is_virtual, \
     CAST(e.latitude AS TEXT), CAST(e.longitude AS TEXT), CAST(e.start_date AS TEXT), \
     CAST(e.end_date AS TEXT), e.timezone, e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at \
     FROM events e WHERE organization_id = $1 ORDER BY starts_at DESC, id DESC LIMIT 26";

const SLOTS_AS_ONE: &str = "SELECT (SELECT CAST(COALESCE(json_agg(json_build_array(s.id, s.organization_id, s.event_id, s.title, \
     s.location, s.start_minute, s.end_minute, s.capacity, s.filled, s.position, s.version, s.created_at, s.updated_at, \
     e.start_date, e.timezone, e.is_virtual)), '[]') AS TEXT) FROM shifts s WHERE s.organization_id = e.organization_id \
     AND s.event_id = e.id) FROM events e WHERE e.organization_id = $1 AND e.id = $2";
const LIST_AS_ONE: &str = "SELECT CAST(COALESCE(json_agg(json_build_array(e.id, e.organization_id, e.title, e.slug, e.description, \
     e.location, e.is_virtual, CAST(e.latitude AS TEXT), CAST(e.longitude AS TEXT), \
     e.start_date, e.end_date, e.timezone, e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at)), '[]') AS TEXT) \
     FROM (SELECT * FROM events WHERE organization_id = $1 ORDER BY starts_at DESC, id DESC LIMIT 26) e";

/// What the server tells its sessions, too: planning anew each time costs as much as running.
async fn pool(url: &str) -> PgPool {
    let options = url.parse::<PgConnectOptions>().unwrap().disable_statement_logging();
    let options = options.options([("plan_cache_mode", "force_generic_plan")]);
    let pool = PgPoolOptions::new().max_connections(8).test_before_acquire(false);
    pool.acquire_timeout(std::time::Duration::from_secs(60)).connect_with(options).await.unwrap()
}

/// Counts a request against the minute of its caller: here there is one.
const COUNT: &str = "INSERT INTO windows AS w (organization_id, caller, opened_at, requests) VALUES ($1, 'bare', $2, 1) \
     ON CONFLICT (organization_id, caller) DO UPDATE SET \
     requests = CASE WHEN abs($2 - w.opened_at) < 60 THEN w.requests + 1 ELSE 1 END, \
     opened_at = CASE WHEN abs($2 - w.opened_at) < 60 THEN w.opened_at ELSE $2 END RETURNING requests";

/// Has PostgreSQL make one JSON of all rows, and answers with that.
pub(crate) async fn read_as_one(url: &str, rows: &str, organization: Uuid, event: Uuid) {
    let pool = pool(url).await;
    let is_slots = rows == "slots";
    serve(move || {
        let pool = pool.clone();
        async move {
            let query =
                sqlx::query_scalar(if is_slots { SLOTS_AS_ONE } else { LIST_AS_ONE }).bind(organization);
            let query = if is_slots { query.bind(event) } else { query };
            let rows: String = query.fetch_one(&pool).await.unwrap();
            rows
        }
    })
    .await;
}

/// Reads all rows, and makes one JSON of them itself. The server also counts each request, for all processes together: what
/// that costs shows if it is done here, too.
pub(crate) async fn read(url: &str, rows: &str, organization: Uuid, event: Uuid, is_counted: bool) {
    let pool = pool(url).await;
    let is_slots = rows == "slots";
    serve(move || {
        let pool = pool.clone();
        async move {
            if is_counted {
                let count = sqlx::query_scalar(COUNT).bind(organization).bind(SystemClock.now().as_second());
                let _requests: i32 = count.fetch_one(&pool).await.unwrap();
            }
            let query = sqlx::query(if is_slots { SLOTS } else { LIST }).bind(organization);
            let query = if is_slots { query.bind(event) } else { query };
            let rows = query.fetch_all(&pool).await.unwrap();
            serde_json::to_vec(&rows.iter().map(json).collect::<Vec<_>>()).unwrap()
        }
    })
    .await;
}

/// The columns of a row, as JSON has them.
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

/// Writes nothing if the key has a live receipt, and then gives no row. Two at once with one key, or a slug that is taken,
/// are refused by unique indexes.
const CREATE: &str = "WITH live AS (SELECT 1 FROM receipts WHERE organization_id = $1 AND token_id = $1 \
     AND operation = 'create-event' AND idempotency_key = $2 AND expires_at > $3), \
     event AS (INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, start_date, timezone, \
     is_published, created_at, updated_at, starts_at, ends_at) \
     SELECT $1, $4, $5, $6, $7, $8, FALSE, CAST($9 AS date), $10, FALSE, $3, $3, $11, $12 \
     WHERE NOT EXISTS (SELECT 1 FROM live)), \
     slots AS (INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, \
     version, created_at, updated_at) SELECT $1, $4, CAST(value->>0 AS uuid), value->>1, CAST(value->>2 AS integer), \
     CAST(value->>3 AS integer), CAST(value->>4 AS integer), CAST(value->>5 AS integer), 1, $3, $3 \
     FROM jsonb_array_elements(CAST($13 AS jsonb)) WHERE NOT EXISTS (SELECT 1 FROM live)) \
     INSERT INTO receipts (organization_id, token_id, operation, idempotency_key, outcome, expires_at) \
     SELECT $1, $1, 'create-event', $2, CAST($14 AS json), $15 WHERE NOT EXISTS (SELECT 1 FROM live) RETURNING 1";

/// One data-modifying statement for each create.
pub(crate) async fn create(url: &str) {
    let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap();
    let organization = organization(store.clone()).await;
    store.close().await;
    let pool = pool(url).await;
    serve(move || {
        let pool = pool.clone();
        async move {
            let draft = Draft::new();
            let outcome = draft.outcome();
            let create = sqlx::query(CREATE).bind(organization).bind(draft.key()).bind(draft.now);
            let create = create.bind(draft.event).bind(event::TITLE).bind(draft.slug());
            let create = create.bind(event::DESCRIPTION).bind(event::LOCATION).bind(event::DATE);
            let create = create.bind(event::ZONE).bind(Draft::STARTS_AT).bind(Draft::ENDS_AT);
            let create = create.bind(Value::Array(draft.shift_rows()).to_string()).bind(&outcome);
            create.bind(draft.expires_at()).fetch_one(&pool).await.unwrap();
            outcome
        }
    })
    .await;
}
