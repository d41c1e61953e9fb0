//! Faulty changes of an event: an answer names every fault, and the request changes nothing.

use serde_json::json;

use crate::edits_of_events::patch;
use crate::harness::{Server, event};
use crate::lives::{conflict, path};

#[tokio::test]
async fn every_field_that_is_wrong_is_named_in_one_answer_in_the_documented_order() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    let body = json!({
        "notify_volunteers": "no", "badge_label": "x".repeat(256), "theme": "neon", "is_published": "yes", "timezone": "Mars/Base",
        "end_date": "soon", "start_date": "2027-02-30", "location_data": [], "location_lng": 181, "location_lat": "north",
        "is_virtual": null, "location": "x".repeat(2049), "description": 5, "title": "x".repeat(256),
    });
    let fields = [
        "title",
        "description",
        "location",
        "is_virtual",
        "location_lat",
        "location_lng",
        "location_data",
        "start_date",
        "end_date",
        "timezone",
        "is_published",
        "theme",
        "badge_label",
        "notify_volunteers",
    ];
    let answer = patch(&server, &event, &body).await;
    assert_eq!(answer.fields(), fields);
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "The title field must not be longer than 255 characters. (and 13 more errors)");
    for field in fields {
        let alone = patch(&server, &event, &json!({field: body[field]})).await;
        assert_eq!(alone.fields(), [field]);
        assert_eq!(alone.json()["errors"][field], answer.json()["errors"][field], "{field}");
    }
    assert_eq!(server.get(&path(&event)).await.data(), event);
}

/// Faults of the body come first. A fault that only the stored event shows comes after 404 and 409.
#[tokio::test]
async fn a_fault_that_needs_the_record_comes_after_the_faults_of_the_body_and_the_state() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    let before_start = json!({"end_date": "2027-06-04"});
    let too_long = json!({"start_date": "2027-06-05", "end_date": "2028-06-05"});
    let both = json!({"end_date": "2027-06-04", "title": ""});
    assert_eq!(patch(&server, &event, &both).await.fields(), ["title"]);
    for needs_record in [&before_start, &too_long] {
        assert_eq!(patch(&server, &event, needs_record).await.fields(), ["end_date"], "{needs_record}");
    }
    let in_body = json!({"start_date": "2027-06-05", "end_date": "2027-06-04"});
    for unknown in ["x", "01a1fc0c-06a8-79da-abb2-b84ac8892247"] {
        let unknown = json!({"id": unknown});
        for needs_record in [&before_start, &too_long] {
            assert_eq!(patch(&server, &unknown, needs_record).await.status, 404, "{needs_record}");
        }
        assert_eq!(patch(&server, &unknown, &in_body).await.fields(), ["end_date"]);
    }
    let last_day = json!({"start_date": "2027-06-05", "end_date": "2027-06-06"});
    assert_eq!(patch(&server, &event, &last_day).await.status, 200);
    let out_of_range = json!({"start_date": "9998-12-31"});
    assert_eq!(patch(&server, &event, &out_of_range).await.fields(), ["start_date"]);
    assert_eq!(server.post(&format!("{}/cancel", path(&event)), &json!({})).await.status, 200);
    for needs_record in [&before_start, &too_long, &out_of_range] {
        let refused = patch(&server, &event, needs_record).await;
        assert_eq!(conflict(&refused), "event_cancelled", "{needs_record}");
    }
    assert_eq!(patch(&server, &event, &in_body).await.fields(), ["end_date"]);
}
