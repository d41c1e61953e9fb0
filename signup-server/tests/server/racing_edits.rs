//! Edits that close an event while volunteers sign up for it, on two processes. Each test prints its figures.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::json;

use crate::harness::Server;
use crate::lives::{PROXY, confirmed, path, sign_up_as, signups};
use crate::pages::Page;

/// In each of five rounds, 20 sign-ups race with one edit, which is sent before, between or after them. `refusal` is the status
/// of a form after the edit. Every check holds for any order of the requests.
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
    let Some(first) = Server::start_on_postgres() else { return };
    let first = first.restart_with(&PROXY);
    let servers = [first.start_another(&PROXY), first];
    let event = json!({
        "title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
        "shifts": [{"title": "Early", "capacity": 50}, {"title": "Late", "capacity": 50}],
    });
    let (mut edited, mut admitted) = (0, 0);
    for round in 0..5 {
        let page = Page::create(&servers[0], &event).await;
        let slots = [page.slot("Early"), page.slot("Late")];
        let edit_path = format!("{}{action}", path(&page.event));
        let form = |number: usize| {
            sign_up_as(&servers[number % 2], &page, &slots[number / 2 % 2], 20 * round + number)
        };
        let (before, edit, after) = tokio::join!(
            join_all((0..5 * round).map(form)),
            servers[round % 2].send(method, &edit_path, None),
            join_all((5 * round..20).map(form)),
        );
        let statuses: Vec<_> = before.iter().chain(&after).map(|answer| answer.status).collect();
        assert!(statuses.iter().all(|status| [303, refusal].contains(status)), "{statuses:?}");
        let accepted = statuses.iter().filter(|status| **status == 303).count();
        admitted += accepted;
        let is_edited = edit.status == 200;
        edited += usize::from(is_edited);
        assert!(is_edited || edit.json()["error"] == "event_has_signups", "{}", edit.text);
        assert!(is_edited || action != "/cancel", "{}", edit.text);
        let late = sign_up_as(&servers[0], &page, &slots[0], 1000).await;
        assert_eq!(late.status, if is_edited { refusal } else { 303 }, "a form after the edit");
        if is_edited && method == "DELETE" {
            let stored = "SELECT CAST(count(*) AS text) FROM current_signups u JOIN events e ON e.id = u.event_id \
                          WHERE e.deleted_at IS NOT NULL AND u.status = 'confirmed'";
            assert_eq!((accepted, servers[0].sql(stored).await.as_str()), (0, "0"));
            continue;
        }
        let signups = signups(&servers[0], &page.event).await;
        let filled = page.filled(&servers[0], "Early").await + page.filled(&servers[0], "Late").await;
        assert_eq!(filled, confirmed(&signups) as u64, "`filled` equals the confirmed sign-ups");
        assert_eq!(signups.len(), accepted + usize::from(!is_edited), "every accepted form is a sign-up");
        assert!(!is_edited || filled == 0, "no active sign-up is left");
    }
    println!("2 processes: {edited} of 5 requests of {method} {action}, and {admitted} of 100 sign-ups");
}
