//! Cancelling an event: what it does to sign-ups, and what a cancelled event still allows.

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event, run};
use crate::lives::{assert_not_found, confirmed, conflict, id, path, question, signups};
use crate::page_sign_ups::today;
use crate::pages::{Page, published};

async fn cancel(server: &Server, event: &Value, body: &Value) -> Answer {
    server.post(&format!("{}/cancel", path(event)), body).await
}

/// Cancels the event without a reason and returns it. Panics if the answer is not 200.
async fn cancelled(server: &Server, event: &Value) -> Value {
    let answer = cancel(server, event, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.data()
}

#[rstest]
#[tokio::test]
async fn a_cancel_cancels_every_active_sign_up_and_frees_its_place(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &published()).await;
    for (slot, name) in [("Early", "ada"), ("Early", "bob"), ("Late", "ada")] {
        let answer = page.sign_up(&server, &page.slot(slot), name, &format!("{name}@example.org")).await;
        assert_eq!(answer.status, 303);
    }
    let reason = "The hall is flooded.\nSorry!";
    let answer = cancel(&server, &page.event, &json!({"reason": reason})).await;
    assert_eq!(answer.status, 200);
    let after = answer.data();
    let mut expected = page.event.clone();
    for field in ["cancelled_at", "updated_at"] {
        expected[field] = after["cancelled_at"].clone();
    }
    expected["cancellation_reason"] = json!(reason);
    assert_eq!(after, expected, "is_published stays, and every place is free");
    assert_eq!(server.get(&path(&after)).await.data(), after);
    let signups = signups(&server, &after).await;
    assert_eq!(signups.len(), 3);
    for signup in signups {
        assert_eq!((&signup["status"], &signup["cancelled_by"]), (&json!("cancelled"), &json!("organizer")));
        assert_eq!(signup["cancelled_at"], after["cancelled_at"]);
    }
}

/// Today's noon is later than 10:00, so the sign-up is not active.
#[rstest]
#[tokio::test]
async fn a_cancel_leaves_the_sign_ups_of_past_shifts_and_earlier_cancellations_as_they_are(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = today();
    body["shifts"] = json!([{"title": "Morning", "capacity": 2}, {"title": "All day", "capacity": 2}]);
    let page = Page::create(&server, &body).await;
    for title in ["Morning", "All day"] {
        page.sign_up(&server, &page.slot(title), "Ada", "ada@example.org").await;
    }
    let morning = page.slot("Morning");
    let over = server.patch(&format!("/v1/slots/{morning}"), &json!({"end_time": "10:00"})).await;
    assert_eq!(over.status, 200);
    let after = cancelled(&server, &page.event).await;
    for slot in after["slots"].as_array().unwrap() {
        assert_eq!(slot["filled"], i32::from(slot["title"] == "Morning"), "{slot}");
    }
    for signup in signups(&server, &after).await {
        let is_morning = signup["slot_id"] == morning.as_str();
        let (status, by) =
            if is_morning { ("confirmed", Value::Null) } else { ("cancelled", json!("organizer")) };
        assert_eq!((&signup["status"], &signup["cancelled_by"]), (&json!(status), &by));
        assert_eq!(signup["cancelled_at"].is_null(), is_morning);
    }
}

#[rstest]
#[tokio::test]
async fn a_second_cancel_changes_nothing_whatever_the_body_says(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    assert_eq!(cancel(&server, &event, &json!({"reason": "Storm"})).await.status, 200);
    server.sql("UPDATE events SET updated_at = updated_at - 60, cancelled_at = cancelled_at - 60, created_at = created_at - 60").await;
    let before = server.get(&path(&event)).await.data();
    for body in [json!({}), json!({"reason": "Flood"}), json!({"reason": null, "notify_volunteers": false})] {
        let again = cancel(&server, &event, &body).await;
        assert_eq!((again.status, again.data()), (200, before.clone()), "{body}");
    }
    assert_eq!(server.get(&path(&event)).await.data(), before);
}

#[rstest]
#[tokio::test]
async fn an_event_that_is_over_is_not_cancelled(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut over = published();
    over["start_date"] = json!("2020-06-05");
    let event = server.create(&over).await;
    assert_eq!(conflict(&cancel(&server, &event, &json!({"reason": "Late"})).await), "event_over");
    assert_eq!(
        cancel(&server, &event, &json!({"reason": 5})).await.fields(),
        ["reason"],
        "the body comes first"
    );
    assert_eq!(server.get(&path(&event)).await.data(), event);
    // An event of which one day is left is not over.
    let mut body = today();
    body["start_date"] = json!("2026-01-01");
    body["end_date"] = today()["start_date"].clone();
    let organizer = server.create(&body).await;
    assert_eq!(cancelled(&server, &organizer).await["slots"], organizer["slots"]);
}

/// The event was cancelled before it was over.
#[rstest]
#[tokio::test]
async fn a_cancelled_event_that_is_over_stays_as_it_is(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    cancelled(&server, &event).await;
    let past = if engine == Sqlite { "'2020-06-05'" } else { "DATE '2020-06-05'" };
    server
        .sql(&format!("UPDATE events SET start_date = {past}, starts_at = 1591315200, ends_at = 1591401600"))
        .await;
    let before = server.get(&path(&event)).await.data();
    assert_eq!(before["start_date"], "2020-06-05T04:00:00+00:00");
    assert_eq!(cancelled(&server, &event).await, before);
}

#[rstest]
#[tokio::test]
async fn a_cancelled_draft_stays_a_draft(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &event()).await;
    let after = cancelled(&server, &page.event).await;
    assert_eq!(after["is_published"], false);
    assert!(after["cancelled_at"].is_string());
    assert_eq!(page.get(&server).await.status, 404);
    assert_eq!(page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await.status, 404);
}

#[rstest]
#[tokio::test]
async fn every_write_to_a_cancelled_event_is_refused_even_without_a_change(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&published()).await;
    let question = question(&server, &event).await;
    let after = cancelled(&server, &event).await;
    let (path, slot) = (path(&event), format!("/v1/slots/{}", id(&event["slots"][0])));
    let new_slots = json!({"shifts": [{"title": "New", "capacity": 1}]});
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({})),
        ("PATCH", path.clone(), json!({"title": "Food drive"})),
        ("PATCH", path.clone(), json!({"title": "Other"})),
        ("PATCH", path.clone(), json!({"is_published": false})),
        ("POST", format!("{path}/publish"), json!({})),
        ("POST", format!("{path}/unpublish"), json!({})),
        ("POST", format!("{path}/slots"), new_slots),
        ("PATCH", slot.clone(), json!({})),
        ("PATCH", slot.clone(), json!({"title": "Early"})),
        ("PATCH", slot.clone(), json!({"capacity": 9})),
        ("DELETE", slot.clone(), json!({})),
        ("DELETE", format!("{slot}?cancel_signups=true"), json!({})),
        ("POST", format!("{path}/questions"), json!({"label": "Size"})),
        ("PATCH", question.clone(), json!({})),
        ("PATCH", question.clone(), json!({"label": "Size"})),
        ("DELETE", question.clone(), json!({})),
    ] {
        let answer = server.send(method, &path, Some(&body)).await;
        assert_eq!(conflict(&answer), "event_cancelled", "{method} {path} {body}");
        assert_eq!(answer.json()["message"], "The event is cancelled.");
    }
    let command =
        ["question", "add", "--event", id(&event), "--label", "Size", "--database", &server.database()];
    assert!(!run(&command).status.success(), "the command line refuses to add a question");
    assert_eq!(server.get(&path).await.data(), after);
    assert_eq!(server.get(&slot).await.data(), after["slots"][0]);
    let questions = server.get(&format!("{path}/questions")).await.data();
    assert_eq!(questions.as_array().unwrap().len(), 1);
}

#[rstest]
#[tokio::test]
async fn a_cancelled_event_can_be_duplicated_and_deleted(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&published()).await;
    assert_eq!(cancel(&server, &event, &json!({"reason": "Storm"})).await.status, 200);
    let body = json!({"start_date": "2027-07-03"});
    let copy = server.post(&format!("{}/duplicate", path(&event)), &body).await;
    assert_eq!(copy.status, 201);
    let copy = copy.data();
    let fields = ["cancelled_at", "cancellation_reason"].map(|field| copy[field].clone());
    assert_eq!((fields, &copy["is_published"]), ([Value::Null, Value::Null], &json!(false)));
    let published = server.post(&format!("{}/publish", path(&copy)), &json!({})).await;
    assert_eq!(published.status, 200, "the copy is an event like any other");
    assert_eq!(server.send("DELETE", &path(&event), None).await.status, 200);
    assert_not_found(&server.get(&path(&event)).await, "deleted");
    assert_eq!(server.get(&path(&copy)).await.data(), published.data());
}

#[rstest]
#[tokio::test]
async fn a_reason_is_null_or_at_most_1000_characters(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let draft = server.create(&event()).await;
    for bad in [json!("x".repeat(1001)), json!(5), json!(["Storm"]), json!("a\0b"), json!(true)] {
        assert_eq!(cancel(&server, &draft, &json!({"reason": bad})).await.fields(), ["reason"], "{bad}");
    }
    let bad = json!({"notify_volunteers": null, "reason": {}});
    assert_eq!(cancel(&server, &draft, &bad).await.fields(), ["reason", "notify_volunteers"]);
    assert_eq!(server.get(&path(&draft)).await.data(), draft);
    let long = json!("😀".repeat(1000));
    for (given, stored) in [
        (Value::Null, Value::Null),
        (json!(" \n"), Value::Null),
        (json!(""), Value::Null),
        (json!(" Storm "), json!(" Storm ")),
        (long.clone(), long),
    ] {
        let event = server.create(&event()).await;
        let answer = cancel(&server, &event, &json!({"reason": given})).await;
        assert_eq!((answer.status, &answer.data()["cancellation_reason"]), (200, &stored), "{given}");
        assert_eq!(server.get(&path(&event)).await.data()["cancellation_reason"], stored);
    }
}

#[rstest]
#[tokio::test]
async fn a_list_shows_cancelled_events(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let (draft, shown) = (server.create(&event()).await, server.create(&published()).await);
    for event in [&draft, &shown] {
        cancelled(&server, event).await;
    }
    let ids = async |query: &str| {
        let list = server.get(&format!("/v1/events{query}")).await.data();
        let mut ids: Vec<_> = list.as_array().unwrap().iter().map(|event| id(event).to_owned()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids("?is_published=1").await, [id(&shown)]);
    assert_eq!(ids("?is_published=0").await, [id(&draft)]);
    assert_eq!(ids("").await.len(), 2);
}

/// The page says that the event is cancelled and why, and has no forms.
#[rstest]
#[tokio::test]
async fn a_form_posted_to_a_cancelled_event_is_refused_with_the_page(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let (page, other) =
        (Page::create(&server, &published()).await, Page::create(&server, &published()).await);
    let early = page.slot("Early");
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    cancel(&server, &page.event, &json!({"reason": "A <b>storm</b> is coming."})).await;
    let shown = page.get(&server).await;
    let good = page.sign_up(&server, &early, "Bob", "bob@example.org").await;
    let again = page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let bad = page.sign_up(&server, &early, "", "nowhere").await;
    let statuses = [&shown, &good, &again, &bad].map(|answer| answer.status);
    assert_eq!(statuses, [200, 409, 409, 409]);
    for answer in [&shown, &good, &again, &bad] {
        assert!(answer.text.contains("This event is cancelled"), "{}", answer.text);
        assert!(answer.text.contains("A &#60;b&#62;storm&#60;/b&#62; is coming."), "{}", answer.text);
        assert!(!answer.text.contains("<form"), "{}", answer.text);
    }
    assert_eq!(
        (&good.text, &good.text),
        (&again.text, &bad.text),
        "the answer does not reveal who is signed up"
    );
    for slot in [other.slot("Early"), "x".to_owned(), String::new()] {
        assert_eq!(page.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 404, "{slot}");
    }
    let signups = signups(&server, &page.event).await;
    assert_eq!((signups.len(), confirmed(&signups)), (1, 0));
}
