//! The route `/v1/events/{event_id}/duplicate`.

use serde_json::{Value, json};

use crate::harness::{Server, event};

async fn duplicate(server: &Server, event: &Value, start_date: &str) -> crate::harness::Answer {
    let path = format!("/v1/events/{}/duplicate", event["id"].as_str().unwrap());
    server.post(&path, &json!({"start_date": start_date})).await
}

#[tokio::test]
async fn a_copy_has_every_field_of_its_source_but_ids_links_timestamps_and_publication() {
    let server = Server::start_on_sqlite();
    let mut body = event();
    for (field, value) in [
        ("description", json!(" two\nlines ")),
        ("location", json!("1 Main St")),
        ("is_virtual", json!(true)),
        ("location_lat", json!(40.5)),
        ("location_lng", json!(-180)),
        ("location_data", json!({"place": {"id": 1}})),
        ("theme", json!("midnight")),
        ("badge_label", json!("New")),
        ("is_published", json!(true)),
    ] {
        body[field] = value;
    }
    let source = server.create(&body).await;
    let copy = duplicate(&server, &source, "2027-06-05").await.data();
    let own = ["id", "slug", "public_url", "created_at", "updated_at"];
    let mut expected = source.clone();
    for field in own {
        expected[field] = copy[field].clone();
    }
    expected["is_published"] = json!(false);
    for number in 0..2 {
        for field in own.into_iter().filter(|field| !["slug", "public_url"].contains(field)) {
            expected["slots"][number][field] = copy["slots"][number][field].clone();
        }
        expected["slots"][number]["event_id"] = copy["id"].clone();
    }
    assert_eq!(copy, expected);
    // The fields that no answer has are compared in the database.
    let both = "SELECT CAST(count(*) AS text) FROM events WHERE theme = 'midnight' AND badge_label = 'New' \
                AND latitude = 40.5 AND longitude = -180 AND (SELECT count(*) FROM location_data) = 2";
    assert_eq!(server.sql(both).await, "2");
    let distinct = "SELECT CAST(count(DISTINCT CAST(data AS text)) AS text) FROM location_data";
    assert_eq!(server.sql(distinct).await, "1");
}

#[tokio::test]
async fn a_copy_needs_a_start_date_and_an_existing_event() {
    let server = Server::start(&[]);
    let path = "/v1/events/01a1fc0c-06a8-79da-abb2-b84ac8892247/duplicate";
    assert_eq!(server.post(path, &json!({})).await.fields(), ["start_date"]);
    assert_eq!(server.post(path, &json!({"start_date": "2027-06-05"})).await.status, 404);
}
