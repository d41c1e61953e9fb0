//! Plans of the lists of deliveries.

use jiff::Timestamp;
use rstest::rstest;
use signup_core::{DeliveryId, DeliveryQuery, DeliveryStatus, OrganizationId, Position, Side, WebhookId};
use sqlx::{Executor as _, PgConnection};

use super::{MANY_EVENTS, connect, plan_of};
use crate::sql::Dialect;
use crate::sql::read::{delivery_page_query, due_deliveries_query, oldest_pending_query};
use crate::test_cluster::Cluster;

/// Inserts 2,000 webhooks, 100,000 pending deliveries to one of them, one to each of a hundred others, and 20,000 that have ended.
const MANY_DELIVERIES: &str = "INSERT INTO webhooks (organization_id, id, url, types, secret, version, created_at, updated_at) \
     SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'https://example.org/', '[\"*\"]', '', 1, 0, 0 \
     FROM generate_series(1, 2000); \
     INSERT INTO deliveries (organization_id, id, webhook_id, activity, is_test, status, due_at, ended_at, attempts, version, \
     created_at, expires_at) SELECT w.organization_id, gen_random_uuid(), w.id, '{}', FALSE, \
     CASE WHEN n > 100000 THEN 'failed' ELSE 'pending' END, CASE WHEN n <= 100000 THEN n END, CASE WHEN n > 100000 THEN n END, \
     0, 1, n, n FROM (SELECT * FROM webhooks LIMIT 1) w, generate_series(1, 120000) n; \
     INSERT INTO deliveries (organization_id, id, webhook_id, activity, is_test, status, due_at, attempts, version, created_at, \
     expires_at) SELECT organization_id, gen_random_uuid(), id, '{}', FALSE, 'pending', 0, 0, 1, 0, 0 \
     FROM webhooks LIMIT 100";

/// Connects to a database with many deliveries. The planner has statistics of the tables only with `is_analyzed`.
async fn with_deliveries(cluster: &Cluster, is_analyzed: bool) -> PgConnection {
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    connection.execute(MANY_DELIVERIES).await.unwrap();
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    connection
}

/// A page is a range of the index of the webhook. Deliveries with another state are skipped.
#[rstest]
#[tokio::test]
async fn a_page_of_deliveries_costs_the_same_wherever_it_is(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = with_deliveries(cluster, is_analyzed).await;
    let all = DeliveryQuery::new().status(DeliveryStatus::Failed);
    for side in [None, Some(Side::Below), Some(Side::Above)] {
        let mut wanted = all.clone();
        wanted.position = side.map(|side| Position { key: DeliveryId::NONE, side });
        let page = delivery_page_query(Dialect::Postgres, OrganizationId::NONE, WebhookId::NONE, &wanted);
        let plan = plan_of(&mut connection, page).await;
        let ranges = plan.matches(" using deliveries_by_webhook on deliveries d").count();
        assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
        assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
    }
}

#[rstest]
#[tokio::test]
async fn due_deliveries_are_found_by_their_place(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = with_deliveries(cluster, is_analyzed).await;
    let due = due_deliveries_query(Dialect::Postgres, Timestamp::UNIX_EPOCH, 64);
    let plan = plan_of(&mut connection, due).await;
    let searches = [
        ("Index Scan using webhooks_id_key on webhooks w", 1),
        ("Index Only Scan using deliveries_in_flight on deliveries f", 1),
        ("AND (leased_until > $1) AND (leased_until <= $2))", 1),
        ("Index Only Scan using pending_deliveries on deliveries n", 5),
        ("Index Only Scan using pending_tests on deliveries n", 5),
        ("AND (due_at <= $1))", 8),
        ("AND (due_at > $3))", 2),
        ("Index Scan using deliveries_pkey on deliveries d", 2),
        // What is sorted are the webhooks, and the few deliveries that were found.
        ("Sort  (", 5),
        // Filters on webhooks: whether one was found, and whether it may have another request in flight. The last one is on the
        // place of a delivery.
        (" Filter:", 7),
        ("Seq Scan", 0),
    ];
    for (search, count) in searches {
        assert_eq!(plan.matches(search).count(), count, "{search}\n{plan}");
    }
}

#[rstest]
#[tokio::test]
async fn the_oldest_pending_delivery_of_each_webhook_is_the_first_of_an_index(
    #[values(false, true)] is_analyzed: bool,
) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = with_deliveries(cluster, is_analyzed).await;
    let plan = plan_of(&mut connection, oldest_pending_query(Dialect::Postgres)).await;
    assert!(plan.contains("Index Scan using webhooks_id_key on webhooks w"), "{plan}");
    assert!(plan.contains("Index Only Scan using pending_deliveries_by_creation on deliveries n"), "{plan}");
    assert!(!["Sort", "Seq Scan", "Materialize"].iter().any(|step| plan.contains(step)), "{plan}");
}
