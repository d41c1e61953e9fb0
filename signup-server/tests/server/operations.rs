//! Every operation of the API: the scope that it requires, and the records that it does not find.

use serde_json::{Value, json};

use crate::contract::DOCUMENT;
use crate::every_route::UNKNOWN;
use crate::harness::{Server, event};
use crate::lives::{assert_not_found, id, path, question, send_as, token_of};
use crate::pages::{Page, published};
use crate::webhooks::{RECEIVER, new_webhook, webhook_path};

/// Returns the body of an event with every field.
fn every_field_of_an_event() -> Value {
    json!({
        "title": " Picnic ", "description": " two\nlines ", "location": "https://meet.example.org", "is_virtual": true,
        "location_lat": 40.5, "location_lng": -180, "location_data": {"place": {"id": 1}}, "start_date": "2099-06-05",
        "end_date": "2099-06-07", "timezone": "europe/paris", "is_published": true, "theme": "midnight",
        "badge_label": "New", "external_id": "picnic",
    })
}

/// Returns the fields of a shift, every one.
fn every_field_of_a_shift() -> Value {
    json!({
        "title": " Watch ", "description": "Lift 20 kg.", "location": "Dock 4", "day": 1, "start_time": "22:00",
        "end_time": "06:00", "ends_next_day": true, "capacity": 3.0, "minimum": 2, "external_id": "watch",
    })
}

/// An operation with a valid body, which has every field, and the scope that it requires.
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Value,
    scope: &'static str,
}

impl Operation {
    /// Returns a read that needs no scope.
    pub(crate) fn read(path: &str) -> Self {
        Self { method: "GET", path: path.to_owned(), body: json!({}), scope: "" }
    }
}

/// The ids of an event, its slot "Early", a question, a sign-up for the slot, a webhook and a delivery to it.
pub(crate) struct Records {
    event: String,
    slot: String,
    question: String,
    signup: String,
    webhook: String,
    delivery: String,
}

impl Records {
    /// Creates the records on a server that has no sign-up yet.
    pub(crate) async fn create(server: &Server) -> Self {
        let mut event = published();
        event["start_date"] = json!("2099-06-05");
        let page = Page::create(server, &event).await;
        let slot = page.slot("Early");
        page.signed_up(server, &slot, "Ada", "ada@example.org").await;
        let question = question(server, &page.event).await;
        let signup = server.get("/v1/signups").await.data()[0].clone();
        let webhook = new_webhook(server).await;
        let delivery = server.post(&format!("{}/test", webhook_path(&webhook)), &json!({})).await.data();
        Self {
            event: id(&page.event).to_owned(),
            slot,
            question: question.strip_prefix("/v1/questions/").unwrap().to_owned(),
            signup: id(&signup).to_owned(),
            webhook: id(&webhook).to_owned(),
            delivery: id(&delivery).to_owned(),
        }
    }

    /// Returns records that all have this id.
    pub(crate) fn all(id: &str) -> Self {
        let id = || id.to_owned();
        Self { event: id(), slot: id(), question: id(), signup: id(), webhook: id(), delivery: id() }
    }

    /// Returns every operation, in an order in which each of them succeeds. Reads come first.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let Self { event: of_event, slot, question, signup, webhook, delivery } = self;
        let of = |rest: &str| format!("/v1/events/{of_event}{rest}");
        let of_webhook = |rest: &str| format!("/v1/webhooks/{webhook}{rest}");
        let redeliver = format!("/v1/deliveries/{delivery}/redeliver");
        let (slot, question) = (format!("/v1/slots/{slot}"), format!("/v1/questions/{question}"));
        let operation = |method, path, body, scope| Operation { method, path, body, scope };
        let read = |path, scope| operation("GET", path, json!({}), scope);
        let with = |mut body: Value, more: Value| {
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        let (quietly, shifts) =
            (json!({"notify_volunteers": false}), json!({"shifts": [every_field_of_a_shift()]}));
        let new_event = with(every_field_of_an_event(), shifts.clone());
        let other_days = json!({"end_date": "2099-06-05", "external_id": "picnic-of-ada"});
        let patch = with(with(every_field_of_an_event(), other_days), quietly.clone());
        let copy = json!({"start_date": "2099-07-03", "title": "Copy"});
        let question_fields = json!({"label": " Size ", "type": "select", "options": [" S ", "M"], "required": true, "position": 5.0});
        let text = json!({"label": "Food", "type": "text", "options": [], "required": false, "position": 0});
        let new_webhook =
            json!({"url": RECEIVER, "description": "Roster", "types": ["signup.*"], "is_enabled": true});
        vec![
            read("/v1/events".to_owned(), "events:read"),
            read("/v1/signups".to_owned(), "signups:read"),
            read("/v1/volunteers".to_owned(), "signups:read"),
            read("/v1/activity".to_owned(), "activity:read"),
            read("/v1/webhooks".to_owned(), "webhooks:read"),
            read("/v1/team".to_owned(), "team:read"),
            read("/v1/coverage".to_owned(), "slots:read"),
            read(of(""), "events:read"),
            read(of("/coverage"), "slots:read"),
            read(of("/slots"), "slots:read"),
            read(of("/questions"), "events:read"),
            read(of("/signups"), "signups:read"),
            read(slot.clone(), "slots:read"),
            read(format!("{slot}/signups"), "signups:read"),
            read(format!("/v1/signups/{signup}"), "signups:read"),
            read(of_webhook(""), "webhooks:read"),
            read(of_webhook("/deliveries"), "webhooks:read"),
            operation("POST", "/v1/webhooks".to_owned(), new_webhook.clone(), "webhooks:write"),
            operation("PATCH", of_webhook(""), new_webhook, "webhooks:write"),
            operation("POST", of_webhook("/rotate_secret"), json!({}), "webhooks:write"),
            operation("POST", of_webhook("/test"), json!({}), "webhooks:write"),
            operation("POST", redeliver, json!({}), "webhooks:write"),
            operation("DELETE", of_webhook(""), json!({}), "webhooks:write"),
            operation("POST", "/v1/events".to_owned(), new_event, "events:write"),
            operation("PATCH", of(""), patch, "events:write"),
            operation("POST", of("/publish"), quietly.clone(), "events:write"),
            operation("POST", of("/duplicate"), copy, "events:write"),
            operation("POST", of("/slots"), with(shifts, quietly.clone()), "slots:write"),
            operation(
                "PATCH",
                slot.clone(),
                with(every_field_of_a_shift(), with(json!({"external_id": "early"}), quietly.clone())),
                "slots:write",
            ),
            operation("POST", of("/questions"), with(question_fields, quietly.clone()), "events:write"),
            operation("PATCH", question.clone(), with(text, quietly.clone()), "events:write"),
            operation("DELETE", question, json!({}), "events:write"),
            operation("DELETE", format!("{slot}?cancel_signups=true"), json!({}), "slots:write"),
            operation("POST", of("/unpublish"), quietly.clone(), "events:write"),
            operation("POST", of("/cancel"), with(json!({"reason": "Storm"}), quietly), "events:write"),
            operation("DELETE", of(""), json!({}), "events:write"),
        ]
    }

    /// Returns the operations that change something.
    pub(crate) fn writes(&self) -> impl Iterator<Item = Operation> {
        self.operations().into_iter().filter(|operation| operation.method != "GET")
    }

    /// Returns the operations that name one of the records.
    pub(crate) fn operations_on_records(&self) -> impl Iterator<Item = Operation> {
        let of_organization = [
            "/v1/events",
            "/v1/signups",
            "/v1/volunteers",
            "/v1/activity",
            "/v1/webhooks",
            "/v1/team",
            "/v1/coverage",
        ];
        self.operations().into_iter().filter(move |found| !of_organization.contains(&found.path.as_str()))
    }
}

#[tokio::test]
async fn each_operation_requires_its_scope_and_no_other() {
    let server = Server::start_on_sqlite();
    let all = [
        "events:read",
        "events:write",
        "slots:read",
        "slots:write",
        "signups:read",
        "team:read",
        "activity:read",
        "webhooks:read",
        "webhooks:write",
    ];
    let tokens = all.map(|scope| {
        let others: Vec<_> = all.into_iter().filter(|other| *other != scope).collect();
        (scope, server.token_with(scope), server.token_with(&others.join(",")))
    });
    let operations = Records::create(&server).await.operations();
    let paths = DOCUMENT["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/v1/"));
    let methods = ["get", "post", "patch", "put", "delete"];
    let described: usize =
        paths.map(|(_, item)| methods.iter().filter(|method| item.get(method).is_some()).count()).sum();
    // `GET /v1/token` needs no scope.
    assert_eq!(operations.len() + 1, described, "every described operation is sent");
    for Operation { method, path, body, scope } in operations {
        let (_, with, without) = tokens.iter().find(|(found, ..)| *found == scope).unwrap();
        let refused = send_as(&server, without, method, &path, Some(&body)).await;
        let message = json!({"message": "Invalid ability provided.", "required_scope": scope});
        assert_eq!((refused.status, refused.json()), (403, message), "{method} {path}");
        let done = send_as(&server, with, method, &path, Some(&body)).await;
        assert!([200, 201].contains(&done.status), "{method} {path}: {}", done.text);
    }
}

#[tokio::test]
async fn records_of_another_organization_and_unknown_ones_are_not_found() {
    let server = Server::start_on_sqlite();
    let other = token_of(&server, "Other", "pro");
    let records = Records::create(&server).await;
    let event = format!("/v1/events/{}", records.event);
    let state = async || {
        let questions = server.get(&format!("{event}/questions")).await;
        let [signups, webhooks] = [server.get("/v1/signups").await, server.get("/v1/webhooks").await];
        [server.get(&event).await.data(), questions.data(), signups.data(), webhooks.data()]
    };
    let before = state().await;
    for Operation { method, path, body, .. } in records.operations_on_records() {
        let answer = send_as(&server, &other, method, &path, Some(&body)).await;
        assert_not_found(&answer, &format!("{method} {path}"));
    }
    for list in ["/v1/events", "/v1/signups", "/v1/volunteers", "/v1/webhooks"] {
        assert_eq!(send_as(&server, &other, "GET", list, None).await.data(), json!([]), "{list}");
    }
    assert_eq!(state().await, before);
    for unknown in [UNKNOWN, "x", "%25", "01A1FC0C"] {
        for Operation { method, path, body, .. } in Records::all(unknown).operations_on_records() {
            let answer = server.send(method, &path, Some(&body)).await;
            assert_not_found(&answer, &format!("{method} {path}"));
        }
    }
}

#[tokio::test]
async fn no_operation_finds_a_deleted_event_or_what_belongs_to_it() {
    let server = Server::start(&[]);
    let records = Records::create(&server).await;
    let kept = server.create(&event()).await;
    for action in ["/cancel", ""] {
        let method = if action.is_empty() { "DELETE" } else { "POST" };
        let answer = server.send(method, &format!("/v1/events/{}{action}", records.event), None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let is_of_event = |path: &str| !path.starts_with("/v1/webhooks/") && !path.starts_with("/v1/deliveries/");
    for Operation { method, path, body, .. } in records.operations_on_records() {
        if !is_of_event(&path) {
            continue;
        }
        assert_not_found(&server.send(method, &path, Some(&body)).await, &format!("{method} {path}"));
    }
    assert_eq!(server.get("/v1/signups").await.data(), json!([]));
    let list = server.get("/v1/events").await.data();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["id"]), (1, &kept["id"]));
    assert_eq!(server.get(&path(&kept)).await.status, 200);
}
