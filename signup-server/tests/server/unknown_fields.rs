//! Members and query parameters that a request does not take, on every route under `/v1`.

use serde_json::{Map, Value, json};

use crate::contract::DOCUMENT;
use crate::every_route::{UNKNOWN, Write, paths, writes};
use crate::harness::{Server, event};
use crate::webhooks::{RECEIVER, new_webhook, webhook_path};

#[tokio::test]
async fn every_write_names_the_members_and_parameters_that_it_does_not_take_after_all_other_faults() {
    let server = Server::start(&[]);
    for write in writes() {
        let name = format!("{} {}", write.method, write.path);
        let path = format!("{}?startTime&nonsense=1&nonsense=2", write.path);
        // What an unknown member holds is not looked at.
        let body = json!({"startTime": {"deep": ["x"]}, "Title": null, "is_published": 5, "notify_volunteers": "no"});
        let answer = server.send(&write.method, &path, Some(&body)).await;
        let fields = answer.fields();
        assert!(fields.ends_with(&["nonsense".to_owned()]), "{name}: {}", answer.text);
        for field in ["startTime", "Title", "nonsense"] {
            let message = format!("The {field} field is unknown.");
            assert_eq!(answer.json()["errors"][field], json!([message]), "{name}: {fields:?}");
        }
    }
}

#[tokio::test]
async fn every_read_names_the_parameters_that_it_does_not_take() {
    let server = Server::start(&[]);
    for (template, _) in paths().filter(|(_, item)| item.get("get").is_some()) {
        let path = template.replace("{event_id}", UNKNOWN).replace("{id}", UNKNOWN);
        let answer = server.get(&format!("{path}?z&per-page=5&z=1")).await;
        assert_eq!(answer.fields(), ["z", "per-page"], "{path}: {}", answer.text);
        assert_eq!(answer.json()["message"], "The z field is unknown. (and 1 more error)", "{path}");
    }
}

#[tokio::test]
async fn unknown_members_at_any_depth_are_named_in_the_order_sent() {
    let server = Server::start(&[]);
    let body = r#"{"titel": 1, "shifts": [{"title": "A", "capacity": 1, "startTime": "09:00"}, {"capacity": -1, "end": 1}],
        "zone": 2, "title": "A", "start_date": "2027-06-05", "timezone": "UTC", "location_data": {"titel": 1}, "zone": 3}"#;
    let request = server.request("POST", "/v1/events").bearer_auth(&server.token).body(body);
    let answer = server.answer(request).await;
    let expected =
        ["shifts.1.title", "shifts.1.capacity", "titel", "shifts.0.startTime", "shifts.1.end", "zone"];
    assert_eq!(answer.fields(), expected);
    let message = "The shifts.0.startTime field is unknown.";
    assert_eq!(answer.json()["errors"]["shifts.0.startTime"], json!([message]));
    assert_eq!(server.count_events().await, 0);
}

#[tokio::test]
async fn slots_in_a_body_say_what_to_send_instead_or_are_unknown() {
    let server = Server::start(&[]);
    let mut body = event();
    body["slots"] = json!([{"title": "A"}]);
    let errors = async |method: &str, path: &str, body: &Value| {
        let answer = server.send(method, path, Some(body)).await;
        assert_eq!(answer.status, 422, "{method} {path}: {}", answer.text);
        answer.json()["errors"]["slots"].clone()
    };
    assert_eq!(errors("POST", "/v1/events", &body).await, json!(["Send shifts to create shifts."]));
    let event_path = format!("/v1/events/{UNKNOWN}");
    let patch = json!(["Send PATCH /v1/slots/{id} to change a shift."]);
    assert_eq!(errors("PATCH", &event_path, &json!({"slots": []})).await, patch);
    for path in ["duplicate", "publish", "cancel", "slots", "questions"] {
        let unknown = errors("POST", &format!("{event_path}/{path}"), &json!({"slots": []})).await;
        assert_eq!(unknown, json!(["The slots field is unknown."]), "{path}");
    }
    assert_eq!(server.count_events().await, 0);
}

#[tokio::test]
async fn an_unknown_parameter_is_named_with_the_one_that_it_is_close_to() {
    let server = Server::start(&[]);
    let answer = server.get("/v1/events?limit=5&since=2027-06-05&form").await;
    assert_eq!(
        answer.json()["errors"],
        json!({
            "limit": ["The limit field is unknown. Did you mean per_page?"],
            "since": ["The since field is unknown."],
            "form": ["The form field is unknown. Did you mean from?"],
        })
    );
    let path = format!("/v1/slots/{UNKNOWN}?cancel_signup=true&limit=1");
    let errors = server.send("DELETE", &path, None).await.json()["errors"].clone();
    assert_eq!(
        errors["cancel_signup"],
        json!(["The cancel_signup field is unknown. Did you mean cancel_signups?"])
    );
    assert_eq!(errors["limit"], json!(["The limit field is unknown."]), "it takes no per_page");
}

#[tokio::test]
async fn an_answer_lists_100_of_12_000_unknown_names_and_counts_all() {
    let server = Server::start(&[]);
    let names: Vec<_> = (0..12_000).map(|number| format!("{number:x}")).collect();
    let members: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), json!(0))).collect();
    for (answer, known) in [
        (server.get(&format!("/v1/token?{}", names.join("&"))).await, 0),
        (server.post("/v1/events", &Value::Object(members)).await, 3),
    ] {
        let errors = answer.json()["errors"].as_object().unwrap().clone();
        assert_eq!((answer.status, errors.len()), (422, known + 101));
        assert_eq!(errors["_more"], json!(["11900 more fields are unknown."]));
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.ends_with(&format!("(and {} more errors)", known + 11_999)), "{message}");
    }
}

/// Of the writes of an event, only a create and a copy take no `notify_volunteers`.
#[tokio::test]
async fn every_write_that_takes_notify_volunteers_checks_its_value() {
    let server = Server::start(&[]);
    let of_event = |write: &Write| !write.path.contains("webhooks") && !write.path.contains("deliveries");
    let mut checked = 0;
    for write in writes().into_iter().filter(of_event) {
        let (name, is_deletion) = (format!("{} {}", write.method, write.path), write.method == "DELETE");
        let body = json!({"notify_volunteers": null});
        let answer = match is_deletion {
            true => server.send("DELETE", &format!("{}?notify_volunteers=no", write.path), None).await,
            false => server.send(&write.method, &write.path, Some(&body)).await,
        };
        let takes_none = write.path == "/v1/events" || write.path.ends_with("/duplicate");
        let message = match takes_none {
            true => "The notify_volunteers field is unknown.",
            false if is_deletion => "The notify_volunteers field must be true, false, 1 or 0.",
            false => "The notify_volunteers field must be true or false.",
        };
        assert_eq!(answer.json()["errors"]["notify_volunteers"], json!([message]), "{name}");
        checked += usize::from(!takes_none);
    }
    assert!(checked >= 10, "{checked}");
}

/// A client may send back the record that it has read. Dates and times have another form in an answer, so they are left out.
#[tokio::test]
async fn a_request_ignores_the_fields_that_only_its_answer_has() {
    let server = Server::start(&[]);
    let taken = json!({"description": null, "location": null, "is_virtual": false, "end_date": null, "is_published": false});
    let mut new = event();
    new.as_object_mut().unwrap().extend(taken.as_object().unwrap().clone());
    let properties = |schema: &str| {
        let properties = DOCUMENT["components"]["schemas"][schema]["properties"].as_object().unwrap();
        let names = properties.keys().filter(|name| {
            !["day", "start_time", "end_time", "ends_next_day", "external_id", "slots"]
                .contains(&name.as_str())
        });
        names.map(|name| (name.clone(), json!({"from": "an answer"}))).collect::<Map<_, _>>()
    };
    let with = |record: &str, input: &Value| {
        let mut body = properties(record);
        body.extend(input.as_object().unwrap().clone());
        Value::Object(body)
    };
    new["shifts"] = json!([with(
        "Slot",
        &json!({"title": "A", "description": null, "location": null, "capacity": 1, "minimum": null})
    )]);
    let created = server.post("/v1/events", &with("Event", &new)).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let (event_id, slot) = (created.data()["id"].clone(), created.data()["slots"][0]["id"].clone());
    let event_path = format!("/v1/events/{}", event_id.as_str().unwrap());
    let patch = json!({"title": "B", "description": null, "location": null, "is_virtual": false, "end_date": null,
        "start_date": "2027-06-05", "timezone": "UTC", "is_published": false});
    let slots = json!({"shifts": new["shifts"]});
    let webhook = json!({"url": RECEIVER, "description": null, "types": ["*"], "is_enabled": true});
    let made = new_webhook(&server).await;
    let delivery = server.post(&format!("{}/test", webhook_path(&made)), &json!({})).await.data();
    let question = json!({"label": "Size", "type": "text", "options": [], "required": false, "position": 1});
    for (method, path, body, status) in [
        ("PATCH", event_path.clone(), with("Event", &patch), 200),
        (
            "POST",
            format!("{event_path}/duplicate"),
            with("Event", &json!({"start_date": "2027-07-05", "title": "C"})),
            201,
        ),
        ("POST", format!("{event_path}/publish"), with("Event", &json!({})), 200),
        ("POST", format!("{event_path}/unpublish"), with("Event", &json!({})), 200),
        ("POST", format!("{event_path}/slots"), slots, 201),
        (
            "PATCH",
            format!("/v1/slots/{}", slot.as_str().unwrap()),
            with(
                "Slot",
                &json!({"title": "B", "description": null, "location": null, "capacity": 2, "minimum": null}),
            ),
            200,
        ),
        ("POST", format!("{event_path}/questions"), with("Question", &question), 201),
        ("POST", format!("{event_path}/cancel"), with("Event", &json!({})), 200),
        ("POST", "/v1/webhooks".to_owned(), with("WebhookWithSecret", &webhook), 201),
        ("PATCH", webhook_path(&made), with("WebhookWithSecret", &webhook), 200),
        ("POST", format!("{}/rotate_secret", webhook_path(&made)), with("Webhook", &json!({})), 200),
        ("POST", format!("{}/test", webhook_path(&made)), with("Webhook", &json!({})), 201),
        (
            "POST",
            format!("/v1/deliveries/{}/redeliver", delivery["id"].as_str().unwrap()),
            with("Delivery", &json!({})),
            200,
        ),
        ("DELETE", event_path, json!({"id": event_id, "deleted": false}), 200),
    ] {
        let answer = server.send(method, &path, Some(&body)).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
    }
}
