//! Mails about an event that was changed or cancelled: who gets one, and how many.

use serde_json::{Value, json};

use crate::harness::Server;
use crate::lives::path;
use crate::mailbox::{Mail, Mailbox};
use crate::mails::{SOON, to, with_mailbox};
use crate::pages::{Page, published};

/// A published event in the old hall. The shift "Early" also has a place of its own.
async fn in_the_old_hall(server: &Server) -> Page {
    let mut body = published();
    body["location"] = json!("Old hall");
    Page::create(server, &body).await
}

async fn patch(server: &Server, page: &Page, body: &Value) {
    let answer = server.patch(&path(&page.event), body).await;
    assert_eq!(answer.status, 200, "{body}: {}", answer.text);
}

async fn sign_up(server: &Server, page: &Page, title: &str, name: &str) {
    let answer = page.sign_up(server, &page.slot(title), name, &format!("{name}@example.org")).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
}

/// Returns the recipients of the mails after the first `count`, sorted.
fn told(mails: &[Mail], count: usize) -> Vec<&str> {
    let mut told = to(&mails[count..]);
    told.sort_unstable();
    told
}

#[tokio::test]
async fn volunteers_are_told_once_if_the_time_or_the_place_of_their_shift_changes() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = in_the_old_hall(&server).await;
    sign_up(&server, &page, "Early", "ada").await;
    sign_up(&server, &page, "Late", "bob").await;
    let first = mailbox.wait_for(2, SOON).await;

    patch(&server, &page, &json!({"location": "New hall"})).await;
    let mails = mailbox.wait_for(4, SOON).await;
    assert_eq!(told(&mails, 2), ["ada@example.org", "bob@example.org"]);
    for (name, title, [before, after]) in [
        ("ada@example.org", "Early", ["Dock 4, Old hall", "Dock 4, New hall"]),
        ("bob@example.org", "Late", ["Old hall", "New hall"]),
    ] {
        let mail = mails[2..].iter().find(|mail| mail.to == name).unwrap();
        assert_eq!(mail.header("subject"), format!("Changed: Food drive – {title}, Saturday 5 June"));
        for text in [before, after] {
            assert!(mail.text().contains(text) && mail.html().contains(text), "{}", mail.text());
        }
        assert_eq!(mail.calendar().property("LOCATION").replace("\\,", ","), after);
    }

    let moved = json!({"location": "Tent", "start_date": "2027-06-12", "timezone": "Europe/Paris"});
    patch(&server, &page, &moved).await;
    let mails = mailbox.wait_for(6, SOON).await;
    assert_eq!(told(&mails, 4), ["ada@example.org", "bob@example.org"]);
    for mail in &mails[4..] {
        let subject = mail.header("subject");
        assert!(subject.starts_with("Changed: Food drive – "), "{subject}");
        for text in ["Saturday 5 June 2027", "Saturday 12 June 2027"] {
            assert!(mail.text().contains(text) && mail.html().contains(text), "{}", mail.text());
        }
    }

    let quiet = json!({"location": "Shed", "start_date": "2027-06-19", "notify_volunteers": false});
    patch(&server, &page, &quiet).await;
    let mails = mailbox.wait_for_exactly(6, SOON).await;
    for name in ["ada@example.org", "bob@example.org"] {
        let of = |mails: &[Mail]| mails.iter().rfind(|mail| mail.to == name).unwrap().calendar();
        let (confirmed, changed) = (of(&first), of(&mails));
        assert_eq!(confirmed.property("UID"), changed.property("UID"));
        assert!(confirmed.sequence() < changed.sequence());
        assert_eq!(changed.property("METHOD"), "PUBLISH");
        assert!(changed.property("DTSTART").starts_with("20270612T"), "{changed:?}");
    }
}

#[tokio::test]
async fn changes_within_the_delay_are_one_mail_with_the_first_and_the_last_place() {
    let mailbox = Mailbox::start();
    let server = Server::start_on("memory:", &["--smtp", &mailbox.url(), "--change-mail-delay", "3"]);
    let page = in_the_old_hall(&server).await;
    sign_up(&server, &page, "Late", "bob").await;
    mailbox.wait_for(1, SOON).await;
    for place in ["New hall", "Tent"] {
        patch(&server, &page, &json!({"location": place})).await;
    }
    let mails = mailbox.wait_for_exactly(2, SOON).await;
    let text = mails[1].text();
    assert!(text.contains("Old hall") && text.contains("Tent") && !text.contains("New hall"), "{text}");
}

#[tokio::test]
async fn a_cancellation_is_mailed_once_to_each_active_sign_up_with_the_reason() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = in_the_old_hall(&server).await;
    for (title, name) in [("Early", "ada"), ("Late", "ada"), ("Early", "bob"), ("Early", "cyd")] {
        sign_up(&server, &page, title, name).await;
    }
    let first = mailbox.wait_for(4, SOON).await;
    let of_cyd = first.iter().find(|mail| mail.to == "cyd@example.org").unwrap();
    let cancelled = server.browse("POST", &format!("{}/cancel", of_cyd.signup_path().unwrap()), None).await;
    assert_eq!(cancelled.status, 303);
    mailbox.wait_for(5, SOON).await;

    let cancel = format!("{}/cancel", path(&page.event));
    for reason in ["The hall is flooded.", "Another reason."] {
        assert_eq!(server.post(&cancel, &json!({"reason": reason})).await.status, 200);
    }
    let mails = mailbox.wait_for_exactly(8, SOON).await;
    assert_eq!(told(&mails, 5), ["ada@example.org", "ada@example.org", "bob@example.org"]);
    for mail in &mails[5..] {
        let subject = mail.header("subject");
        assert!(subject.starts_with("Cancelled: Food drive – "), "{subject}");
        let calendar = mail.calendar();
        assert_eq!((calendar.property("METHOD"), calendar.property("STATUS")), ("CANCEL", "CANCELLED"));
        let is_before = |first: &&Mail| first.calendar().property("UID") == calendar.property("UID");
        assert!(first.iter().find(is_before).unwrap().calendar().sequence() < calendar.sequence());
        for text in [mail.text(), mail.html()] {
            assert!(text.contains("cancelled") && text.contains("The hall is flooded."), "{text}");
        }
    }

    // The link in the confirmation stays harmless.
    let link = first.iter().find(|mail| mail.to == "bob@example.org").unwrap().signup_path().unwrap();
    assert_eq!(server.browse("GET", &link, None).await.status, 200);
    assert_eq!(server.browse("POST", &format!("{link}/cancel"), None).await.status, 303);
    mailbox.wait_for_exactly(8, SOON).await;
}

#[tokio::test]
async fn a_cancellation_without_notice_sends_no_mail() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = in_the_old_hall(&server).await;
    for title in ["Early", "Late"] {
        sign_up(&server, &page, title, "ada").await;
    }
    mailbox.wait_for(2, SOON).await;
    let quiet = format!("/v1/slots/{}?cancel_signups=true&notify_volunteers=false", page.slot("Early"));
    assert_eq!(server.send("DELETE", &quiet, None).await.status, 200);
    let quiet = json!({"notify_volunteers": false});
    assert_eq!(server.post(&format!("{}/cancel", path(&page.event)), &quiet).await.status, 200);
    mailbox.wait_for_exactly(2, SOON).await;
}

/// The server sends no mails between the cancellation and the deletion.
#[tokio::test]
async fn a_cancellation_is_mailed_although_its_event_was_deleted_since() {
    let mailbox = Mailbox::start();
    let smtp = ["--smtp", &mailbox.url()];
    let server = Server::start_on_sqlite().restart_with(&smtp);
    let page = in_the_old_hall(&server).await;
    for (title, name) in [("Early", "ada"), ("Late", "bob")] {
        sign_up(&server, &page, title, name).await;
    }
    let link = mailbox.wait_for(2, SOON).await[0].signup_path().unwrap();
    let server = server.restart_with(&[]);
    let path = path(&page.event);
    assert_eq!(server.post(&format!("{path}/cancel"), &json!({"reason": "Storm"})).await.status, 200);
    assert_eq!(server.send("DELETE", &path, None).await.status, 200);
    let server = server.restart_with(&smtp);
    let mails = mailbox.wait_for(4, SOON).await;
    assert_eq!(told(&mails, 2), ["ada@example.org", "bob@example.org"]);
    for mail in &mails[2..] {
        assert_eq!(mail.calendar().property("METHOD"), "CANCEL");
        assert!(mail.text().contains("Storm"), "{}", mail.text());
        for text in [mail.text(), mail.html(), format!("{:?}", mail.calendar())] {
            assert!(!text.contains(&server.url), "a link of the mail would be dead: {text}");
        }
    }
    assert_eq!(server.browse("GET", &link, None).await.status, 404, "the sign-up is gone from every page");
    assert_eq!(server.browse("POST", &format!("{link}/cancel"), None).await.status, 404);
}

#[tokio::test]
async fn typed_text_adds_no_header_and_no_markup_to_a_mail_about_an_edit() {
    let (server, mailbox) = with_mailbox("memory:");
    let evil = "A Bcc: all@example.org <script>alert(1)</script>";
    let lines = evil.replace(' ', "\r\n");
    let mut event = published();
    event["title"] = json!(evil);
    event["shifts"] = json!([{"title": evil, "capacity": 2}, {"title": "Other", "capacity": 2}]);
    let page = Page::create(&server, &event).await;
    let (slot, other) = (page.slot(evil), page.slot("Other"));
    for slot in [&slot, &other] {
        let answer = page.sign_up(&server, slot, "Ada", "ada@example.org").await;
        assert_eq!(answer.status, 303, "{}", answer.text);
    }
    mailbox.wait_for(2, SOON).await;
    let event = format!("/v1/events/{}", page.event["id"].as_str().unwrap());
    let slot = format!("/v1/slots/{slot}");
    let mut count = 2;
    for (method, path, body, mails) in [
        ("PATCH", event.clone(), json!({"location": evil}), 2),
        ("PATCH", event.clone(), json!({"start_date": "2027-06-12"}), 2),
        ("PATCH", slot.clone(), json!({"location": format!("{evil} 2")}), 1),
        ("DELETE", format!("{slot}?cancel_signups=true"), json!({}), 1),
        ("POST", format!("{event}/cancel"), json!({"reason": lines}), 1),
    ] {
        let answer = server.send(method, &path, Some(&body)).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text);
        count += mails;
        for mail in &mailbox.wait_for(count, SOON).await[count - mails..] {
            let parsed = mailparse::parse_mail(&mail.raw).unwrap();
            let headers: Vec<_> = parsed.headers.iter().map(mailparse::MailHeader::get_key).collect();
            assert!(!headers.contains(&"Bcc".to_owned()), "{method} {path}: {headers:?}");
            assert_eq!(mail.header("to"), "Ada <ada@example.org>", "{method} {path}");
            let html = mail.html();
            assert!(html.contains("&#60;script&#62;alert(1)"), "{method} {path}: {html}");
            assert!(!html.contains("<script>"), "{method} {path}: {html}");
            let calendar = mail.calendar();
            let summary = calendar.property("SUMMARY");
            let is_one_line = !summary.contains(['\r', '\n']);
            assert!(summary.contains("Bcc: all@example.org") && is_one_line, "{method} {path}: {calendar:?}");
        }
    }
}
