//! Questions that volunteers have answered keep their type.

use serde_json::{Value, json};
use signup_core::*;

use crate::scene::{Scene, place, volunteer};

/// Adds a question to an event.
async fn add(scene: &Scene, event: EventId, new: Value) -> QuestionId {
    let input = Input::from_json(new.to_string().as_bytes()).and_then(NewQuestion::from_input);
    scene.session.add_question(event, input.unwrap()).await.unwrap().id
}

/// Returns the fields at fault in a change of a question.
async fn faults(scene: &Scene, question: QuestionId, patch: Value) -> Vec<String> {
    let input = Input::from_json(patch.to_string().as_bytes()).and_then(QuestionPatch::from_input);
    match scene.session.patch_question(question, input.unwrap()).await {
        Ok(_) => vec![],
        Err(Error::Invalid(faults)) => faults.iter().map(|fault| fault.path.to_string()).collect(),
        Err(error) => panic!("{error}"),
    }
}

/// A cancelled sign-up fixes the type, too. A blank answer does not.
#[tokio::test]
async fn the_type_of_an_answered_question_does_not_change() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let size = json!({"label": "Size", "type": "select", "options": ["S", "M"]});
    let size = add(&scene, event.id, size).await;
    let diet = add(&scene, event.id, json!({"label": "Diet"})).await;
    assert_eq!(faults(&scene, diet, json!({"type": "select"})).await, ["options"]);
    let ada = volunteer("ada").choose(size, "M".parse().unwrap());
    let form = scene.service.volunteers().form_of(shift.organization, [shift.id]).await.unwrap();
    place(form.sign_up(ada).await).unwrap();
    let secret = scene.mails().await.remove(0).secret.unwrap();
    assert_eq!(faults(&scene, size, json!({"type": "text", "options": []})).await, ["type"]);
    assert_eq!(faults(&scene, size, json!({"type": "text", "options": ["S"]})).await, ["type", "options"]);
    scene.cancel(&secret).await;
    assert_eq!(faults(&scene, size, json!({"type": "text", "options": []})).await, ["type"]);
    assert_eq!(faults(&scene, size, json!({"options": ["L"]})).await, [""; 0]);
    assert_eq!(faults(&scene, diet, json!({"type": "checkbox"})).await, [""; 0], "without an answer");
}
