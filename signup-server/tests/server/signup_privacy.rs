//! Answers with people in them: no cache stores one, and no log has an address.

use crate::harness::{Server, sqlite};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::wait::wait_until;

/// The unit tests of the routes say which ones are personal, and `api` shows the header of each answer.
#[tokio::test]
async fn no_cache_stores_an_answer_of_a_personal_route_whatever_its_status() {
    let server = Server::start_exactly(&["--database", "memory:"]);
    let page = Page::create(&server, &published()).await;
    page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let tokens = [Some(&*server.token), None];
    for (method, path, statuses) in [
        ("GET", "/v1/signups", [200, 401]),
        ("GET", "/v1/signups?email=nobody@example.org", [200, 401]),
        ("HEAD", "/v1/signups", [200, 401]),
        ("OPTIONS", "/v1/signups", [204, 204]),
        ("POST", "/v1/signups", [405, 405]),
        ("GET", "/v1/signups?status=x", [422, 401]),
        ("GET", "/v1/signups/x", [404, 401]),
        ("DELETE", "/v1/webhooks/x", [404, 401]),
        ("PUT", "/v1/webhooks/x", [405, 405]),
        ("POST", "/v1/webhooks", [422, 401]),
    ] {
        for (token, status) in tokens.into_iter().zip(statuses) {
            assert_not_stored(&server, method, path, token, status).await;
        }
    }
    // The starter organization has 300 requests a minute; an address without a token has 30.
    while server.get("/v1/team").await.status != 429 {}
    while server.get_without_token("/v1/team").await.status != 429 {}
    for token in tokens {
        assert_not_stored(&server, "GET", "/v1/signups", token, 429).await;
    }
}

async fn assert_not_stored(server: &Server, method: &str, path: &str, token: Option<&str>, status: u16) {
    let request = server.request(method, path);
    let answer =
        server.answer(if let Some(token) = token { request.bearer_auth(token) } else { request }).await;
    assert_eq!(
        (answer.status, answer.header("cache-control")),
        (status, Some("no-store")),
        "{method} {path}"
    );
}

async fn wait_for_log(log: &std::path::Path, text: &str) {
    wait_until(SOON, async || {
        let log = std::fs::read_to_string(log).unwrap();
        if log.contains(text) { Ok(()) } else { Err(format!("{text} is missing in the log: {log}")) }
    })
    .await;
}

#[tokio::test]
async fn the_log_has_no_address() {
    let mailbox = Mailbox::start();
    mailbox.answer("hidden.ada@example.org", &[(450, "hidden.ada@example.org is over quota")]);
    // Not a reply of SMTP.
    mailbox.refuse(Some(("RCPT", "who is hidden.ada@example.org?")));
    let (folder, database) = sqlite();
    let log = folder.path().join("log");
    let mut server = Server::start_with_log(&database, &log, &["--log", "trace", "--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    let (id, slot) = (page.event["id"].as_str().unwrap(), page.slot("Early"));
    page.signed_up(&server, &slot, "Ada", "hidden.ada@example.org").await;
    wait_for_log(&log, "the mail server's answer could not be read").await;
    mailbox.refuse(None);
    for (path, status) in [
        ("/v1/signups?email=hidden.ada@example.org".to_owned(), 200),
        ("/v1/signups?email=hidden.ada%40example.org&per_page=0".to_owned(), 422),
        ("/v1/signups?email=hidden.ada@nowhere".to_owned(), 422),
        ("/v1/volunteers?email=hidden.ada@example.org".to_owned(), 200),
        (format!("/v1/events/{id}/signups?status=confirmed"), 200),
        (format!("/v1/slots/{slot}/signups?cursor=hidden.ada@example.org"), 422),
        ("/v1/signups/hidden.ada@example.org".to_owned(), 404),
        ("/v1/nothing/hidden.ada@example.org".to_owned(), 404),
    ] {
        assert_eq!(server.get(&path).await.status, status, "{path}");
    }
    let delete = format!("/v1/slots/{slot}?cancel_signups=1");
    assert_eq!(server.send("DELETE", &delete, None).await.status, 200);
    // Ends the backoff.
    server.sql("UPDATE notices SET due_at = 0").await;
    wait_for_log(&log, "the mail server answered 450").await;
    server.kill();
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(log.contains("/v1/slots/{id}/signups"), "the log has the pattern of each request: {log}");
    assert!(!log.contains("hidden.ada"), "{log}");
}
