//! Faults of tools: those of the API, and in the order of the API.

use serde_json::{Value, json};

use crate::every_route::UNKNOWN;
use crate::harness::{Answer, Server, event};
use crate::lives::{id, path, send_as, token_of};
use crate::mcp::{call, call_as, tools};
use crate::mcp_tools::writes;
use crate::pages::{Page, published};

/// Returns the refusal of the API as an agent gets it: a 404 says of which record each id must be.
fn refusal(refused: &Answer, arguments: &Value) -> Value {
    let mut content = refused.json();
    if refused.status == 404 {
        let of = |name: &str, hint: &'static str| if arguments[name].is_string() { hint } else { "" };
        let event = of("event_id", " event_id must be the id of an event: see list_events.");
        let slot = of("slot_id", " slot_id must be the id of a shift: see list_shifts.");
        content["message"] = json!(format!("Not found.{event}{slot}"));
    }
    content
}

/// Calls a tool and sends its operation to the API. Asserts that both are refused with this status and the same body.
async fn assert_same(
    server: &Server,
    token: &str,
    (tool, arguments): (&str, &Value),
    request: (&str, &str, &Value),
    status: u16,
) {
    let (method, path, body) = request;
    let refused = send_as(server, token, method, path, (method != "GET").then_some(body)).await;
    assert_eq!(refused.status, status, "{tool} {arguments}: {}", refused.text);
    let called = call_as(server, token, tool, arguments).await;
    let expected = refusal(&refused, arguments);
    assert_eq!((called.is_error, &called.content), (true, &expected), "{tool} {arguments}");
    assert!(!called.is_replay, "{tool}");
}

/// Each write: without its scope, of an unknown record, with a wrong type for every argument, and of a cancelled event.
#[tokio::test]
async fn a_refusal_of_the_api_is_the_refusal_of_the_tool() {
    let server = Server::start_on_sqlite();
    let (own, no_scope) = (&server.token, &server.token_with("team:read"));
    let cancelled = server.create(&event()).await;
    let (of_event, of_slot) = (id(&cancelled), id(&cancelled["slots"][0]));
    assert_eq!(server.post(&format!("{}/cancel", path(&cancelled)), &json!({})).await.status, 200);
    for (event, slot, status) in [(of_event, of_slot, 409), (UNKNOWN, UNKNOWN, 404)] {
        for (tool, arguments, method, path, body) in writes(event, slot) {
            assert_same(&server, no_scope, (tool, &arguments), (method, &path, &body), 403).await;
            let is_allowed = tool == "create_event"
                || status == 409 && ["duplicate_event", "cancel_event"].contains(&tool);
            if !is_allowed {
                assert_same(&server, own, (tool, &arguments), (method, &path, &body), status).await;
            }
            let (mut bad_arguments, mut bad_body) = (arguments.clone(), body.clone());
            for name in body.as_object().unwrap().keys().map(String::as_str).chain(["zebra", "apple"]) {
                (bad_arguments[name], bad_body[name]) = (json!({"deep": [7]}), json!({"deep": [7]}));
            }
            assert_same(&server, own, (tool, &bad_arguments), (method, &path, &bad_body), 422).await;
        }
    }
    let small = token_of(&server, "Small", "free");
    let mut active = published();
    active["start_date"] = json!("2099-06-05");
    for _ in 0..5 {
        assert_eq!(send_as(&server, &small, "POST", "/v1/events", Some(&active)).await.status, 201);
    }
    assert_same(&server, &small, ("create_event", &active), ("POST", "/v1/events", &active), 422).await;
    assert_same(
        &server,
        &small,
        ("get_event", &json!({"event_id": of_event})),
        ("GET", &path(&cancelled), &json!({})),
        404,
    )
    .await;
}

/// The input of a read and of a deletion is in its path and its query.
#[tokio::test]
async fn a_refusal_of_a_query_is_the_refusal_of_the_tool() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let (event, slot) = (id(&page.event), page.slot("Early"));
    page.signed_up(&server, &slot, "Ada", "ada@example.org").await;
    let of_slot = format!("/v1/slots/{slot}");
    #[rustfmt::skip]
    let refusals = [
        ("list_events", json!({"order": "x", "per_page": 0, "from": "soon", "event_id": "a", "é&": 1}), "GET", "/v1/events?order=x&per_page=0&from=soon&event_id=a&%C3%A9%26=1".to_owned(), 422),
        ("list_events", json!({"cursor": "x", "idempotency_key": "k"}), "GET", "/v1/events?cursor=x&idempotency_key=k".to_owned(), 422),
        ("list_events", json!({"is_publishd": null, "to": null}), "GET", "/v1/events?is_publishd=&to=".to_owned(), 422),
        ("list_signups", json!({"event_id": UNKNOWN, "slot_id": "x"}), "GET", format!("/v1/signups?event_id={UNKNOWN}&slot_id=x"), 404),
        ("list_signups", json!({"status": "x", "slot": slot}), "GET", format!("/v1/signups?status=x&slot={slot}"), 422),
        ("list_activity", json!({"event_id": UNKNOWN}), "GET", format!("/v1/activity?event_id={UNKNOWN}"), 404),
        ("list_coverage", json!({"is_covered": 5, "type": "x"}), "GET", "/v1/coverage?is_covered=5&type=x".to_owned(), 422),
        ("delete_shift", json!({"slot_id": slot}), "DELETE", of_slot.clone(), 409),
        ("delete_shift", json!({"slot_id": slot, "cancel_signups": "yes", "reason": "\u{0}", "capacity": 1}), "DELETE", format!("{of_slot}?cancel_signups=yes&reason=%00&capacity=1"), 422),
        ("delete_shift", json!({"slot_id": UNKNOWN}), "DELETE", format!("/v1/slots/{UNKNOWN}"), 404),
        ("delete_event", json!({"event_id": event}), "DELETE", format!("/v1/events/{event}"), 409),
        ("delete_event", json!({"event_id": UNKNOWN, "reason": "a"}), "DELETE", format!("/v1/events/{UNKNOWN}?reason=a"), 422),
    ];
    for (tool, arguments, method, path, status) in refusals {
        assert_same(&server, &server.token, (tool, &arguments), (method, &path, &json!({})), status).await;
    }
}

#[tokio::test]
async fn a_preview_is_refused_as_the_write_is_and_only_true_asks_for_one() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = &page.event["id"];
    page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let before = server.get(&path(&page.event)).await.data();
    let arguments = json!({"event_id": event, "is_published": false});
    let mut preview = arguments.clone();
    preview["preview"] = json!(true);
    let [written, previewed] =
        [call(&server, "update_event", &arguments).await, call(&server, "update_event", &preview).await];
    assert_eq!((written.is_error, &previewed), (true, &written));
    for ignored in [json!("key"), json!(5), json!("not ASCII: é")] {
        let arguments =
            json!({"event_id": event, "preview": true, "idempotency_key": ignored, "title": "Other"});
        let previewed = call(&server, "update_event", &arguments).await;
        assert!(!previewed.is_error, "a preview ignores the key: {previewed:?}");
    }
    for unclear in [json!(null), json!(1), json!("true"), json!([true])] {
        let arguments = json!({"event_id": event, "preview": unclear, "title": "Other"});
        let refused = call(&server, "update_event", &arguments).await;
        assert_eq!(refused.fields(), ["preview"], "{refused:?}");
    }
    let refused = call(&server, "publish_event", &json!({"event_id": event, "preview": true})).await;
    assert_eq!(refused.fields(), ["preview"], "a tool that mails nobody has no preview");
    assert_eq!(server.get(&path(&page.event)).await.data(), before);
}

#[tokio::test]
async fn a_text_in_the_query_of_an_operation_is_no_other_value() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    for (tool, name, mut arguments) in [
        ("delete_shift", "reason", json!({"slot_id": slot, "cancel_signups": true})),
        ("list_signups", "event_id", json!({})),
        ("list_signups", "email", json!({})),
        ("list_activity", "type", json!({})),
    ] {
        for value in [json!(5), json!(true), json!(["a"]), json!({"a": 1})] {
            arguments[name] = value;
            assert_eq!(call(&server, tool, &arguments).await.fields(), [name], "{tool} {arguments}");
        }
    }
    assert_eq!(server.get(&format!("/v1/slots/{slot}")).await.status, 200);
}

#[tokio::test]
async fn a_missing_or_mistyped_id_is_named_and_an_unknown_id_is_not_found() {
    let server = Server::start(&[]);
    let created = server.create(&event()).await;
    let (event, slot) = (id(&created), id(&created["slots"][0]));
    for (tool, arguments, ..) in writes(event, slot) {
        let name = if tool == "update_shift" { "slot_id" } else { "event_id" };
        if tool == "create_event" {
            continue;
        }
        let mut arguments = arguments;
        for bad in [None, Some(json!(null)), Some(json!(5)), Some(json!([event])), Some(json!({"id": event}))]
        {
            match &bad {
                Some(bad) => arguments[name] = bad.clone(),
                None => drop(arguments.as_object_mut().unwrap().remove(name)),
            }
            // The id is checked before the other arguments.
            arguments["unknown"] = json!(1);
            let refused = call(&server, tool, &arguments).await;
            assert_eq!(refused.fields(), [name], "{tool} {bad:?}: {refused:?}");
        }
        arguments.as_object_mut().unwrap().remove("unknown");
        let paths = ["/cancel", "?"].map(|rest| format!("{event}{rest}"));
        for unknown in
            ["", "x", "/", "..", "a/b", "%2F", "?", UNKNOWN, &paths[0], &paths[1], &format!(" {event}")]
        {
            arguments[name] = json!(unknown);
            let refused = call(&server, tool, &arguments).await;
            let (record, list) =
                if name == "slot_id" { ("a shift", "list_shifts") } else { ("an event", "list_events") };
            let message = format!("Not found. {name} must be the id of {record}: see {list}.");
            assert_eq!(
                (refused.is_error, &refused.content),
                (true, &json!({"message": message})),
                "{tool} {unknown:?}"
            );
        }
    }
    let unchanged = server.get(&path(&created)).await.data();
    assert_eq!(unchanged, created);
    assert_eq!(server.count_events().await, 1);
}

#[tokio::test]
async fn the_scope_is_checked_before_the_key_and_the_key_before_the_ids_and_the_ids_before_the_rest() {
    let server = Server::start_on_sqlite();
    let reader = server.token_with("events:read");
    let longest = "~".repeat(255);
    for (token, key, event, fields) in [
        (&reader, json!("two words"), json!(5), &[][..]),
        (&server.token, json!("two words"), json!(5), &["idempotency_key"]),
        (&server.token, json!(5), json!(5), &["idempotency_key"]),
        (&server.token, json!(format!("{longest}~")), json!(5), &["idempotency_key"]),
        (&server.token, json!("é"), json!(5), &["idempotency_key"]),
        (&server.token, json!(longest), json!(5), &["event_id"]),
        (&server.token, json!(longest), json!(UNKNOWN), &["title", "unknown"]),
    ] {
        let arguments = json!({"idempotency_key": key, "event_id": event, "title": 5, "unknown": 1});
        let refused = call_as(&server, token, "update_event", &arguments).await;
        if fields.is_empty() {
            assert_eq!(refused.content["required_scope"], "events:write", "{refused:?}");
        } else {
            assert_eq!(refused.fields(), fields, "{refused:?}");
        }
    }
}

#[tokio::test]
async fn an_unknown_argument_of_each_tool_is_named_with_the_one_that_it_is_close_to() {
    let server = Server::start(&[]);
    for tool in tools(&server, &server.token).await {
        let name = tool["name"].as_str().unwrap();
        let schema = &tool["inputSchema"];
        let mut arguments: serde_json::Map<_, _> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|required| (required.as_str().unwrap().to_owned(), json!(UNKNOWN)))
            .collect();
        for (known, _) in schema["properties"].as_object().unwrap() {
            let misspelled = format!("{known}s");
            if schema["properties"].get(&misspelled).is_none() {
                arguments.insert(misspelled, json!("x"));
            }
        }
        let called = call(&server, name, &json!(arguments)).await;
        for (known, _) in schema["properties"].as_object().unwrap() {
            let misspelled = format!("{known}s");
            let sentence = format!("The {misspelled} field is unknown. Did you mean {known}?");
            let found = &called.content["errors"][&misspelled];
            assert!(*found == json!([sentence]), "{name} {misspelled}: {:?}", called.content);
        }
    }
}
