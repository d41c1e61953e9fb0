//! Tools: which ones a token sees, their answers, idempotency keys, and the number of mails.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Server, event};
use crate::lives::{id, send_as};
use crate::mcp::{Called, call, call_as, message, post, tools};
use crate::pages::{Page, published};

#[tokio::test]
async fn a_token_sees_the_tools_of_its_scopes_and_is_refused_the_others() {
    let server = Server::start_on_sqlite();
    let all = tools(&server, &server.token).await;
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    assert_eq!(all.len(), 21);
    let mut text = String::new();
    for scope in [
        "events:read",
        "events:write",
        "slots:read",
        "slots:write",
        "signups:read",
        "team:read",
        "activity:read",
        "webhooks:read,webhooks:write",
    ] {
        let token = server.token_with(scope);
        let listed: Vec<_> = tools(&server, &token).await.iter().map(name).collect();
        text += &format!("{scope}: {}\n", listed.join(", "));
        for tool in all.iter().map(name).filter(|name| !listed.contains(name)) {
            // Each argument is wrong: the scope is checked first.
            let arguments = json!({"idempotency_key": 5, "event_id": 5, "unknown": 5});
            let refused = call_as(&server, &token, &tool, &arguments).await;
            assert!(refused.is_error, "{tool}");
            assert_eq!(refused.content["message"], "Invalid ability provided.", "{tool}");
        }
    }
    assert_snapshot!(text);
}

#[tokio::test]
async fn whoami_shows_the_token_the_organization_that_it_may_read_and_the_time() {
    let server = Server::start_on_sqlite();
    for scopes in ["events:read,team:read", "events:read"] {
        let token = server.token_with(scopes);
        let before = server.create(&event()).await;
        let shown = call_as(&server, &token, "whoami", &json!({})).await;
        let after = server.create(&event()).await;
        let read = async |path: &str| send_as(&server, &token, "GET", path, None).await.json()["data"].take();
        let (of_token, team) = (read("/v1/token").await, read("/v1/team").await);
        assert_eq!(team.is_null(), !scopes.contains("team"), "a team that may not be read is null");
        let now = shown.data()["now"].clone();
        assert_eq!(shown.data(), &json!({"token": of_token, "team": team, "now": now}));
        let written = |event: &Value| event["created_at"].as_str().unwrap().to_owned();
        let now = now.as_str().unwrap().to_owned();
        assert!(written(&before) <= now && now <= written(&after), "{now}");
    }
}

/// Reads: each as a tool with its arguments, and as a path of the API.
fn reads(event: &str, slot: &str) -> Vec<(&'static str, Value, String)> {
    let of = |rest: &str| format!("/v1/events/{event}{rest}");
    let signups = |query: &str| format!("/v1/signups?{query}");
    #[rustfmt::skip]
    let reads = vec![
        ("list_events", json!({}), "/v1/events".to_owned()),
        ("list_events", json!({"per_page": 1, "is_published": true}), "/v1/events?per_page=1&is_published=true".to_owned()),
        ("list_events", json!({"from": "2027-01-01", "order": "soonest", "to": null}), "/v1/events?from=2027-01-01&order=soonest".to_owned()),
        ("get_event", json!({"event_id": event}), of("")),
        ("get_coverage", json!({"event_id": event}), of("/coverage")),
        ("list_coverage", json!({"is_covered": false, "from": "2027-01-01"}), "/v1/coverage?is_covered=false&from=2027-01-01".to_owned()),
        ("list_activity", json!({"event_id": event, "type": "signup.*", "per_page": 1}), format!("/v1/activity?event_id={event}&type=signup.*&per_page=1")),
        ("list_shifts", json!({"event_id": event}), of("/slots")),
        ("list_questions", json!({"event_id": event}), of("/questions")),
        ("list_signups", json!({"event_id": event, "per_page": 1}), signups(&format!("event_id={event}&per_page=1"))),
        ("list_signups", json!({"slot_id": slot, "status": "confirmed"}), signups(&format!("slot_id={slot}&status=confirmed"))),
        ("list_signups", json!({"email": "ada+x@example.org"}), signups("email=ada%2Bx%40example.org")),
        ("list_volunteers", json!({"email": "ada+x@example.org"}), "/v1/volunteers?email=ada%2Bx%40example.org".to_owned()),
    ];
    reads
}

#[tokio::test]
async fn a_read_answers_the_body_of_the_api() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    server.create(&event()).await;
    let early = page.slot("Early");
    for email in ["ada+x@example.org", "bo@example.org"] {
        page.signed_up(&server, &early, "Ada", email).await;
    }
    let asked = call(&server, "add_question", &json!({"event_id": page.event["id"], "label": "Diet"})).await;
    assert!(!asked.is_error, "{asked:?}");
    for (tool, arguments, path) in reads(id(&page.event), &early) {
        let found = call(&server, tool, &arguments).await;
        let expected = server.get(&path).await;
        assert_eq!(expected.status, 200, "{path}: {}", expected.text);
        assert_eq!((found.is_error, &found.content), (false, &expected.json()), "{tool} {path}");
    }
    // An agent follows a list by the cursor of its page.
    let first = call(&server, "list_signups", &json!({"per_page": 1})).await;
    let cursor = &first.content["meta"]["next_cursor"];
    let second = call(&server, "list_signups", &json!({"per_page": 1, "cursor": cursor})).await;
    assert_eq!(
        (first.data()[0]["email"].as_str(), second.data()[0]["email"].as_str()),
        (Some("bo@example.org"), Some("ada+x@example.org"))
    );
}

/// Writes: each as a tool with its arguments, and as a method, path and body of the API. The writes succeed in this order, each of
/// them twice.
pub(crate) fn writes(event: &str, slot: &str) -> Vec<(&'static str, Value, &'static str, String, Value)> {
    let of = |rest: &str| format!("/v1/events/{event}{rest}");
    let shift = json!([{"title": "New", "capacity": 1}]);
    let with = |mut arguments: Value, name: &str, id: &str| {
        arguments[name] = json!(id);
        arguments
    };
    let on_event = |tool, method, rest, body: Value| {
        (tool, with(body.clone(), "event_id", event), method, of(rest), body)
    };
    let of_slot = json!({"capacity": 9, "location": "Dock 5"});
    vec![
        ("create_event", self::event(), "POST", "/v1/events".to_owned(), self::event()),
        on_event("duplicate_event", "POST", "/duplicate", json!({"start_date": "2027-07-03"})),
        on_event("update_event", "PATCH", "", json!({"title": "Other"})),
        on_event("publish_event", "POST", "/publish", json!({})),
        on_event("add_shifts", "POST", "/slots", json!({"shifts": shift})),
        on_event("add_question", "POST", "/questions", json!({"label": "Size"})),
        (
            "update_shift",
            with(of_slot.clone(), "slot_id", slot),
            "PATCH",
            format!("/v1/slots/{slot}"),
            of_slot,
        ),
        on_event("unpublish_event", "POST", "/unpublish", json!({})),
        on_event("cancel_event", "POST", "/cancel", json!({"reason": "Storm"})),
    ]
}

#[tokio::test]
async fn one_key_for_a_tool_and_its_operation_runs_the_operation_once() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &event()).await;
    let mut replayed = 0;
    for (tool, mut arguments, method, path, body) in writes(id(&page.event), &page.slot("Early")) {
        arguments["idempotency_key"] = json!("api-first");
        let first = server.send_keyed(method, &path, "api-first", &body).await;
        assert!([200, 201].contains(&first.status), "{tool}: {}", first.text);
        let second = call(&server, tool, &arguments).await;
        assert_eq!((second.is_replay, second.data()), (true, &first.data()), "{tool}");

        arguments["idempotency_key"] = json!("agent-first");
        let first = call(&server, tool, &arguments).await;
        assert!(!first.is_replay && !first.is_error, "{tool}: {first:?}");
        let second = server.send_keyed(method, &path, "agent-first", &body).await;
        assert_eq!((second.is_replay(), &second.data()), (true, first.data()), "{tool}: {}", second.text);
        // A stored answer takes precedence over a fault of the input.
        arguments["unknown"] = json!(true);
        let third = call(&server, tool, &arguments).await;
        assert_eq!((third.is_replay, &third.content), (true, &first.content), "{tool}");
        replayed += 1;
    }
    assert_eq!(replayed, 9, "every tool that changes something, except those that delete");
    assert_eq!(server.count_events().await, 5, "two events, two copies, and the first");

    let [first, second] = [server.create(&event()).await, server.create(&event()).await];
    for (tool, name, rest, events) in [
        ("delete_shift", "slot_id", "slots", [&first["slots"][0], &second["slots"][0]]),
        ("delete_event", "event_id", "events", [&first, &second]),
    ] {
        let [path, other] = events.map(|record| format!("/v1/{rest}/{}", id(record)));
        let arguments = |record: &Value| json!({name: record["id"], "idempotency_key": "delete"});
        let deleted = server.send_keyed("DELETE", &path, "delete", &json!({})).await;
        let again = call(&server, tool, &arguments(events[0])).await;
        assert_eq!((again.is_replay, again.data()), (true, &deleted.data()), "{tool}");
        let deleted = call(&server, tool, &arguments(events[1])).await;
        assert_eq!((deleted.is_replay, &deleted.data()["deleted"]), (false, &json!(true)), "{tool}");
        let again = server.send_keyed("DELETE", &other, "delete", &json!({})).await;
        assert_eq!((again.is_replay(), &again.data()), (true, deleted.data()), "{tool}");
    }
    assert_eq!(server.count_events().await, 5);
}

#[tokio::test]
async fn without_a_key_in_the_arguments_two_calls_make_two_records() {
    let server = Server::start(&[]);
    for (count, key) in [Value::Null, json!("")].into_iter().enumerate() {
        let mut arguments = event();
        arguments["idempotency_key"] = key;
        let created = call(&server, "create_event", &arguments).await;
        assert_eq!((created.is_error, created.is_replay), (false, false), "{created:?}");
        assert_eq!(server.count_events().await, count + 1);
    }
    // The header of the API is no key of an agent, well-formed or not.
    for (count, key) in ["key", "key", "two words"].into_iter().enumerate() {
        let params = json!({"name": "create_event", "arguments": event()});
        let request = post(&server, &server.token, &message("tools/call", &params));
        let created = Called::read(&server.answer(request.header("Idempotency-Key", key)).await);
        assert_eq!((created.is_error, created.is_replay), (false, false), "{created:?}");
        assert_eq!(server.count_events().await, count + 3);
    }
}

#[tokio::test]
async fn a_write_says_how_many_mails_it_queues_as_does_its_preview_before_and_its_replay_after() {
    let server = Server::start(&["--change-mail-delay", "300"]);
    let page = Page::create(&server, &published()).await;
    let (event, early, late) = (&page.event["id"], page.slot("Early"), page.slot("Late"));
    for (slot, name) in [(&early, "ada"), (&early, "bo"), (&late, "cyd")] {
        page.signed_up(&server, slot, name, &format!("{name}@example.org")).await;
    }
    // The third change joins the mail that waits.
    #[rustfmt::skip]
    let writes = [
        ("update_event", json!({"event_id": event, "title": "Other"}), 0, &["title"][..]),
        ("update_shift", json!({"slot_id": early, "location": "Dock 5"}), 2, &["location"]),
        ("update_shift", json!({"slot_id": early, "location": "Dock 6"}), 2, &["location"]),
        ("update_shift", json!({"slot_id": early, "location": "Dock 6"}), 0, &[]),
        ("update_shift", json!({"slot_id": early, "location": "Dock 7", "notify_volunteers": false}), 0, &["location"]),
        ("update_event", json!({"event_id": event, "start_date": "2027-06-12"}), 3, &["start_date"]),
        ("delete_shift", json!({"slot_id": late, "cancel_signups": true, "reason": "Rain"}), 1, &[]),
        ("cancel_event", json!({"event_id": event, "reason": "Storm"}), 2, &[]),
        ("cancel_event", json!({"event_id": event}), 0, &[]),
    ];
    for (number, (tool, mut arguments, mails, changes)) in writes.into_iter().enumerate() {
        arguments["idempotency_key"] = json!(number.to_string());
        let mut preview = arguments.clone();
        preview["preview"] = json!(true);
        let previewed = call(&server, tool, &preview).await;
        let expected = json!({"preview": true, "mails": mails, "changes": changes});
        assert_eq!((&previewed.content, previewed.is_error), (&expected, false), "{tool} {arguments}");
        for is_replay in [false, true] {
            let called = call(&server, tool, &arguments).await;
            assert!(!called.is_error, "{called:?}");
            assert_eq!(
                (&called.content["mails_queued"], called.is_replay),
                (&json!(mails), is_replay),
                "{tool} {arguments}"
            );
        }
    }
}
