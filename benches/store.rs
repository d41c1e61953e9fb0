//! The stores: `cargo bench -p signup-benches --bench store`.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use signup_benches::{heading, in_turn, line};
use signup_core::{EventId, EventQuery, OrganizationId, Position, Side, Store};
use signup_store_sql::throwaway::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore, SqliteStore};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};
use uuid::Uuid;

/// The events of the one organization that pages are read of.
const EVENTS: u32 = 1_000_000;
const PER_PAGE: u32 = 25;
/// The pages of a round.
const PAGES: u32 = 400;

/// One organization, which has the id 1.
const ORGANIZATION: &str = "INSERT INTO organizations (id, name, slug, plan, created_at) \
     VALUES ({id}, 'Many', 'many', 'pro', 0)";
/// Its events: six a day from 1970 on, nine of ten published.
const ROWS: &str = "INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, is_published, \
     created_at, updated_at, starts_at, ends_at) \
     SELECT {id}, {random}, 'Food drive ' || n, 'food-drive-' || n, {false}, {date}, 'UTC', n % 10 > 0, \
     1800000000, 1800000000, n / 6 * 86400, n / 6 * 86400 + 86400 FROM {numbers}";

#[tokio::main]
async fn main() {
    println!("pages of {PER_PAGE} of an organization with {EVENTS} events, medians of {PAGES} pages a round");
    heading("list of events", "first page", "last page");
    let folder = tempfile::tempdir().unwrap();
    pages("SQLite", sqlite(&folder.path().join("signup.db")).await).await;
    match Cluster::shared() {
        Some(cluster) => pages("PostgreSQL", postgres(cluster).await).await,
        None => println!("PostgreSQL                    is not installed"),
    }
}

async fn pages(name: &str, store: Arc<dyn Store>) {
    for (filter, is_published) in [("all", None), ("published", Some(true)), ("drafts", Some(false))] {
        let read = async |position, limit| {
            let query = EventQuery { is_published, position, limit };
            store.events(organization(), &query).await.unwrap()
        };
        // The end of the list, one event more than a page: that one is the place below which the last page is.
        let bottom = Position { starts_at: Timestamp::MIN, id: EventId::NONE, side: Side::Above };
        let end = read(Some(bottom), PER_PAGE + 1).await;
        let before = &end.events[0];
        let last = Position { starts_at: before.dates.starts_at(), id: before.id, side: Side::Below };
        let page = read(Some(last), PER_PAGE).await;
        assert!(page.events.len() == PER_PAGE as usize && !page.has_below && page.has_above);
        let (first, last) = in_turn(
            PAGES,
            async || drop(read(None, PER_PAGE).await),
            async || drop(read(Some(last), PER_PAGE).await),
        )
        .await;
        line(&format!("{name}, {filter}"), first, last);
    }
}

fn organization() -> OrganizationId {
    OrganizationId::new(Uuid::from_u128(1))
}

/// The statements in an engine's words.
fn filled_in(sql: &str, words: [(&str, &str); 5]) -> AssertSqlSafe<String> {
    AssertSqlSafe(words.iter().fold(sql.to_owned(), |sql, (name, word)| sql.replace(name, word)))
}

async fn sqlite(path: &Path) -> Arc<dyn Store> {
    let store = SqliteStore::open(path).await.unwrap();
    let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    let numbers = format!(
        "(WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {EVENTS}) SELECT n FROM t)"
    );
    let words = [
        ("{id}", "x'00000000000000000000000000000001'"),
        ("{random}", "randomblob(16)"),
        ("{false}", "0"),
        ("{date}", "date('1970-01-01', '+' || (n / 6) || ' days')"),
        ("{numbers}", &numbers),
    ];
    for sql in [ORGANIZATION, ROWS] {
        sqlx::query(filled_in(sql, words)).execute(&mut connection).await.unwrap();
    }
    Arc::new(store)
}

async fn postgres(cluster: &Cluster) -> Arc<dyn Store> {
    let url = cluster.database().await;
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let numbers = format!("generate_series(CAST(1 AS bigint), {EVENTS}) n");
    let words = [
        ("{id}", "'00000000-0000-0000-0000-000000000001'"),
        ("{random}", "gen_random_uuid()"),
        ("{false}", "FALSE"),
        ("{date}", "DATE '1970-01-01' + CAST(n / 6 AS integer)"),
        ("{numbers}", &numbers),
    ];
    for sql in [ORGANIZATION, ROWS] {
        sqlx::query(filled_in(sql, words)).execute(&mut connection).await.unwrap();
    }
    connection.execute("VACUUM ANALYZE").await.unwrap();
    Arc::new(PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap())
}
