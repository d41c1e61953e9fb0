//! The routes `/v1/events/{event_id}/slots` and `/v1/slots/{id}`.

use serde_json::{Value, json};

use crate::harness::{Server, event};

/// Creates an event. Returns its first slot and the path of this slot.
async fn with_slot(server: &Server) -> (Value, String) {
    let event = server.create(&event()).await;
    let path = format!("/v1/slots/{}", event["slots"][0]["id"].as_str().unwrap());
    (event["slots"][0].clone(), path)
}

#[tokio::test]
async fn slots_are_listed_as_they_were_created() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    let listed = server.get(&format!("/v1/events/{}/slots", event["id"].as_str().unwrap())).await;
    assert_eq!((listed.status, listed.data()), (200, event["slots"].clone()));
}

#[tokio::test]
async fn only_the_fields_that_are_sent_change() {
    let server = Server::start(&[]);
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

#[tokio::test]
async fn null_removes_a_value_where_a_slot_may_have_none_and_is_refused_elsewhere() {
    let server = Server::start(&[]);
    let (_, path) = with_slot(&server).await;
    let nulls = json!({"title": null, "start_time": null, "end_time": null, "capacity": null, "notify_volunteers": null});
    let fields = server.patch(&path, &nulls).await.fields();
    assert_eq!(fields, ["title", "start_time", "end_time", "capacity", "notify_volunteers"]);
    for (field, value) in [("description", json!("Lift")), ("location", json!("Hall")), ("minimum", json!(2))]
    {
        for empty in [Value::Null, json!("  ")] {
            assert_eq!(server.patch(&path, &json!({field: value})).await.data()[field], value);
            assert_eq!(server.patch(&path, &json!({field: empty})).await.data()[field], Value::Null);
        }
    }
}

/// The stored start is read only after the body by itself was checked.
#[tokio::test]
async fn the_end_is_checked_against_the_stored_start_after_every_other_fault() {
    let server = Server::start(&[]);
    let (_, path) = with_slot(&server).await;
    let late = json!({"start_time": "12:30"});
    assert_eq!(server.patch(&path, &late).await.fields(), ["end_time"]);
    assert_eq!(server.patch("/v1/slots/unknown", &late).await.status, 404);
    let early = json!({"end_time": "08:00", "title": ""});
    assert_eq!(server.patch(&path, &early).await.fields(), ["title"]);
    let both = json!({"start_time": "09:00", "end_time": "08:00", "title": ""});
    assert_eq!(server.patch(&path, &both).await.fields(), ["title"], "the slot could end on the next day");
    let moved = server.patch(&path, &json!({"start_time": "12:30", "end_time": "12:31"})).await;
    assert_eq!(moved.data()["start_time"], "2027-06-05T16:30:00+00:00");
}

#[tokio::test]
async fn a_slot_is_on_a_day_of_its_event_and_a_night_ends_on_the_next() {
    let server = Server::start(&[]);
    let night = json!({"title": "Watch", "day": 2, "start_time": "22:00", "end_time": "06:00", "ends_next_day": true,
        "capacity": 1});
    let camp = json!({"title": "Camp", "start_date": "2027-06-05", "end_date": "2027-06-06", "timezone": "UTC",
        "shifts": [night]});
    let created = server.create(&camp).await;
    let slot = &created["slots"][0];
    let shown =
        |slot: &Value| ["day", "start_time", "end_time", "ends_next_day"].map(|name| slot[name].clone());
    let (start, end) = ("2027-06-06T22:00:00+00:00", "2027-06-07T06:00:00+00:00");
    assert_eq!(shown(slot), [json!(2), json!(start), json!(end), json!(true)]);
    let path = format!("/v1/slots/{}", slot["id"].as_str().unwrap());
    let event_path = format!("/v1/events/{}", created["id"].as_str().unwrap());
    for (refused, fields) in [
        (server.patch(&path, &json!({"day": 3, "start_time": "05:00"})).await, vec!["day", "end_time"]),
        (server.patch(&path, &json!({"day": 0})).await, vec!["day"]),
        (server.patch(&event_path, &json!({"end_date": null})).await, vec!["end_date"]),
        (
            server
                .post(
                    &format!("{event_path}/slots"),
                    &json!({"shifts": [{"title": "A", "capacity": 1, "day": 3}]}),
                )
                .await,
            vec!["shifts.0.day"],
        ),
    ] {
        assert_eq!(refused.fields(), fields);
    }
    let evening = json!({"day": 1, "end_time": "24:00", "ends_next_day": false});
    let evening = server.patch(&path, &evening).await.data();
    let (start, end) = ("2027-06-05T22:00:00+00:00", "2027-06-06T00:00:00+00:00");
    assert_eq!(shown(&evening), [json!(1), json!(start), json!(end), json!(false)]);
}
