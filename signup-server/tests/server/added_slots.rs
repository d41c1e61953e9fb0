//! Slots that are read one by one, and slots that are added to an event.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::lives::{assert_not_found, conflict};

const UNKNOWN: &str = "01a1fc0c-06a8-79da-abb2-b84ac8892247";

/// Creates an event. Returns it, and the path of its slots.
async fn with_slots(server: &Server, body: &Value) -> (Value, String) {
    let event = server.create(body).await;
    let path = format!("/v1/events/{}/slots", event["id"].as_str().unwrap());
    (event, path)
}

/// Returns a body with this number of slots.
fn slots(count: usize) -> Value {
    let slots: Vec<_> =
        (0..count).map(|number| json!({"title": format!("S{number}"), "capacity": 1})).collect();
    json!({"shifts": slots})
}

async fn count(server: &Server, path: &str) -> usize {
    server.get(path).await.data().as_array().unwrap().len()
}

#[rstest]
#[tokio::test]
async fn a_slot_is_read_by_its_id(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    for slot in event["slots"].as_array().unwrap() {
        let found = server.get(&format!("/v1/slots/{}", slot["id"].as_str().unwrap())).await;
        assert_eq!((found.status, &found.data()), (200, slot));
    }
    for unknown in [UNKNOWN, "x", event["id"].as_str().unwrap()] {
        let answer = server.get(&format!("/v1/slots/{unknown}")).await;
        assert_not_found(&answer, unknown);
    }
}

#[rstest]
#[tokio::test]
async fn added_slots_are_returned_alone_and_listed_among_the_others_in_running_order(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["is_virtual"] = json!(true);
    let (event, path) = with_slots(&server, &body).await;
    let added = server
        .post(&path, &json!({"shifts": [
            {"title": " Noon ", "start_time": "12:00", "end_time": "13:00", "capacity": 2, "location": "Yard"},
            {"title": "Also early", "start_time": "09:00", "end_time": "12:30", "capacity": 3},
            {"title": "Whole day", "capacity": 1},
        ]}))
        .await;
    assert_eq!(added.status, 201, "{}", added.text);
    let added = added.data();
    let titles = |slots: &Value| -> Vec<_> {
        slots.as_array().unwrap().iter().map(|slot| slot["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&added), ["Whole day", "Also early", "Noon"]);
    let noon = &added[2];
    assert_eq!((&noon["event_id"], &noon["location"]), (&event["id"], &json!("Yard")));
    assert_eq!((&noon["capacity"], &noon["filled"], &noon["remaining"]), (&json!(2), &json!(0), &json!(2)));
    assert_eq!(
        (&noon["start_time"], &noon["is_virtual"]),
        (&json!("2027-06-05T16:00:00+00:00"), &json!(true))
    );

    let listed = server.get(&path).await.data();
    assert_eq!(
        titles(&listed),
        ["Whole day", "Early", "Also early", "Noon", "Late"],
        "a new slot follows the slots with equal hours"
    );
    for slot in added.as_array().unwrap() {
        assert!(listed.as_array().unwrap().contains(slot), "{slot}");
    }
    let read = server.get(path.trim_end_matches("/slots")).await.data();
    assert_eq!((&read["slots"], &read["updated_at"]), (&listed, &event["updated_at"]));
}

/// On 14 March 2027 in New York, the clocks jump from 02:00 to 03:00. So 02:30 is read as 03:30.
#[rstest]
#[tokio::test]
async fn slots_are_in_the_order_of_their_instants_on_the_day_of_a_clock_change(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["start_date"] = json!("2027-03-14");
    let of = |title: &str, start: &str, end: &str| json!({"title": title, "start_time": start, "end_time": end, "capacity": 1});
    body["shifts"] = json!([of("In the gap", "02:30", "05:00")]);
    let (event, path) = with_slots(&server, &body).await;
    let new = json!({"shifts": [of("Also in the gap", "02:15", "02:45"), of("After it", "03:10", "05:00")]});
    let added = server.post(&path, &new).await.data();
    let times = |slots: &Value| -> Vec<_> {
        let slots = slots.as_array().unwrap().iter();
        slots
            .map(|slot| {
                let time = |name: &str| slot[name].as_str().unwrap()[11..16].to_owned();
                (slot["title"].as_str().unwrap().to_owned(), time("start_time"), time("end_time"))
            })
            .collect()
    };
    let expected = |rows: &[(&str, &str, &str)]| -> Vec<_> {
        rows.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect()
    };
    let (after, also, first) = (
        ("After it", "07:10", "09:00"),
        ("Also in the gap", "07:15", "07:45"),
        ("In the gap", "07:30", "09:00"),
    );
    assert_eq!(times(&added), expected(&[after, also]));
    let event = format!("/v1/events/{}", event["id"].as_str().unwrap());
    let slots_everywhere = async || {
        [
            server.get(&path).await.data(),
            server.get(&event).await.data()["slots"].clone(),
            server.get(&format!("{event}/coverage")).await.data()["slots"].clone(),
        ]
    };
    for slots in slots_everywhere().await {
        assert_eq!(times(&slots), expected(&[after, also, first]));
    }
    // A day later, the hours are as they were written.
    let moved = server.patch(&event, &json!({"start_date": "2027-03-15"})).await.data();
    let written = expected(&[
        ("Also in the gap", "06:15", "06:45"),
        ("In the gap", "06:30", "09:00"),
        ("After it", "07:10", "09:00"),
    ]);
    assert_eq!(times(&moved["slots"]), written);
    for slots in slots_everywhere().await {
        assert_eq!(times(&slots), written);
    }
    let back = server.patch(&event, &json!({"start_date": "2027-03-14"})).await.data();
    assert_eq!(times(&back["slots"]), expected(&[after, also, first]));
}

#[tokio::test]
async fn a_fault_of_a_slot_has_the_same_message_in_a_create_an_addition_and_a_patch() {
    let server = Server::start(&[]);
    let (created, path) = with_slots(&server, &event()).await;
    let slot = format!("/v1/slots/{}", created["slots"][0]["id"].as_str().unwrap());
    for (field, value) in [
        ("title", json!("😀".repeat(256))),
        ("title", json!("a\0b")),
        ("title", json!(5)),
        ("location", json!("😀".repeat(256))),
        ("location", json!("a\0b")),
        ("location", json!(["Dock"])),
        ("start_time", json!("9:00")),
        ("start_time", json!("24:00")),
        ("start_time", json!(900)),
        ("end_time", json!("12:60")),
        ("end_time", json!("00:00")),
        ("capacity", json!(0)),
        ("capacity", json!(1_000_001)),
        ("capacity", json!(1.5)),
        ("capacity", json!("3")),
    ] {
        let mut body = json!({"title": "A", "capacity": 1});
        body[field] = value.clone();
        let added = server.post(&path, &json!({"shifts": [body]})).await;
        assert_eq!(added.fields(), [format!("shifts.0.{field}")], "{value}");
        let mut create = event();
        create["shifts"] = json!([body]);
        assert_eq!(server.post("/v1/events", &create).await.json(), added.json(), "{field} {value}");
        let patched = server.patch(&slot, &json!({field: value})).await;
        assert_eq!(patched.fields(), [field], "{value}");
        assert_eq!(patched.text, added.text.replace("shifts.0.", ""), "{field} {value}");
    }
    assert_eq!(server.get(&path).await.data(), created["slots"]);
}

#[tokio::test]
async fn one_faulty_slot_refuses_all_and_every_fault_is_named() {
    let server = Server::start(&[]);
    let (_, path) = with_slots(&server, &event()).await;
    let good = json!({"title": "Good", "capacity": 1});
    for (body, fields) in [
        (json!({}), vec!["shifts"]),
        (json!({"shifts": null}), vec!["shifts"]),
        (json!({"shifts": {}}), vec!["shifts"]),
        (json!({"shifts": []}), vec!["shifts"]),
        (slots(501), vec!["shifts"]),
        (json!({"shifts": [good, 5]}), vec!["shifts.1"]),
        (
            json!({"shifts": [good, {"title": " ", "capacity": 0}, {"start_time": "9:00"}]}),
            vec![
                "shifts.1.title",
                "shifts.1.capacity",
                "shifts.2.title",
                "shifts.2.start_time",
                "shifts.2.capacity",
            ],
        ),
        (
            json!({"shifts": [{"title": "A", "capacity": 1, "start_time": "12:00", "end_time": "12:00"}, good]}),
            vec!["shifts.0.end_time"],
        ),
        (json!([good]), vec!["body"]),
    ] {
        assert_eq!(server.post(&path, &body).await.fields(), fields, "{body}");
    }
    assert_eq!(count(&server, &path).await, 2);
}

#[rstest]
#[tokio::test]
async fn an_event_has_at_most_1000_slots(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["shifts"] = slots(500)["shifts"].clone();
    let (_, path) = with_slots(&server, &body).await;
    assert_eq!(server.post(&path, &slots(499)).await.status, 201);
    assert_eq!(server.post(&path, &slots(2)).await.fields(), ["shifts"]);
    assert_eq!(count(&server, &path).await, 999);
    assert_eq!(server.post(&path, &slots(1)).await.status, 201);
    assert_eq!(server.post(&path, &slots(1)).await.fields(), ["shifts"]);
    let slot = server.get(&path).await.data()[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.send("DELETE", &format!("/v1/slots/{slot}"), None).await.status, 200);
    assert_eq!(server.post(&path, &slots(1)).await.status, 201, "a deleted slot does not count");
    assert_eq!(count(&server, &path).await, 1000);
}

#[rstest]
#[tokio::test]
async fn requests_that_race_never_exceed_1000_slots(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["shifts"] = slots(500)["shifts"].clone();
    let (_, path) = with_slots(&server, &body).await;
    assert_eq!(server.post(&path, &slots(490)).await.status, 201);
    let three = slots(3);
    let answers = join_all((0..16).map(|_| server.post(&path, &three))).await;
    let added = answers.iter().filter(|answer| answer.status == 201).count();
    let refused = answers.iter().filter(|answer| answer.status == 422).count();
    assert_eq!((added, refused), (3, 13));
    assert_eq!(count(&server, &path).await, 999);
}

#[rstest]
#[tokio::test]
async fn slots_that_are_added_at_the_same_moment_all_stay(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let (_, path) = with_slots(&server, &event()).await;
    let two = slots(2);
    let answers = join_all((0..16).map(|_| server.post(&path, &two))).await;
    let mut ids: Vec<_> = answers
        .iter()
        .flat_map(|answer| {
            assert_eq!(answer.status, 201, "{}", answer.text);
            answer.data().as_array().unwrap().clone()
        })
        .map(|slot| slot["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), count(&server, &path).await), (32, 34));
}

#[rstest]
#[tokio::test]
async fn a_repeated_add_is_answered_with_the_first_answer(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let (_, path) = with_slots(&server, &event()).await;
    let first = server.send_keyed("POST", &path, "key", &slots(2)).await;
    assert_eq!((first.status, first.is_replay()), (201, false));
    let again = server.send_keyed("POST", &path, "key", &json!({"shifts": 5})).await;
    assert_eq!((again.status, again.is_replay(), &again.text), (201, true, &first.text));
    assert_eq!(count(&server, &path).await, 4);
    let event = path.trim_end_matches("/slots");
    assert_eq!(server.send("DELETE", event, None).await.status, 200);
    let after = server.send_keyed("POST", &path, "key", &slots(2)).await;
    assert_eq!(
        (after.status, after.is_replay(), &after.text),
        (201, true, &first.text),
        "the event is deleted"
    );
}

#[tokio::test]
async fn the_body_then_the_event_then_its_state_then_its_limit_are_checked() {
    let server = Server::start(&[]);
    let unknown = format!("/v1/events/{UNKNOWN}/slots");
    assert_eq!(server.post(&unknown, &json!({})).await.fields(), ["shifts"]);
    assert_eq!(server.post(&unknown, &slots(1)).await.status, 404);
    let mut body = event();
    body["shifts"] = slots(500)["shifts"].clone();
    let (_, path) = with_slots(&server, &body).await;
    assert_eq!(server.post(&path, &slots(500)).await.status, 201);
    let cancel = path.replace("/slots", "/cancel");
    assert_eq!(server.send("POST", &cancel, None).await.status, 200);
    assert_eq!(server.post(&path, &json!({"shifts": []})).await.fields(), ["shifts"]);
    let refused = server.post(&path, &slots(1)).await;
    assert_eq!(conflict(&refused), "event_cancelled");
}

#[tokio::test]
async fn notify_volunteers_is_ignored_where_nothing_is_mailed() {
    let server = Server::start(&[]);
    let (_, path) = with_slots(&server, &event()).await;
    let mut body = slots(1);
    body["notify_volunteers"] = json!("perhaps");
    assert_eq!(server.post(&path, &body).await.status, 201);
    let questions = path.replace("/slots", "/questions");
    let question = json!({"label": "Diet", "notify_volunteers": null});
    let added = server.post(&questions, &question).await;
    assert_eq!(added.status, 201);
    let question = format!("/v1/questions/{}", added.data()["id"].as_str().unwrap());
    for method in ["PATCH", "DELETE"] {
        let ignored = json!({"notify_volunteers": "perhaps"});
        assert_eq!(server.send(method, &question, Some(&ignored)).await.status, 200, "{method}");
    }
}
