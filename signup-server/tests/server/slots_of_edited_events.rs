//! The slots of an event while the event changes: when they were updated, many slots, and simultaneous edits.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::lives::{assert_not_found, confirmed, id, path, signups};
use crate::pages::{Page, published};

fn slots(event: &Value) -> &Vec<Value> {
    event["slots"].as_array().unwrap()
}

/// The slot has no location of its own, so the location of the event applies to it. The rows are backdated before each
/// request, because times in answers are whole seconds.
#[rstest]
#[tokio::test]
async fn updated_at_of_a_slot_moves_with_everything_that_its_answer_shows_but_its_volunteers(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &published()).await;
    let (event, late) = (path(&page.event), page.slot("Late"));
    let slot = format!("/v1/slots/{late}");
    let backdated = async || {
        server.sql("UPDATE shifts SET updated_at = created_at - 3600").await;
        server.get(&slot).await.data()
    };
    let before = backdated().await;
    assert_eq!(page.sign_up(&server, &late, "Ada", "ada@example.org").await.status, 303);
    let after = server.get(&slot).await.data();
    assert_eq!((&after["filled"], &after["updated_at"]), (&json!(1), &before["updated_at"]));

    for (path, body, is_shown) in [
        (&slot, json!({"capacity": 9}), true),
        (&event, json!({"location": "Hall", "title": "Other", "end_date": "2027-06-06"}), false),
        (&event, json!({"is_virtual": true}), true),
        (&event, json!({"timezone": "Europe/Paris"}), true),
        // Berlin has the clocks of Paris.
        (&event, json!({"timezone": "Europe/Berlin"}), false),
        (&event, json!({"start_date": "2027-06-06"}), true),
        (&event, json!({"theme": "midnight", "badge_label": "New"}), false),
        (&slot, json!({"location": "Dock 5"}), true),
    ] {
        let before = backdated().await;
        assert_eq!(server.patch(path, &body).await.status, 200, "{body}");
        let after = server.get(&slot).await.data();
        assert_eq!(after["updated_at"] != before["updated_at"], is_shown, "{body}");
        assert_eq!(after["created_at"], before["created_at"]);
        if !is_shown {
            assert_eq!(after, before, "{body}");
        }
    }
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
        let answer = page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
        assert_eq!(answer.status, 303);
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

/// Two writers move the event, two change a slot each, and one adds slots. Every answer to a slot's writer has the values
/// that this writer set before. At the end, every slot has the day and the zone of the event.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_that_change_while_their_event_moves_keep_their_changes_and_move_with_it(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    let path = path(&event);
    let patch = async |path: &str, body: Value| {
        let answer = server.patch(path, &body).await;
        assert_eq!(answer.status, 200, "{body}: {}", answer.text);
        answer.data()
    };
    let moves = async {
        for day in (6..=20).chain(6..=20) {
            patch(&path, json!({"start_date": format!("2027-06-{day:02}")})).await;
        }
    };
    let zones = ["Asia/Tokyo", "Europe/Paris", "Africa/Cairo", "Pacific/Apia", "UTC"];
    let zones = async {
        for zone in zones.into_iter().cycle().take(30) {
            patch(&path, json!({"timezone": zone, "is_virtual": zone == "UTC"})).await;
        }
    };
    let edits = slots(&event).iter().map(|slot| async {
        let slot = format!("/v1/slots/{}", id(slot));
        let mut before = patch(&slot, json!({"start_time": "06:00"})).await;
        for number in 1..=40 {
            let title = format!("T{number}");
            for (field, value) in [("capacity", json!(number)), ("title", json!(title))] {
                before[field] = value.clone();
                let after = patch(&slot, json!({field: value})).await;
                for field in ["capacity", "title"] {
                    assert_eq!(after[field], before[field], "a move of the event lost the {field}");
                }
            }
        }
    });
    let additions = async {
        for number in 1..=10 {
            let new = json!({"title": format!("N{number}"), "start_time": "06:00", "capacity": 40});
            let answer = server.post(&format!("{path}/slots"), &json!({"shifts": [new]})).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
        }
    };
    tokio::join!(moves, zones, join_all(edits), additions);
    let after = server.get(&path).await.data();
    assert_eq!(
        (&after["start_date"], &after["timezone"]),
        (&json!("2027-06-20T00:00:00+00:00"), &json!("UTC"))
    );
    for slot in slots(&after) {
        let shown = ["start_time", "capacity", "is_virtual"].map(|field| slot[field].clone());
        assert_eq!(shown, [json!("2027-06-20T06:00:00+00:00"), json!(40), json!(true)], "{slot}");
    }
    let mut titles: Vec<_> = slots(&after).iter().map(|slot| slot["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["N1", "N10", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "T40", "T40"]);
}

/// A form that a second process receives after the first process has answered the edit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_up_in_another_process_sees_the_deleted_slot_and_the_new_question() {
    let Some(server) = Server::start_on_postgres() else { return };
    let other = server.start_another(&[]);
    for round in 0..5 {
        let page = Page::create(&server, &published()).await;
        let (early, late) = (page.slot("Early"), page.slot("Late"));
        let email = format!("v{round}@example.org");
        assert_eq!(page.sign_up(&other, &late, "Ada", &email).await.status, 303);
        assert_eq!(server.send("DELETE", &format!("/v1/slots/{early}"), None).await.status, 200);
        assert_eq!(page.sign_up(&other, &early, "Ada", &email).await.status, 404);
        let required = json!({"label": "Diet", "required": true});
        let added = server.post(&format!("{}/questions", path(&page.event)), &required).await;
        assert_eq!(added.status, 201);
        let refused = page.sign_up(&other, &late, "Bob", "bob@example.org").await;
        assert_eq!(refused.status, 422);
        assert!(refused.text.contains("“Diet” is required."), "{}", refused.text);
    }
}
