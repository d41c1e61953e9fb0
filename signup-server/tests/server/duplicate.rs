//! The route `/v1/events/{event_id}/duplicate`.

use serde_json::{Value, json};

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};

async fn duplicate(server: &Server, event: &Value, start_date: &str) -> crate::harness::Answer {
    let path = format!("/v1/events/{}/duplicate", event["id"].as_str().unwrap());
    server.post(&path, &json!({"start_date": start_date})).await
}

#[rstest]
#[tokio::test]
async fn a_copy_keeps_the_time_of_day_over_a_clock_change(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let source = server.create(&event()).await;
    let answer = duplicate(&server, &source, "2027-12-04").await;
    assert_eq!(answer.status, 201);
    let copy = answer.data();
    assert_eq!(copy["start_date"], "2027-12-04T05:00:00+00:00");
    assert_eq!(copy["slots"][0]["start_time"], "2027-12-04T14:00:00+00:00");
    assert_ne!(copy["id"], source["id"]);
    assert_ne!(copy["slug"], source["slug"]);
    assert_ne!(copy["slots"][0]["id"], source["slots"][0]["id"]);
}

#[rstest]
#[tokio::test]
async fn a_copy_of_a_shift_in_a_clock_gap_keeps_the_written_time(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["start_date"] = json!("2026-03-08");
    body["shifts"] = json!([{"title": "Night", "start_time": "02:30", "end_time": "03:00", "capacity": 1}]);
    let source = server.create(&body).await;
    assert_eq!(source["slots"][0]["start_time"], "2026-03-08T07:30:00+00:00");
    let copy = duplicate(&server, &source, "2026-03-15").await.data();
    assert_eq!(copy["slots"][0]["start_time"], "2026-03-15T06:30:00+00:00");
    assert_eq!(copy["slots"][0]["end_time"], "2026-03-15T07:00:00+00:00");
    let back = duplicate(&server, &copy, "2026-03-08").await.data();
    assert_eq!(back["slots"][0]["start_time"], source["slots"][0]["start_time"]);
}

#[rstest]
#[tokio::test]
async fn a_copy_is_a_draft_with_the_last_day_moved_and_the_questions_copied(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["end_date"] = json!("2027-06-07");
    body["is_published"] = json!(true);
    let source = server.create(&body).await;
    let id = source["id"].as_str().unwrap();
    for label in ["First", "Second"] {
        server.manage(&[
            "question", "add", "--event", id, "--label", label, "--type", "select", "--option", "S",
            "--option", "M",
        ]);
    }
    let copy = duplicate(&server, &source, "2028-02-28").await.data();
    assert_eq!(copy["end_date"], "2028-03-01T05:00:00+00:00");
    assert_eq!(copy["is_published"], false);
    let output = crate::harness::run(&[
        "--database",
        &server.database(),
        "question",
        "list",
        "--event",
        copy["id"].as_str().unwrap(),
    ]);
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let labels: Vec<_> = lines.iter().map(|line| line["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["First", "Second"]);
    assert_eq!(lines[0]["options"], json!(["S", "M"]));
}

#[rstest]
#[tokio::test]
async fn a_copy_has_every_field_of_its_source_but_ids_links_timestamps_and_publication(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
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

#[rstest]
#[tokio::test]
async fn a_copy_beyond_the_last_supported_date_is_refused(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["end_date"] = json!("2027-06-06");
    let source = server.create(&body).await;
    assert_eq!(duplicate(&server, &source, "9998-12-31").await.fields(), ["start_date"]);
    assert_eq!(duplicate(&server, &source, "9998-12-30").await.status, 201);
    assert_eq!(server.count_events().await, 2);
}

#[tokio::test]
async fn a_copy_takes_calendar_days_from_1970_to_9998_only() {
    let server = Server::start(&[]);
    let source = server.create(&event()).await;
    for bad in
        ["2027-6-5", "2027-02-30", "1969-12-31", "9998-12-32", "9999-01-01", "05.06.2027", "+2027-06-05", " "]
    {
        assert_eq!(duplicate(&server, &source, bad).await.fields(), ["start_date"], "{bad}");
    }
    for good in ["1970-01-01", "2028-02-29", "9998-12-31"] {
        assert_eq!(duplicate(&server, &source, good).await.status, 201, "{good}");
    }
    assert_eq!(server.count_events().await, 4);
}

#[tokio::test]
async fn a_copy_needs_a_start_date_and_an_existing_event() {
    let server = Server::start(&[]);
    let path = "/v1/events/01a1fc0c-06a8-79da-abb2-b84ac8892247/duplicate";
    assert_eq!(server.post(path, &json!({})).await.fields(), ["start_date"]);
    assert_eq!(server.post(path, &json!({"start_date": "2027-06-05"})).await.status, 404);
}
