//! The coverage of an event: what still needs volunteers.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::lives::assert_not_found;
use crate::page_sign_ups::today;
use crate::pages::published;
use crate::scene::Scene;

/// Returns an event of today with one slot for each state.
fn event_of_today() -> Value {
    let mut event = today();
    event["shifts"] = json!([
        {"title": "Over-full", "capacity": 2, "start_time": "21:00"},
        {"title": "Full", "capacity": 1, "start_time": "22:00"},
        {"title": "Open", "capacity": 5, "start_time": "23:00", "location": "Dock 4"},
        {"title": "Past", "capacity": 3, "start_time": "20:00"},
    ]);
    event
}

/// Signs up so that each slot of [`event_of_today`] gets the state of its title.
async fn fill(scene: &Scene) {
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

fn totals(coverage: &Value) -> [i64; 4] {
    ["capacity", "filled", "remaining", "over_filled"].map(|name| coverage[name].as_i64().unwrap())
}

#[rstest]
#[tokio::test]
async fn coverage_shows_each_slot_and_totals_of_those_that_are_not_over(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(scene) = Scene::start_with(engine, &event_of_today()).await else { return };
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
        [7, 4, 4, 1],
        "the over-full slot hides no gap, and the past slot does not count"
    );
    assert_eq!((&coverage["event_id"], &coverage["is_covered"]), (&scene.page.event["id"], &json!(false)));
    let slots = scene.server.get(&scene.event_path("/slots")).await.data();
    for (slot, shown) in slots.as_array().unwrap().iter().zip(coverage["slots"].as_array().unwrap()) {
        for name in ["id", "title", "location", "start_time", "end_time", "capacity", "filled"] {
            assert_eq!(slot[name], shown[name], "{name}");
        }
        assert_eq!(shown.as_object().unwrap().len(), 9, "{shown}");
    }
    assert_eq!(coverage.as_object().unwrap().len(), 7, "{coverage}");

    for number in 1..5 {
        scene.sign_up("Open", &format!("v{number}@example.org")).await;
    }
    let coverage = scene.server.get(&scene.event_path("/coverage")).await.data();
    assert_eq!(totals(&coverage), [7, 8, 0, 1]);
    assert_eq!(coverage["is_covered"], true);
}

#[tokio::test]
async fn an_event_without_slots_that_need_volunteers_is_covered() {
    let server = Server::start(&[]);
    let mut empty = event();
    empty["shifts"] = json!([]);
    let mut over = event();
    over["start_date"] = json!("2020-06-05");
    for (body, count) in [(empty, 0), (over, 2)] {
        let event = server.create(&body).await;
        let path = format!("/v1/events/{}/coverage", event["id"].as_str().unwrap());
        let coverage = server.get(&path).await.data();
        assert_eq!((&coverage["is_covered"], totals(&coverage)), (&json!(true), [0, 0, 0, 0]));
        assert_eq!(coverage["slots"].as_array().unwrap().len(), count);
        assert!(states(&coverage).iter().all(|(_, state, remaining)| (*state, *remaining) == ("past", 0)));
    }
}

#[rstest]
#[tokio::test]
async fn a_cancelled_event_needs_nobody_and_is_not_covered(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start_with(engine, &event_of_today()).await else { return };
    fill(&scene).await;
    scene.cancel_event().await;
    let coverage = scene.server.get(&scene.event_path("/coverage")).await.data();
    assert_eq!(
        states(&coverage),
        [
            ("Past", "past", 0),
            ("Over-full", "cancelled", 0),
            ("Full", "cancelled", 0),
            ("Open", "cancelled", 0)
        ]
    );
    assert_eq!(totals(&coverage), [7, 0, 0, 0], "the capacities stay, and the active sign-ups are cancelled");
    assert_eq!(coverage["is_covered"], false);

    let mut empty = event();
    empty["shifts"] = json!([]);
    let empty = scene.server.create(&empty).await;
    let path = format!("/v1/events/{}", empty["id"].as_str().unwrap());
    assert_eq!(scene.server.send("POST", &format!("{path}/cancel"), None).await.status, 200);
    assert_eq!(scene.server.get(&format!("{path}/coverage")).await.data()["is_covered"], false);
}

#[tokio::test]
async fn the_coverage_of_an_unknown_event_is_not_found() {
    let server = Server::start(&[]);
    for id in ["01a1fc0c-06a8-79da-abb2-b84ac8892247", "x"] {
        let answer = server.get(&format!("/v1/events/{id}/coverage")).await;
        assert_not_found(&answer, id);
    }
}

/// The totals agree with the slots, and no read shows less than an earlier one.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn coverage_is_of_one_moment_while_volunteers_sign_up(#[values(Sqlite, Postgres)] engine: Engine) {
    let mut body = published();
    body["shifts"] = (0..4).map(|n| json!({"title": format!("S{n}"), "capacity": 20})).collect();
    let Some(scene) = Scene::start_with(engine, &body).await else { return };
    let people = (0..4).map(|slot| {
        let scene = &scene;
        async move {
            for number in 0..10 {
                let email = format!("v{number}@example.org");
                assert_eq!(scene.post_form(&format!("S{slot}"), &email, &[]).await.status, 303);
            }
        }
    });
    let reads = async {
        let mut last = 0;
        while last < 40 {
            let coverage = scene.server.get(&scene.event_path("/coverage")).await.data();
            let [capacity, filled, remaining, over_filled] = totals(&coverage);
            let sum = |name: &str| -> i64 {
                coverage["slots"].as_array().unwrap().iter().map(|slot| slot[name].as_i64().unwrap()).sum()
            };
            assert_eq!((sum("capacity"), sum("filled"), sum("remaining")), (capacity, filled, remaining));
            assert_eq!((capacity, over_filled, capacity - filled), (80, 0, remaining));
            assert!(filled >= last, "{filled} after {last}");
            last = filled;
        }
    };
    tokio::join!(join_all(people), reads);
}
