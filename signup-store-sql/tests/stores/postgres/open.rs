//! PostgreSQL: what cannot be opened, and URLs that cannot be read.

use futures_util::future::join_all;
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{OpenError, PostgresOptions, PostgresStore, PostgresUrl};

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_that_names_it_without_the_password() {
    let url = "postgres://signup:hidden@127.0.0.1:1/events".parse().unwrap();
    let error = PostgresStore::open(&url, PostgresOptions::default()).await.unwrap_err();
    assert!(matches!(error, OpenError::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains("127.0.0.1:1/events"), "{error}");
    assert!(!format!("{error:?}").contains("hidden"), "{error:?}");
}

/// Behind PgBouncer no setting of a session takes the place of the default.
#[tokio::test(flavor = "multi_thread")]
async fn many_may_open_a_new_database_whose_default_isolation_is_higher() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_database();
    let (_, name) = url.rsplit_once('/').unwrap();
    let higher = format!("ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'");
    cluster.sql("postgres", &higher);
    let url: PostgresUrl = url.parse().unwrap();
    let options = PostgresOptions { pgbouncer: true, ..PostgresOptions::default() };
    for opened in join_all((0..8).map(|_| PostgresStore::open(&url, options.clone()))).await {
        opened.unwrap();
    }
}

#[test]
fn a_url_that_cannot_be_read_is_not_repeated() {
    for bad in ["", "signup", "mysql://a:hidden@b/c", "postgres://a:hidden@b:port/c"] {
        let error = bad.parse::<PostgresUrl>().unwrap_err();
        assert!(error.to_string().starts_with("use postgres://USER:PASSWORD@HOST:PORT/NAME"), "{error}");
    }
    let url: PostgresUrl = "postgres://signup:hidden@127.0.0.1:1/events".parse().unwrap();
    assert!(!format!("{url:?}").contains("hidden"), "{url:?}");
}
