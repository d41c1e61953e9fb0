//! The bare programs: what a server for the same work has to do at least.

use std::convert::Infallible;
use std::sync::Arc;

use signup_core::{Clock as _, SystemClock, secret};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use warp::Filter;
use warp::http::StatusCode;

/// Runs a bare program until it is killed.
pub(crate) fn run(arguments: &[String]) {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        match arguments.as_slice() {
            ["fixed", body] => {
                let body: Arc<str> = (*body).into();
                serve(move || {
                    let body = Arc::clone(&body);
                    async move { body.to_string() }
                })
                .await;
            }
            ["sqlite", rows, file, organization, event] => read(rows, file, organization, event).await,
            ["create", mode, file] => create(mode, file).await,
            other => panic!("{other:?}"),
        }
    });
}

/// Answers every request with the text that `work` gives.
async fn serve<W, F>(work: W)
where
    W: Fn() -> F + Clone + Send + Sync + 'static,
    F: Future<Output = String> + Send,
{
    let routes = warp::any().and(warp::method()).and(warp::body::bytes()).then(
        move |method: warp::http::Method, _body: bytes::Bytes| {
            let work = work.clone();
            async move {
                let status =
                    if method == warp::http::Method::POST { StatusCode::CREATED } else { StatusCode::OK };
                let reply = warp::reply::with_header(work().await, "content-type", "application/json");
                warp::reply::with_status(reply, status)
            }
        },
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("port {}", listener.local_addr().unwrap().port());
    let service = warp::service(routes.recover(|_| async { Ok::<_, Infallible>(StatusCode::NOT_FOUND) }));
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let service = hyper_util::service::TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let stream = hyper_util::rt::TokioIo::new(stream);
            hyper::server::conn::http1::Builder::new().serve_connection(stream, service).await
        });
    }
}

fn options(file: &str) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
}

const SHIFT: &str = "hex(s.id), hex(s.organization_id), hex(s.event_id), s.title, s.location, s.start_minute, s.end_minute, \
     s.capacity, s.filled, s.position, s.version, s.created_at, s.updated_at, e.start_date, e.timezone, e.is_virtual";
const EVENT: &str = "hex(e.id), hex(e.organization_id), e.title, e.slug, e.description, e.location, e.is_virtual, \
     iif(e.latitude IS NULL, NULL, format('%!.17g', e.latitude)), \
     iif(e.longitude IS NULL, NULL, format('%!.17g', e.longitude)), e.location_data, e.start_date, e.end_date, e.timezone, \
     e.is_published, e.theme, e.badge_label, e.created_at, e.updated_at";

/// Reads what the service reads, as one row, and answers with its text.
async fn read(rows: &str, file: &str, organization: &str, event: &str) {
    let pool: SqlitePool = SqlitePoolOptions::new()
        .max_connections(2)
        .test_before_acquire(false)
        .connect_with(options(file).read_only(true))
        .await
        .unwrap();
    let text = match rows {
        "slots" => format!(
            "SELECT (SELECT json_group_array(json_array({SHIFT})) FROM shifts s WHERE s.organization_id = e.organization_id \
             AND s.event_id = e.id) FROM events e WHERE e.organization_id = $1 AND e.id = $2"
        ),
        _ => format!(
            "SELECT (SELECT json_group_array(json_array({EVENT})) FROM (SELECT * FROM events WHERE organization_id = $1 \
             ORDER BY starts_at DESC, id DESC LIMIT 26) e), $2"
        ),
    };
    let text: Arc<str> = text.into();
    let [organization, event] = [organization, event].map(|id| Uuid::try_parse(id).unwrap());
    serve(move || {
        let (pool, text) = (pool.clone(), Arc::clone(&text));
        async move {
            let text = AssertSqlSafe(text.to_string());
            sqlx::query_scalar::<_, String>(text)
                .bind(organization)
                .bind(event)
                .fetch_one(&pool)
                .await
                .unwrap()
        }
    })
    .await;
}

const TABLES: &str = "CREATE TABLE IF NOT EXISTS events (organization_id BLOB, id BLOB UNIQUE, title TEXT, slug TEXT UNIQUE, \
     starts_at INTEGER, PRIMARY KEY (organization_id, id)) STRICT; \
     CREATE INDEX IF NOT EXISTS by_start ON events (organization_id, starts_at, id); \
     CREATE TABLE IF NOT EXISTS shifts (organization_id BLOB, id BLOB, event_id BLOB, title TEXT, capacity INTEGER, \
     position INTEGER, PRIMARY KEY (organization_id, id)) STRICT; \
     CREATE INDEX IF NOT EXISTS by_event ON shifts (organization_id, event_id, position); \
     CREATE TABLE IF NOT EXISTS receipts (key TEXT UNIQUE, outcome TEXT, expires_at INTEGER) STRICT; \
     CREATE INDEX IF NOT EXISTS by_expiry ON receipts (expires_at);";
const EVENTS: &str = "INSERT INTO events (organization_id, id, title, slug, starts_at) \
     SELECT unhex(value->>0), unhex(value->>1), value->>2, value->>3, value->>4 FROM json_each($1);";
const SHIFTS: &str = "INSERT INTO shifts (organization_id, id, event_id, title, capacity, position) \
     SELECT unhex(value->>0), unhex(value->>1), unhex(value->>2), value->>3, value->>4, value->>5 FROM json_each($2);";
const RECEIPTS: &str = "INSERT INTO receipts (key, outcome, expires_at) SELECT value->>0, value->>1, value->>2 FROM json_each($3);";

/// An id of the kind that the service makes, as hexadecimal digits.
fn id() -> String {
    secret::new_uuid(SystemClock.now()).simple().to_string()
}

/// One event with ten shifts and its receipt, as the rows of three tables.
fn rows() -> [serde_json::Value; 3] {
    use serde_json::json;
    let (organization, event) = (Uuid::nil().simple().to_string(), id());
    let shifts: Vec<_> = (0..10)
        .map(|number| json!([organization, id(), event, format!("Shift {number}"), 8, number]))
        .collect();
    let outcome = json!({"event": event, "shifts": shifts}).to_string();
    [
        json!([[organization, event, "Food drive", format!("food-drive-{event}"), 1_800_000_000]]),
        json!(shifts),
        json!([[format!("key-{event}"), outcome, 1_800_000_000]]),
    ]
}

async fn create(mode: &str, file: &str) {
    let mut connection = SqliteConnection::connect_with(&options(file)).await.unwrap();
    sqlx::raw_sql(TABLES).execute(&mut connection).await.unwrap();
    let (sender, mut waiting) = mpsc::channel::<([serde_json::Value; 3], oneshot::Sender<()>)>(1024);
    let most = if mode == "batch" { 256 } else { 1 };
    tokio::spawn(async move {
        let mut batch = vec![];
        while waiting.recv_many(&mut batch, most).await > 0 {
            let mut all = [vec![], vec![], vec![]];
            for (rows, _) in &batch {
                for (all, rows) in all.iter_mut().zip(rows) {
                    all.extend(rows.as_array().unwrap().iter().cloned());
                }
            }
            let [events, shifts, receipts] = all.map(|rows| serde_json::Value::Array(rows).to_string());
            let text = format!("BEGIN IMMEDIATE; {EVENTS} {SHIFTS} {RECEIPTS} COMMIT;");
            let query = sqlx::query(AssertSqlSafe(text)).bind(events).bind(shifts).bind(receipts);
            query.execute(&mut connection).await.unwrap();
            for (_, done) in batch.drain(..) {
                done.send(()).ok();
            }
        }
    });
    serve(move || {
        let sender = sender.clone();
        async move {
            let rows = rows();
            let answer = rows[1].to_string();
            let (done, committed) = oneshot::channel();
            sender.send((rows, done)).await.unwrap();
            committed.await.unwrap();
            answer
        }
    })
    .await;
}
