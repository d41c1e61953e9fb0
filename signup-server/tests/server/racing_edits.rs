//! Edits of an event that race with each other and with sign-ups, on two processes. Each test prints its figures.

use std::time::Duration;

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::lives::{PROXY, confirmed, path, sign_up_as, signups};
use crate::pages::Page;

/// Starts two processes on one PostgreSQL database. Returns `None` if PostgreSQL is not installed.
fn processes() -> Option<[Server; 2]> {
    let first = Server::start_on_postgres()?.restart_with(&PROXY);
    let second = first.start_another(&PROXY);
    Some([first, second])
}

fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
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
