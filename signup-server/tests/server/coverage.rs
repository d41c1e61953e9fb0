//! An event of today with a shift in each state of a coverage.

use serde_json::{Value, json};

use crate::page_sign_ups::today;
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
