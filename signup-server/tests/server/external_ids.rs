//! `external_id` of events and slots: bodies, answers, filters and the refusal of one that is taken.

use serde_json::{Value, json};

use crate::harness::{Answer, Server, event};
use crate::lives::path;

/// Returns the body of an event with an external id, whose earlier slot has one, too.
fn known(external_id: &str) -> Value {
    let mut body = event();
    body["external_id"] = json!(external_id);
    body["shifts"][1]["external_id"] = json!("early");
    body
}

/// Asserts that a record has the external id.
fn assert_taken(refused: &Answer, existing_id: &Value) {
    let expected = json!({
        "message": "Another event, or another slot of the event, already has this external_id.",
        "error": "external_id_taken",
        "existing_id": existing_id,
    });
    assert_eq!((refused.status, refused.json()), (409, expected));
}

fn ids(listed: &Answer) -> Vec<Value> {
    listed.data().as_array().unwrap().iter().map(|record| record["id"].clone()).collect()
}

#[tokio::test]
async fn an_external_id_is_returned_cleared_and_not_copied() {
    let server = Server::start(&[]);
    let created = server.create(&known("drive#7")).await;
    let slot = format!("/v1/slots/{}", created["slots"][0]["id"].as_str().unwrap());
    let found = server.get(&path(&created)).await.data();
    assert_eq!(
        (&found["external_id"], &found["slots"][0]["external_id"]),
        (&json!("drive#7"), &json!("early"))
    );
    assert_eq!(found["slots"][1]["external_id"], Value::Null);
    let copy =
        server.post(&format!("{}/duplicate", path(&created)), &json!({"start_date": "2027-06-12"})).await;
    let copy = copy.data();
    assert_eq!((&copy["external_id"], &copy["slots"][0]["external_id"]), (&Value::Null, &Value::Null));
    for (path, empty) in [(path(&created), json!(null)), (slot, json!(" "))] {
        let changed = server.patch(&path, &json!({"external_id": "b"})).await.data();
        assert_eq!(changed["external_id"], "b");
        assert_eq!(server.patch(&path, &json!({"title": "Other"})).await.data()["external_id"], "b");
        assert_eq!(
            server.patch(&path, &json!({"external_id": empty})).await.data()["external_id"],
            Value::Null
        );
    }
}

#[tokio::test]
async fn an_external_id_that_is_taken_is_a_conflict_with_the_record_that_has_it() {
    let server = Server::start(&[]);
    let first = server.create(&known("a")).await;
    let second = server.create(&event()).await;
    assert_taken(&server.post("/v1/events", &known("a")).await, &first["id"]);
    assert_taken(&server.patch(&path(&second), &json!({"external_id": "a"})).await, &first["id"]);
    let slots = &first["slots"];
    let late = format!("/v1/slots/{}", slots[1]["id"].as_str().unwrap());
    assert_taken(&server.patch(&late, &json!({"external_id": "early"})).await, &slots[0]["id"]);
    let added = json!({"shifts": [{"title": "New", "capacity": 1, "external_id": "early"}]});
    assert_taken(&server.post(&format!("{}/slots", path(&first)), &added).await, &slots[0]["id"]);
    let other = server.post(&format!("{}/slots", path(&second)), &added).await;
    assert_eq!(other.status, 201, "the slots of another event");
    assert_eq!(server.send("DELETE", &path(&first), None).await.status, 200);
    assert_eq!(server.post("/v1/events", &known("a")).await.status, 201, "a deleted event has no id");
}

#[tokio::test]
async fn a_wrong_or_repeated_external_id_is_a_fault() {
    let server = Server::start(&[]);
    let mut body = known(&"x".repeat(256));
    body["shifts"][0]["external_id"] = json!("early");
    let refused = server.post("/v1/events", &body).await;
    let errors = json!({
        "external_id": ["The external_id field must be 1 to 255 visible ASCII characters."],
        "shifts.1.external_id": ["The shifts.1.external_id field must differ from that of the other slots."],
    });
    assert_eq!((refused.status, &refused.json()["errors"]), (422, &errors));
}

#[tokio::test]
async fn a_list_shows_the_record_with_an_external_id() {
    let server = Server::start(&[]);
    let wanted = server.create(&known("a+b&c")).await;
    server.create(&event()).await;
    let slots = format!("{}/slots", path(&wanted));
    let listed = server.get("/v1/events?external_id=a%2Bb%26c&per_page=1").await;
    assert_eq!(ids(&listed), [wanted["id"].clone()]);
    assert_eq!(
        ids(&server.get(&format!("{slots}?external_id=early")).await),
        [wanted["slots"][0]["id"].clone()]
    );
    for path in ["/v1/events", &slots] {
        for none in ["unknown", "EARLY", "a%20b", "%00", "%C3%A9"] {
            let listed = server.get(&format!("{path}?external_id={none}")).await;
            assert_eq!((listed.status, listed.data()), (200, json!([])), "{path} {none}");
        }
        assert_eq!(ids(&server.get(&format!("{path}?external_id=")).await).len(), 2, "{path}");
    }
    assert_eq!(server.get(&format!("{slots}?external_ids=a")).await.fields(), ["external_ids"]);
}
