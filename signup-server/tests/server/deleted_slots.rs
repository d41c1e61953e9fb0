//! Deleted slots, and the sign-ups that they had.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::lives::{assert_not_found, conflict};
use crate::mails::{SOON, to};
use crate::page_sign_ups::today;
use crate::scene::Scene;

async fn delete(server: &Server, path: &str) -> Answer {
    server.send("DELETE", path, None).await
}

#[tokio::test]
async fn a_deleted_slot_is_not_found_anywhere() {
    let scene = Scene::start().await;
    let (server, path, id) = (&scene.server, scene.slot_path("Early", ""), scene.page.slot("Early"));
    let before = server.get(&scene.event_path("")).await.data();
    let deleted = delete(server, &path).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({"data": {"id": id, "deleted": true}})));
    for (method, path) in [
        ("GET", path.clone()),
        ("PATCH", path.clone()),
        ("DELETE", path.clone()),
        ("GET", format!("{path}/signups")),
    ] {
        let answer = server.send(method, &path, Some(&json!({}))).await;
        assert_not_found(&answer, &format!("{method} {path}"));
    }
    for rest in ["", "/slots", "/coverage"] {
        let answer = server.get(&scene.event_path(rest)).await;
        assert!(answer.status == 200 && !answer.text.contains(&id), "{rest}: {}", answer.text);
        assert!(answer.text.contains(&scene.page.slot("Late")), "{rest}: {}", answer.text);
    }
    let after = server.get(&scene.event_path("")).await.data();
    assert_eq!(after["updated_at"], before["updated_at"]);
    assert!(!scene.page.get(server).await.text.contains(&id));
    assert_eq!(scene.post_form("Early", "ada@example.org", &[]).await.status, 404);
    let copy = server.post(&scene.event_path("/duplicate"), &json!({"start_date": "2027-07-03"})).await;
    assert_eq!(copy.data()["slots"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_with_active_sign_ups_is_deleted_only_if_they_are_cancelled() {
    let scene = Scene::start().await;
    let (server, path) = (&scene.server, scene.slot_path("Early", ""));
    for name in ["ada", "bob", "cyd"] {
        scene.sign_up("Early", &format!("{name}@example.org")).await;
    }
    scene.sign_up("Late", "dan@example.org").await;
    scene.cancel("cyd@example.org").await;
    let mails = scene.mailbox.wait_for(5, SOON).await;
    let ada = mails.iter().find(|mail| mail.to == "ada@example.org").unwrap().signup_path().unwrap();

    for query in ["", "?cancel_signups=false", "?cancel_signups=", "?cancel_signups=true&cancel_signups=0"] {
        let refused = delete(server, &format!("{path}{query}")).await;
        assert_eq!(conflict(&refused), "slot_has_signups", "{query}");
    }
    assert_eq!(server.get(&path).await.data()["filled"], 2);
    assert_eq!(delete(server, &format!("{path}?cancel_signups=1&reason=No+flour%21")).await.status, 200);

    let all = scene.mailbox.wait_for_exactly(7, SOON).await;
    let told: BTreeSet<_> = to(&all[5..]).into_iter().collect();
    assert_eq!(told, BTreeSet::from(["ada@example.org", "bob@example.org"]), "only active sign-ups are told");
    for mail in &all[5..] {
        assert!(mail.header("subject").starts_with("Cancelled: "), "{}", mail.header("subject"));
        assert_eq!(mail.calendar().property("METHOD"), "CANCEL");
        for text in ["Early", "No flour!"] {
            assert!(mail.text().contains(text), "{text} in {}", mail.text());
        }
    }
    for list in ["/v1/signups".to_owned(), scene.event_path("/signups")] {
        for (email, status, by) in [
            ("ada@example.org", "cancelled", json!("organizer")),
            ("bob@example.org", "cancelled", json!("organizer")),
            ("cyd@example.org", "cancelled", json!("volunteer")),
            ("dan@example.org", "confirmed", Value::Null),
        ] {
            let found = scene.signups(&list, status, email).await;
            assert_eq!(found.len(), 1, "{list} {email}");
            assert_eq!((&found[0]["cancelled_by"], found[0]["cancelled_at"].is_null()), (&by, by.is_null()));
            let one = server.get(&format!("/v1/signups/{}", found[0]["id"].as_str().unwrap())).await;
            assert_eq!((one.status, &one.data()), (200, &found[0]));
        }
    }
    assert_eq!(server.get(&format!("{path}/signups")).await.status, 404);
    let shown = server.browse("GET", &ada, None).await;
    assert_eq!(shown.status, 200);
    for text in ["cancelled", "No flour!"] {
        assert!(shown.text.contains(text), "{text} in {}", shown.text);
    }
    let again = server.browse("POST", &format!("{ada}/cancel"), None).await;
    assert_eq!(again.status, 303, "the link stays harmless");
    let found = scene.signups("/v1/signups", "cancelled", "ada@example.org").await;
    assert_eq!(found[0]["cancelled_by"], "organizer");
}

/// A move of the event would bring the hours of the deleted slot back into the future.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_on_a_slot_that_is_over_or_was_when_it_was_deleted_cannot_be_cancelled() {
    let scene = Scene::start_with(&today()).await;
    scene.sign_up("All day", "ada@example.org").await;
    let place = scene.mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    let entry = format!("{place}/calendar.ics");
    assert_eq!(scene.server.browse("GET", &entry, None).await.status, 200);
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    assert_eq!(scene.server.patch(&scene.slot_path("All day", ""), &past).await.status, 200);
    let over = scene.server.browse("POST", &format!("{place}/cancel"), None).await;
    assert!(over.status == 409 && over.text.contains("This shift is over"), "{}: {}", over.status, over.text);
    assert!(!over.text.contains("calendar.ics"), "{}", over.text);
    assert_eq!(scene.server.browse("GET", &entry, None).await.status, 404, "no entry of a past shift");
    assert_eq!(delete(&scene.server, &scene.slot_path("All day", "")).await.status, 200);
    let moved = json!({"start_date": "2099-06-05", "end_date": null});
    assert_eq!(scene.server.patch(&scene.event_path(""), &moved).await.status, 200);
    let refused = scene.server.browse("POST", &format!("{place}/cancel"), None).await;
    assert_eq!(refused.status, 409);
    let page = scene.server.browse("GET", &place, None).await;
    assert_eq!((page.status, &page.text), (200, &refused.text));
    assert!(
        page.text.contains("This shift has been removed") && !page.text.contains("2099"),
        "{}",
        page.text
    );
    for link in ["/cancel\"", "calendar.ics"] {
        assert!(!page.text.contains(link), "{link} in {}", page.text);
    }
    assert_eq!(scene.server.browse("GET", &entry, None).await.status, 404, "no entry of a deleted shift");
    scene.mailbox.wait_for_exactly(1, SOON).await;
}
