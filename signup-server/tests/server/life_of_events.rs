//! The life of an event: reading, publishing and unpublishing it, and the fields of the answers.

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::lives::{conflict, path, question, send_as, token_of};
use crate::page_sign_ups::today;
use crate::pages::{Page, published};

#[rstest]
#[tokio::test]
async fn an_event_is_read_as_it_was_created(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let created = server.create(&event()).await;
    let read = server.get(&path(&created)).await;
    assert_eq!((read.status, read.data()), (200, created.clone()));
    let head = server.send("HEAD", &path(&created), None).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    let options = server.send("OPTIONS", &path(&created), None).await;
    assert_eq!(options.header("allow"), Some("GET, HEAD, PATCH, DELETE, OPTIONS"));
}

#[rstest]
#[tokio::test]
async fn an_event_is_published_and_unpublished(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
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
        assert_eq!(page.get(&server).await.status, status, "the page after {action}");
    }
}

/// The row is backdated, because times in answers are whole seconds.
#[rstest]
#[tokio::test]
async fn publishing_moves_updated_at_and_repeating_it_changes_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = path(&server.create(&event()).await);
    for action in ["publish", "unpublish"] {
        server.sql("UPDATE events SET updated_at = created_at - 3600, created_at = created_at - 3600").await;
        let before = server.get(&path).await.data();
        let changed = server.send("POST", &format!("{path}/{action}"), None).await.data();
        assert_ne!(changed["updated_at"], before["updated_at"], "{action}");
        assert_eq!(changed["created_at"], before["created_at"]);
        server.sql("UPDATE events SET updated_at = created_at").await;
        let before = server.get(&path).await.data();
        let again = server.send("POST", &format!("{path}/{action}"), None).await;
        assert_eq!((again.status, again.data()), (200, before), "{action} again");
    }
}

#[rstest]
#[tokio::test]
async fn publishing_is_checked_against_the_active_event_limit(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let token = token_of(&server, "Small", "free");
    let create = async |body: &Value| send_as(&server, &token, "POST", "/v1/events", Some(body)).await.data();
    let publish = async |event: &Value| {
        send_as(&server, &token, "POST", &format!("{}/publish", path(event)), None).await
    };
    let mut events = vec![];
    for _ in 0..6 {
        events.push(create(&event()).await);
    }
    for draft in &events[..5] {
        assert_eq!(publish(draft).await.status, 200);
    }
    let refused = publish(&events[5]).await;
    let limit = json!({"limit_type": "active_events", "current_count": 5, "max_allowed": 5});
    assert_eq!((refused.status, &refused.json()["limit"]), (422, &limit));
    assert_eq!(refused.json()["error"], "plan_limit_reached");
    assert_eq!(publish(&events[0]).await.status, 200, "a published event stays published at the limit");
    let mut over = event();
    over["start_date"] = json!("2020-06-05");
    assert_eq!(publish(&create(&over).await).await.status, 200, "an event that is over does not count");
    let freed = send_as(&server, &token, "POST", &format!("{}/unpublish", path(&events[0])), None).await;
    assert_eq!((freed.status, publish(&events[5]).await.status), (200, 200));
    assert_eq!(publish(&events[0]).await.status, 422);
}

#[rstest]
#[tokio::test]
async fn a_cancelled_event_and_a_deleted_one_are_no_active_events(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let token = token_of(&server, "Small", "free");
    let create = async || send_as(&server, &token, "POST", "/v1/events", Some(&published())).await;
    let mut events = vec![];
    for _ in 0..5 {
        events.push(create().await.data());
    }
    assert_eq!(create().await.status, 422);
    for (event, method, action) in [(&events[0], "POST", "/cancel"), (&events[2], "DELETE", "")] {
        let ended = send_as(&server, &token, method, &format!("{}{action}", path(event)), None).await;
        assert_eq!(ended.status, 200, "{method}");
        assert_eq!([create().await.status, create().await.status], [201, 422], "{method}");
    }
}

#[rstest]
#[tokio::test]
async fn an_unpublish_refuses_active_sign_ups(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
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

#[tokio::test]
async fn the_cancellation_is_part_of_every_event_in_an_answer() {
    let server = Server::start(&[]);
    let created = server.create(&event()).await;
    let path = path(&created);
    let duplicate = json!({"start_date": "2027-07-03"});
    let copy = server.post(&format!("{path}/duplicate"), &duplicate).await.data();
    let list = server.get("/v1/events").await.data();
    let answers = [
        created.clone(),
        copy,
        list[0].clone(),
        list[1].clone(),
        server.get(&path).await.data(),
        server.patch(&path, &json!({"title": "A"})).await.data(),
        server.post(&format!("{path}/publish"), &json!({})).await.data(),
        server.post(&format!("{path}/unpublish"), &json!({})).await.data(),
    ];
    for answer in answers {
        assert_eq!(answer.get("cancelled_at"), Some(&Value::Null), "{answer}");
        assert_eq!(answer.get("cancellation_reason"), Some(&Value::Null), "{answer}");
    }
    let cancelled = server.post(&format!("{path}/cancel"), &json!({"reason": "Storm"})).await.data();
    let list = server.get("/v1/events").await.data();
    let listed = list.as_array().unwrap().iter().find(|event| event["id"] == created["id"]).unwrap();
    for answer in [&cancelled, &server.get(&path).await.data(), listed] {
        assert_eq!(answer["cancelled_at"], cancelled["updated_at"]);
        assert_eq!(answer["cancellation_reason"], "Storm");
    }
    for slot in created["slots"].as_array().unwrap() {
        assert!(slot.get("cancelled_at").is_none(), "{slot}");
    }
}

/// The version of an event changes with its slots and questions, but `updated_at` does not.
#[rstest]
#[tokio::test]
async fn updated_at_of_an_event_stays_when_its_slots_questions_or_sign_ups_change(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
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
