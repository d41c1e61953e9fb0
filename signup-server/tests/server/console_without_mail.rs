//! The console of a server without a mail server, and a session that has ended while a form was filled in.

use crate::console::{ADA, Organizer};
use crate::console_events::ROOT;
use crate::console_roles::{Records, pages};
use crate::harness::{Answer, Server};
use crate::mails::with_mailbox;

const SENTENCE: &str = "This server cannot send email. Nobody is told of anything.";

/// Returns whether a page speaks of a mail that the server sends or has sent.
fn promises_mail(page: &Answer) -> bool {
    let promises = [
        "We’ll email",
        "we’ll email",
        "sent you a code",
        "gets one email",
        "our emails",
        "the email",
        "that email",
        "newest email",
        "The volunteer will see it",
    ];
    promises.iter().any(|promise| page.text.contains(promise))
}

#[tokio::test]
async fn every_page_of_the_console_says_that_no_mail_is_sent() {
    let (with_mail, _mailbox) = with_mailbox("memory:");
    for (server, is_told) in [(Server::start(&[]), true), (with_mail, false)] {
        let ada = Organizer::first_owner(&server).await;
        let records = Records::create(&server).await;
        let unknown = format!("{ROOT}/events/none");
        let shift = server.get("/v1/signups").await.data()[0]["slot_id"].as_str().unwrap().to_owned();
        let (delete, gone) =
            (format!("{ROOT}/shifts/{shift}/delete"), format!("/invitations/{}", "A".repeat(43)));
        let outside = ["/sign-in", "/sign-in/code", "/sign-out", &unknown, &delete, &gone].map(str::to_owned);
        for path in pages("GET").iter().map(|page| records.path(page)).chain(outside) {
            let shown = ada.get(&path).await;
            if shown.header("content-type") == Some("text/html; charset=utf-8") && shown.status != 303 {
                assert_eq!(shown.text.contains(SENTENCE), is_told, "{path}: {}", shown.text);
                assert!(!(promises_mail(&shown) && is_told), "{path}: {}", shown.text);
            }
        }
        let incomplete = ada.get("/invitations/x").await;
        assert_eq!(incomplete.status, 404, "{}", incomplete.text);
        ada.post("/sign-in", &[("email", ADA)]).await;
        let wrong = ada.post("/sign-in/code", &[("code", "aaaa aaaa")]).await;
        assert!(wrong.text.contains("That isn’t the newest code"), "{}", wrong.text);
        assert!(!promises_mail(&incomplete), "{}", incomplete.text);
        assert!(!(promises_mail(&wrong) && is_told), "{}", wrong.text);
        let start = server.browse("GET", "/", None).await.text;
        assert_eq!(start.contains("the email we sent you"), !is_told, "{start}");
    }
}

#[tokio::test]
async fn the_link_of_an_invitation_is_shown_once_to_its_maker() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let members = format!("{ROOT}/settings/members");
    let fields = [
        ("action", "invite"),
        ("email", "grace@example.org"),
        ("name", "Grace"),
        ("role", "admin"),
        ("idempotency_key", "form-1"),
    ];
    assert_eq!(ada.post(&members, &fields).await.status, 303);
    let shown = ada.get(&members).await;
    let (_, link) = shown.text.split_once("<code class=\"once\">").unwrap();
    let (link, _) = link.split_once("</code>").unwrap();
    let path = link.strip_prefix(&server.url).unwrap();
    assert!(Organizer::new(&server).get(path).await.text.contains("Ada Lovelace"), "{link}");

    let again = ada.post(&members, &fields).await;
    assert_eq!((again.status, again.header("location")), (303, Some(&*members)));
    for text in [again.text, ada.get(&members).await.text, ada.get(&members).await.text] {
        assert!(!text.contains("/invitations/"), "{text}");
    }
}

#[tokio::test]
async fn a_form_that_meets_an_ended_session_is_told_once_on_the_page_to_sign_in() {
    const SIGNED_OUT: &str = "You’ve been signed out. Your form was not saved.";
    let server = Server::start(&[]);
    let browser = Organizer::new(&server);
    let sign_in = format!("/sign-in?next={ROOT}/events/new");
    let page = browser.get(&format!("{ROOT}/events/new")).await;
    assert_eq!((page.status, page.header("location")), (303, Some(&*sign_in)));
    assert!(!browser.get(&sign_in).await.text.contains(SIGNED_OUT), "a page is no form");
    let form = browser.post(&format!("{ROOT}/events/new"), &[("title", "Gala")]).await;
    assert_eq!((form.status, form.header("location")), (303, Some(&*sign_in)));
    let told = browser.get(&sign_in).await.text;
    // In a tab of its own, so that the browser can go back to the form.
    assert!(told.contains(SIGNED_OUT) && told.contains("action=\"/sign-in\" target=\"_blank\""), "{told}");
    assert!(!browser.get(&sign_in).await.text.contains(SIGNED_OUT), "told already");
}
