//! An event of today with a shift in each state of a coverage.

use serde_json::json;

use crate::harness::Server;
use crate::page_sign_ups::today;
use crate::pages::Page;

/// Creates an event of today with one slot for each state.
pub(crate) async fn create_event_of_today(server: &Server) -> Page {
    let mut event = today();
    event["shifts"] = json!([
        {"title": "Over-full", "capacity": 2, "start_time": "21:00"},
        {"title": "Full", "capacity": 1, "start_time": "22:00"},
        {"title": "Open", "capacity": 5, "minimum": 3, "start_time": "23:00", "location": "Dock 4"},
        {"title": "Past", "capacity": 3, "start_time": "20:00"},
    ]);
    let page = Page::create(server, &event).await;
    for (title, people) in [("Over-full", 2), ("Full", 1), ("Open", 1), ("Past", 1)] {
        for number in 0..people {
            page.signed_up(server, &page.slot(title), "Ada", &format!("v{number}@example.org")).await;
        }
    }
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    for (title, patch) in [("Over-full", json!({"capacity": 1})), ("Past", past)] {
        assert_eq!(server.patch(&format!("/v1/slots/{}", page.slot(title)), &patch).await.status, 200);
    }
    page
}
