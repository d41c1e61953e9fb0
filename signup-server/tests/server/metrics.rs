//! The metrics for Prometheus.

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event, free_listen};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};

/// Returns the value of a series. Panics if the metrics do not contain it.
fn value(page: &str, series: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in\n{page}")).parse().unwrap()
}

#[rstest]
#[tokio::test]
async fn the_metrics_cover_requests_latencies_round_trips_connections_batches_and_notices(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(first) = Server::start_with(engine) else { return };
    let listen = free_listen();
    let server = first.restart_with(&["--metrics-listen", &listen]);
    let created = server.create(&event()).await;
    server.get("/v1/nothing").await;
    server.send("DELETE", "/v1/slots/x", None).await;
    let slot = created["slots"][0]["id"].as_str().unwrap();
    server.patch(&format!("/v1/slots/{slot}"), &serde_json::json!({"capacity": 9})).await;

    let page = reqwest::get(format!("http://{listen}/metrics")).await.unwrap();
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    let page = page.text().await.unwrap();
    let requests = |labels| value(&page, &format!("signup_http_requests_total{{{labels}}}"));
    assert_eq!(requests(r#"method="POST",route="/v1/events",status="201""#), 1.0);
    assert_eq!(requests(r#"method="PATCH",route="/v1/slots/{id}",status="200""#), 1.0);
    assert_eq!(requests(r#"method="GET",route="unknown",status="404""#), 1.0);
    assert_eq!(requests(r#"method="DELETE",route="/v1/slots/{id}",status="404""#), 1.0);
    assert_eq!(value(&page, r#"signup_http_request_duration_seconds_count{route="/v1/events"}"#), 1.0);
    let all = value(&page, r#"signup_http_request_duration_seconds_bucket{route="/v1/events",le="+Inf"}"#);
    assert_eq!(all, 1.0);
    assert!(value(&page, r#"signup_store_round_trips_total{kind="read"}"#) >= 2.0);
    let commits = value(&page, r#"signup_store_round_trips_total{kind="commit"}"#);
    assert!(commits >= 4.0, "{commits}: each change set is checked and written");
    if let Sqlite = engine {
        assert_eq!(value(&page, "signup_store_commit_batch_size_sum"), 2.0, "two change sets were committed");
    }
    assert!(value(&page, "signup_store_connections") >= 1.0);
    assert!(value(&page, "signup_store_connections_in_use") >= 0.0);
    assert_eq!(value(&page, "signup_notices_queued"), 0.0, "the event has no volunteers to notify");
    assert_eq!(reqwest::get(format!("http://{listen}/")).await.unwrap().status(), 404);
    assert_eq!(
        server.get_without_token("/metrics").await.status,
        404,
        "metrics are not on the public address"
    );
}

#[tokio::test]
async fn counting_a_request_costs_one_round_trip() {
    let Some(first) = Server::start_on_postgres() else { return };
    let listen = free_listen();
    let server = first.start_another(&["--metrics-listen", &listen]);
    let round_trips = async || {
        let page = reqwest::get(format!("http://{listen}/metrics")).await.unwrap().text().await.unwrap();
        ["count", "read"]
            .map(|kind| value(&page, &format!("signup_store_round_trips_total{{kind=\"{kind}\"}}")))
    };
    // The first request reads the token; further requests find it in the cache.
    server.get("/v1/nothing").await;
    let [counts, reads] = round_trips().await;
    for _ in 0..10 {
        assert_eq!(server.get("/v1/nothing").await.status, 404);
    }
    let [counts_then, reads_then] = round_trips().await;
    assert_eq!(counts_then - counts, 10.0);
    // Each second the server looks for due emails and for due deliveries.
    assert!(reads_then - reads <= 2.0, "{} other round trips", reads_then - reads);
}

#[tokio::test]
async fn mails_are_counted_by_fate() {
    let mailbox = Mailbox::start();
    mailbox.answer("gone@example.org", &[(550, "no such user")]);
    mailbox.answer("busy@example.org", &[(450, "mailbox busy")]);
    let listen = free_listen();
    let server = Server::start(&["--metrics-listen", &listen, "--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    for name in ["gone", "busy", "ada"] {
        page.sign_up(&server, &page.slot("Early"), name, &format!("{name}@example.org")).await;
    }
    mailbox.wait_for(1, SOON).await;
    // The order of the mails is not defined, and the count of notices may be some seconds old.
    for fate in ["sent", "put_back", "failed"] {
        Server::wait_for_metric(&listen, &format!("signup_mails_total{{fate=\"{fate}\"}} 1")).await;
    }
    for state in ["failed", "queued"] {
        Server::wait_for_metric(&listen, &format!("signup_notices_{state} 1")).await;
    }
}
