//! The faults of a question in JSON: a new one and a change.

use serde_json::{Value, json};
use signup_core::*;

use crate::faults::faults_of;

/// Returns the fields at fault in a new question or in a change.
fn fields(json: &Value, is_new: bool) -> Vec<String> {
    let json = json.to_string();
    let input = Input::from_json(json.as_bytes());
    let faults = match is_new {
        true => faults_of(input.and_then(NewQuestion::from_input)),
        false => faults_of(input.and_then(QuestionPatch::from_input)),
    };
    faults.into_iter().map(|(path, _)| path).collect()
}

fn options(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("O{number}")).collect()
}

#[test]
fn every_fault_of_a_new_question_is_named() {
    for (json, expected) in [
        (json!({}), &["label"][..]),
        (
            json!({"label": null, "type": null, "options": null, "required": null, "position": null}),
            &["label", "type", "options", "required", "position"],
        ),
        (json!({"label": " "}), &["label"]),
        (json!({"label": "x".repeat(256)}), &["label"]),
        (json!({"label": "é".repeat(255)}), &[]),
        (
            json!({"label": 5, "type": "radio", "required": "yes", "position": -1}),
            &["label", "type", "required", "position"],
        ),
        (json!({"label": "A", "position": 1.5}), &["position"]),
        (json!({"label": "A", "position": 1_000_001}), &["position"]),
        (json!({"label": "A", "position": 1_000_000.0}), &[]),
        (json!({"label": "A", "type": "select"}), &["options"]),
        (json!({"label": "A", "type": "select", "options": options(101)}), &["options"]),
        (json!({"label": "A", "type": "select", "options": options(100)}), &[]),
        (json!({"label": "A", "type": "select", "options": "S"}), &["options"]),
        (json!({"label": "A", "type": "select", "options": ["", "M"]}), &["options[0]"]),
        (json!({"label": "A", "type": "select", "options": ["S", 5, null]}), &["options[1]", "options[2]"]),
        (json!({"label": "A", "type": "select", "options": ["S", "x".repeat(256)]}), &["options[1]"]),
        (json!({"label": "A", "type": "select", "options": ["S", "M", " S "]}), &["options[2]"]),
        (json!({"label": "A", "type": "select", "options": ["s", "S"]}), &[]),
        (json!({"label": "A", "options": ["S"]}), &["options"]),
        (json!({"label": "A", "type": "checkbox", "options": ["S"]}), &["options"]),
    ] {
        assert_eq!(fields(&json, true), expected, "{json}");
    }
}

#[test]
fn a_kind_that_is_no_name_of_one_is_refused_with_the_names() {
    for kind in [json!("radio"), json!(""), json!(null), json!(5)] {
        let json = json!({"label": "A", "type": kind}).to_string();
        let faults = Input::from_json(json.as_bytes()).and_then(NewQuestion::from_input).unwrap_err();
        assert_eq!(faults.to_string(), "`type` must be one of text, select, checkbox", "{kind}");
    }
}

/// The number of options is checked with the kind of the stored question.
#[test]
fn every_fault_of_a_change_is_named() {
    for (json, expected) in [
        (json!({}), &[][..]),
        (
            json!({"label": null, "type": null, "options": null, "required": null, "position": null}),
            &["label", "type", "options", "required", "position"],
        ),
        (json!({"label": "", "options": ["A", "A"]}), &["label", "options[1]"]),
        (json!({"options": [" "]}), &["options[0]"]),
        (json!({"options": []}), &[]),
        (json!({"required": 1, "position": 1_000_001}), &["required", "position"]),
    ] {
        assert_eq!(fields(&json, false), expected, "{json}");
    }
}
