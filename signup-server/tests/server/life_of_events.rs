//! The life of an event: publishing and unpublishing it, and when its answer says that it was updated.

use serde_json::json;

use crate::harness::{Server, event};
use crate::lives::{conflict, path, question};
use crate::page_sign_ups::today;
use crate::pages::{Page, published};

#[tokio::test]
async fn an_event_is_published_and_unpublished() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &event()).await;
    let path = path(&page.event);
    for (action, is_published, status) in
        [("publish", true, 200), ("unpublish", false, 404), ("publish", true, 200)]
    {
        let answer = server.send("POST", &format!("{path}/{action}"), None).await;
        assert_eq!((answer.status, &answer.data()["is_published"]), (200, &json!(is_published)), "{action}");
        let mut expected = page.event.clone();
        expected["is_published"] = json!(is_published);
        expected["updated_at"] = answer.data()["updated_at"].clone();
        assert_eq!(answer.data(), expected, "no other field changes");
        assert_eq!(server.get(&path).await.data(), answer.data());
        let again = server.send("POST", &format!("{path}/{action}"), None).await;
        assert_eq!((again.status, again.data()), (200, answer.data()), "{action} again");
        assert_eq!(page.get(&server).await.status, status, "the page after {action}");
    }
}

#[tokio::test]
async fn an_unpublish_refuses_active_sign_ups() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
    let unpublish = format!("{}/unpublish", path(&page.event));
    let refused = server.post(&unpublish, &json!({})).await;
    assert_eq!(conflict(&refused), "event_has_signups");
    assert_eq!(server.get(&path(&page.event)).await.data()["is_published"], true);
    // A sign-up for a shift that is over is not active. Today's noon is later than 10:00.
    let over = server.patch(&format!("/v1/slots/{slot}"), &json!({"end_time": "10:00"})).await;
    assert_eq!((over.status, &over.data()["filled"]), (200, &json!(1)));
    assert_eq!(server.post(&unpublish, &json!({})).await.data()["is_published"], false);
}

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
    assert_eq!(after["updated_at"], before);
    assert_eq!(after["slots"].as_array().unwrap().len(), 2);
}
