//! The routes `/v1/events/{event_id}/slots` and `/v1/slots/{id}`.

use serde_json::{Value, json};

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};

/// Creates an event. Returns its first slot and the path of this slot.
async fn with_slot(server: &Server) -> (Value, String) {
    let event = server.create(&event()).await;
    let path = format!("/v1/slots/{}", event["slots"][0]["id"].as_str().unwrap());
    (event["slots"][0].clone(), path)
}

#[rstest]
#[tokio::test]
async fn slots_are_listed_as_they_were_created(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    let listed = server.get(&format!("/v1/events/{}/slots", event["id"].as_str().unwrap())).await;
    assert_eq!((listed.status, listed.data()), (200, event["slots"].clone()));
}

#[rstest]
#[tokio::test]
async fn only_the_fields_that_are_sent_change(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let (slot, path) = with_slot(&server).await;
    let answer = server.patch(&path, &json!({"title": " Dawn ", "capacity": 9})).await;
    assert_eq!(answer.status, 200);
    let changed = answer.data();
    let mut expected = slot;
    expected["title"] = json!("Dawn");
    expected["capacity"] = json!(9);
    expected["remaining"] = json!(9);
    expected["updated_at"] = changed["updated_at"].clone();
    assert_eq!(changed, expected);
}

/// The row is backdated, because times in answers are whole seconds.
#[rstest]
#[tokio::test]
async fn a_patch_without_a_new_value_changes_nothing(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let (slot, path) = with_slot(&server).await;
    server.sql("UPDATE shifts SET updated_at = updated_at - 3600").await;
    let before = server.get(&path).await.data();
    assert_ne!(before["updated_at"], slot["updated_at"]);
    for body in
        [json!({}), json!({"title": "Early", "start_time": "09:00", "capacity": 4}), json!({"unknown": 1})]
    {
        assert_eq!(server.patch(&path, &body).await.data(), before, "{body}");
    }
    let changed = server.patch(&path, &json!({"capacity": 5})).await.data();
    assert_ne!(changed["updated_at"], before["updated_at"]);
}

#[rstest]
#[tokio::test]
async fn null_removes_the_location_and_is_refused_elsewhere(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let (_, path) = with_slot(&server).await;
    let nulls = json!({"title": null, "start_time": null, "end_time": null, "capacity": null, "notify_volunteers": null});
    let fields = server.patch(&path, &nulls).await.fields();
    assert_eq!(fields, ["title", "start_time", "end_time", "capacity", "notify_volunteers"]);
    for empty in [Value::Null, json!("  ")] {
        assert_eq!(server.patch(&path, &json!({"location": "Hall"})).await.data()["location"], "Hall");
        assert_eq!(server.patch(&path, &json!({"location": empty})).await.data()["location"], Value::Null);
    }
}

/// The stored start is read only after the body by itself was checked.
#[rstest]
#[tokio::test]
async fn the_end_is_checked_against_the_stored_start_after_every_other_fault(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let (_, path) = with_slot(&server).await;
    let late = json!({"start_time": "12:30"});
    assert_eq!(server.patch(&path, &late).await.fields(), ["end_time"]);
    assert_eq!(server.patch("/v1/slots/unknown", &late).await.status, 404);
    let early = json!({"end_time": "08:00", "title": ""});
    assert_eq!(server.patch(&path, &early).await.fields(), ["title"]);
    let both = json!({"start_time": "09:00", "end_time": "08:00", "title": ""});
    assert_eq!(server.patch(&path, &both).await.fields(), ["title", "end_time"]);
    let moved = server.patch(&path, &json!({"start_time": "12:30", "end_time": "12:31"})).await;
    assert_eq!(moved.data()["start_time"], "2027-06-05T16:30:00+00:00");
}

#[rstest]
#[tokio::test]
async fn patches_at_the_same_moment_never_lose_each_others_fields(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let (_, path) = with_slot(&server).await;
    let capacities = async {
        for capacity in 1..=20 {
            assert_eq!(server.patch(&path, &json!({"capacity": capacity})).await.status, 200);
        }
    };
    let titles = async {
        for number in 1..=20 {
            assert_eq!(server.patch(&path, &json!({"title": format!("T{number}")})).await.status, 200);
        }
    };
    let locations = async {
        for number in 1..=20 {
            assert_eq!(server.patch(&path, &json!({"location": format!("L{number}")})).await.status, 200);
        }
    };
    tokio::join!(capacities, titles, locations);
    let slot = server.patch(&path, &json!({})).await.data();
    assert_eq!(
        (&slot["capacity"], &slot["title"], &slot["location"]),
        (&json!(20), &json!("T20"), &json!("L20"))
    );
}

#[tokio::test]
async fn the_body_is_checked_before_the_slot_is_looked_up() {
    let server = Server::start(&[]);
    let unknown = "/v1/slots/01a1fc0c-06a8-79da-abb2-b84ac8892247";
    for path in [unknown, "/v1/slots/x"] {
        assert_eq!(server.patch(path, &json!({"capacity": 1})).await.status, 404);
        assert_eq!(server.patch(path, &json!({"capacity": 0})).await.fields(), ["capacity"]);
        let hours = json!({"start_time": "12:00", "end_time": "11:00"});
        assert_eq!(server.patch(path, &hours).await.fields(), ["end_time"]);
    }
    assert_eq!(server.get("/v1/events/x/slots").await.status, 404);
}
