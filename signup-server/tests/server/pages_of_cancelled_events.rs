//! Events and shifts that the organizer cancels or moves: what the pages and the mails tell volunteers.

use std::collections::BTreeSet;

use rstest::rstest;
use serde_json::json;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server};
use crate::mailbox::{Mail, Mailbox};
use crate::mails::{SOON, to, with_mailbox};
use crate::pages::{Page, published};

/// Starts a server with a mail server: on memory, or on a database that is installed.
fn with_mailbox_on(engine: Option<Engine>) -> Option<(Server, Mailbox)> {
    let Some(engine) = engine else { return Some(with_mailbox("memory:")) };
    let mailbox = Mailbox::start();
    let server = Server::start_with(engine)?.restart_with(&["--smtp", &mailbox.url()]);
    Some((server, mailbox))
}

async fn cancel(server: &Server, page: &Page, body: &serde_json::Value) -> Answer {
    let answer =
        server.post(&format!("/v1/events/{}/cancel", page.event["id"].as_str().unwrap()), body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

fn assert_has_no_form(page: &Answer) {
    for text in ["<form", "<button", "<details", "Sign up"] {
        assert!(!page.text.contains(text), "{text} in {}", page.text);
    }
}

/// Checks that the mail cancels the calendar entry of an earlier mail.
fn assert_cancels_entry(first: &Mail, mail: &Mail) {
    let (before, after) = (first.calendar(), mail.calendar());
    assert_eq!((after.property("METHOD"), after.property("STATUS")), ("CANCEL", "CANCELLED"));
    assert_eq!(before.property("UID"), after.property("UID"));
    assert!(before.sequence() < after.sequence());
}

/// Active sign-ups are told once each. A sign-up that its volunteer has cancelled gets no further mail.
#[rstest]
#[case::memory(None)]
#[case::sqlite(Some(Sqlite))]
#[case::postgres(Some(Postgres))]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_event_is_told_to_each_active_volunteer_with_the_reason(#[case] engine: Option<Engine>) {
    let Some((server, mailbox)) = with_mailbox_on(engine) else { return };
    let page = Page::create(&server, &published()).await;
    for (title, name) in [("Early", "ada"), ("Early", "bob"), ("Late", "ada"), ("Late", "cyd")] {
        page.sign_up(&server, &page.slot(title), name, &format!("{name}@example.org")).await;
    }
    let first = mailbox.wait_for_exactly(4, SOON).await;
    let of_bob = first.iter().find(|mail| mail.to == "bob@example.org").unwrap();
    server.browse("POST", &format!("{}/cancel", of_bob.signup_path().unwrap()), None).await;
    mailbox.wait_for_exactly(5, SOON).await;

    let reason = "The hall is flooded.\nBcc: all@example.org\n<script>alert(1)</script>";
    cancel(&server, &page, &json!({"reason": reason})).await;
    cancel(&server, &page, &json!({"reason": "Again."})).await;
    let mails = mailbox.wait_for_exactly(8, SOON).await.split_off(5);
    let mut told = to(&mails);
    told.sort_unstable();
    assert_eq!(told, ["ada@example.org", "ada@example.org", "cyd@example.org"]);
    for mail in &mails {
        let subject = mail.header("subject");
        assert!(subject.starts_with("Event cancelled: Food drive – "), "{subject}");
        assert!(mail.text().contains(reason), "{}", mail.text());
        assert!(mail.html().contains("&#60;script&#62;alert(1)"), "{}", mail.html());
        let parsed = mailparse::parse_mail(&mail.raw).unwrap();
        assert!(parsed.headers.iter().all(|header| header.get_key() != "Bcc"));
        let uid = mail.calendar().property("UID").to_owned();
        assert_cancels_entry(
            first.iter().find(|first| first.calendar().property("UID") == uid).unwrap(),
            mail,
        );
    }
    assert_eq!((page.filled(&server, "Early").await, page.filled(&server, "Late").await), (0, 0));
}

#[tokio::test]
async fn a_cancelled_event_keeps_its_page_and_refuses_forms_with_it() {
    let server = Server::start_on_sqlite();
    let (page, other) =
        (Page::create(&server, &published()).await, Page::create(&server, &published()).await);
    let slot = page.slot("Early");
    let file = format!("{}/slots/{slot}.ics", page.path);
    let entry = server.browse("GET", &file, None).await.text;
    assert!(entry.contains("METHOD:PUBLISH\r\n") && entry.contains("STATUS:CONFIRMED\r\n"), "{entry}");
    cancel(&server, &page, &json!({"reason": "The hall is flooded."})).await;

    let shown = page.get(&server).await;
    assert_eq!((shown.status, shown.header("cache-control")), (200, Some("no-cache")));
    let well_formed = page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
    let faulty = page.sign_up(&server, &slot, "", "nothing").await;
    assert_eq!((well_formed.status, faulty.status), (409, 409));
    for answer in [&shown, &well_formed, &faulty] {
        for text in
            ["This event is cancelled", "The hall is flooded.", "Saturday, 5 June 2027", "Early", "Dock 4"]
        {
            assert!(answer.text.contains(text), "{text} in {}", answer.text);
        }
        assert_has_no_form(answer);
    }
    for foreign in [other.slot("Early"), String::new(), "nothing".to_owned()] {
        let answer = page.sign_up(&server, &foreign, "Ada", "ada@example.org").await;
        assert_eq!(answer.status, 404, "{foreign}");
    }
    let entry = server.browse("GET", &file, None).await.text;
    assert!(entry.contains("METHOD:CANCEL\r\n") && entry.contains("STATUS:CANCELLED\r\n"), "{entry}");
    assert_eq!(other.sign_up(&server, &other.slot("Early"), "Ada", "ada@example.org").await.status, 303);
}

#[tokio::test]
async fn a_cancelled_draft_has_no_page() {
    let server = Server::start(&[]);
    let draft = Page::create(&server, &crate::harness::event()).await;
    cancel(&server, &draft, &json!({})).await;
    assert_eq!(draft.get(&server).await.status, 404);
    let slot = draft.slot("Early");
    assert_eq!(draft.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 404);
    assert_eq!(draft.sign_up(&server, &slot, "", "").await.status, 404);
}

/// The link of the first mail shows why the place is gone, and a cancellation by the link changes nothing.
#[rstest]
#[case::memory(None)]
#[case::sqlite(Some(Sqlite))]
#[case::postgres(Some(Postgres))]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_up_shows_what_cancelled_it(
    #[case] engine: Option<Engine>,
    #[values(false, true)] is_of_event: bool,
) {
    let Some((server, mailbox)) = with_mailbox_on(engine) else { return };
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let first = mailbox.wait_for(1, SOON).await.remove(0);
    let path = first.signup_path().unwrap();
    let (subject, why) = if is_of_event {
        cancel(&server, &page, &json!({"reason": "The hall is flooded."})).await;
        ("Event cancelled: ", ["The event does not take place", "The hall is flooded."])
    } else {
        let deletion = format!("/v1/slots/{early}?cancel_signups=true");
        assert_eq!(server.send("DELETE", &deletion, None).await.status, 200);
        ("Shift cancelled: ", ["This shift does not take place", "the organizer has removed it"])
    };
    let mail = mailbox.wait_for_exactly(2, SOON).await.remove(1);
    assert!(mail.header("subject").starts_with(subject), "{}", mail.header("subject"));
    assert_cancels_entry(&first, &mail);

    let shown = server.browse("GET", &path, None).await;
    let again = server.browse("POST", &format!("{path}/cancel"), None).await;
    assert_eq!((shown.status, again.status), (200, 303));
    let unchanged = server.browse("GET", &path, None).await;
    for text in why.into_iter().chain(["Your place is cancelled", "Early", "ada@example.org"]) {
        assert!(shown.text.contains(text), "{text} in {}", shown.text);
    }
    assert_eq!(unchanged.text, shown.text);
    assert_has_no_form(&shown);
    let unknown = server.browse("GET", &format!("/signups/{}", "A".repeat(43)), None).await;
    let wrong_method = server.browse("DELETE", &path, None).await;
    assert_eq!((unknown.status, wrong_method.status), (404, 405));
    for answer in [shown, again, unchanged, unknown, wrong_method] {
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{}", answer.text);
    }
    mailbox.wait_for_exactly(2, SOON).await;
}

#[tokio::test]
async fn a_cancellation_without_notice_sends_no_mail() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    for title in ["Early", "Late"] {
        page.sign_up(&server, &page.slot(title), "Ada", "ada@example.org").await;
    }
    mailbox.wait_for_exactly(2, SOON).await;
    let quiet = format!("/v1/slots/{}?cancel_signups=true&notify_volunteers=false", page.slot("Early"));
    assert_eq!(server.send("DELETE", &quiet, None).await.status, 200);
    cancel(&server, &page, &json!({"notify_volunteers": false})).await;
    mailbox.wait_for_exactly(2, SOON).await;
}

/// The shift `Late` has no place of its own, so the place of the event applies. `Early` has one.
#[rstest]
#[case::memory(None)]
#[case::sqlite(Some(Sqlite))]
#[case::postgres(Some(Postgres))]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moved_event_is_told_to_those_whose_time_or_place_changes(#[case] engine: Option<Engine>) {
    let Some((server, mailbox)) = with_mailbox_on(engine) else { return };
    let mut event = published();
    event["location"] = json!("Old hall");
    let page = Page::create(&server, &event).await;
    let path = format!("/v1/events/{}", page.event["id"].as_str().unwrap());
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    page.sign_up(&server, &page.slot("Late"), "Bob", "bob@example.org").await;
    mailbox.wait_for_exactly(2, SOON).await;

    assert_eq!(server.patch(&path, &json!({"location": "New hall"})).await.status, 200);
    let mails = mailbox.wait_for_exactly(3, SOON).await;
    assert_eq!(to(&mails[2..]), ["bob@example.org"]);
    assert_eq!(mails[2].header("subject"), "New place: Food drive – Late");
    for text in ["Old hall", "New hall"] {
        assert!(mails[2].text().contains(text) && mails[2].html().contains(text), "{}", mails[2].text());
    }
    assert_eq!(mails[2].calendar().property("LOCATION"), "New hall");

    assert_eq!(server.patch(&path, &json!({"start_date": "2027-06-12"})).await.status, 200);
    let mails = mailbox.wait_for_exactly(5, SOON).await;
    assert_eq!(to(&mails[3..]).into_iter().collect::<BTreeSet<_>>().len(), 2);
    for mail in &mails[3..] {
        assert!(
            mail.header("subject").starts_with("Event moved: Food drive – "),
            "{}",
            mail.header("subject")
        );
        for text in ["Saturday, 5 June 2027", "Saturday, 12 June 2027"] {
            assert!(mail.text().contains(text) && mail.html().contains(text), "{}", mail.text());
        }
        assert_eq!(mail.calendar().property("METHOD"), "PUBLISH");
        assert!(mail.calendar().property("DTSTART").starts_with("20270612T"));
    }
    for quiet in [
        json!({"start_date": "2027-06-13", "location": "Third hall", "notify_volunteers": false}),
        json!({"title": "Food parade", "description": "Bring gloves."}),
    ] {
        assert_eq!(server.patch(&path, &quiet).await.status, 200);
    }
    mailbox.wait_for_exactly(5, SOON).await;
}

/// The form of an earlier page answers a question that is gone, and lacks one that is new.
#[tokio::test]
async fn a_form_from_before_a_change_of_the_questions_is_checked_against_the_new_ones() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let questions = format!("/v1/events/{}/questions", page.event["id"].as_str().unwrap());
    let add = async |body: &serde_json::Value| {
        server.post(&questions, body).await.data()["id"].as_str().unwrap().to_owned()
    };
    let gone = add(&json!({"label": "Diet", "required": true})).await;
    assert_eq!(server.send("DELETE", &format!("/v1/questions/{gone}"), None).await.status, 200);
    let asked = add(&json!({"label": "T-shirt", "required": true})).await;
    let (slot, gone, asked) = (page.slot("Early"), format!("answer.{gone}"), format!("answer.{asked}"));
    let old =
        [("slot_id", slot.as_str()), ("name", "Ada"), ("email", "ada@example.org"), (gone.as_str(), "vegan")];
    let refused = page.post(&server, &old).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("“T-shirt” is required."), "{}", refused.text);
    let complete = [old.as_slice(), &[(asked.as_str(), "M")]].concat();
    assert_eq!(page.post(&server, &complete).await.status, 303);
    assert_eq!(page.filled(&server, "Early").await, 1);
}
