//! Creates: a statement for each request, and a statement for each batch of waiting requests.
//!
//! Both statements write all four tables, so a create takes one round trip and one commit. Unique indexes refuse a key or
//! a slug that is taken.

use std::sync::Arc;

use serde_json::Value;
use signup_benches::event;
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::postgres::{PgArguments, PgConnection, PgExecutor, Postgres};
use sqlx::{ConnectOptions as _, Connection as _, query};
use tokio::sync::{Mutex, mpsc, oneshot};
use uuid::Uuid;

use super::{ACTOR, Draft, options, pool, serve};

/// Writes nothing and returns no row if an unexpired receipt has the key.
const CREATE: &str = "WITH live AS (SELECT 1 FROM receipts WHERE organization_id = $1 AND caller_id = $1 \
     AND operation = 'create-event' AND idempotency_key = $2 AND expires_at > $3), \
     event AS (INSERT INTO events (organization_id, id, title, slug, description, location, is_virtual, start_date, timezone, \
     is_published, version, gate, created_at, updated_at, starts_at, ends_at, length_class) \
     SELECT $1, $4, $5, $6, $7, $8, FALSE, CAST($9 AS date), $10, FALSE, 1, 1, $3, $3, $11, $12, 0 \
     WHERE NOT EXISTS (SELECT 1 FROM live)), \
     slots AS (INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, \
     filled, version, gate, created_at, updated_at, ends_at) SELECT $1, $4, CAST(value->>0 AS uuid), value->>1, \
     CAST(value->>2 AS integer), CAST(value->>3 AS integer), CAST(value->>4 AS integer), CAST(value->>5 AS integer), 0, 1, 1, \
     $3, $3, $12 \
     FROM jsonb_array_elements(CAST($13 AS jsonb)) WHERE NOT EXISTS (SELECT 1 FROM live)), \
     activity AS (INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, changes, expires_at) \
     SELECT $1, $16, 'event.created', $3, CAST($17 AS json), $4, '[]', $18 WHERE NOT EXISTS (SELECT 1 FROM live)) \
     INSERT INTO receipts (organization_id, caller_id, operation, idempotency_key, outcome, expires_at) \
     SELECT $1, $1, 'create-event', $2, CAST($14 AS json), $15 WHERE NOT EXISTS (SELECT 1 FROM live) RETURNING 1";

/// Creates an organization with as many events as a site has, in the empty database at `url`.
async fn prepare(url: &str) -> Uuid {
    let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap();
    let organization = super::organization(store.clone()).await;
    store.close().await;
    let mut connection = options(url).connect().await.unwrap();
    for _ in 0..crate::site::EVENTS {
        drop(create(&mut connection, organization).await);
    }
    crate::site::analyze(&mut connection).await;
    connection.close().await.unwrap();
    organization
}

/// Creates an event with one statement, and returns the body of the answer.
async fn create(executor: impl PgExecutor<'_>, organization: Uuid) -> String {
    let draft = Draft::new();
    let outcome = draft.outcome();
    let create = sqlx::query(CREATE).bind(organization).bind(draft.key()).bind(draft.now);
    let create = create.bind(draft.event).bind(event::TITLE).bind(draft.slug());
    let create = create.bind(event::DESCRIPTION).bind(event::LOCATION).bind(event::DATE);
    let create = create.bind(event::ZONE).bind(Draft::STARTS_AT).bind(Draft::ENDS_AT);
    let create = create.bind(Value::Array(draft.shift_rows()).to_string()).bind(&outcome);
    let create = create.bind(draft.expires_at()).bind(draft.activity).bind(ACTOR);
    create.bind(draft.activity_expires_at()).fetch_one(executor).await.unwrap();
    outcome
}

/// Runs one data-modifying statement for each create.
pub(crate) async fn create_each(url: &str) {
    let organization = prepare(url).await;
    let pool = pool(url).await;
    serve(move |_| {
        let pool = pool.clone();
        async move { create(&pool, organization).await }
    })
    .await;
}

/// The connections that write batches. While one waits for its commit, the other executes the next batch.
const WRITERS: usize = 2;
/// The maximum number of creates in one commit.
const MAX_BATCH: usize = 64;
/// How often a writer lets other tasks run while a batch gathers.
const YIELDS: usize = 3;

/// Inserts a batch. Parameters are columns: $2 to $11 of the events, $12 to $19 of their shifts, $20 to $22 of the receipts,
/// $23 to $25 of the activity.
const CREATE_BATCH: &str = "WITH event AS (INSERT INTO events (organization_id, id, title, slug, description, location, \
     is_virtual, start_date, timezone, is_published, version, gate, created_at, updated_at, starts_at, ends_at, \
     length_class) SELECT $1, id, title, slug, description, location, FALSE, CAST(start_date AS date), timezone, FALSE, 1, 1, now, now, \
     starts_at, ends_at, 0 FROM (SELECT unnest(CAST($2 AS uuid[])) AS id, unnest(CAST($3 AS text[])) AS title, \
     unnest(CAST($4 AS text[])) AS slug, unnest(CAST($5 AS text[])) AS description, \
     unnest(CAST($6 AS text[])) AS location, unnest(CAST($7 AS text[])) AS start_date, \
     unnest(CAST($8 AS text[])) AS timezone, unnest(CAST($9 AS bigint[])) AS now, \
     unnest(CAST($10 AS bigint[])) AS starts_at, unnest(CAST($11 AS bigint[])) AS ends_at) AS e), \
     slots AS (INSERT INTO shifts (organization_id, event_id, id, title, start_minute, end_minute, capacity, position, \
     filled, version, gate, created_at, updated_at, ends_at) SELECT $1, event_id, id, title, start_minute, end_minute, capacity, position, \
     0, 1, 1, now, now, now FROM (SELECT unnest(CAST($12 AS uuid[])) AS event_id, unnest(CAST($13 AS uuid[])) AS id, \
     unnest(CAST($14 AS text[])) AS title, unnest(CAST($15 AS integer[])) AS start_minute, \
     unnest(CAST($16 AS integer[])) AS end_minute, unnest(CAST($17 AS integer[])) AS capacity, \
     unnest(CAST($18 AS integer[])) AS position, unnest(CAST($19 AS bigint[])) AS now) AS s), \
     activity AS (INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, changes, expires_at) \
     SELECT $1, id, 'event.created', now, CAST($24 AS json), event_id, '[]', expires_at \
     FROM (SELECT unnest(CAST($23 AS uuid[])) AS id, unnest(CAST($9 AS bigint[])) AS now, \
     unnest(CAST($2 AS uuid[])) AS event_id, unnest(CAST($25 AS bigint[])) AS expires_at) AS a) \
     INSERT INTO receipts (organization_id, caller_id, operation, idempotency_key, outcome, expires_at) \
     SELECT $1, $1, 'create-event', key, CAST(outcome AS json), expires_at \
     FROM (SELECT unnest(CAST($20 AS text[])) AS key, unnest(CAST($21 AS text[])) AS outcome, \
     unnest(CAST($22 AS bigint[])) AS expires_at) AS r";

/// Commits all waiting creates together, with one statement, on whichever of two connections is free.
///
/// A batch with a key or a slug that is taken would fail as a whole and be retried one create at a time. No request of the
/// benchmark has such a key or slug, so this program has no retry.
pub(crate) async fn create_batches(url: &str) {
    let organization = prepare(url).await;
    let (sender, waiting) = mpsc::channel(1024);
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..WRITERS {
        let connection = options(url).connect().await.unwrap();
        drop(tokio::spawn(commit_batches(connection, organization, Arc::clone(&waiting))));
    }
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
    mut connection: PgConnection,
    organization: Uuid,
    waiting: Arc<Mutex<mpsc::Receiver<Waiting>>>,
) {
    let mut batch = vec![];
    while gather(&waiting, &mut batch).await {
        insert_batch(organization, &mut batch).execute(&mut connection).await.unwrap();
        for Waiting { done, .. } in batch.drain(..) {
            done.send(()).unwrap();
        }
    }
}

/// Moves waiting creates into the empty batch. Returns false after the last one.
///
/// After the first create, the other tasks run before the rest is taken. So the callers of the batch before, which have just
/// been answered, share one batch again. Otherwise one writer would commit single creates beside the other's large batches.
async fn gather(waiting: &Mutex<mpsc::Receiver<Waiting>>, batch: &mut Vec<Waiting>) -> bool {
    let mut waiting = waiting.lock().await;
    let Some(first) = waiting.recv().await else { return false };
    batch.push(first);
    for _ in 0..YIELDS {
        tokio::task::yield_now().await;
    }
    while batch.len() < MAX_BATCH
        && let Ok(next) = waiting.try_recv()
    {
        batch.push(next);
    }
    true
}

/// Builds the statement of a batch, and takes the outcomes out of the batch.
fn insert_batch(organization: Uuid, batch: &mut [Waiting]) -> query::Query<'static, Postgres, PgArguments> {
    let size = batch.len();
    let outcomes: Vec<_> = batch.iter_mut().map(|waiting| std::mem::take(&mut waiting.outcome)).collect();
    let drafts: Vec<_> = batch.iter().map(|waiting| &waiting.draft).collect();
    let now: Vec<_> = drafts.iter().map(|draft| draft.now).collect();
    let query = sqlx::query(CREATE_BATCH).bind(organization);

    let events: Vec<_> = drafts.iter().map(|draft| draft.event).collect();
    let slugs: Vec<_> = drafts.iter().map(|draft| draft.slug()).collect();
    let query = query.bind(events).bind(vec![event::TITLE; size]).bind(slugs);
    let query = query.bind(vec![event::DESCRIPTION; size]).bind(vec![event::LOCATION; size]);
    let query = query.bind(vec![event::DATE; size]).bind(vec![event::ZONE; size]).bind(now);
    let query = query.bind(vec![Draft::STARTS_AT; size]).bind(vec![Draft::ENDS_AT; size]);

    let shifts = || drafts.iter().flat_map(|draft| draft.shifts().map(move |shift| (*draft, shift)));
    let [start, end] = event::MINUTES.map(u32::cast_signed);
    let shift_count = size * event::SHIFTS as usize;
    let query = query.bind(shifts().map(|(draft, _)| draft.event).collect::<Vec<_>>());
    let query = query.bind(shifts().map(|(_, (id, _))| id).collect::<Vec<_>>());
    let query =
        query.bind(shifts().map(|(_, (_, position))| event::shift_title(position)).collect::<Vec<_>>());
    let query = query.bind(vec![start; shift_count]).bind(vec![end; shift_count]);
    let query = query.bind(vec![event::CAPACITY.cast_signed(); shift_count]);
    let query = query.bind(shifts().map(|(_, (_, position))| position.cast_signed()).collect::<Vec<_>>());
    let query = query.bind(shifts().map(|(draft, _)| draft.now).collect::<Vec<_>>());

    let keys: Vec<_> = drafts.iter().map(|draft| draft.key()).collect();
    let expiries: Vec<_> = drafts.iter().map(|draft| draft.expires_at()).collect();
    let query = query.bind(keys).bind(outcomes).bind(expiries);

    let activities: Vec<_> = drafts.iter().map(|draft| draft.activity).collect();
    let expiries: Vec<_> = drafts.iter().map(|draft| draft.activity_expires_at()).collect();
    query.bind(activities).bind(ACTOR).bind(expiries)
}
