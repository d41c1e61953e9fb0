//! Faulty input: an answer names every fault, and the request stores nothing.

use serde_json::{Value, json};

use crate::harness::{Server, event};

async fn refused(server: &Server, body: &Value) -> Vec<String> {
    server.post("/v1/events", body).await.fields()
}

fn with(field: &str, value: Value) -> Value {
    let mut body = event();
    body[field] = value;
    body
}

#[tokio::test]
async fn every_field_that_is_wrong_is_named_in_one_answer_in_the_documented_order() {
    let server = Server::start(&[]);
    let body = json!({
        "shifts": [{"title": 1, "location": 2, "start_time": "9:00", "end_time": "25:00", "capacity": "3"}, 7],
        "badge_label": "x".repeat(256), "theme": "neon", "is_published": "yes", "timezone": "Mars/Base", "end_date": "soon",
        "start_date": "2027-02-30", "location_data": [], "location_lng": 181, "location_lat": "north", "is_virtual": null,
        "location": "x".repeat(2049), "description": 5, "title": "x".repeat(256),
    });
    let answer = server.post("/v1/events", &body).await;
    assert_eq!(
        answer.fields(),
        [
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
            "shifts.0.title",
            "shifts.0.location",
            "shifts.0.start_time",
            "shifts.0.end_time",
            "shifts.0.capacity",
            "shifts.1",
        ]
    );
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "The title field must not be longer than 255 characters. (and 18 more errors)");
    assert_eq!(server.count_events().await, 0);
}

#[tokio::test]
async fn missing_required_fields_are_named() {
    let server = Server::start(&[]);
    assert_eq!(refused(&server, &json!({})).await, ["title", "start_date", "timezone"]);
    for blank in [Value::Null, json!(""), json!("   ")] {
        let body = json!({"title": blank, "start_date": blank, "timezone": blank});
        assert_eq!(refused(&server, &body).await, ["title", "start_date", "timezone"]);
    }
    assert_eq!(refused(&server, &with("shifts", json!([{}]))).await, ["shifts.0.title", "shifts.0.capacity"]);
}

#[tokio::test]
async fn a_text_that_is_not_unicode_is_a_fault_of_the_body() {
    let server = Server::start(&[]);
    for body in [&br#"{"title": "\ud800"}"#[..], b"{\"title\": \"\xff\"}"] {
        assert_eq!(server.post_text("/v1/events", body.to_vec()).await.fields(), ["body"]);
    }
}

/// Returns the body of a create in which every field has this JSON as its value, in the documented order. `shifts` has
/// two items: an object with every field set to the value, and the value itself.
fn create_of(value: &str) -> String {
    let members = |fields: &[&str]| {
        fields.iter().map(|field| format!("\"{field}\":{value}")).collect::<Vec<_>>().join(",")
    };
    let shift =
        members(&["title", "location", "start_time", "end_time", "capacity", "external_id", "unknown"]);
    format!("{{{},\"unknown\":{value},\"shifts\":[{{{shift}}},{value}]}}", members(&CREATE_FIELDS))
}

const CREATE_FIELDS: [&str; 14] = [
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

/// Returns the fields that a refusal of [`create_of`] names if no field accepts the value.
fn all_create_fields() -> Vec<&'static str> {
    let shifts = [
        "shifts.0.title",
        "shifts.0.location",
        "shifts.0.start_time",
        "shifts.0.end_time",
        "shifts.0.capacity",
        "shifts.0.external_id",
        "shifts.1",
        "unknown",
        "shifts.0.unknown",
    ];
    [&CREATE_FIELDS[..], &shifts].concat()
}

#[tokio::test]
async fn a_number_out_of_range_is_reported_together_with_all_other_faults() {
    let server = Server::start(&[]);
    let created = server.create(&event()).await;
    let slot = format!("/v1/slots/{}", created["slots"][0]["id"].as_str().unwrap());
    let duplicate = format!("/v1/events/{}/duplicate", created["id"].as_str().unwrap());
    let digits = format!("1{}", "0".repeat(400));
    for number in ["1e400", "-1e400", "1.5E+99999999999999999999", &digits] {
        let answer = server.post_text("/v1/events", create_of(number)).await;
        assert_eq!(answer.fields(), all_create_fields(), "{number}");
        let errors = &answer.json()["errors"];
        assert_eq!(errors["title"], json!(["The title field must be a string."]));
        assert_eq!(errors["location_lat"], json!(["The location_lat field must be between -90 and 90."]));
        assert_eq!(errors["location_data"], json!(["The location_data field must be an object."]));

        let shifts = format!("{{\"shifts\":{number}}}");
        let fields = server.post_text("/v1/events", shifts).await.fields();
        assert_eq!(fields, ["title", "start_date", "timezone", "shifts"]);

        let copy = format!("{{\"unknown\":{number},\"start_date\":{number}}}");
        assert_eq!(server.post_text(&duplicate, copy).await.fields(), ["start_date", "unknown"]);

        let patch = format!(
            "{{\"title\":{number},\"location\":{number},\"start_time\":{number},\"end_time\":{number},\
             \"capacity\":{number},\"notify_volunteers\":{number},\"unknown\":{number}}}"
        );
        let request = server.request("PATCH", &slot).bearer_auth(&server.token).body(patch);
        let fields = server.answer(request).await.fields();
        let all = ["title", "location", "start_time", "end_time", "capacity", "notify_volunteers", "unknown"];
        assert_eq!(fields, all);
    }
    assert_eq!(server.count_events().await, 1);
}

#[tokio::test]
async fn a_number_out_of_range_in_location_data_has_its_own_message() {
    let server = Server::start(&[]);
    let deepest = format!("{}-1e400{}", "{\"a\":".repeat(100), "}".repeat(100));
    for data in ["{\"a\":1e400}", "{\"a\":[0,{\"b\":1e400}]}", &deepest] {
        let body = event().to_string().replacen('{', &format!("{{\"theme\":1,\"location_data\":{data},"), 1);
        let answer = server.post_text("/v1/events", body).await;
        assert_eq!(answer.fields(), ["location_data", "theme"]);
        let message = "The location_data field must not contain a number beyond ±1.7976931348623157e308.";
        assert_eq!(answer.json()["errors"]["location_data"], json!([message]), "{data}");
    }
}

#[tokio::test]
async fn a_deeply_nested_value_is_reported_together_with_all_other_faults() {
    let server = Server::start(&[]);
    for levels in [200, 2_000] {
        let list = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let answer = server.post_text("/v1/events", create_of(&list)).await;
        assert_eq!(answer.fields(), all_create_fields(), "{levels}");
        let object = format!("{}0{}", "{\"title\":".repeat(levels), "}".repeat(levels));
        let answer = server.post_text("/v1/events", create_of(&object)).await;
        let mut fields = all_create_fields();
        // An item that is an object lacks its required fields.
        let item = fields.iter().position(|field| *field == "shifts.1").unwrap();
        fields.splice(item..=item, ["shifts.1.title", "shifts.1.capacity"]);
        assert_eq!(answer.fields(), fields, "{levels}");
        let message = "The location_data field must not be nested more than 100 levels deep.";
        assert_eq!(answer.json()["errors"]["location_data"], json!([message]));
    }
}

#[tokio::test]
async fn every_wrong_parameter_of_a_list_is_named() {
    let server = Server::start(&[]);
    let answer = server
        .get("/v1/events?cursor=x&per_page=0&order=x&to=x&from=2027-02-29&is_cancelled=2&is_published=yes")
        .await;
    let all = ["is_published", "is_cancelled", "from", "to", "order", "per_page", "cursor"];
    assert_eq!(answer.fields(), all);
    let answer = server.get("/v1/coverage?cursor=x&per_page=0&is_covered=x&to=x&from=x").await;
    assert_eq!(answer.fields(), ["from", "to", "is_covered", "per_page", "cursor"]);
    for list in ["/v1/events", "/v1/coverage"] {
        let answer = server.get(&format!("{list}?from=2027-06-06&to=2027-06-05")).await;
        assert_eq!(
            answer.json()["errors"],
            json!({"to": ["The to field must not be before from."]}),
            "{list}"
        );
    }
}
