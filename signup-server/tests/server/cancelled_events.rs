//! Cancelling an event: what it does to sign-ups, and what a cancelled event still allows.

use serde_json::{Value, json};

use crate::harness::{Answer, Server, run};
use crate::lives::{conflict, id, path, question, signups};
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

#[tokio::test]
async fn a_cancel_cancels_every_active_sign_up_and_frees_its_place() {
    let server = Server::start(&[]);
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
    let again = cancel(&server, &page.event, &json!({"reason": "Flood", "notify_volunteers": false})).await;
    assert_eq!((again.status, again.data()), (200, after.clone()), "a second cancel changes nothing");
    let signups = signups(&server, &after).await;
    assert_eq!(signups.len(), 3);
    for signup in signups {
        assert_eq!((&signup["status"], &signup["cancelled_by"]), (&json!("cancelled"), &json!("organizer")));
        assert_eq!(signup["cancelled_at"], after["cancelled_at"]);
    }
}

#[tokio::test]
async fn an_event_that_is_over_is_not_cancelled() {
    let server = Server::start(&[]);
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

#[tokio::test]
async fn every_write_to_a_cancelled_event_is_refused_even_without_a_change() {
    let server = Server::start_on_sqlite();
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
