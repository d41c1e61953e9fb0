//! Events over time: what moves `updated_at`, and what becomes of a deleted event.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Server;
use crate::lives::{path, question};
use crate::pages::{Page, published};

/// The version of an event changes with its slots and questions, but `updated_at` does not.
#[tokio::test]
async fn updated_at_of_an_event_stays_when_its_slots_questions_or_sign_ups_change() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    server.sql("UPDATE events SET updated_at = created_at - 3600, created_at = created_at - 3600").await;
    let path = path(&page.event);
    let before = server.get(&path).await.data()["updated_at"].clone();
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let slot = format!("/v1/slots/{}", page.slot("Late"));
    assert_eq!(server.patch(&slot, &json!({"capacity": 9})).await.status, 200);
    let question = question(&server, &page.event).await;
    assert_eq!(server.patch(&question, &json!({"label": "Size"})).await.status, 200);
    let added = json!({"shifts": [{"title": "New", "capacity": 1}]});
    assert_eq!(server.post(&format!("{path}/slots"), &added).await.status, 201);
    assert_eq!(server.send("DELETE", &slot, None).await.status, 200);
    assert_eq!(server.send("DELETE", &question, None).await.status, 200);
    let after = server.get(&path).await.data();
    assert_eq!((&after["updated_at"], after["slots"].as_array().map(Vec::len)), (&before, Some(2)));
}

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

#[tokio::test]
async fn a_type_that_cannot_change_and_options_that_do_not_fit_it_are_named_together() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let question = question(&server, &page.event).await;
    let patch = async |body: Value| server.patch(&question, &body).await;
    assert_eq!(patch(json!({"type": "select"})).await.fields(), ["options"]);
    let (slot, answer) = (page.slot("Early"), question.replace("/v1/questions/", "answer."));
    let form = [("slot_id", &*slot), ("name", "Ada"), ("email", "ada@example.org"), (&answer, "no nuts")];
    assert_eq!(page.post(&server, &form).await.status, 303);
    assert_eq!(patch(json!({"type": "select"})).await.fields(), ["type", "options"]);
    assert_eq!(patch(json!({"type": "checkbox", "label": "Vegan?"})).await.fields(), ["type"]);
    assert_eq!(patch(json!({"type": "text", "label": "Food", "required": true})).await.status, 200);
}
