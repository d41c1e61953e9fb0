//! The slots of an event while the event changes: many slots, and a sign-up in another process.

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server};
use crate::lives::{assert_not_found, confirmed, path, signups};
use crate::pages::{Page, published};

fn slots(event: &Value) -> &Vec<Value> {
    event["slots"].as_array().unwrap()
}

/// The first 20 of the slots have a volunteer each.
#[rstest]
#[tokio::test]
async fn an_event_with_1000_slots_is_copied_moved_cancelled_and_deleted(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let some = |from: usize| -> Value {
        (from..from + 500)
            .map(|number| json!({"title": format!("S{number}"), "start_time": "09:00", "capacity": 2}))
            .collect()
    };
    let mut body = published();
    body["shifts"] = some(0);
    let page = Page::create(&server, &body).await;
    let path = path(&page.event);
    assert_eq!(server.post(&format!("{path}/slots"), &json!({"shifts": some(500)})).await.status, 201);
    for number in 0..20 {
        let slot = page.slot(&format!("S{number}"));
        page.signed_up(&server, &slot, "Ada", "ada@example.org").await;
    }
    let titles: Vec<_> = (0..1000).map(|number| format!("S{number}")).collect();
    let assert_slots = |event: &Value, start: &str, filled: u64| {
        assert!(slots(event).iter().map(|slot| &slot["title"]).eq(&titles), "the order stays");
        assert!(slots(event).iter().all(|slot| slot["start_time"] == start), "every slot moves");
        let found: u64 = slots(event).iter().map(|slot| slot["filled"].as_u64().unwrap()).sum();
        assert_eq!(found, filled);
    };

    let copy = server.post(&format!("{path}/duplicate"), &json!({"start_date": "2027-12-04"})).await;
    assert_eq!(copy.status, 201, "{}", copy.text);
    assert_slots(&copy.data(), "2027-12-04T14:00:00+00:00", 0);
    let moved = server.patch(&path, &json!({"start_date": "2027-06-06", "is_virtual": true})).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_slots(&moved.data(), "2027-06-06T13:00:00+00:00", 20);
    assert_eq!(server.get(&path).await.data(), moved.data());
    let coverage = server.get(&format!("{path}/coverage")).await.data();
    assert_eq!((&coverage["capacity"], &coverage["remaining"]), (&json!(2000), &json!(1980)));
    let cancelled = server.post(&format!("{path}/cancel"), &json!({})).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.text);
    assert_slots(&cancelled.data(), "2027-06-06T13:00:00+00:00", 0);
    let left = signups(&server, &page.event).await;
    assert_eq!((left.len(), confirmed(&left)), (20, 0));
    assert_eq!(server.send("DELETE", &path, None).await.status, 200);
    assert_not_found(&server.get(&format!("{path}/slots")).await, "deleted");
}
