//! The scopes of slots, sign-ups and questions, and the separation of organizations.

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine;
use crate::harness::Engine::{Postgres, Sqlite};
use crate::lives::assert_not_found;
use crate::scene::Scene;

/// A method, a path and a body of an operation that succeeds, and its scope. Deletions come last.
type Operation = (&'static str, String, Value, &'static str);

async fn operations(scene: &Scene) -> Vec<Operation> {
    let signup = scene.sign_up("Early", "ada@example.org").await;
    let questions = scene.event_path("/questions");
    let question = scene.server.post(&questions, &json!({"label": "Diet"})).await.data();
    let question = format!("/v1/questions/{}", question["id"].as_str().unwrap());
    let (early, late) = (scene.slot_path("Early", ""), scene.slot_path("Late", ""));
    vec![
        ("GET", early.clone(), json!({}), "slots:read"),
        ("GET", scene.event_path("/coverage"), json!({}), "slots:read"),
        (
            "POST",
            scene.event_path("/slots"),
            json!({"shifts": [{"title": "C", "capacity": 1}]}),
            "slots:write",
        ),
        ("GET", "/v1/signups".to_owned(), json!({}), "signups:read"),
        ("GET", scene.event_path("/signups"), json!({}), "signups:read"),
        ("GET", format!("{early}/signups"), json!({}), "signups:read"),
        ("GET", format!("/v1/signups/{}", signup["id"].as_str().unwrap()), json!({}), "signups:read"),
        ("GET", questions.clone(), json!({}), "events:read"),
        ("POST", questions, json!({"label": "Size"}), "events:write"),
        ("PATCH", question.clone(), json!({"label": "Food"}), "events:write"),
        ("DELETE", question, json!({}), "events:write"),
        ("DELETE", late, json!({}), "slots:write"),
    ]
}

#[rstest]
#[tokio::test]
async fn each_operation_requires_its_scope_and_no_other(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    let server = &scene.server;
    let token = |scopes: &str| {
        let make = ["token", "create", "--organization", "starter", "--name", "t", "--scopes", scopes];
        server.manage(&make)["token"].as_str().unwrap().to_owned()
    };
    let all = ["events:read", "events:write", "slots:read", "slots:write", "signups:read", "team:read"];
    let tokens = all.map(|scope| {
        let others: Vec<_> = all.into_iter().filter(|other| *other != scope).collect();
        (scope, token(scope), token(&others.join(",")))
    });
    for (method, path, body, scope) in operations(&scene).await {
        let (_, with, without) = tokens.iter().find(|(found, ..)| *found == scope).unwrap();
        let send = async |token: &str| {
            let request = server.request(method, &path).bearer_auth(token);
            server.answer(request.json(&body)).await
        };
        let refused = send(without).await;
        let message = json!({"message": "Invalid ability provided."});
        assert_eq!((refused.status, refused.json()), (403, message), "{method} {path}");
        let done = send(with).await;
        assert!([200, 201].contains(&done.status), "{method} {path}: {}", done.text);
    }
}

#[rstest]
#[tokio::test]
async fn another_organizations_records_are_not_found(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    let server = &scene.server;
    server.manage(&["organization", "create", "--name", "Other"]);
    let token = server.manage(&["token", "create", "--organization", "other", "--name", "t"]);
    let operations = operations(&scene).await;
    let before = server.get(&scene.event_path("")).await.data();
    for (method, path, body, _) in operations.iter().filter(|(_, path, ..)| path != "/v1/signups") {
        let request = server.request(method, path).bearer_auth(token["token"].as_str().unwrap());
        let answer = server.answer(request.json(body)).await;
        assert_not_found(&answer, &format!("{method} {path}"));
    }
    assert_eq!(server.get(&scene.event_path("")).await.data(), before);
    let questions = server.get(&scene.event_path("/questions")).await.data();
    assert_eq!((questions.as_array().unwrap().len(), &questions[0]["label"]), (1, &json!("Diet")));
}
