//! Answers with people in them: no cache stores one, no log has an address, and none has the secret of a link.

use serde_json::json;

use crate::harness::{Answer, Server, sqlite};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::scene::Scene;
use crate::wait::wait_until;

fn assert_not_stored(answer: &Answer, status: u16, what: &str) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text);
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{what}");
}

/// Returns the path of each endpoint whose answers have people in them.
async fn personal_paths(server: &Server, page: &Page) -> [String; 4] {
    let signup = server.get("/v1/signups").await.data()[0]["id"].as_str().unwrap().to_owned();
    [
        "/v1/signups".to_owned(),
        format!("/v1/events/{}/signups", page.event["id"].as_str().unwrap()),
        format!("/v1/slots/{}/signups", page.slot("Early")),
        format!("/v1/signups/{signup}"),
    ]
}

#[tokio::test]
async fn no_cache_stores_an_answer_with_people_or_its_errors() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let paths = personal_paths(&server, &page).await;
    let token = server.command("token create --organization starter --name t --scopes team:read");
    for path in &paths {
        assert_not_stored(&server.get(path).await, 200, path);
        assert_not_stored(&server.send("HEAD", path, None).await, 200, path);
        assert_not_stored(&server.send("OPTIONS", path, None).await, 204, path);
        assert_not_stored(&server.post(path, &json!({})).await, 405, path);
        assert_not_stored(&server.get_without_token(path).await, 401, path);
        let request = server.request("GET", path).bearer_auth(token["token"].as_str().unwrap());
        assert_not_stored(&server.answer(request).await, 403, path);
    }
    for list in &paths[..3] {
        assert_not_stored(
            &server.get(&format!("{list}?email=nobody@example.org")).await,
            200,
            "an empty list",
        );
        assert_not_stored(&server.get(&format!("{list}?status=x&email=x")).await, 422, list);
    }
    let unknown = "01a1fc0c-06a8-79da-abb2-b84ac8892247";
    for path in [
        format!("/v1/events/{unknown}/signups"),
        format!("/v1/slots/{unknown}/signups"),
        format!("/v1/signups/{unknown}"),
        "/v1/signups/x".to_owned(),
    ] {
        assert_not_stored(&server.get(&path).await, 404, &path);
    }
}

#[tokio::test]
async fn no_cache_stores_a_429_of_an_answer_with_people() {
    let server = Server::start_exactly(&["--database", "memory:"]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let paths = personal_paths(&server, &page).await;
    // The starter organization has 300 requests a minute; an address without a token has 30.
    while server.get("/v1/team").await.status != 429 {}
    while server.get_without_token("/v1/team").await.status != 429 {}
    for path in &paths {
        assert_not_stored(&server.get(path).await, 429, path);
        assert_not_stored(&server.get_without_token(path).await, 429, path);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_one_sign_up_are_not_stored() {
    let scene = Scene::start_on_sqlite().await;
    scene.sign_up("Early", "ada@example.org").await;
    let path = scene.mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    assert_not_stored(&scene.server.browse("GET", &path, None).await, 200, "confirmed");
    assert_not_stored(&scene.server.browse("POST", &format!("{path}/cancel"), None).await, 303, "cancel");
    assert_not_stored(&scene.server.browse("GET", &path, None).await, 200, "cancelled");
    assert_not_stored(&scene.server.browse("GET", &format!("{path}x"), None).await, 404, "unknown");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_has_the_secret_of_a_link() {
    let scene = Scene::start_on_sqlite().await;
    scene.sign_up("Early", "ada@example.org").await;
    let path = scene.mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    let secret = path.rsplit('/').next().unwrap();
    let digest = scene.server.sql("SELECT hex(digest) FROM links").await;
    assert_eq!(digest.len(), 64);
    for is_cancelled in [false, true] {
        for path in personal_paths(&scene.server, &scene.page).await {
            let answer = scene.server.get(&path).await;
            assert!(answer.text.contains("ada@example.org"), "{}", answer.text);
            assert!(!answer.text.contains(secret) && !answer.text.contains("secret"), "{}", answer.text);
            assert!(!answer.text.to_uppercase().contains(&digest), "{}", answer.text);
        }
        if !is_cancelled {
            scene.cancel("ada@example.org").await;
        }
    }
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
        (format!("/v1/events/{id}/signups?status=confirmed"), 200),
        (format!("/v1/slots/{slot}/signups?cursor=hidden.ada@example.org"), 422),
        ("/v1/signups/hidden.ada@example.org".to_owned(), 404),
        ("/v1/nothing/hidden.ada@example.org".to_owned(), 404),
    ] {
        assert_eq!(server.get(&path).await.status, status, "{path}");
    }
    let delete = format!("/v1/slots/{slot}?cancel_signups=1");
    assert_eq!(server.send("DELETE", &delete, None).await.status, 200);
    wait_for_log(&log, "the mail server answered 450").await;
    server.kill();
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(log.contains("/v1/slots/{id}/signups"), "the log has the pattern of each request: {log}");
    assert!(!log.contains("hidden.ada"), "{log}");
}

/// The test computes the digest in PostgreSQL, so it does not depend on the code of the server. A server without a mail
/// server keeps the mail in the queue.
#[tokio::test]
async fn a_secret_is_stored_as_a_digest_and_in_clear_only_in_its_queued_mail() {
    let Some(server) = Server::start_on_postgres() else { return };
    let page = Page::create(&server, &published()).await;
    page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let queued = "SELECT cause::text FROM notices";
    let cause = server.sql(queued).await;
    let mailbox = Mailbox::start();
    let server = server.restart_with(&["--smtp", &mailbox.url()]);
    let path = mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    let secret = path.strip_prefix("/signups/").unwrap();
    assert_eq!(secret.len(), 43, "256 bits in base64url");
    assert!(cause.contains(secret), "the queued mail has the secret");
    server.wait_for_sql(queued, "", SOON).await;
    for (condition, count) in [
        (format!("links WHERE digest = sha256('{secret}')"), "1"),
        (format!("links WHERE position('{secret}' IN links::text) > 0"), "0"),
        (format!("signups WHERE position('{secret}' IN signups::text) > 0"), "0"),
    ] {
        let found = server.sql(&format!("SELECT count(*) FROM {condition}")).await;
        assert_eq!(found, count, "{condition}");
    }
    assert_eq!(server.browse("GET", &path, None).await.status, 200);
}
