//! Bodies that are hard to read: every field is named all the same, and nothing is stored.

use serde_json::json;

use crate::every_route::{UNKNOWN, paths};
use crate::harness::{Server, event};

const EVENT_FIELDS: [&str; 14] = [
    "title",
    "description",
    "location",
    "is_virtual",
    "location_lat",
    "location_lng",
    "location_data",
    "start_date",
    "end_date",
    "timezone",
    "is_published",
    "theme",
    "badge_label",
    "external_id",
];
const SHIFT_FIELDS: [&str; 6] = ["title", "location", "start_time", "end_time", "capacity", "external_id"];

/// Returns the body of a create in which every field has this JSON as its value, in the documented order. `shifts` has
/// two items: an object with every field set to the value, and the value itself.
fn create_of(value: &str) -> String {
    let members = |fields: &[&str]| {
        fields.iter().map(|field| format!("\"{field}\":{value}")).collect::<Vec<_>>().join(",")
    };
    let shift = members(&[&SHIFT_FIELDS[..], &["unknown"]].concat());
    format!("{{{},\"unknown\":{value},\"shifts\":[{{{shift}}},{value}]}}", members(&EVENT_FIELDS))
}

/// Returns the fields that a refusal of [`create_of`] names if no field accepts the value.
fn all_fields(second_shift: &[&str]) -> Vec<String> {
    let shift = SHIFT_FIELDS.map(|field| format!("shifts.0.{field}"));
    let fields = [&EVENT_FIELDS.map(str::to_owned)[..], &shift].concat().into_iter();
    fields
        .chain(second_shift.iter().chain(&["unknown", "shifts.0.unknown"]).map(|&name| name.to_owned()))
        .collect()
}

#[tokio::test]
async fn a_number_out_of_range_or_a_deep_value_is_reported_together_with_all_other_faults() {
    let server = Server::start(&[]);
    let digits = format!("1{}", "0".repeat(400));
    let lists = [200, 2_000].map(|levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    for value in ["1e400", "-1e400", "1.5E+99999999999999999999", &digits, &lists[0], &lists[1]] {
        let answer = server.post_text("/v1/events", create_of(value)).await;
        assert_eq!(answer.fields(), all_fields(&["shifts.1"]), "{value}");
    }
    for levels in [200, 2_000] {
        let object = format!("{}0{}", "{\"title\":".repeat(levels), "}".repeat(levels));
        let answer = server.post_text("/v1/events", create_of(&object)).await;
        assert_eq!(answer.fields(), all_fields(&["shifts.1.title", "shifts.1.capacity"]), "{levels}");
        let message = "The location_data field must not be nested more than 100 levels deep.";
        assert_eq!(answer.json()["errors"]["location_data"], json!([message]));
    }
    let body =
        event().to_string().replacen('{', "{\"theme\":1,\"location_data\":{\"a\":[{\"b\":1e400}]},", 1);
    let answer = server.post_text("/v1/events", body).await;
    assert_eq!(answer.fields(), ["location_data", "theme"]);
    let message = "The location_data field must not contain a number beyond ±1.7976931348623157e308.";
    assert_eq!(answer.json()["errors"]["location_data"], json!([message]));
    assert_eq!(server.count_events().await, 0);
}

#[tokio::test]
async fn a_text_that_is_not_unicode_is_a_fault_of_the_body() {
    let server = Server::start(&[]);
    for body in [&br#"{"title": "\ud800"}"#[..], b"{\"title\": \"\xff\"}"] {
        assert_eq!(server.post_text("/v1/events", body.to_vec()).await.fields(), ["body"]);
    }
}

#[tokio::test]
async fn every_read_names_the_parameters_that_it_does_not_take() {
    let server = Server::start(&[]);
    for (template, _) in paths().filter(|(_, item)| item.get("get").is_some()) {
        let path = template.replace("{event_id}", UNKNOWN).replace("{id}", UNKNOWN);
        let answer = server.get(&format!("{path}?z&per-page=5&z=1")).await;
        assert_eq!(answer.fields(), ["z", "per-page"], "{path}: {}", answer.text);
    }
}
