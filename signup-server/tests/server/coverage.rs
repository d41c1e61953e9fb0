//! The coverage of an event and of a team: what still needs volunteers.

use serde_json::{Value, json};

use crate::harness::event;
use crate::page_sign_ups::today;
use crate::pages::published;
use crate::scene::Scene;

/// Returns an event of today with one slot for each state.
pub(crate) fn event_of_today() -> Value {
    let mut event = today();
    event["shifts"] = json!([
        {"title": "Over-full", "capacity": 2, "start_time": "21:00"},
        {"title": "Full", "capacity": 1, "start_time": "22:00"},
        {"title": "Open", "capacity": 5, "minimum": 3, "start_time": "23:00", "location": "Dock 4"},
        {"title": "Past", "capacity": 3, "start_time": "20:00"},
    ]);
    event
}

/// Signs up so that each slot of [`event_of_today`] gets the state of its title.
pub(crate) async fn fill(scene: &Scene) {
    for (title, people) in [("Over-full", 2), ("Full", 1), ("Open", 1), ("Past", 1)] {
        for number in 0..people {
            scene.sign_up(title, &format!("v{number}@example.org")).await;
        }
    }
    let server = &scene.server;
    assert_eq!(server.patch(&scene.slot_path("Over-full", ""), &json!({"capacity": 1})).await.status, 200);
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    assert_eq!(server.patch(&scene.slot_path("Past", ""), &past).await.status, 200);
}

fn states(coverage: &Value) -> Vec<(&str, &str, i64)> {
    let slots = coverage["slots"].as_array().unwrap().iter();
    slots
        .map(|slot| {
            let text = |name: &str| slot[name].as_str().unwrap();
            (text("title"), text("state"), slot["remaining"].as_i64().unwrap())
        })
        .collect()
}

fn totals(coverage: &Value) -> [i64; 7] {
    ["capacity", "filled", "remaining", "missing", "over_filled", "past_capacity", "past_filled"]
        .map(|name| coverage[name].as_i64().unwrap())
}

#[tokio::test]
async fn coverage_shows_the_state_of_each_slot_and_the_totals() {
    let scene = Scene::start_with(&event_of_today()).await;
    fill(&scene).await;
    let answer = scene.server.get(&scene.event_path("/coverage")).await;
    assert_eq!(answer.status, 200);
    let coverage = answer.data();
    assert_eq!(
        states(&coverage),
        [("Past", "past", 0), ("Over-full", "over_full", 0), ("Full", "full", 0), ("Open", "open", 4)]
    );
    assert_eq!(
        totals(&coverage),
        [7, 4, 4, 2, 1, 3, 1],
        "the over-full slot hides no gap, and the past slot has totals of its own"
    );
    assert_eq!((&coverage["event_id"], &coverage["is_covered"]), (&scene.page.event["id"], &json!(false)));
    let slots = scene.server.get(&scene.event_path("/slots")).await.data();
    for (slot, shown) in slots.as_array().unwrap().iter().zip(coverage["slots"].as_array().unwrap()) {
        for name in ["id", "title", "location", "start_time", "end_time", "capacity", "filled"] {
            assert_eq!(slot[name], shown[name], "{name}");
        }
        assert_eq!(shown.as_object().unwrap().len(), 10, "{shown}");
    }
    assert_eq!(coverage["slots"][3]["missing"], 2);
    assert_eq!(coverage.as_object().unwrap().len(), 10, "{coverage}");

    scene.cancel_event().await;
    let coverage = scene.server.get(&scene.event_path("/coverage")).await.data();
    let cancelled = ["Over-full", "Full", "Open"].map(|title| (title, "cancelled", 0));
    assert_eq!(states(&coverage), [&[("Past", "past", 0)], &cancelled[..]].concat());
    assert_eq!((totals(&coverage), &coverage["is_covered"]), ([7, 0, 0, 0, 0, 3, 1], &json!(false)));
}

#[tokio::test]
async fn the_coverage_of_the_team_is_that_of_each_active_event() {
    let scene = Scene::start_with(&event_of_today()).await;
    fill(&scene).await;
    let server = &scene.server;
    let mut later = published();
    later["start_date"] = json!("2098-06-05");
    let mut later = [server.create(&later).await, server.create(&later).await];
    later.sort_by_key(|event| event["id"].as_str().unwrap().to_owned());
    server.create(&event()).await;
    let list = "/v1/coverage?per_page=1&is_covered=false&from=2026-01-01&to=2098-06-05";
    let (mut path, mut found) = (list.to_owned(), vec![]);
    let cursor = loop {
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let page = page.json();
        assert_eq!(page["meta"]["path"], format!("{}/v1/coverage", server.url));
        assert!(page["links"]["first"].is_null() && page["links"]["last"].is_null());
        found.push(page["data"][0].clone());
        let Some(next) = page["links"]["next"].as_str() else {
            break page["meta"]["prev_cursor"].as_str().unwrap().to_owned();
        };
        for filter in ["per_page=1", "is_covered=false", "from=2026-01-01", "to=2098-06-05"] {
            assert!(next.contains(filter), "{filter} in {next}");
        }
        path = next.strip_prefix(&server.url).unwrap().to_owned();
    };
    assert_eq!(found.len(), 3, "no draft: {found:?}");
    for (found, event) in found.iter().zip([&scene.page.event, &later[0], &later[1]]) {
        let of_event = format!("/v1/events/{}/coverage", event["id"].as_str().unwrap());
        let mut expected = server.get(&of_event).await.data();
        for name in ["title", "start_date", "timezone", "public_url"] {
            expected[name] = event[name].clone();
        }
        assert_eq!(*found, expected);
    }
    assert_eq!(server.get("/v1/coverage?is_covered=1").await.data(), json!([]));
    for list in ["/v1/events", "/v1/events?order=soonest&", "/v1/signups"] {
        let mark = if list.contains('?') { "" } else { "?" };
        let refused = server.get(&format!("{list}{mark}cursor={cursor}")).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["cursor".to_owned()]), "{list}");
    }
}
