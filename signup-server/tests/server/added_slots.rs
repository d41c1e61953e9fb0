//! Slots that are read one by one, and slots that are added to an event.

use serde_json::{Value, json};

use crate::harness::{Server, event};
use crate::lives::{assert_not_found, conflict};

const UNKNOWN: &str = "01a1fc0c-06a8-79da-abb2-b84ac8892247";

/// Creates an event. Returns it, and the path of its slots.
async fn with_slots(server: &Server, body: &Value) -> (Value, String) {
    let event = server.create(body).await;
    let path = format!("/v1/events/{}/slots", event["id"].as_str().unwrap());
    (event, path)
}

/// Returns a body with this number of slots.
fn slots(count: usize) -> Value {
    let slots: Vec<_> =
        (0..count).map(|number| json!({"title": format!("S{number}"), "capacity": 1})).collect();
    json!({"shifts": slots})
}

async fn count(server: &Server, path: &str) -> usize {
    server.get(path).await.data().as_array().unwrap().len()
}

#[tokio::test]
async fn a_slot_is_read_by_its_id() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    for slot in event["slots"].as_array().unwrap() {
        let found = server.get(&format!("/v1/slots/{}", slot["id"].as_str().unwrap())).await;
        assert_eq!((found.status, &found.data()), (200, slot));
    }
    for unknown in [UNKNOWN, "x", event["id"].as_str().unwrap()] {
        let answer = server.get(&format!("/v1/slots/{unknown}")).await;
        assert_not_found(&answer, unknown);
    }
}

#[tokio::test]
async fn added_slots_are_returned_alone_and_listed_among_the_others_in_running_order() {
    let server = Server::start(&[]);
    let mut body = event();
    body["is_virtual"] = json!(true);
    let (event, path) = with_slots(&server, &body).await;
    let added = server
        .post(&path, &json!({"shifts": [
            {"title": " Noon ", "start_time": "12:00", "end_time": "13:00", "capacity": 2, "location": "Yard"},
            {"title": "Also early", "start_time": "09:00", "end_time": "12:30", "capacity": 3},
            {"title": "Whole day", "capacity": 1},
        ]}))
        .await;
    assert_eq!(added.status, 201, "{}", added.text);
    let added = added.data();
    let titles = |slots: &Value| -> Vec<_> {
        slots.as_array().unwrap().iter().map(|slot| slot["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&added), ["Whole day", "Also early", "Noon"]);
    let noon = &added[2];
    assert_eq!((&noon["event_id"], &noon["location"]), (&event["id"], &json!("Yard")));
    assert_eq!((&noon["capacity"], &noon["filled"], &noon["remaining"]), (&json!(2), &json!(0), &json!(2)));
    assert_eq!(
        (&noon["start_time"], &noon["is_virtual"]),
        (&json!("2027-06-05T16:00:00+00:00"), &json!(true))
    );

    let listed = server.get(&path).await.data();
    assert_eq!(
        titles(&listed),
        ["Whole day", "Early", "Also early", "Noon", "Late"],
        "a new slot follows the slots with equal hours"
    );
    for slot in added.as_array().unwrap() {
        assert!(listed.as_array().unwrap().contains(slot), "{slot}");
    }
    let read = server.get(path.trim_end_matches("/slots")).await.data();
    assert_eq!((&read["slots"], &read["updated_at"]), (&listed, &event["updated_at"]));
}

#[tokio::test]
async fn one_faulty_slot_refuses_all_and_every_fault_is_named() {
    let server = Server::start(&[]);
    let (_, path) = with_slots(&server, &event()).await;
    let good = json!({"title": "Good", "capacity": 1});
    for (body, fields) in [
        (json!({}), vec!["shifts"]),
        (json!({"shifts": [good, 5]}), vec!["shifts.1"]),
        (
            json!({"shifts": [good, {"title": " ", "capacity": -1}, {"start_time": "9:00"}]}),
            vec![
                "shifts.1.title",
                "shifts.1.capacity",
                "shifts.2.title",
                "shifts.2.start_time",
                "shifts.2.capacity",
            ],
        ),
    ] {
        assert_eq!(server.post(&path, &body).await.fields(), fields, "{body}");
    }
    assert_eq!(count(&server, &path).await, 2);
}

#[tokio::test]
async fn the_body_then_the_event_then_its_state_then_its_limit_are_checked() {
    let server = Server::start(&[]);
    let unknown = format!("/v1/events/{UNKNOWN}/slots");
    assert_eq!(server.post(&unknown, &json!({})).await.fields(), ["shifts"]);
    assert_eq!(server.post(&unknown, &slots(1)).await.status, 404);
    let mut body = event();
    body["shifts"] = slots(500)["shifts"].clone();
    let (_, path) = with_slots(&server, &body).await;
    assert_eq!(server.post(&path, &slots(500)).await.status, 201);
    let cancel = path.replace("/slots", "/cancel");
    assert_eq!(server.send("POST", &cancel, None).await.status, 200);
    assert_eq!(server.post(&path, &json!({"shifts": []})).await.fields(), ["shifts"]);
    let refused = server.post(&path, &slots(1)).await;
    assert_eq!(conflict(&refused), "event_cancelled");
}
