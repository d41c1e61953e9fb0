//! A waiting list on the wire: fields, statuses, activity and webhooks. Who waits and who is promoted is proven in signup-core.

use serde_json::{Value, json};

use crate::activity::all_activity;
use crate::harness::Server;
use crate::lives::id;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::receiver::{ALLOW, Receiver};
use crate::subscription::{Subscription, wait_until_delivered};

/// Returns these fields of a record.
fn of<const N: usize>(record: &Value, fields: [&str; N]) -> [Value; N] {
    fields.map(|field| record[field].clone())
}

#[tokio::test]
async fn a_sign_up_waits_on_a_full_slot_and_is_promoted_when_a_place_comes_free() {
    let (mailbox, receiver) = (Mailbox::start(), Receiver::start());
    let server = Server::start_on_sqlite_with(&[&["--smtp", &mailbox.url()][..], &ALLOW].concat());
    let webhook = Subscription::create(&server, receiver, &["signup.*"]).await;
    let mut event = published();
    event["start_date"] = json!("2099-06-05");
    event["waitlist_enabled"] = json!(true);
    event["shifts"] = json!([{"title": "Early", "start_time": "09:00", "end_time": "12:00", "capacity": 1}]);
    let page = Page::create(&server, &event).await;
    assert_eq!(page.event["waitlist_enabled"], true);
    let (slot, path) = (page.slot("Early"), format!("/v1/events/{}", id(&page.event)));
    page.signed_up(&server, &slot, "Ada", "ada@example.org").await;
    let ada = mailbox.wait_for(1, SOON).await.remove(0);

    let full = page.sign_up(&server, &slot, "Bo", "bo@example.org").await;
    assert_eq!(full.status, 409, "a form without the field does not wait");
    let fields = [("slot_id", &*slot), ("name", "Bo"), ("email", "bo@example.org"), ("waitlist", "1")];
    assert_eq!(page.post(&server, &fields).await.status, 303);

    let totals = async || {
        let slots = server.get(&format!("{path}/slots")).await.data();
        let coverage = server.get(&format!("{path}/coverage")).await.data();
        let names = ["filled", "waitlisted", "remaining"];
        [&slots[0], &coverage, &coverage["slots"][0]].map(|record| of(record, names))
    };
    let listed = async |status| {
        let signups = server.get(&format!("/v1/signups?status={status}")).await.data();
        signups.as_array().unwrap().clone()
    };
    assert_eq!(totals().await, [(); 3].map(|()| [json!(1), json!(1), json!(0)]));
    let waiting = listed("waitlisted").await;
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    let fields = ["name", "status", "cancelled_at", "cancelled_by"];
    assert_eq!(of(&waiting[0], fields), [json!("Bo"), json!("waitlisted"), json!(null), json!(null)]);

    let link = ada.signup_path().unwrap();
    assert_eq!(server.browse("POST", &format!("{link}/cancel"), Some(&[])).await.status, 303);
    assert_eq!(totals().await, [(); 3].map(|()| [json!(1), json!(0), json!(0)]));
    assert_eq!(listed("waitlisted").await, [json!(null); 0]);
    let confirmed = listed("confirmed").await;
    assert_eq!(confirmed.iter().map(id).collect::<Vec<_>>(), [id(&waiting[0])], "the sign-up that waited");

    let activity = all_activity(&server).await;
    let of_signups = activity.iter().rev().filter(|activity| activity["signup_id"].is_string());
    let in_words = of_signups.map(|activity| {
        let who = if activity["signup_id"] == waiting[0]["id"] { "Bo" } else { "Ada" };
        let (kind, actor) = (activity["type"].as_str().unwrap(), activity["actor"]["type"].as_str().unwrap());
        format!("{who}: {kind} by {actor}")
    });
    let mut in_words: Vec<_> = in_words.collect();
    // Both are of one commit, and so of one time.
    in_words[2..].sort();
    assert_eq!(
        in_words,
        [
            "Ada: signup.created by volunteer",
            "Bo: signup.waitlisted by volunteer",
            "Ada: signup.cancelled by volunteer",
            "Bo: signup.promoted by system",
        ]
    );
    wait_until_delivered(&server, SOON).await;
    assert_eq!(webhook.check(&activity), (4, 4));

    let off = server.patch(&path, &json!({"waitlist_enabled": false})).await.data();
    assert_eq!(off["waitlist_enabled"], false);
}
