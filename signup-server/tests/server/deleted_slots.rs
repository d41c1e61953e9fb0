//! Deleted slots, and the sign-ups that they had.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event};
use crate::lives::{assert_not_found, conflict};
use crate::mails::{SOON, to};
use crate::page_sign_ups::today;
use crate::pages::Page;
use crate::scene::Scene;

const UNKNOWN: &str = "/v1/slots/01a1fc0c-06a8-79da-abb2-b84ac8892247";

async fn delete(server: &Server, path: &str) -> Answer {
    server.send("DELETE", path, None).await
}

#[rstest]
#[tokio::test]
async fn a_deleted_slot_is_not_found_anywhere(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
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
    let file = server.browse("GET", &format!("{}/slots/{id}.ics", scene.page.path), None).await;
    assert_eq!(file.status, 404);
    let copy = server.post(&scene.event_path("/duplicate"), &json!({"start_date": "2027-07-03"})).await;
    assert_eq!(copy.data()["slots"].as_array().unwrap().len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_with_active_sign_ups_is_deleted_only_if_they_are_cancelled(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(scene) = Scene::start(engine).await else { return };
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
    assert_eq!(delete(server, &format!("{path}?cancel_signups=1")).await.status, 200);

    let all = scene.mailbox.wait_for_exactly(7, SOON).await;
    let told: BTreeSet<_> = to(&all[5..]).into_iter().collect();
    assert_eq!(told, BTreeSet::from(["ada@example.org", "bob@example.org"]), "only active sign-ups are told");
    for mail in &all[5..] {
        assert_eq!(mail.calendar().property("METHOD"), "CANCEL");
        assert!(mail.text().contains("Early"), "{}", mail.text());
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
    assert!(shown.text.to_lowercase().contains("cancelled"), "{}", shown.text);
    let again = server.browse("POST", &format!("{ada}/cancel"), None).await;
    assert_eq!(again.status, 303, "the link stays harmless");
    let found = scene.signups("/v1/signups", "cancelled", "ada@example.org").await;
    assert_eq!(found[0]["cancelled_by"], "organizer");
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_sign_up_does_not_keep_its_slot(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    scene.sign_up("Early", "ada@example.org").await;
    scene.cancel("ada@example.org").await;
    let before = scene.signups("/v1/signups", "", "ada@example.org").await;
    assert_eq!(delete(&scene.server, &scene.slot_path("Early", "")).await.status, 200);
    assert_eq!(scene.signups("/v1/signups", "", "ada@example.org").await, before);
    scene.mailbox.wait_for_exactly(2, SOON).await;
}

/// A move of the event would bring the hours of the deleted slot back into the future.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_a_sign_up_shows_a_deleted_slot_that_was_over_as_cancelled(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(scene) = Scene::start_with(engine, &today()).await else { return };
    scene.sign_up("All day", "ada@example.org").await;
    let place = scene.mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    assert_eq!(scene.server.patch(&scene.slot_path("All day", ""), &past).await.status, 200);
    assert_eq!(delete(&scene.server, &scene.slot_path("All day", "")).await.status, 200);
    let moved = json!({"start_date": "2099-06-05", "end_date": null});
    assert_eq!(scene.server.patch(&scene.event_path(""), &moved).await.status, 200);
    let page = scene.server.browse("GET", &place, None).await.text;
    assert!(page.contains("Your place is cancelled") && !page.contains("/cancel\""), "{page}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sign_ups_of_a_slot_that_is_over_stay_confirmed(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values("", "?cancel_signups=true")] query: &str,
) {
    let Some(scene) = Scene::start_with(engine, &today()).await else { return };
    let path = scene.slot_path("All day", "");
    scene.sign_up("All day", "ada@example.org").await;
    scene.mailbox.wait_for(1, SOON).await;
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    assert_eq!(scene.server.patch(&path, &past).await.status, 200);
    let before = scene.signups("/v1/signups", "confirmed", "ada@example.org").await;
    assert_eq!(delete(&scene.server, &format!("{path}{query}")).await.status, 200);
    assert_eq!(scene.signups("/v1/signups", "confirmed", "ada@example.org").await, before);
    assert_eq!(before.len(), 1);
    scene.mailbox.wait_for_exactly(1, SOON).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_without_mails_still_cancels(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    scene.sign_up("Early", "ada@example.org").await;
    scene.mailbox.wait_for(1, SOON).await;
    let path = scene.slot_path("Early", "?cancel_signups=true&notify_volunteers=0");
    assert_eq!(delete(&scene.server, &path).await.status, 200);
    let found = scene.signups("/v1/signups", "cancelled", "ada@example.org").await;
    assert_eq!(found[0]["cancelled_by"], "organizer");
    scene.mailbox.wait_for_exactly(1, SOON).await;
}

#[tokio::test]
async fn a_boolean_in_a_query_is_true_false_1_or_0() {
    let server = Server::start(&[]);
    for (query, fields) in [
        ("cancel_signups=yes&notify_volunteers=2", &["cancel_signups", "notify_volunteers"][..]),
        ("cancel_signups=TRUE", &["cancel_signups"]),
        ("cancel_signups=%20true", &["cancel_signups"]),
        ("notify_volunteers=null", &["notify_volunteers"]),
        ("cancel_signups=true&cancel_signups=on", &["cancel_signups"]),
    ] {
        let answer = delete(&server, &format!("{UNKNOWN}?{query}")).await;
        assert_eq!(answer.fields(), fields, "{query}");
    }
    for query in [
        "",
        "cancel_signups=true&notify_volunteers=false",
        "cancel_signups=1&notify_volunteers=0",
        "cancel_signups=&notify_volunteers=",
        "cancel_signups=on&cancel_signups=0",
        "anything=else",
    ] {
        assert_eq!(delete(&server, &format!("{UNKNOWN}?{query}")).await.status, 404, "{query}");
    }
}

#[tokio::test]
async fn a_deletion_needs_no_body_and_checks_one_that_is_sent() {
    let server = Server::start(&[]);
    let send = async |content_type: Option<&str>, body: &'static str| {
        let request = server.request("DELETE", UNKNOWN).bearer_auth(&server.token).body(body);
        server
            .answer(match content_type {
                Some(content_type) => request.header("content-type", content_type),
                None => request,
            })
            .await
    };
    for content_type in [None, Some("application/json"), Some("text/plain")] {
        assert_eq!(send(content_type, "").await.status, 404, "{content_type:?}");
    }
    assert_eq!(send(None, "{\"cancel_signups\": true}").await.status, 404);
    assert_eq!(send(Some("text/plain"), "{}").await.status, 415);
    assert_eq!(send(None, "[]").await.fields(), ["body"]);
    assert_eq!(send(None, "{").await.fields(), ["body"]);
}

#[rstest]
#[tokio::test]
async fn a_repeated_deletion_is_answered_with_the_first_answer(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &event()).await;
    let path = format!("/v1/slots/{}", page.slot("Early"));
    let first = server.send_keyed("DELETE", &path, "key", &json!({})).await;
    let again = server.send_keyed("DELETE", &format!("{path}?cancel_signups=x"), "key", &json!([])).await;
    assert_eq!((first.status, first.is_replay()), (200, false));
    assert_eq!((again.status, again.is_replay(), &again.text), (200, true, &first.text));
    assert_eq!(server.send_keyed("DELETE", &path, "other", &json!({})).await.status, 404);
}

#[tokio::test]
async fn a_slot_of_a_cancelled_event_is_not_deleted() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &event()).await;
    let cancel = format!("/v1/events/{}/cancel", page.event["id"].as_str().unwrap());
    assert_eq!(server.send("POST", &cancel, None).await.status, 200);
    let path = format!("/v1/slots/{}", page.slot("Early"));
    for query in ["", "?cancel_signups=true"] {
        let refused = delete(&server, &format!("{path}{query}")).await;
        assert_eq!(conflict(&refused), "event_cancelled");
    }
    assert_eq!(server.get(&path).await.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_that_races_with_sign_ups_leaves_nobody_behind(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    const ROUNDS: usize = 4;
    let mut body = crate::pages::published();
    body["shifts"] = (0..ROUNDS).map(|n| json!({"title": format!("S{n}"), "capacity": 50})).collect();
    let Some(scene) = Scene::start_with(engine, &body).await else { return };
    let mut signed_up = BTreeSet::new();
    for round in 0..ROUNDS {
        let (title, path) = (format!("S{round}"), scene.slot_path(&format!("S{round}"), ""));
        let cancels = round % 2 == 0;
        let people = async |range: std::ops::Range<usize>| {
            let mut done = vec![];
            for number in range {
                let email = format!("v{round}.{number}@example.org");
                let status = scene.post_form(&title, &email, &[]).await.status;
                assert!([303, 404].contains(&status), "{status}");
                if status == 303 {
                    done.push(email);
                }
            }
            done
        };
        let deletion = async {
            if !cancels {
                return delete(&scene.server, &path).await.status;
            }
            // The first sign-ups precede the deletion.
            while scene.server.get(&path).await.data()["filled"] == 0 {
                tokio::task::yield_now().await;
            }
            delete(&scene.server, &format!("{path}?cancel_signups=true")).await.status
        };
        let (done, status) = tokio::join!(join_all([people(0..8), people(8..16), people(16..24)]), deletion);
        let done: BTreeSet<_> = done.into_iter().flatten().collect();
        if cancels {
            assert_eq!(status, 200);
            assert!(!done.is_empty());
        } else {
            assert_eq!(status == 200, done.is_empty(), "{status}: {done:?}");
            assert!([200, 409].contains(&status), "{status}");
        }
        for email in &done {
            let found = scene.signups("/v1/signups", "", email).await;
            let expected = if cancels { "cancelled" } else { "confirmed" };
            assert_eq!((found.len(), &found[0]["status"]), (1, &json!(expected)), "{email}");
        }
        if cancels {
            signed_up.extend(done);
        }
    }
    let cancelled = scene.server.get("/v1/signups?per_page=100&status=cancelled").await.data();
    assert_eq!(cancelled.as_array().unwrap().len(), signed_up.len(), "{cancelled}");
    // The confirmation of a sign-up that was cancelled meanwhile is not sent.
    let told = || {
        let mails = scene.mailbox.mails().into_iter();
        let cancellations = mails.filter(|mail| mail.calendar().property("METHOD") == "CANCEL");
        cancellations.map(|mail| mail.to).collect::<Vec<_>>()
    };
    let is_due = "SELECT CAST(COUNT(*) AS TEXT) FROM notices";
    scene.server.wait_for_sql(is_due, "0", Duration::from_secs(60)).await;
    assert_eq!(told().len(), signed_up.len(), "each is told once");
    assert_eq!(told().into_iter().collect::<BTreeSet<_>>(), signed_up);
}
