//! Questions that volunteers have answered, and forms that were loaded before a question changed.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine;
use crate::harness::Engine::{Postgres, Sqlite};
use crate::pages::published;
use crate::scene::Scene;

/// Adds a question to the event and returns its id.
async fn add(scene: &Scene, body: &Value) -> String {
    let answer = scene.server.post(&scene.event_path("/questions"), body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data()["id"].as_str().unwrap().to_owned()
}

fn select() -> Value {
    json!({"label": "Size", "type": "select", "options": ["S", "M"]})
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_type_of_an_answered_question_does_not_change(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values(false, true)] is_cancelled: bool,
) {
    let Some(scene) = Scene::start(engine).await else { return };
    let (size, diet) = (add(&scene, &select()).await, add(&scene, &json!({"label": "Diet"})).await);
    scene.sign_up_with("Early", "ada@example.org", &[(size.clone(), "M"), (diet.clone(), " ")]).await;
    if is_cancelled {
        scene.cancel("ada@example.org").await;
    }
    let (size, diet) = (format!("/v1/questions/{size}"), format!("/v1/questions/{diet}"));
    let server = &scene.server;
    assert_eq!(server.patch(&size, &json!({"type": "text"})).await.fields(), ["type"]);
    assert_eq!(server.patch(&size, &json!({"type": "checkbox", "label": "Tall?"})).await.fields(), ["type"]);
    let changed =
        json!({"type": "select", "label": "T-shirt", "options": ["L"], "required": true, "position": 9});
    let changed = server.patch(&size, &changed).await;
    assert_eq!((changed.status, &changed.data()["label"]), (200, &json!("T-shirt")));
    let unanswered = server.patch(&diet, &json!({"type": "checkbox"})).await;
    assert_eq!(
        (unanswered.status, &unanswered.data()["type"]),
        (200, &json!("checkbox")),
        "no volunteer has answered it"
    );
}

#[rstest]
#[tokio::test]
async fn a_type_that_cannot_change_and_options_that_do_not_fit_it_are_named_together(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(scene) = Scene::start(engine).await else { return };
    let (size, diet) = (add(&scene, &select()).await, add(&scene, &json!({"label": "Diet"})).await);
    let (size_path, diet_path) = (format!("/v1/questions/{size}"), format!("/v1/questions/{diet}"));
    let without_options = json!({"type": "select"});
    let with_options = json!({"type": "text", "options": ["S"]});
    let patch = async |path: &str, body: &Value| scene.server.patch(path, body).await.fields();
    assert_eq!(patch(&diet_path, &without_options).await, ["options"]);
    assert_eq!(patch(&size_path, &with_options).await, ["options"]);
    scene.sign_up_with("Early", "ada@example.org", &[(size, "M"), (diet, "no nuts")]).await;
    assert_eq!(patch(&diet_path, &without_options).await, ["type", "options"]);
    assert_eq!(patch(&size_path, &with_options).await, ["type", "options"]);
    assert_eq!(patch(&size_path, &json!({"type": "select", "options": []})).await, ["options"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_of_a_deleted_slot_fixes_the_type(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    let size = add(&scene, &select()).await;
    scene.sign_up_with("Early", "ada@example.org", &[(size.clone(), "M")]).await;
    let slot = scene.slot_path("Early", "?cancel_signups=true");
    assert_eq!(scene.server.send("DELETE", &slot, None).await.status, 200);
    let refused = scene.server.patch(&format!("/v1/questions/{size}"), &json!({"type": "text"})).await;
    assert_eq!(refused.fields(), ["type"]);
}

/// A sign-up that precedes the change fixes the type. A sign-up that follows it answers a checkbox, with `yes`.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_type_that_changes_while_volunteers_answer_fits_every_answer(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let mut body = published();
    body["shifts"][1]["capacity"] = json!(1000);
    let Some(scene) = Scene::start_with(engine, &body).await else { return };
    for round in 0..8 {
        let id = add(&scene, &json!({"label": "Diet"})).await;
        let path = format!("/v1/questions/{id}");
        let forms = (0..6).map(|number| {
            let (scene, answer) = (&scene, [(id.clone(), "no nuts")]);
            async move {
                let email = format!("v{round}.{number}@example.org");
                scene.post_form("Early", &email, &answer).await.status
            }
        });
        let to_checkbox = json!({"type": "checkbox"});
        let (statuses, patched) = tokio::join!(join_all(forms), scene.server.patch(&path, &to_checkbox));
        assert!(statuses.iter().all(|status| *status == 303), "{statuses:?}");
        let is_changed = patched.status == 200;
        if !is_changed {
            assert_eq!(patched.fields(), ["type"]);
        }
        for number in 0..6 {
            let email = format!("v{round}.{number}@example.org");
            let found = scene.signups("/v1/signups", "confirmed", &email).await;
            let value = if is_changed { "yes" } else { "no nuts" };
            let answer = json!([{"question_id": id, "label": "Diet", "value": value}]);
            assert_eq!(found[0]["answers"], answer, "round {round}");
        }
        assert_eq!(scene.server.send("DELETE", &path, None).await.status, 200);
    }
}

#[rstest]
#[tokio::test]
async fn answers_keep_their_label_value_and_order(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    let size = add(&scene, &select()).await;
    let diet = add(&scene, &json!({"label": "Diet"})).await;
    let rules = add(&scene, &json!({"label": "Rules", "type": "checkbox", "position": 0})).await;
    let answers = [(diet.clone(), " no nuts "), (size.clone(), "M"), (rules.clone(), "on")];
    let full = scene.sign_up_with("Early", "ada@example.org", &answers).await;
    let order: Vec<_> =
        scene.server.get(&scene.event_path("/questions")).await.data().as_array().unwrap().clone();
    let ids = |found: &[Value], name: &str| -> Vec<_> { found.iter().map(|one| one[name].clone()).collect() };
    let given = full["answers"].as_array().unwrap();
    assert_eq!(ids(given, "question_id"), ids(&order, "id"), "in the order of the questions");
    for (id, label, value) in [(&size, "Size", "M"), (&diet, "Diet", "no nuts"), (&rules, "Rules", "yes")] {
        let answer = given.iter().find(|answer| answer["question_id"] == id.as_str()).unwrap();
        assert_eq!((&answer["label"], answer["value"].as_str().unwrap().trim()), (&json!(label), value));
    }
    let partial =
        scene.sign_up_with("Late", "bob@example.org", &[(diet.clone(), ""), (size.clone(), "S")]).await;
    assert_eq!(partial["answers"], json!([{"question_id": size, "label": "Size", "value": "S"}]));

    let size = format!("/v1/questions/{size}");
    assert_eq!(scene.server.patch(&size, &json!({"label": "T-shirt", "options": ["L"]})).await.status, 200);
    for (id, position) in [(&diet, 0), (&rules, 9)] {
        let moved = scene.server.patch(&format!("/v1/questions/{id}"), &json!({"position": position})).await;
        assert_eq!(moved.status, 200);
    }
    assert_eq!(scene.server.send("DELETE", &format!("/v1/questions/{diet}"), None).await.status, 200);
    for before in [full, partial] {
        let path = format!("/v1/signups/{}", before["id"].as_str().unwrap());
        assert_eq!(scene.server.get(&path).await.data(), before);
    }
}

#[rstest]
#[tokio::test]
async fn answers_to_questions_that_are_gone_are_ignored(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(scene) = Scene::start(engine).await else { return };
    let (gone, kept) = (add(&scene, &select()).await, add(&scene, &json!({"label": "Diet"})).await);
    assert_eq!(scene.server.send("DELETE", &format!("/v1/questions/{gone}"), None).await.status, 200);
    let answers = [(gone, "M"), (kept.clone(), "no nuts"), ("x".to_owned(), "y")];
    let signup = scene.sign_up_with("Early", "ada@example.org", &answers).await;
    assert_eq!(signup["answers"], json!([{"question_id": kept, "label": "Diet", "value": "no nuts"}]));
}

#[rstest]
#[tokio::test]
async fn a_form_without_a_question_that_became_required_is_refused_with_the_page(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(scene) = Scene::start(engine).await else { return };
    let size = add(&scene, &select()).await;
    let diet = add(&scene, &json!({"label": "Diet"})).await;
    assert_eq!(scene.page.get(&scene.server).await.status, 200);
    // The form was loaded. Now one question becomes required, another loses an option, and a third is added.
    let patch = async |id: &str, body: Value| {
        assert_eq!(scene.server.patch(&format!("/v1/questions/{id}"), &body).await.status, 200);
    };
    patch(&diet, json!({"required": true})).await;
    patch(&size, json!({"options": ["M", "L"]})).await;
    let rules =
        add(&scene, &json!({"label": "I know the rules", "type": "checkbox", "required": true})).await;
    let refused = scene.post_form("Early", "ada@example.org", &[(size.clone(), "S")]).await;
    assert_eq!(refused.status, 422);
    for text in [
        "“Size” must be one of the options.",
        "“Diet” is required.",
        "“I know the rules” has to be ticked.",
        "value=\"ada@example.org\"",
        &format!("name=\"answer.{rules}\""),
    ] {
        assert!(refused.text.contains(text), "{text} in {}", refused.text);
    }
    assert_eq!(scene.server.get("/v1/signups").await.data(), json!([]));
    let answers = [(size, "L"), (diet, "none"), (rules, "yes")];
    scene.sign_up_with("Early", "ada@example.org", &answers).await;
}
