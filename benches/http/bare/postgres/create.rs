//! Creates: a statement for each request.

use serde_json::Value;
use signup_benches::event;
use signup_store_sql::{PostgresOptions, PostgresStore};
use uuid::Uuid;

use super::{Draft, pool, serve};

/// Writes nothing and returns no row if an unexpired receipt has the key.
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

/// Creates an organization in the empty database at `url`.
async fn prepare(url: &str) -> Uuid {
    let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap();
    let organization = super::organization(store.clone()).await;
    store.close().await;
    organization
}

/// Runs one data-modifying statement for each create.
pub(crate) async fn create_each(url: &str) {
    let organization = prepare(url).await;
    let pool = pool(url).await;
    serve(move |_| {
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
