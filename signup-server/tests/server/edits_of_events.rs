//! Changes of an event with `PATCH`: its fields, its days and its zone.

use serde_json::{Value, json};

use crate::harness::{Answer, Server, event};
use crate::lives::path;
use crate::pages::Page;

/// Every field that a patch takes, each with a value that [`event`] does not have.
fn every_field() -> Value {
    json!({
        "title": " Picnic ", "description": " two\nlines ", "location": "1 Main St", "is_virtual": true,
        "location_lat": 40.5, "location_lng": -180, "location_data": {"place": {"id": 1}},
        "start_date": "2027-07-01", "end_date": "2027-07-03", "timezone": "europe/paris", "is_published": true,
        "theme": "midnight", "badge_label": "New", "external_id": "picnic",
    })
}

pub(crate) async fn patch(server: &Server, event: &Value, body: &Value) -> Answer {
    server.patch(&path(event), body).await
}

/// Returns the event after a patch. Panics if the answer is not 200.
async fn patched(server: &Server, event: &Value, body: &Value) -> Value {
    let answer = patch(server, event, body).await;
    assert_eq!(answer.status, 200, "{body}: {}", answer.text);
    answer.data()
}

#[tokio::test]
async fn every_field_can_be_changed_and_the_slug_stays() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &event()).await;
    let changed = patched(&server, &page.event, &every_field()).await;
    let mut expected = page.event.clone();
    for (field, value) in [
        ("title", json!("Picnic")),
        ("description", json!(" two\nlines ")),
        ("location", json!("1 Main St")),
        ("is_virtual", json!(true)),
        ("start_date", json!("2027-06-30T22:00:00+00:00")),
        ("end_date", json!("2027-07-02T22:00:00+00:00")),
        ("local_start_date", json!("2027-07-01")),
        ("local_end_date", json!("2027-07-03")),
        ("timezone", json!("Europe/Paris")),
        ("is_published", json!(true)),
        ("external_id", json!("picnic")),
        ("updated_at", changed["updated_at"].clone()),
    ] {
        expected[field] = value;
    }
    for (slot, hours) in [(0, ["07:00", "10:30"]), (1, ["11:00", "15:00"])] {
        expected["slots"][slot]["is_virtual"] = json!(true);
        expected["slots"][slot]["local_date"] = json!("2027-07-01");
        for (field, hour) in ["start_time", "end_time"].into_iter().zip(hours) {
            expected["slots"][slot][field] = json!(format!("2027-07-01T{hour}:00+00:00"));
        }
        expected["slots"][slot]["updated_at"] = changed["slots"][slot]["updated_at"].clone();
    }
    assert_eq!(changed, expected);
    assert_eq!(server.get(&path(&page.event)).await.data(), changed);
    let shown = page.get(&server).await.text;
    for text in ["data-theme=\"midnight\"", "New", "Picnic"] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
    let stored = "SELECT CAST(latitude AS text) || '/' || CAST(longitude AS text) FROM events";
    let coordinates = server.sql(stored).await;
    let coordinates: Vec<f64> = coordinates.split('/').map(|degrees| degrees.parse().unwrap()).collect();
    assert_eq!(coordinates, [40.5, -180.0]);
    let data: Value =
        serde_json::from_str(&server.sql("SELECT CAST(data AS text) FROM location_data").await).unwrap();
    assert_eq!(data, json!({"place": {"id": 1}}));
}
