//! `GET /v1/activity`: what happened, over the wire.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::console::Organizer;
use crate::console_events::ROOT;
use crate::console_settings::hidden;
use crate::harness::Server;
use crate::lives::id;
use crate::mailbox::Mailbox;
use crate::pages::{Page, published};

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

/// Returns the types of a page, the newest first.
fn types(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|activity| activity["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn each_write_is_listed_with_its_record_its_actor_and_the_fields_that_changed() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let (event, slot) = (id(&page.event).to_owned(), page.slot("Early"));
    let patch = json!({"title": "Setting up", "capacity": 9});
    assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &patch).await.status, 200);
    assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &patch).await.status, 200, "no value changes");
    assert_eq!(page.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 303);
    let list = server.get("/v1/activity").await.json();
    let expected = [
        "signup.created",
        "slot.updated",
        "event.created",
        // The first owner is invited at the start.
        "member.invited",
        "token.created",
        "organization.created",
    ];
    assert_eq!(types(&list), expected);
    let token = server.get("/v1/token").await.json();
    let updated = &list["data"][1];
    let expected = json!({
        "id": updated["id"],
        "type": "slot.updated",
        "created_at": updated["created_at"],
        "actor": {"type": "token", "id": token["data"]["id"], "name": token["data"]["name"]},
        "event_id": event,
        "slot_id": slot,
        "signup_id": null,
        "question_id": null,
        "token_id": null,
        "webhook_id": null,
        "person_id": null,
        "changes": ["title", "capacity"],
    });
    assert_eq!(updated, &expected);
    let signup = &list["data"][0];
    assert_eq!(signup["actor"], json!({"type": "volunteer", "id": null, "name": null}));
    assert_eq!(signup["signup_id"], server.get("/v1/signups").await.data()[0]["id"]);
    assert!(!list.to_string().contains("ada@example.org") && !list.to_string().contains("Ada"), "{list}");
    let created = &list["data"][4];
    assert_eq!(created["actor"]["type"], "operator");
    assert_eq!(created["token_id"], token["data"]["id"]);
}

#[tokio::test]
async fn the_list_has_pages_and_filters() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = id(&page.event).to_owned();
    for title in ["One", "Two", "Three"] {
        assert_eq!(server.patch(&format!("/v1/events/{event}"), &json!({"title": title})).await.status, 200);
    }
    assert_eq!(server.send("DELETE", &format!("/v1/events/{event}"), None).await.status, 200);
    let of_event = format!("/v1/activity?type=event.*&event_id={event}");
    let all = server.get(&of_event).await.json();
    assert_eq!(
        types(&all),
        ["event.deleted", "event.updated", "event.updated", "event.updated", "event.created"],
        "of a deleted event, too"
    );
    let (mut path, mut walked) = (format!("{of_event}&per_page=2"), vec![]);
    loop {
        let page = server.get(&path).await.json();
        walked.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["links"]["next"].as_str() else { break };
        path = next.strip_prefix(&server.url).unwrap().to_owned();
    }
    assert_eq!(Value::from(walked), all["data"]);
    let updated = server.get(&format!("/v1/activity?type=event.updated&event_id={event}")).await.json();
    assert_eq!(types(&updated), ["event.updated"; 3]);
    for (query, status, field) in [
        ("type=event.moved", 422, "type"),
        ("type=even*", 422, "type"),
        ("cursor=abc", 422, "cursor"),
        ("per_page=0", 422, "per_page"),
        ("event_id=019f2a6e-1c3b-7d20-8f4a-5b6c7d8e9f01", 404, ""),
        ("event_id=nonsense", 404, ""),
    ] {
        let answer = server.get(&format!("/v1/activity?{query}")).await;
        assert_eq!(answer.status, status, "{query}: {}", answer.text);
        if status == 422 {
            assert!(answer.json()["errors"].get(field).is_some(), "{query}: {}", answer.text);
        }
    }
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
    assert_eq!(page.sign_up(&server, &early, "Bo", "bo@example.org").await.status, 303);
    let message =
        [("subject", "Gloves"), ("text", "Bring gloves."), ("slot_id", &*early), ("confirmed", "yes")];
    let path = format!("{ROOT}/events/{}/message", id(&page.event));
    assert_eq!(owner.post(&path, &message).await.status, 303);

    let all = all_activity(&server).await;
    let ada = all[0]["actor"]["id"].as_str().unwrap();
    let shown: Vec<_> = all
        .iter()
        .filter(|activity| {
            ["member", "message", "organization"]
                .contains(&activity["type"].as_str().unwrap().split('.').next().unwrap())
        })
        .map(|activity| {
            let [kind, person, slot] =
                ["type", "person_id", "slot_id"].map(|name| activity[name].as_str().unwrap_or("null"));
            (kind, activity["actor"]["name"].as_str().unwrap_or("null"), person, slot)
        })
        .collect();
    let expected = [
        ("message.sent", "Ada Lovelace", "null", &*early),
        ("organization.updated", "Ada Lovelace", "null", "null"),
        ("member.removed", "Ada Lovelace", &*grace, "null"),
        ("member.role_changed", "Ada Lovelace", &*grace, "null"),
        ("member.joined", "Grace Hopper", &*grace, "null"),
        ("member.invited", "Ada Lovelace", "null", "null"),
        ("member.joined", "Ada Lovelace", ada, "null"),
        ("organization.updated", "Ada Lovelace", "null", "null"),
        ("member.invited", "null", "null", "null"),
        ("organization.created", "null", "null", "null"),
    ];
    assert_eq!(shown, expected);
}
