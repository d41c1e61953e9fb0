//! Deleting an event: it is gone from every answer, page and list at once.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::lives::{conflict, path, question};
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
    assert_eq!(server.browse("GET", &format!("{}/signed-up", page.path), None).await.status, 404);
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
