//! Edits of an event that race with each other and with sign-ups, on two processes. Each test prints its figures.

use std::time::Duration;

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{Answer, Server, event};
use crate::lives::{PROXY, confirmed, id, path, send_as, sign_up_as, signups, token_of};
use crate::pages::{Page, published};

/// Starts two processes on one PostgreSQL database. Returns `None` if PostgreSQL is not installed.
fn processes() -> Option<[Server; 2]> {
    let first = Server::start_on_postgres()?.restart_with(&PROXY);
    let second = first.start_another(&PROXY);
    Some([first, second])
}

fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

/// A third of the requests create, the others publish or patch a draft.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_publications_at_a_limit_of_five_publish_five() {
    let Some(servers) = processes() else { return };
    let token = token_of(&servers[0], "Small", "free");
    let body = event();
    let drafts = (0..200).map(|_| send_as(&servers[0], &token, "POST", "/v1/events", Some(&body)));
    let drafts: Vec<_> = join_all(drafts).await.iter().map(Answer::data).collect();
    let (is_published, new) = (json!({"is_published": true}), published());
    let requests = drafts.iter().enumerate().map(|(number, draft)| {
        let server = &servers[number % 2];
        let (token, patch, new) = (&token, &is_published, &new);
        async move {
            match number % 3 {
                0 => send_as(server, token, "POST", "/v1/events", Some(new)).await,
                1 => send_as(server, token, "POST", &format!("{}/publish", path(draft)), None).await,
                _ => send_as(server, token, "PATCH", &path(draft), Some(patch)).await,
            }
        }
    });
    let answers = join_all(requests).await;
    let (made, refused) = (count(&answers, 200) + count(&answers, 201), count(&answers, 422));
    println!("2 processes, 200 publications at a limit of 5: {made} made, {refused} refused");
    assert_eq!((made, refused), (5, 195));
    let limit = json!({"limit_type": "active_events", "current_count": 5, "max_allowed": 5});
    assert!(answers.iter().all(|answer| answer.status != 422 || answer.json()["limit"] == limit));
    let list = send_as(&servers[0], &token, "GET", "/v1/events?is_published=1&per_page=100", None).await;
    assert_eq!(list.data().as_array().unwrap().len(), 5);
}

/// Returns the body of a published event with two shifts that have room for everyone.
fn roomy() -> Value {
    json!({
        "title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
        "shifts": [{"title": "Early", "end_time": "12:00", "capacity": 50}, {"title": "Late", "start_time": "12:00", "capacity": 50}],
    })
}

/// The figures of five rounds, in each of which 20 sign-ups race with one edit of their event.
#[derive(Debug, Default)]
struct Figures {
    /// The number of edits that succeeded.
    edited: usize,
    /// The number of forms that were answered with 303.
    admitted: usize,
    /// The number of forms that were refused because of the edit.
    refused: usize,
    /// The number of sign-ups that are confirmed afterwards.
    confirmed: usize,
}

/// Runs the five rounds. The forms follow each other every millisecond. The edit is sent 12 ms before the first form in the
/// first round, and 12 ms after it in the last round, so that it comes before, between and after the sign-ups.
///
/// The fixed waits are deliberate: they set only when a request starts. Every check holds for any order of the requests.
///
/// Checks after each round that an edited event has no active sign-up and accepts none, and that the sum of `filled`
/// equals the number of confirmed sign-ups. `refusal` is the status of a form after the edit.
async fn race(servers: &[Server], method: &str, action: &str, refusal: u16) -> Figures {
    let mut figures = Figures::default();
    for round in 0..5 {
        let page = Page::create(&servers[0], &roomy()).await;
        let slots = [page.slot("Early"), page.slot("Late")];
        let edit_path = format!("{}{action}", path(&page.event));
        let forms = (0..20).map(|number| {
            let (server, page) = (&servers[number % servers.len()], &page);
            let slot = &slots[number / 2 % 2];
            let delay = Duration::from_millis((12 + number) as u64);
            async move {
                // The fixed waits are deliberate: the edit comes before the forms, between them or after them, by the round.
                tokio::time::sleep(delay).await;
                sign_up_as(server, page, slot, 20 * round + number).await
            }
        });
        let edit = async {
            // The fixed wait is deliberate, too: it moves the edit through the forms.
            tokio::time::sleep(Duration::from_millis(6 * round as u64)).await;
            servers[round % servers.len()].send(method, &edit_path, None).await
        };
        let (edit, answers) = tokio::join!(edit, join_all(forms));
        let (admitted, refused) = (count(&answers, 303), count(&answers, refusal));
        assert_eq!(admitted + refused, 20, "every form is accepted or refused");
        figures.admitted += admitted;
        figures.refused += refused;
        let is_edited = edit.status == 200;
        figures.edited += usize::from(is_edited);
        assert!(is_edited || edit.json()["error"] == "event_has_signups", "{}", edit.text);
        for server in servers {
            let late = sign_up_as(server, &page, &slots[0], 1000).await;
            assert_eq!(late.status, if is_edited { refusal } else { 303 }, "a form after the edit");
        }
        if is_edited && method == "DELETE" {
            assert_eq!(servers[0].get(&path(&page.event)).await.status, 404);
            let stored = "SELECT CAST(count(*) AS text) FROM current_signups u JOIN events e ON e.id = u.event_id \
                          WHERE e.deleted_at IS NOT NULL AND u.status = 'confirmed'";
            assert_eq!(servers[0].sql(stored).await, "0", "a deleted event has no active sign-up");
            assert_eq!(admitted, 0);
            continue;
        }
        let signups = signups(&servers[0], &page.event).await;
        let slots = servers[0].get(&format!("{}/slots", path(&page.event))).await.data();
        let filled: u64 = slots.as_array().unwrap().iter().map(|slot| slot["filled"].as_u64().unwrap()).sum();
        assert_eq!(filled, confirmed(&signups) as u64, "`filled` equals the confirmed sign-ups");
        assert_eq!(signups.len(), admitted + usize::from(!is_edited), "every accepted form is a sign-up");
        if is_edited {
            assert_eq!(filled, 0, "no active sign-up is left");
        }
        figures.confirmed += confirmed(&signups);
    }
    figures
}

#[rstest]
#[case::unpublished("POST", "/unpublish", 404)]
#[case::cancelled("POST", "/cancel", 409)]
#[case::deleted("DELETE", "", 404)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sign_up_is_active_on_an_event_that_a_finished_edit_has_closed(
    #[case] method: &str,
    #[case] action: &str,
    #[case] refusal: u16,
) {
    let Some(servers) = processes() else { return };
    let figures = race(&servers, method, action, refusal).await;
    println!("2 processes, 100 sign-ups against 5 requests of {method} {action}: {figures:?}");
    if action == "/cancel" {
        assert_eq!((figures.edited, figures.confirmed), (5, 0));
    } else {
        // One more form was accepted after each refused edit.
        assert_eq!(figures.confirmed, figures.admitted + 5 - figures.edited);
    }
}

/// The version of an event counts its changes. Each of the 50 patches sets a value that no other sets.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_patches_of_one_event_at_the_same_moment_all_take_effect() {
    let Some(servers) = processes() else { return };
    let event = servers[0].create(&event()).await;
    let themes = ["ocean-blue", "sunset-orange", "forest-green", "rose-pink", "midnight"];
    let zones = ["UTC", "Asia/Tokyo", "Europe/Paris", "Africa/Cairo", "Pacific/Apia"];
    let bodies: Vec<Value> = (0..50)
        .map(|number| {
            let turn = number / 10;
            match number % 10 {
                0 => json!({"title": format!("T{turn}")}),
                1 => json!({"description": format!("D{turn}")}),
                2 => json!({"location": format!("L{turn}")}),
                3 => json!({"location_lat": turn}),
                4 => json!({"location_lng": turn}),
                5 => json!({"location_data": {"turn": turn}}),
                6 => json!({"end_date": format!("2027-06-{:02}", 10 + turn)}),
                7 => json!({"timezone": zones[turn]}),
                8 => json!({"theme": themes[turn]}),
                _ => json!({"badge_label": format!("B{turn}")}),
            }
        })
        .collect();
    let version =
        async || servers[0].sql("SELECT CAST(version AS text) FROM events").await.parse::<usize>().unwrap();
    let before = version().await;
    let path = path(&event);
    let patches =
        bodies.iter().enumerate().map(|(number, body)| servers[number % servers.len()].patch(&path, body));
    let answers = join_all(patches).await;
    let changes = version().await - before;
    println!("2 processes, 50 patches: {} answered, {changes} changes", count(&answers, 200));
    assert_eq!((count(&answers, 200), changes), (50, 50));
    for (body, answer) in bodies.iter().zip(&answers) {
        for field in ["title", "description", "location", "timezone"] {
            if let Some(value) = body.get(field) {
                assert_eq!(&answer.data()[field], value, "an answer shows its own change");
            }
        }
    }
    // No field has its first value again: no patch wrote an older copy over it.
    let after = servers[0].get(&path).await.data();
    for field in ["title", "description", "location", "end_date", "timezone"] {
        assert_ne!(after[field], event[field], "{field}");
    }
    let stored = "SELECT CAST(count(latitude) + count(longitude) + (SELECT count(*) FROM location_data) + count(theme) + count(badge_label) AS text) FROM events";
    assert_eq!(servers[0].sql(stored).await, "5");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_additions_of_a_hundred_slots_stop_at_a_thousand() {
    let Some(servers) = processes() else { return };
    let event =
        servers[0].create(&json!({"title": "Season", "start_date": "2027-06-05", "timezone": "UTC"})).await;
    let shifts: Vec<_> =
        (0..100).map(|number| json!({"title": format!("S{number}"), "capacity": 1})).collect();
    let (path, body) = (format!("{}/slots", path(&event)), json!({"shifts": shifts}));
    let additions = (0..20).map(|number| servers[number % servers.len()].post(&path, &body));
    let answers = join_all(additions).await;
    let (made, refused) = (count(&answers, 201), count(&answers, 422));
    let slots = servers[0].get(&path).await.data().as_array().unwrap().clone();
    println!(
        "2 processes, 20 additions of 100 slots at a bound of 1000: {made} made, {refused} refused, {} slots",
        slots.len()
    );
    assert_eq!((made, refused, slots.len()), (10, 10, 1000));
    for answer in answers.iter().filter(|answer| answer.status == 422) {
        assert_eq!(answer.fields(), ["shifts"]);
    }
    let mut ids: Vec<_> = slots.iter().map(id).collect();
    let mut answered: Vec<_> =
        answers.iter().filter(|answer| answer.status == 201).map(Answer::data).collect();
    answered.iter_mut().for_each(|slots| assert_eq!(slots.as_array().unwrap().len(), 100));
    let mut answered: Vec<_> =
        answered.iter().flat_map(|slots| slots.as_array().unwrap().iter().map(id)).collect();
    ids.sort_unstable();
    answered.sort_unstable();
    assert_eq!(ids, answered, "the event has the slots that were answered");
}
