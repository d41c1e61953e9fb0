//! Deleting an event: it is gone from every answer, page and list at once.

use std::collections::BTreeSet;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event};
use crate::lives::{assert_not_found, conflict, id, path, question, signups};
use crate::page_sign_ups::today;
use crate::pages::{Page, published};

async fn delete(server: &Server, event: &Value) -> Answer {
    server.send("DELETE", &path(event), None).await
}

#[rstest]
#[tokio::test]
async fn a_deleted_event_is_gone_from_every_answer_page_and_list(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &published()).await;
    let kept = server.create(&event()).await;
    let question = question(&server, &page.event).await;
    let early = page.slot("Early");
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let signup = id(&signups(&server, &page.event).await[0]).to_owned();
    assert_eq!(server.post(&format!("{}/cancel", path(&page.event)), &json!({})).await.status, 200);
    let deleted = delete(&server, &page.event).await;
    assert_eq!(
        (deleted.status, deleted.json()),
        (200, json!({"data": {"id": page.event["id"], "deleted": true}}))
    );

    let (path, slot) = (path(&page.event), format!("/v1/slots/{early}"));
    let slots = json!({"shifts": [{"title": "New", "capacity": 1}]});
    for (method, path, body) in [
        ("GET", path.clone(), json!({})),
        ("PATCH", path.clone(), json!({})),
        ("DELETE", path.clone(), json!({})),
        ("POST", format!("{path}/publish"), json!({})),
        ("POST", format!("{path}/unpublish"), json!({})),
        ("POST", format!("{path}/cancel"), json!({})),
        ("POST", format!("{path}/duplicate"), json!({"start_date": "2027-07-03"})),
        ("GET", format!("{path}/coverage"), json!({})),
        ("GET", format!("{path}/slots"), json!({})),
        ("POST", format!("{path}/slots"), slots),
        ("GET", slot.clone(), json!({})),
        ("PATCH", slot.clone(), json!({"capacity": 9})),
        ("DELETE", slot.clone(), json!({})),
        ("GET", format!("{slot}/signups"), json!({})),
        ("GET", format!("{path}/questions"), json!({})),
        ("POST", format!("{path}/questions"), json!({"label": "Size"})),
        ("PATCH", question.clone(), json!({"label": "Size"})),
        ("DELETE", question.clone(), json!({})),
        ("GET", format!("{path}/signups"), json!({})),
        ("GET", format!("/v1/signups/{signup}"), json!({})),
    ] {
        let answer = server.send(method, &path, Some(&body)).await;
        assert_not_found(&answer, &format!("{method} {path}"));
    }
    assert_eq!(server.get("/v1/signups").await.data(), json!([]));
    let list = server.get("/v1/events").await.data();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["id"]), (1, &kept["id"]));
    assert_eq!(page.get(&server).await.status, 404);
    assert_eq!(page.sign_up(&server, &early, "Bob", "bob@example.org").await.status, 404);
    for path in [format!("{}/slots/{early}.ics", page.path), format!("{}/signed-up", page.path)] {
        assert_eq!(server.browse("GET", &path, None).await.status, 404, "{path}");
    }
}

#[rstest]
#[tokio::test]
async fn an_event_with_active_sign_ups_is_not_deleted(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Late"), "Ada", "ada@example.org").await;
    let refused = server.send_keyed("DELETE", &path(&page.event), "key", &json!({})).await;
    assert_eq!(conflict(&refused), "event_has_signups");
    assert_eq!(server.get(&path(&page.event)).await.data()["slots"][1]["filled"], 1);
    assert_eq!(server.post(&format!("{}/cancel", path(&page.event)), &json!({})).await.status, 200);
    let deleted = server.send_keyed("DELETE", &path(&page.event), "key", &json!({})).await;
    assert_eq!((deleted.status, deleted.is_replay()), (200, false), "a refused request stores nothing");
}

/// Today's noon is later than 10:00, so the sign-up is not active.
#[rstest]
#[tokio::test]
async fn sign_ups_of_past_shifts_do_not_prevent_the_deletion(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
    assert_eq!(conflict(&delete(&server, &page.event).await), "event_has_signups");
    let over = server.patch(&format!("/v1/slots/{slot}"), &json!({"end_time": "10:00"})).await;
    assert_eq!((over.status, &over.data()["filled"]), (200, &json!(1)));
    assert_eq!(delete(&server, &page.event).await.status, 200);
}

#[rstest]
#[tokio::test]
async fn a_repeated_delete_is_replayed_only_by_its_key(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    let keyed = async |server: &Server, key: &str| {
        let request = server.request("DELETE", &path(&event)).bearer_auth(&server.token);
        server.answer(request.header("Idempotency-Key", key)).await
    };
    let first = keyed(&server, "key").await;
    server.kill();
    server.restart();
    let again = keyed(&server, "key").await;
    assert_eq!((first.status, first.is_replay()), (200, false));
    assert_eq!((again.status, again.is_replay(), &again.text), (200, true, &first.text));
    assert_not_found(&keyed(&server, "other").await, "another key");
    assert_not_found(&delete(&server, &event).await, "no key");
    let second = server.manage(&["token", "create", "--organization", "starter", "--name", "second"]);
    let other = server.request("DELETE", &path(&event)).bearer_auth(second["token"].as_str().unwrap());
    assert_not_found(&server.answer(other.header("Idempotency-Key", "key")).await, "another token");
}

#[rstest]
#[tokio::test]
async fn a_keyed_create_is_replayed_although_its_event_was_cancelled_or_deleted(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let first = server.send_keyed("POST", "/v1/events", "key", &event()).await;
    let path = path(&first.data());
    let copy = json!({"start_date": "2027-07-03"});
    let copied = server.send_keyed("POST", &format!("{path}/duplicate"), "key", &copy).await;
    for (method, action) in [("POST", "/cancel"), ("DELETE", "")] {
        assert_eq!(server.send(method, &format!("{path}{action}"), None).await.status, 200);
        let again = server.send_keyed("POST", "/v1/events", "key", &event()).await;
        assert_eq!((again.status, again.is_replay(), &again.text), (201, true, &first.text));
        let again = server.send_keyed("POST", &format!("{path}/duplicate"), "key", &copy).await;
        assert_eq!((again.status, again.is_replay(), &again.text), (201, true, &copied.text));
    }
    assert_eq!(server.count_events().await, 1, "only the copy is left");
}

/// Every event that exists throughout is shown once, while other events are deleted and cancelled between two pages.
#[rstest]
#[tokio::test]
async fn a_walk_shows_each_event_that_exists_throughout_exactly_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
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
#[rstest]
#[tokio::test]
async fn a_deleted_event_is_kept_for_30_days_and_then_purged(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut server) = Server::start_with(engine) else { return };
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
