//! Questions that volunteers have answered, and forms that were loaded before a question changed.

use serde_json::{Value, json};

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

/// A cancelled sign-up fixes the type, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_type_of_an_answered_question_does_not_change() {
    let scene = Scene::start().await;
    let (size, diet) = (add(&scene, &select()).await, add(&scene, &json!({"label": "Diet"})).await);
    scene.sign_up_with("Early", "ada@example.org", &[(size.clone(), "M"), (diet.clone(), " ")]).await;
    let (size, diet) = (format!("/v1/questions/{size}"), format!("/v1/questions/{diet}"));
    let server = &scene.server;
    assert_eq!(server.patch(&size, &json!({"type": "text"})).await.fields(), ["type"]);
    scene.cancel("ada@example.org").await;
    assert_eq!(server.patch(&size, &json!({"type": "checkbox", "label": "Tall?"})).await.fields(), ["type"]);
    let changed =
        json!({"type": "select", "label": "T-shirt", "options": ["L"], "required": true, "position": 9});
    let changed = server.patch(&size, &changed).await;
    assert_eq!((changed.status, &changed.data()["label"]), (200, &json!("T-shirt")));
    let unanswered = server.patch(&diet, &json!({"type": "checkbox"})).await;
    assert_eq!(
        (unanswered.status, &unanswered.data()["type"]),
        (200, &json!("checkbox")),
        "no sign-up has an answer to it"
    );
}

#[tokio::test]
async fn a_type_that_cannot_change_and_options_that_do_not_fit_it_are_named_together() {
    let scene = Scene::start().await;
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

#[tokio::test]
async fn answers_keep_their_label_value_and_order() {
    let scene = Scene::start().await;
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

#[tokio::test]
async fn a_form_without_a_question_that_became_required_is_refused_with_the_page() {
    let scene = Scene::start().await;
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
        "Choose an option for “Size”",
        "Enter an answer for “Diet”",
        "Tick “I know the rules” to sign up",
        "value=\"ada@example.org\"",
        &format!("name=\"answer.{rules}\""),
    ] {
        assert!(refused.text.contains(text), "{text} in {}", refused.text);
    }
    assert_eq!(scene.server.get("/v1/signups").await.data(), json!([]));
    let answers = [(size, "L"), (diet, "none"), (rules, "yes")];
    scene.sign_up_with("Early", "ada@example.org", &answers).await;
}
