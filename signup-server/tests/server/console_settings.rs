//! The pages of the settings.

use serde_json::json;

use crate::console::Organizer;
use crate::console_guard::assert_protected;
use crate::console_signups::link;
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::receiver::{ALLOW, Receiver};
use crate::wait::wait_until;

const ROOT: &str = "/console/riverside";
const HOSTILE: &str = "<script>alert(1)</script>\"'&";

/// Returns the value of the first hidden field of this name after `part` in a page.
pub(crate) fn hidden(page: &str, part: &str, name: &str) -> String {
    let (_, rest) = page.split_once(part).unwrap_or_else(|| panic!("no {part} in {page}"));
    let (_, rest) = rest.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

fn starter() -> (Mailbox, Server) {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    (mailbox, server)
}

/// The page that follows a success has the sentence. A later page does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_after_a_form_says_once_what_was_done() {
    let (_mailbox, server) = starter();
    let owner = Organizer::first_owner(&server).await;
    let (settings, members) = (format!("{ROOT}/settings"), format!("{ROOT}/settings/members"));
    let invite =
        |email| [("action", "invite"), ("email", email), ("name", "Grace Hopper"), ("role", "admin")];
    let saved = [("name", "Riverside"), ("contact", "new@riverside.example.org")];
    let done = [
        (&settings, &saved[..], "Your changes have been saved."),
        (&members, &invite("grace@example.org"), "The invitation is on its way by email."),
        (&members, &invite("ada@example.org"), "This person is already a member, so nothing has changed."),
    ];
    for (path, fields, sentence) in done {
        let answer = owner.post(path, fields).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some(&**path)), "{}", answer.text);
        let first = owner.get(path).await.text;
        assert!(first.contains(&format!("role=\"status\"><p>{sentence}</p>")), "{sentence}: {first}");
        assert!(!owner.get(path).await.text.contains(sentence), "{sentence} is said twice");
        assert_eq!(owner.cookie("signup-done"), None);
    }
    owner.set_cookie("signup-done", "<script>");
    assert!(!owner.get(&settings).await.text.contains("role=\"status\""), "an unknown value is ignored");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_makes_a_token_that_is_shown_once() {
    let (_mailbox, server) = starter();
    let owner = Organizer::first_owner(&server).await;
    let path = format!("{ROOT}/settings/tokens");
    let key = hidden(&owner.get(&path).await.text, "Create a token", "idempotency_key");
    let fields = [
        ("action", "create"),
        ("idempotency_key", &*key),
        ("name", HOSTILE),
        ("scopes", "events:read"),
        ("scopes", "slots:read"),
        ("expires_in_days", "30"),
    ];
    assert_eq!(owner.post(&path, &fields).await.status, 303);
    let created = owner.get(&path).await;
    assert_eq!(created.status, 200, "{}", created.text);
    assert_protected(&created, "a token");
    assert!(!created.text.contains("<script>"), "{}", created.text);
    let token = created.text.split("signup_").nth(1).unwrap();
    let token = format!("signup_{}", &token[..43]);
    // The command on the page works for each token, whatever its scopes.
    let command = format!("curl -H \"Authorization: Bearer {token}\" {}", server.url);
    let path_of_command = created.text.split_once(&command).unwrap().1.split('<').next().unwrap();
    let used = server.answer(server.request("GET", path_of_command).bearer_auth(&token)).await;
    assert_eq!(used.status, 200, "{}", used.text);

    let again = owner.post(&path, &fields).await;
    assert!(again.status == 200 && again.text.contains("already sent this form"), "{}", again.text);
    assert_eq!(again.text.matches("events:read, slots:read").count(), 1, "{}", again.text);
    assert!(!again.text.contains("signup_") && !again.text.contains("<script>"), "{}", again.text);
    let list = owner.get(&path).await;
    assert!(!list.text.contains(&token) && list.text.contains("events:read, slots:read"), "{}", list.text);
    let id = hidden(&list.text, "events:read, slots:read", "token_id");
    assert_eq!(owner.post(&path, &[("action", "revoke"), ("token_id", &id)]).await.status, 303);
    assert!(owner.get(&path).await.text.contains("Revoked on "));

    assert_eq!(owner.post(&path, &[]).await.status, 422, "no action");
    assert_eq!(owner.post(&path, &[("action", "revoke"), ("token_id", "x")]).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_changed_and_a_delivery_is_sent_again() {
    let receiver = Receiver::start();
    let server = Server::start(&ALLOW);
    let owner = Organizer::first_owner(&server).await;
    let webhook =
        server.post("/v1/webhooks", &json!({"url": receiver.url(), "types": ["event.*"]})).await.data();
    let id = webhook["id"].as_str().unwrap();
    let page = format!("{ROOT}/settings/webhooks/{id}");
    assert_eq!(owner.post(&page, &[("action", "test")]).await.status, 303);
    let shown = wait_until(SOON, async || match owner.get(&page).await.text {
        text if text.contains("Redeliver<") => Ok(text),
        text => Err(text),
    })
    .await;
    assert!(shown.contains("after 1 attempt."), "{shown}");
    let delivery = hidden(&shown, "webhook.test", "delivery_id");
    let again = owner.post(&page, &[("action", "redeliver"), ("delivery_id", &delivery)]).await;
    assert_eq!((again.status, again.header("location")), (303, Some(&*page)));
    let received = receiver.wait_for(2, SOON).await;
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));

    let fields =
        [("url", &*receiver.url()), ("description", "Calendar"), ("types", "signup.*"), ("types", "slot.*")];
    assert_eq!(owner.post(&page, &[&[("action", "update")][..], &fields[..]].concat()).await.status, 303);
    let changed = server.get(&format!("/v1/webhooks/{id}")).await.data();
    assert_eq!(
        (&changed["description"], &changed["types"]),
        (&json!("Calendar"), &json!(["signup.*", "slot.*"]))
    );
}

/// Returns the sentences of a page of activity.
fn sentences(page: &str) -> Vec<&str> {
    page.split("<li><p dir=\"auto\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn activity_is_filtered_and_listed_in_pages() {
    let (_mailbox, server) = starter();
    let owner = Organizer::first_owner(&server).await;
    let path = format!("{ROOT}/settings/activity");
    for number in 0..30 {
        server
            .create(
                &json!({"title": format!("Drive {number}"), "start_date": "2099-06-05", "timezone": "UTC"}),
            )
            .await;
    }
    let first = owner.get(&format!("{path}?type=event.*")).await;
    let older = link(&first, "Older").unwrap();
    let second = owner.get(&older).await;
    assert!(
        second.text.contains("created Drive 3") && !second.text.contains("changed the organization"),
        "{}",
        second.text
    );
    assert_eq!(sentences(&owner.get(&link(&second, "Newer").unwrap()).await.text), sentences(&first.text));

    let refused = owner.get(&format!("{path}?type=<script>")).await;
    assert_eq!(refused.status, 422);
    assert!(!refused.text.contains("<script>"));
}
