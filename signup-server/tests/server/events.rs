//! What becomes of a deleted event.

use std::time::Duration;

use serde_json::json;

use crate::harness::Server;
use crate::lives::{path, question};
use crate::pages::{Page, published};

/// Two events are deleted, one of them more than 30 days ago.
#[tokio::test]
async fn a_deleted_event_is_kept_for_30_days_and_then_purged() {
    let mut server = Server::start_on_sqlite();
    for _ in 0..2 {
        let page = Page::create(&server, &published()).await;
        question(&server, &page.event).await;
        page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
        let path = path(&page.event);
        assert_eq!(server.post(&format!("{path}/cancel"), &json!({})).await.status, 200);
        assert_eq!(server.send("DELETE", &path, None).await.status, 200);
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
