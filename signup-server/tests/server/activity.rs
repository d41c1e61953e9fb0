//! `GET /v1/activity`: what happened, over the wire.

use std::collections::HashMap;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::console::Organizer;
use crate::console_events::ROOT;
use crate::console_settings::hidden;
use crate::harness::Server;
use crate::lives::id;
use crate::mailbox::Mailbox;
use crate::pages::{Page, published};
use crate::snapshots::stable;

/// Returns all activity of the server's organization, newest first.
pub(crate) async fn all_activity(server: &Server) -> Vec<Value> {
    let (mut all, mut query) = (vec![], String::new());
    loop {
        let page = server.get(&format!("/v1/activity?per_page=100{query}")).await.json();
        all.extend(page["data"].as_array().unwrap().clone());
        let Some(cursor) = page["meta"]["next_cursor"].as_str() else { return all };
        query = format!("&cursor={cursor}");
    }
}

/// Returns the types of the activity of each event, by the event's id and in alphabetical order.
pub(crate) fn types_by_event(activity: &[Value]) -> HashMap<&str, Vec<&str>> {
    let mut events: HashMap<_, Vec<_>> = HashMap::new();
    for activity in activity {
        if let Some(event) = activity["event_id"].as_str() {
            events.entry(event).or_default().push(activity["type"].as_str().unwrap());
        }
    }
    events.values_mut().for_each(|types| types.sort_unstable());
    events
}

/// Returns a line for each activity, the newest first.
fn lines(activity: &[Value]) -> String {
    stable(&activity.iter().map(|activity| format!("{activity}\n")).collect::<String>())
}

#[tokio::test]
async fn each_write_is_listed_with_its_record_its_actor_and_the_fields_that_changed() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    let patch = json!({"title": "Setting up", "capacity": 9});
    assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &patch).await.status, 200);
    assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &patch).await.status, 200, "no value changes");
    page.signed_up(&server, &slot, "Ada", "ada@example.org").await;
    assert_snapshot!(lines(&all_activity(&server).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_activity_of_members_and_messages_names_the_person_and_the_slot() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let owner = Organizer::first_owner(&server).await;
    owner.invite(&mailbox, "grace@example.org", "organizer").await;
    let members = format!("{ROOT}/settings/members");
    let grace = hidden(&owner.get(&members).await.text, "grace@example.org", "person_id");
    // Inviting a member changes nothing.
    let again = [("action", "invite"), ("email", "GRACE@example.org"), ("name", "G"), ("role", "owner")];
    assert_eq!(owner.post(&members, &again).await.status, 303);
    for fields in [[("action", "role"), ("role", "admin")], [("action", "remove"), ("role", "")]] {
        let fields = [&fields[..], &[("person_id", &*grace)]].concat();
        assert_eq!(owner.post(&members, &fields).await.status, 303);
    }
    let settings = [("name", "Riverside"), ("contact", "new@example.org")];
    assert_eq!(owner.post(&format!("{ROOT}/settings"), &settings).await.status, 303);
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    page.signed_up(&server, &early, "Bo", "bo@example.org").await;
    let message =
        [("subject", "Gloves"), ("text", "Bring gloves."), ("slot_id", &*early), ("confirmed", "yes")];
    let path = format!("{ROOT}/events/{}/message", id(&page.event));
    assert_eq!(owner.post(&path, &message).await.status, 303);

    let all = all_activity(&server).await;
    let is_shown = |activity: &&Value| {
        let group = activity["type"].as_str().unwrap().split('.').next().unwrap();
        ["member", "message", "organization"].contains(&group)
    };
    assert_snapshot!(lines(&all.iter().filter(is_shown).cloned().collect::<Vec<_>>()));
}
