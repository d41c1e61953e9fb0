//! Changes of an event with `PATCH`: its fields, its days and its zone.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event};
use crate::lives::{conflict, id, path, send_as, token_of};
use crate::page_sign_ups::today;
use crate::pages::{Page, published};
use crate::wait::wait_until;

/// Every field that a patch takes, each with a value that [`event`] does not have.
fn every_field() -> Value {
    json!({
        "title": " Picnic ", "description": " two\nlines ", "location": "1 Main St", "is_virtual": true,
        "location_lat": 40.5, "location_lng": -180, "location_data": {"place": {"id": 1}},
        "start_date": "2027-07-01", "end_date": "2027-07-03", "timezone": "europe/paris", "is_published": true,
        "theme": "midnight", "badge_label": "New",
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

#[rstest]
#[tokio::test]
async fn every_field_can_be_changed_and_the_slug_stays(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
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
        ("timezone", json!("Europe/Paris")),
        ("is_published", json!(true)),
        ("updated_at", changed["updated_at"].clone()),
    ] {
        expected[field] = value;
    }
    for (slot, hours) in [(0, ["07:00", "10:30"]), (1, ["11:00", "15:00"])] {
        expected["slots"][slot]["is_virtual"] = json!(true);
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

#[rstest]
#[tokio::test]
async fn only_the_fields_that_are_sent_change(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let all = patched(&server, &server.create(&event()).await, &every_field()).await;
    for (field, given, shown) in [
        ("title", json!("Walk"), json!("Walk")),
        ("description", json!("Short"), json!("Short")),
        ("location", json!("Hall"), json!("Hall")),
        ("is_published", json!(false), json!(false)),
        ("end_date", json!("2027-07-02"), json!("2027-07-01T22:00:00+00:00")),
    ] {
        let before = server.get(&path(&all)).await.data();
        let changed = patched(&server, &all, &json!({field: given})).await;
        let mut expected = before;
        expected[field] = shown;
        expected["updated_at"] = changed["updated_at"].clone();
        assert_eq!(changed, expected, "{field}");
    }
    for field in ["location_lat", "location_lng", "location_data", "theme", "badge_label"] {
        let given = match field {
            "theme" => json!("ocean-blue"),
            "badge_label" => json!("Old"),
            "location_data" => json!({}),
            _ => json!(1.5),
        };
        let before = server.get(&path(&all)).await.data();
        let changed = patched(&server, &all, &json!({field: given})).await;
        let mut expected = before;
        expected["updated_at"] = changed["updated_at"].clone();
        assert_eq!(changed, expected, "{field} is never returned");
    }
    let stored = "SELECT theme || badge_label || CAST(latitude + longitude AS text) FROM events";
    assert!(server.sql(stored).await.starts_with("ocean-blueOld3"));
}

/// The rows are backdated, because times in answers are whole seconds.
#[rstest]
#[tokio::test]
async fn a_patch_without_a_new_value_changes_nothing(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let all = patched(&server, &server.create(&event()).await, &every_field()).await;
    for table in ["events", "shifts"] {
        server.sql(&format!("UPDATE {table} SET updated_at = updated_at - 3600")).await;
    }
    let before = server.get(&path(&all)).await.data();
    assert_ne!(before["updated_at"], all["updated_at"]);
    let mut bodies = vec![
        json!({}),
        every_field(),
        json!({"unknown": 1, "shifts": "none", "slug": "mine", "id": 5, "cancelled_at": "2027-01-01"}),
        json!({"location_lng": -180.0, "timezone": "Europe/PARIS"}),
        json!({"notify_volunteers": false}),
    ];
    for (field, value) in every_field().as_object().unwrap() {
        bodies.push(json!({field: value}));
    }
    for body in bodies {
        assert_eq!(patched(&server, &all, &body).await, before, "{body}");
    }
    let changed = patched(&server, &all, &json!({"badge_label": "Newer"})).await;
    assert_ne!(changed["updated_at"], before["updated_at"]);
    assert_eq!(changed["slots"], before["slots"], "a slot is updated by what its answer shows");
    let moved = patched(&server, &all, &json!({"start_date": "2027-07-02"})).await;
    assert_ne!(moved["slots"][0]["updated_at"], before["slots"][0]["updated_at"]);
}

#[rstest]
#[tokio::test]
async fn null_clears_a_nullable_field_and_is_refused_for_the_others(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let all = patched(&server, &server.create(&event()).await, &every_field()).await;
    let required = ["title", "is_virtual", "start_date", "timezone", "is_published", "notify_volunteers"];
    let nulls: Value = required
        .iter()
        .map(|field| ((*field).to_owned(), Value::Null))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert_eq!(patch(&server, &all, &nulls).await.fields(), required);
    for blank in ["title", "start_date", "timezone"] {
        assert_eq!(patch(&server, &all, &json!({blank: " "})).await.fields(), [blank]);
    }
    assert_eq!(server.get(&path(&all)).await.data(), all);
    let nullable = [
        "description",
        "location",
        "location_lat",
        "location_lng",
        "location_data",
        "end_date",
        "theme",
        "badge_label",
    ];
    for empty in [Value::Null, json!(" \t")] {
        patched(&server, &all, &every_field()).await;
        let body: Value = nullable
            .iter()
            .map(|field| ((*field).to_owned(), empty.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let cleared = patched(&server, &all, &body).await;
        for field in ["description", "location", "end_date"] {
            assert_eq!(cleared[field], Value::Null, "{field} by {empty}");
        }
        let columns = "SELECT CAST(count(latitude) + count(longitude) + (SELECT count(*) FROM location_data) + count(theme) + count(badge_label) AS text) FROM events";
        assert_eq!(server.sql(columns).await, "0", "{empty}");
    }
}

#[rstest]
#[tokio::test]
async fn a_new_start_moves_the_end_by_as_many_days_unless_the_end_is_given(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["end_date"] = json!("2027-06-07");
    let event = server.create(&body).await;
    for (patch, start, end) in [
        // The clocks of New York change on 7 November.
        (json!({"start_date": "2027-11-06"}), "2027-11-06T04", Some("2027-11-08T05")),
        (json!({"start_date": "2027-06-05"}), "2027-06-05T04", Some("2027-06-07T04")),
        (
            json!({"start_date": "2027-06-06", "end_date": "2027-06-06"}),
            "2027-06-06T04",
            Some("2027-06-06T04"),
        ),
        (json!({"end_date": "2027-06-09"}), "2027-06-06T04", Some("2027-06-09T04")),
        (json!({"start_date": "2027-06-01", "end_date": null}), "2027-06-01T04", None),
        (json!({"start_date": "2027-06-20"}), "2027-06-20T04", None),
    ] {
        let changed = patched(&server, &event, &patch).await;
        assert_eq!(changed["start_date"], format!("{start}:00:00+00:00"), "{patch}");
        assert_eq!(
            changed["end_date"],
            end.map_or(Value::Null, |end| json!(format!("{end}:00:00+00:00"))),
            "{patch}"
        );
        let early = changed["slots"][0]["start_time"].as_str().unwrap();
        assert_eq!(early[..10], start[..10], "the slots move with the event");
    }
}

#[rstest]
#[tokio::test]
async fn a_new_zone_keeps_dates_and_wall_times(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["end_date"] = json!("2027-06-06");
    let event = server.create(&body).await;
    for (zone, name, start, end, early) in [
        ("asia/tokyo", "Asia/Tokyo", "2027-06-04T15", "2027-06-05T15", "2027-06-05T00"),
        ("Pacific/Kiritimati", "Pacific/Kiritimati", "2027-06-04T10", "2027-06-05T10", "2027-06-04T19"),
        ("UTC", "UTC", "2027-06-05T00", "2027-06-06T00", "2027-06-05T09"),
        ("America/New_York", "America/New_York", "2027-06-05T04", "2027-06-06T04", "2027-06-05T13"),
    ] {
        let changed = patched(&server, &event, &json!({"timezone": zone})).await;
        assert_eq!(changed["timezone"], name);
        let instant = |hour: &str| json!(format!("{hour}:00:00+00:00"));
        assert_eq!(changed["start_date"], instant(start), "{zone}");
        assert_eq!(changed["end_date"], instant(end), "{zone}");
        assert_eq!(changed["slots"][0]["start_time"], instant(early), "{zone}");
    }
    let back = server.get(&path(&event)).await.data();
    assert_eq!(back["slots"][1]["end_time"], event["slots"][1]["end_time"]);
}

#[rstest]
#[tokio::test]
async fn the_days_are_checked_on_the_result(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["end_date"] = json!("2027-06-07");
    let event = server.create(&body).await;
    for (patch_body, field) in [
        (json!({"end_date": "2027-06-04"}), "end_date"),
        (json!({"start_date": "2027-06-08", "end_date": "2027-06-07"}), "end_date"),
        // The plan allows 366 days.
        (json!({"end_date": "2028-06-05"}), "end_date"),
        (json!({"start_date": "2026-06-07", "end_date": "2027-06-08"}), "end_date"),
        (json!({"start_date": "9998-12-30"}), "start_date"),
    ] {
        assert_eq!(patch(&server, &event, &patch_body).await.fields(), [field], "{patch_body}");
    }
    assert_eq!(server.get(&path(&event)).await.data(), event);
    for accepted in [
        json!({"end_date": "2028-06-04"}),
        json!({"end_date": "2027-06-05"}),
        json!({"start_date": "9998-12-31"}),
    ] {
        patched(&server, &event, &accepted).await;
    }
}

/// The organization's plan becomes smaller after the event was created.
#[rstest]
#[tokio::test]
async fn the_longest_event_of_the_plan_is_checked_only_if_a_date_changes(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["end_date"] = json!("2027-06-30");
    let long = server.create(&body).await;
    server.manage(&["organization", "plan", "--organization", "starter", "--plan", "free"]);
    wait_until(Duration::from_millis(5500), async || match server.post("/v1/events", &body).await.status {
        201 => Err("the smaller plan was not used".to_owned()),
        _ => Ok(()),
    })
    .await;
    let longer = json!({"start_date": "2027-06-04"});
    assert_eq!(patch(&server, &long, &longer).await.fields(), ["end_date"], "the end moves along");
    for accepted in [
        json!({"title": "Long", "timezone": "UTC"}),
        json!({"end_date": "2027-06-30", "badge_label": "New"}),
        json!({"end_date": "2027-06-11"}),
    ] {
        patched(&server, &long, &accepted).await;
    }
    assert_eq!(patch(&server, &long, &json!({"end_date": "2027-06-12"})).await.fields(), ["end_date"]);
}

#[rstest]
#[tokio::test]
async fn a_patch_unpublishes_only_without_active_sign_ups(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &today()).await;
    page.sign_up(&server, &page.slot("All day"), "Ada", "ada@example.org").await;
    let draft = json!({"is_published": false, "title": "Draft"});
    assert_eq!(conflict(&patch(&server, &page.event, &draft).await), "event_has_signups");
    assert_eq!(server.get(&path(&page.event)).await.data()["title"], "Food drive", "nothing changes");
    let moved = json!({"is_published": false, "start_date": "2020-06-05"});
    let refused = patch(&server, &page.event, &moved).await;
    assert_eq!(conflict(&refused), "event_has_signups", "the hours before the request decide");
    patched(&server, &page.event, &json!({"start_date": "2020-06-05"})).await;
    let moved_back = json!({"is_published": false, "start_date": "2099-06-05"});
    let moved_back = patched(&server, &page.event, &moved_back).await;
    assert_eq!((&moved_back["is_published"], &moved_back["slots"][0]["filled"]), (&json!(false), &json!(1)));
    patched(&server, &page.event, &json!({"start_date": "2020-06-05"})).await;
    assert_eq!(patched(&server, &page.event, &draft).await["title"], "Draft");
    let bad = json!({"is_published": true, "end_date": "2020-06-04"});
    assert_eq!(patch(&server, &page.event, &bad).await.fields(), ["end_date"]);
    assert_eq!(server.get(&path(&page.event)).await.data()["is_published"], false);
}

#[rstest]
#[tokio::test]
async fn the_active_event_limit_is_checked_if_a_patch_makes_an_event_active(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let token = token_of(&server, "Small", "free");
    let send = async |method: &str, path: &str, body: &Value| {
        send_as(&server, &token, method, path, Some(body)).await
    };
    let mut active = vec![];
    for _ in 0..5 {
        active.push(send("POST", "/v1/events", &published()).await.data());
    }
    let draft = send("POST", "/v1/events", &event()).await.data();
    let mut past = published();
    past["start_date"] = json!("2020-06-05");
    let past = send("POST", "/v1/events", &past).await.data();
    let limit = json!({"limit_type": "active_events", "current_count": 5, "max_allowed": 5});
    for (event, body) in [
        (&draft, json!({"is_published": true})),
        (&past, json!({"start_date": "2099-06-05"})),
        (&past, json!({"start_date": "2099-06-05", "title": "Again", "timezone": "UTC"})),
    ] {
        let refused = send("PATCH", &path(event), &body).await;
        assert_eq!((refused.status, &refused.json()["limit"]), (422, &limit), "{body}");
        assert_eq!(refused.json()["error"], "plan_limit_reached");
        assert_eq!(send("GET", &path(event), &json!({})).await.data(), *event);
    }
    for (event, body) in [
        (
            &active[0],
            json!({"title": "Other", "start_date": "2099-06-05", "timezone": "UTC", "is_published": true}),
        ),
        (&draft, json!({"title": "Other", "start_date": "2099-06-05"})),
        (&past, json!({"start_date": "2021-06-05"})),
        (&past, json!({"start_date": "2099-06-05", "is_published": false})),
        (&active[1], json!({"start_date": "2020-06-05"})),
        (&draft, json!({"is_published": true})),
    ] {
        let answer = send("PATCH", &path(event), &body).await;
        assert_eq!(answer.status, 200, "{body}: {}", answer.text);
    }
    let full = send("PATCH", &path(&past), &json!({"is_published": true})).await;
    assert_eq!(full.json()["limit"], limit);
}

#[rstest]
#[tokio::test]
async fn the_slots_of_a_moved_event_keep_their_volunteers(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let moved =
        patched(&server, &page.event, &json!({"start_date": "2027-12-04", "timezone": "Asia/Tokyo"})).await;
    let ids = |event: &Value| [0, 1].map(|slot| id(&event["slots"][slot]).to_owned());
    assert_eq!(ids(&moved), ids(&page.event));
    assert_eq!((&moved["slots"][0]["filled"], &moved["slots"][0]["remaining"]), (&json!(1), &json!(3)));
    assert_eq!(moved["slots"][0]["start_time"], "2027-12-04T00:00:00+00:00");
}
