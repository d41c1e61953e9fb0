//! What each mail says: headers, text and calendar entry, as the mail server of a test receives them.

use insta::assert_snapshot;
use serde_json::json;

use crate::console::{ADA, Organizer, wait_for_code};
use crate::lives::path;
use crate::mailbox::{Mail, Mailbox};
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};
use crate::snapshots::stable;

/// Returns a mail as a person reads it.
fn shown(mail: &Mail) -> String {
    let parsed = mailparse::parse_mail(&mail.raw).unwrap();
    let names = ["From", "To", "Reply-To", "Subject", "Auto-Submitted"];
    let headers = parsed.headers.iter().filter(|header| names.contains(&&*header.get_key()));
    let mut text: String =
        headers.map(|header| format!("{}: {}\n", header.get_key(), header.get_value())).collect();
    text += &format!("\n{}\n", mail.text().trim_end());
    text += &mail.calendars().iter().map(|calendar| format!("\n{calendar}")).collect::<String>();
    text + "--------\n"
}

/// Waits for `count` more mails and returns them, sorted by recipient.
async fn more(mailbox: &Mailbox, seen: &mut usize, count: usize) -> String {
    let mut mails = mailbox.wait_for(*seen + count, SOON).await.split_off(*seen);
    *seen += count;
    mails.sort_by_key(|mail| (mail.to.clone(), mail.header("subject")));
    mails.iter().map(shown).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_mail_to_a_volunteer() {
    let (server, mailbox) = with_mailbox("memory:");
    let mut event = published();
    (event["start_date"], event["location"]) = (json!("2099-06-05"), json!("Old hall"));
    let page = Page::create(&server, &event).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    let (mut text, mut seen) = (String::new(), 0);
    for (slot, name) in [(&early, "ada"), (&early, "bob"), (&late, "cyd")] {
        page.sign_up(&server, slot, name, &format!("{name}@example.org")).await;
    }
    text += &format!("=== three sign-ups\n{}", more(&mailbox, &mut seen, 3).await);
    page.sign_up(&server, &early, "ADA", "ADA@example.org").await;
    text += &format!("=== a repeated sign-up\n{}", more(&mailbox, &mut seen, 1).await);
    let of_bob = mailbox.mails().into_iter().find(|mail| mail.to == "bob@example.org").unwrap();
    let link = format!("{}/cancel", of_bob.signup_path().unwrap());
    assert_eq!(server.browse("POST", &link, None).await.status, 303);
    text += &format!("=== Bob cancels\n{}", more(&mailbox, &mut seen, 1).await);
    let (slot, of_event) = (format!("/v1/slots/{early}"), path(&page.event));
    for (what, path, change, mails) in [
        (
            "the hours and the place of a shift",
            &slot,
            json!({"start_time": "09:30", "location": "Hall B"}),
            1,
        ),
        ("the place of the event", &of_event, json!({"location": "New hall"}), 2),
        (
            "the day, the zone and the place",
            &of_event,
            json!({"location": "Tent", "start_date": "2099-06-12", "timezone": "Europe/Paris"}),
            2,
        ),
    ] {
        assert_eq!(server.patch(path, &change).await.status, 200);
        text += &format!("=== {what}\n{}", more(&mailbox, &mut seen, mails).await);
    }
    // No mail follows an unchanged value, a title, a capacity, or a change that is to be silent.
    for quiet in [
        json!({"start_time": "09:30"}),
        json!({"title": "Earlier", "capacity": 9}),
        json!({"location": "Hall C", "notify_volunteers": false}),
    ] {
        assert_eq!(server.patch(&slot, &quiet).await.status, 200);
    }
    let delete = format!("/v1/slots/{late}?cancel_signups=1&reason=No+flour%21");
    assert_eq!(server.send("DELETE", &delete, None).await.status, 200);
    text += &format!("=== a deleted shift\n{}", more(&mailbox, &mut seen, 1).await);
    for reason in ["The hall is flooded.", "Another reason."] {
        assert_eq!(server.post(&format!("{of_event}/cancel"), &json!({"reason": reason})).await.status, 200);
    }
    text += &format!("=== the event is cancelled\n{}", more(&mailbox, &mut seen, 1).await);
    let mails = mailbox.wait_for_exactly(seen, SOON).await;
    assert_snapshot!(stable(&text));

    let of_ada = mails.iter().filter(|mail| mail.to.eq_ignore_ascii_case("ada@example.org"));
    let entries: Vec<_> = of_ada.map(Mail::calendar).collect();
    assert!(entries.iter().all(|entry| entry.property("UID") == entries[0].property("UID")), "{entries:?}");
    assert!(entries[1..].is_sorted_by(|a, b| a.sequence() < b.sequence()), "{entries:?}");
    let mut ids: Vec<_> = mails.iter().map(|mail| mail.header("message-id")).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), mails.len(), "each mail has its own Message-ID");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_mail_to_a_person_and_a_message() {
    let (server, mailbox) = with_mailbox("memory:");
    let ada = Organizer::first_owner(&server).await;
    let mut event = published();
    event["start_date"] = json!("2099-06-05");
    let page = Page::create(&server, &event).await;
    let mut seen = 0;
    for shift in ["Early", "Late"] {
        page.sign_up(&server, &page.slot(shift), "Bo", "bo@example.org").await;
        seen += 1;
        mailbox.wait_for(seen, SOON).await;
    }
    let fields = [("action", "invite"), ("email", "grace@example.org"), ("name", "Grace"), ("role", "admin")];
    assert_eq!(ada.post("/console/riverside/settings/members", &fields).await.status, 303);
    let mut text = format!("=== an invitation\n{}", more(&mailbox, &mut seen, 1).await);
    ada.post("/sign-in", &[("email", ADA)]).await;
    let code = more(&mailbox, &mut seen, 1).await;
    text += &format!("=== a code\n{}", code.replace(&wait_for_code(&mailbox, ADA, 0).await, "{code}"));
    let message = format!("/console/riverside/events/{}/message", page.event["id"].as_str().unwrap());
    let fields = [
        ("subject", "Bring gloves"),
        ("text", "It is cold:\nhttps://example.org/cold"),
        ("confirmed", "yes"),
    ];
    assert_eq!(ada.post(&message, &fields).await.status, 303);
    text += &format!("=== a message\n{}", more(&mailbox, &mut seen, 1).await);
    assert_snapshot!(stable(&text));
}
