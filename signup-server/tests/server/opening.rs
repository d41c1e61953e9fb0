//! Sign-ups open and close on the public page: at the times of the event, and by the buttons of the console.

use serde_json::json;

use crate::console::Organizer;
use crate::console_events::ROOT;
use crate::mails::{SOON, to, with_mailbox};
use crate::pages::{Page, published};

#[tokio::test]
async fn the_page_takes_sign_ups_from_the_opening_to_the_closing_and_says_when_they_open() {
    let (server, mailbox) = with_mailbox("memory:");
    let ada = Organizer::first_owner(&server).await;
    let mut event = published();
    event["start_date"] = json!("2099-06-05");
    event["signups_open_at"] = json!("2099-03-01T18:00");
    event["signups_close_at"] = json!("2099-06-04T12:00");
    let page = Page::create(&server, &event).await;
    let slot = page.slot("Early");
    let console = format!("{ROOT}/events/{}", page.event["id"].as_str().unwrap());
    let has_form = |text: &str| text.contains("name=\"slot_id\"");
    let sign_up = async |email| page.sign_up(&server, &slot, "Bo", email).await;

    let ahead = page.get(&server).await;
    assert!(ahead.text.contains("Sign-ups open on Sunday 1 March at 18:00"), "{}", ahead.text);
    assert!(!has_form(&ahead.text));
    let unnamed = page.sign_up(&server, &slot, "", "bo@example.org").await;
    assert!(unnamed.status == 409 && !has_form(&unnamed.text), "a form with faults: {}", unnamed.text);
    let refused = sign_up("bo@example.org").await;
    assert!(
        refused.status == 409 && refused.text.contains("Sorry, you can’t sign up now"),
        "{}",
        refused.text
    );
    assert!(
        ada.get(&console).await.text.contains("From Sunday 1 March at 18:00 until Thursday 4 June at 12:00")
    );

    let id = page.event["id"].as_str().unwrap();
    let answer = server.get(&format!("/v1/events/{id}")).await.data();
    let [opens, closes] =
        [("signups_open_at", "local_signups_open_at"), ("signups_close_at", "local_signups_close_at")]
            .map(|(instant, local)| [answer[instant].as_str().unwrap(), answer[local].as_str().unwrap()]);
    assert_eq!(opens, ["2099-03-01T23:00:00+00:00", "2099-03-01T18:00"]);
    assert_eq!(closes, ["2099-06-04T16:00:00+00:00", "2099-06-04T12:00"]);
    assert!(
        ada.get(&console).await.text.contains(&format!("{console}/close\"")),
        "both buttons while it is ahead"
    );

    let press = async |button: &str| {
        assert!(ada.get(&console).await.text.contains(&format!("{console}/{button}\"")), "{button}");
        assert_eq!(ada.post(&format!("{console}/{button}"), &[]).await.status, 303, "{button}");
    };
    press("open").await;
    let answer = server.get(&format!("/v1/events/{id}")).await.data();
    assert_eq!([&answer["signups_open_at"], &answer["signups_close_at"]], [&json!(null), &json!(null)]);
    assert!(has_form(&page.get(&server).await.text));
    assert_eq!(sign_up("bo@example.org").await.status, 303);
    mailbox.wait_for(1, SOON).await;

    press("close").await;
    let closed = page.get(&server).await;
    assert!(closed.text.contains("Sign-ups are closed") && !has_form(&closed.text));
    assert_eq!(
        [sign_up("bo@example.org").await, sign_up("cy@example.org").await].map(|page| page.status),
        [409; 2]
    );
    for change in ["form", "shifts"] {
        let refused = page.post(&server, &[("slot_id", &slot), ("name", "Bo"), ("change", change)]).await;
        assert!(
            refused.status == 409 && refused.text.contains("Sorry, you can’t sign up now"),
            "{change}: {}",
            refused.text
        );
    }
    let mails = mailbox.wait_for_exactly(2, SOON).await;
    assert_eq!(to(&mails), ["bo@example.org"; 2], "an address with a place is mailed as on a full shift");
}
