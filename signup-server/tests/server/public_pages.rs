//! Each public page in each state: the snapshots show what a volunteer reads, and the fields of the forms.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::Server;
use crate::lives::path;
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};
use crate::snapshots::{readable, stable};

fn far(mut event: Value) -> Value {
    event["start_date"] = json!("2099-06-05");
    event
}

/// Returns the page of a new event as a volunteer reads it.
async fn shown(server: &Server, event: &Value) -> String {
    stable(&readable(&Page::create(server, event).await.get(server).await))
}

#[tokio::test]
async fn an_event_with_everything_and_with_nothing() {
    let (server, _mailbox) = with_mailbox("memory:");
    let contact = json!({"type": "text", "label": "Diet"});
    let mut full = far(published());
    for (field, value) in [
        ("description", "Bring gloves.\nAnd *friends*. Ask ada@example.org"),
        ("location", "https://maps.example.org/?a=1&b=2"),
        ("badge_label", "Families"),
        ("theme", "golden-hour"),
        ("end_date", "2099-06-07"),
    ] {
        full[field] = json!(value);
    }
    full["shifts"][0]["description"] = json!("Lift 20 kg.\nMap: https://example.org/map");
    full["shifts"][0]["day"] = json!(3);
    full["shifts"].as_array_mut().unwrap().push(json!({"title": "Helping", "capacity": 2, "day": 2}));
    let page = Page::create(&server, &full).await;
    for question in [
        contact,
        json!({"type": "select", "label": "Size", "options": ["S", "M"], "required": true}),
        json!({"type": "checkbox", "label": "I know the rules", "required": true}),
    ] {
        assert_eq!(server.post(&format!("{}/questions", path(&page.event)), &question).await.status, 201);
    }
    let answer = page.get(&server).await;
    assert!(answer.text.contains("data-theme=\"golden-hour\""), "{}", answer.text);
    assert_snapshot!("event_with_everything", stable(&readable(&answer)));
    let head = server.browse("HEAD", &page.path, None).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    let empty =
        json!({"title": "Later", "start_date": "2099-06-05", "timezone": "UTC", "is_published": true});
    assert_snapshot!("event_without_shifts", shown(&server, &empty).await);
    let mut past = published();
    past["start_date"] = json!("2020-06-06");
    assert_snapshot!("event_that_is_over", shown(&server, &past).await);
}

/// Ada signs up, comes back, cancels, and meets a full shift.
#[tokio::test]
async fn the_way_of_a_volunteer() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &far(published())).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    let mut text = String::new();
    let done = page.sign_up(&server, &late, "Ada", "ada@example.org").await;
    assert_eq!(done.status, 303);
    let location = done.header("location").unwrap();
    let thanks = server.browse("GET", location, None).await;
    assert!(!thanks.text.contains("ada@example.org"), "the page behind a public link names no volunteer");
    text += &format!("=== signed up\n{}\n\n", readable(&thanks));
    mailbox.wait_for(1, SOON).await;
    let again = page.sign_up(&server, &late, "ADA", "ADA@example.org").await;
    assert_eq!(
        (again.status, again.header("location")),
        (303, Some(location)),
        "the same page for a repetition"
    );
    page.sign_up(&server, &late, "Bob", "bob@example.org").await;
    for (what, slot, name, email) in [
        ("a full shift", &late, "Cyd", "cyd@example.org"),
        ("a full shift and a wrong address", &late, "Cyd", "cyd@"),
        ("a shift with room and a wrong form", &early, "  ", "cyd@nowhere"),
        ("a shift of no event", &"x".to_owned(), "Cyd", "cyd@example.org"),
    ] {
        let refused = page.sign_up(&server, slot, name, email).await;
        text += &format!("=== {what}\n{}\n\n", readable(&refused));
    }
    let mails = mailbox.wait_for(3, SOON).await;
    let link_of = |email: &str| mails.iter().find(|mail| mail.to == email).unwrap().signup_path().unwrap();
    let link = link_of("ada@example.org");
    text += &format!("=== the link\n{}\n\n", readable(&server.browse("GET", &link, None).await));
    let asked = server.browse("GET", &format!("{link}/cancel"), None).await;
    text += &format!("=== the question\n{}\n\n", readable(&asked));
    assert_eq!(page.filled(&server, "Late").await, 2, "a GET cancels nothing");
    for what in ["cancelled", "cancelled again"] {
        let cancelled = server.browse("POST", &format!("{link}/cancel"), None).await;
        assert_eq!((cancelled.status, cancelled.header("location")), (303, Some(&*link)), "{what}");
        assert_eq!(page.filled(&server, "Late").await, 1);
    }
    text += &format!("=== cancelled\n{}\n\n", readable(&server.browse("GET", &link, None).await));
    let unknown = format!("/signups/{}", "A".repeat(43));
    text += &format!("=== an unknown link\n{}\n\n", readable(&server.browse("GET", &unknown, None).await));
    assert_eq!(server.browse("POST", &format!("{unknown}/cancel"), None).await.status, 404);
    let cancel = server.post(&format!("{}/cancel", path(&page.event)), &json!({"reason": "Storm"})).await;
    assert_eq!(cancel.status, 200);
    for (what, path) in
        [("the event is cancelled", &page.path), ("the link of Bob", &link_of("bob@example.org"))]
    {
        text += &format!("=== {what}\n{}\n\n", readable(&server.browse("GET", path, None).await));
    }
    assert_snapshot!(stable(&text));
}

#[tokio::test]
async fn a_refused_form_names_every_fault_and_keeps_the_typed_values() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &far(published())).await;
    let event = page.event["id"].as_str().unwrap();
    let add = |arguments: &[&str]| {
        let question = server.manage(&[&["question", "add", "--event", event], arguments].concat());
        format!("answer.{}", question["id"].as_str().unwrap())
    };
    let size = add(&["--label", "Size", "--type", "select", "--option", "S", "--option", "M", "--required"]);
    let rules = add(&["--label", "I know the rules", "--type", "checkbox", "--required"]);
    let diet = add(&["--label", "Diet"]);
    let slot = page.slot("Early");
    let form = |[name, email, size_value, diet_value]: [&'static str; 4]| {
        [
            ("slot_id", slot.as_str()),
            ("name", name),
            ("email", email),
            (&*size, size_value),
            (&*diet, diet_value),
        ]
    };
    let refused = page.post(&server, &form(["  ", "ada@nowhere", "XL", "<no> \"nuts\""])).await;
    for text in ["aria-invalid=\"true\"", "role=\"alert\""] {
        assert!(refused.text.contains(text), "{text} in {}", refused.text);
    }
    assert_snapshot!(stable(&readable(&refused)));
    assert_eq!(page.filled(&server, "Early").await, 0);
    let right = [&form(["Ada", "ada@example.org", "M", "=nuts"])[..], &[(&*rules, "yes")]].concat();
    assert_eq!(page.post(&server, &right).await.status, 303);
    let signup = server.manage(&["signup", "list", "--event", event]);
    let values: Vec<_> = signup["answers"].as_array().unwrap().iter().map(|found| &found["value"]).collect();
    assert_eq!(values, ["M", "yes", "=nuts"]);
}
