//! Deleting an event: it is gone from every answer, page and list at once.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Server, event};
use crate::lives::{conflict, id, path, question};
use crate::pages::{Page, published};

async fn delete(server: &Server, event: &Value) -> Answer {
    server.send("DELETE", &path(event), None).await
}

#[tokio::test]
async fn a_deleted_event_has_no_page() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    let deleted = delete(&server, &page.event).await;
    let expected = json!({"data": {"id": page.event["id"], "deleted": true}});
    assert_eq!((deleted.status, deleted.json()), (200, expected));
    assert_eq!(page.get(&server).await.status, 404);
    assert_eq!(page.sign_up(&server, &early, "Bob", "bob@example.org").await.status, 404);
    for path in [format!("{}/slots/{early}.ics", page.path), format!("{}/signed-up", page.path)] {
        assert_eq!(server.browse("GET", &path, None).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn an_event_with_active_sign_ups_is_not_deleted() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Late"), "Ada", "ada@example.org").await;
    let refused = server.send_keyed("DELETE", &path(&page.event), "key", &json!({})).await;
    assert_eq!(conflict(&refused), "event_has_signups");
    assert_eq!(server.get(&path(&page.event)).await.data()["slots"][1]["filled"], 1);
    assert_eq!(server.post(&format!("{}/cancel", path(&page.event)), &json!({})).await.status, 200);
    let deleted = server.send_keyed("DELETE", &path(&page.event), "key", &json!({})).await;
    assert_eq!((deleted.status, deleted.is_replay()), (200, false), "a refused request stores nothing");
}

/// Every event that exists throughout is shown once, while other events are deleted and cancelled between two pages.
#[tokio::test]
async fn a_walk_shows_each_event_that_exists_throughout_exactly_once() {
    let server = Server::start(&[]);
    let mut events = vec![];
    for number in 0..24 {
        let mut body = event();
        body["start_date"] = json!(format!("2027-06-{:02}", 10 + number / 4));
        events.push(server.create(&body).await);
    }
    let (doomed, kept): (Vec<_>, Vec<_>) = events.iter().enumerate().partition(|(number, _)| number % 3 == 1);
    let mut doomed = doomed.into_iter().map(|(_, event)| event);
    let (mut shown, mut path_of_page) = (vec![], "/v1/events?per_page=3".to_owned());
    loop {
        let page = server.get(&path_of_page).await.json();
        shown.extend(page["data"].as_array().unwrap().iter().map(|event| id(event).to_owned()));
        if let Some(event) = doomed.next() {
            assert_eq!(delete(&server, event).await.status, 200);
        }
        let cancelled = kept[shown.len() % kept.len()].1;
        server.post(&format!("{}/cancel", path(cancelled)), &json!({})).await;
        let Some(next) = page["links"]["next"].as_str() else { break };
        path_of_page = next.strip_prefix(&server.url).unwrap().to_owned();
    }
    let distinct: BTreeSet<_> = shown.iter().map(String::as_str).collect();
    assert_eq!(distinct.len(), shown.len(), "no event is shown twice");
    assert!(kept.iter().all(|(_, event)| distinct.contains(id(event))));
    let left: Vec<_> = server.get("/v1/events?per_page=100").await.data().as_array().unwrap().clone();
    let deleted = events.len() - left.len();
    assert!(deleted >= 5, "{deleted} events were deleted during the walk");
}

/// Two events are deleted, one of them more than 30 days ago.
#[tokio::test]
async fn a_deleted_event_is_kept_for_30_days_and_then_purged() {
    let mut server = Server::start_on_sqlite();
    for _ in 0..2 {
        let page = Page::create(&server, &published()).await;
        question(&server, &page.event).await;
        page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
        assert_eq!(server.post(&format!("{}/cancel", path(&page.event)), &json!({})).await.status, 200);
        assert_eq!(delete(&server, &page.event).await.status, 200);
    }
    let rows = "SELECT CAST((SELECT count(*) FROM events) + (SELECT count(*) FROM shifts) + (SELECT count(*) FROM questions) \
                + (SELECT count(*) FROM signups) AS text)";
    assert_eq!(server.sql(rows).await, "10");
    for (order, age) in [("ASC", 30 * 86_400 + 600), ("DESC", 30 * 86_400 - 600)] {
        let one = format!("(SELECT id FROM events ORDER BY id {order} LIMIT 1)");
        server.sql(&format!("UPDATE events SET deleted_at = deleted_at - {age} WHERE id = {one}")).await;
    }
    // A server purges when it starts.
    server.kill();
    server.restart();
    server.wait_for_sql(rows, "5", Duration::from_secs(20)).await;
    assert_eq!(server.sql("SELECT CAST(count(*) AS text) FROM events").await, "1");
}
