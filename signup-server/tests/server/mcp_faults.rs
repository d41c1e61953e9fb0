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

/// Each row is a call, and the same request to the API with the status of its refusal. Both return the same body.
#[tokio::test]
async fn a_fault_of_the_api_is_the_fault_of_the_tool() {
    let server = Server::start_on_sqlite();
    let small = token_of(&server, "Small", "free");
    for _ in 0..5 {
        let mut active = published();
        active["start_date"] = json!("2099-06-05");
        let created = send_as(&server, &small, "POST", "/v1/events", Some(&active)).await;
        assert_eq!(created.status, 201, "{}", created.text);
    }
    let page = Page::create(&server, &published()).await;
    let (taken, slot) = (id(&page.event), page.slot("Early"));
    assert_eq!(page.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 303);
    let cancelled = server.create(&event()).await;
    let cancelled = id(&cancelled);
    assert_eq!(server.post(&format!("/v1/events/{cancelled}/cancel"), &json!({})).await.status, 200);
    let of = |id: &str, rest: &str| format!("/v1/events/{id}{rest}");
    let own = &server.token;
    let no_scope = &server.token_with("team:read");
    let mut too_many = published();
    too_many["start_date"] = json!("2099-06-05");
    for (token, tool, named, method, path, body, status) in [
        (no_scope, "get_event", json!({"event_id": taken}), "GET", of(taken, ""), json!({}), 403),
        (no_scope, "create_event", json!({}), "POST", "/v1/events".to_owned(), json!({"x": 1}), 403),
        (own, "get_event", json!({"event_id": UNKNOWN}), "GET", of(UNKNOWN, ""), json!({}), 404),
        (&small, "get_event", json!({"event_id": taken}), "GET", of(taken, ""), json!({}), 404),
        (
            own,
            "update_event",
            json!({"event_id": UNKNOWN}),
            "PATCH",
            of(UNKNOWN, ""),
            json!({"title": "a"}),
            404,
        ),
        (
            own,
            "update_event",
            json!({"event_id": UNKNOWN}),
            "PATCH",
            of(UNKNOWN, ""),
            json!({"title": 5}),
            422,
        ),
        (own, "create_event", json!({}), "POST", "/v1/events".to_owned(), json!({}), 422),
        (
            own,
            "create_event",
            json!({}),
            "POST",
            "/v1/events".to_owned(),
            json!({"title": 5, "start_date": "soon", "shifts": [{"capacity": "3"}, 7], "event_id": UNKNOWN, "nothing": null}),
            422,
        ),
        (
            own,
            "update_shift",
            json!({"slot_id": slot}),
            "PATCH",
            format!("/v1/slots/{slot}"),
            json!({"capacity": -1, "id": 1}),
            422,
        ),
        (
            own,
            "update_shift",
            json!({"slot_id": slot}),
            "PATCH",
            format!("/v1/slots/{slot}"),
            json!({"zebra": 1, "apple": 2, "mango": 3}),
            422,
        ),
        (
            own,
            "add_shifts",
            json!({"event_id": taken}),
            "POST",
            of(taken, "/slots"),
            json!({"shifts": []}),
            422,
        ),
        (
            own,
            "add_question",
            json!({"event_id": taken}),
            "POST",
            of(taken, "/questions"),
            json!({"type": "select"}),
            422,
        ),
        (
            own,
            "publish_event",
            json!({"event_id": taken}),
            "POST",
            of(taken, "/publish"),
            json!({"slot_id": "x"}),
            422,
        ),
        (
            own,
            "duplicate_event",
            json!({"event_id": taken}),
            "POST",
            of(taken, "/duplicate"),
            json!({"title": "a"}),
            422,
        ),
        (own, "unpublish_event", json!({"event_id": taken}), "POST", of(taken, "/unpublish"), json!({}), 409),
        (
            own,
            "update_event",
            json!({"event_id": cancelled}),
            "PATCH",
            of(cancelled, ""),
            json!({"title": "a"}),
            409,
        ),
        (
            own,
            "publish_event",
            json!({"event_id": cancelled}),
            "POST",
            of(cancelled, "/publish"),
            json!({}),
            409,
        ),
        (&small, "create_event", json!({}), "POST", "/v1/events".to_owned(), too_many, 422),
    ] {
        let body_of_request = (method != "GET").then_some(&body);
        let expected = send_as(&server, token, method, &path, body_of_request).await;
        assert_eq!(expected.status, status, "{tool}: {}", expected.text);
        let mut arguments = named.clone();
        arguments.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let called = call_as(&server, token, tool, &arguments).await;
        let expected = refusal(&expected, &arguments);
        assert_eq!((called.is_error, &called.content), (true, &expected), "{tool} {arguments}");
        assert!(!called.is_replay, "{tool}");
    }
    for (tool, arguments, query) in [
        (
            "list_events",
            json!({"order": "x", "per_page": 0, "from": "soon", "event_id": "a", "é&": 1}),
            "order=x&per_page=0&from=soon&event_id=a&%C3%A9%26=1",
        ),
        ("list_events", json!({"cursor": "x", "idempotency_key": "k"}), "cursor=x&idempotency_key=k"),
        ("list_events", json!({"is_publishd": null, "to": null}), "is_publishd=&to="),
        ("list_signups", json!({"event_id": UNKNOWN}), "event_id=01a1fc0c-06a8-79da-abb2-b84ac8892247"),
        (
            "list_signups",
            json!({"event_id": UNKNOWN, "slot_id": "x"}),
            "event_id=01a1fc0c-06a8-79da-abb2-b84ac8892247&slot_id=x",
        ),
        ("list_signups", json!({"status": "x", "slot": slot}), &*format!("status=x&slot={slot}")),
        ("list_activity", json!({"event_id": UNKNOWN}), "event_id=01a1fc0c-06a8-79da-abb2-b84ac8892247"),
        ("list_coverage", json!({"is_covered": 5, "type": "x"}), "is_covered=5&type=x"),
    ] {
        let expected = server.get(&format!("/v1/{}?{query}", tool.strip_prefix("list_").unwrap())).await;
        assert!([404, 422].contains(&expected.status), "{}", expected.text);
        let called = call(&server, tool, &arguments).await;
        let expected = refusal(&expected, &arguments);
        assert_eq!((called.is_error, &called.content), (true, &expected), "{tool} {arguments}");
    }
    // The input of a deletion is in its path and its query.
    for (tool, arguments, path, status) in [
        ("delete_shift", json!({"slot_id": slot}), format!("/v1/slots/{slot}"), 409),
        (
            "delete_shift",
            json!({"slot_id": slot, "cancel_signups": "yes", "reason": "\u{0}", "capacity": 1}),
            format!("/v1/slots/{slot}?cancel_signups=yes&reason=%00&capacity=1"),
            422,
        ),
        ("delete_shift", json!({"slot_id": UNKNOWN}), format!("/v1/slots/{UNKNOWN}"), 404),
        ("delete_event", json!({"event_id": taken}), of(taken, ""), 409),
        ("delete_event", json!({"event_id": UNKNOWN, "reason": "a"}), of(UNKNOWN, "?reason=a"), 422),
    ] {
        let expected = server.send("DELETE", &path, None).await;
        assert_eq!(expected.status, status, "{tool}: {}", expected.text);
        let called = call(&server, tool, &arguments).await;
        let expected = refusal(&expected, &arguments);
        assert_eq!((called.is_error, &called.content), (true, &expected), "{tool} {arguments}");
    }
}

#[tokio::test]
async fn a_preview_is_refused_as_the_write_is_and_only_true_asks_for_one() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let (event, slot) = (&page.event["id"], page.slot("Early"));
    assert_eq!(page.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 303);
    let before = server.get(&path(&page.event)).await.data();
    for (tool, arguments, refused) in [
        ("update_event", json!({"event_id": event, "title": 5, "x": 1}), "422"),
        ("update_event", json!({"event_id": event, "is_published": false}), "event_has_signups"),
        ("update_event", json!({"event_id": UNKNOWN}), "404"),
        ("update_shift", json!({"slot_id": slot, "end_time": "00:00"}), "422"),
        ("delete_shift", json!({"slot_id": slot}), "slot_has_signups"),
        ("cancel_event", json!({"event_id": event, "reason": 5}), "422"),
    ] {
        let mut preview = arguments.clone();
        preview["preview"] = json!(true);
        let [written, previewed] =
            [call(&server, tool, &arguments).await, call(&server, tool, &preview).await];
        assert!(written.is_error, "{tool} {refused}: {written:?}");
        assert_eq!(previewed, written, "{tool}");
    }
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
        for bad in [
            None,
            Some(json!(null)),
            Some(json!(5)),
            Some(json!([event])),
            Some(json!({"id": event})),
            Some(json!(true)),
        ] {
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
        for unknown in [
            "",
            "x",
            "/",
            "..",
            "a/b",
            "%2F",
            "?",
            UNKNOWN,
            &format!("{event}/cancel"),
            &format!("{event}?"),
            &format!(" {event}"),
        ] {
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
