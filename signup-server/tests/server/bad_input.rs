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

fn with_shift(field: &str, value: Value) -> Value {
    let mut body = event();
    body["shifts"][0][field] = value;
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
    assert_eq!(message, "The title field must not be greater than 255 characters. (and 18 more errors)");
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
async fn length_and_number_bounds_are_exact() {
    let server = Server::start(&[]);
    for (field, max) in [("title", 255), ("description", 65_535), ("location", 2_048), ("badge_label", 255)] {
        assert_eq!(refused(&server, &with(field, json!("é".repeat(max + 1)))).await, [field]);
        server.create(&with(field, json!("é".repeat(max)))).await;
    }
    for (field, max) in [("title", 255), ("location", 255)] {
        assert_eq!(
            refused(&server, &with_shift(field, json!("😀".repeat(max + 1)))).await,
            [format!("shifts.0.{field}")]
        );
        server.create(&with_shift(field, json!("😀".repeat(max)))).await;
    }
    for (field, good, bad) in [("location_lat", 90.0, 90.000_001), ("location_lng", -180.0, -180.000_001)] {
        assert_eq!(refused(&server, &with(field, json!(bad))).await, [field]);
        server.create(&with(field, json!(good))).await;
    }
    for capacity in [json!(0), json!(1_000_001), json!(-1), json!(1.5), json!("1"), json!(true), json!(1e300)]
    {
        assert_eq!(refused(&server, &with_shift("capacity", capacity)).await, ["shifts.0.capacity"]);
    }
    for capacity in [json!(1), json!(1_000_000), json!(3.0)] {
        server.create(&with_shift("capacity", capacity)).await;
    }
}

#[tokio::test]
async fn u0000_is_refused_in_every_text() {
    let server = Server::start(&[]);
    for field in ["title", "description", "location", "badge_label", "start_date", "timezone", "theme"] {
        assert_eq!(refused(&server, &with(field, json!("a\0b"))).await, [field]);
    }
    for data in [json!({"a": "\0"}), json!({"a": {"b": ["\0"]}}), json!({"\0": 1})] {
        assert_eq!(refused(&server, &with("location_data", data)).await, ["location_data"]);
    }
    for field in ["title", "location", "start_time"] {
        assert_eq!(refused(&server, &with_shift(field, json!("a\0b"))).await, [format!("shifts.0.{field}")]);
    }
    assert_eq!(server.count_events().await, 0);
}

#[tokio::test]
async fn location_data_is_an_object_of_bounded_size_and_depth() {
    let server = Server::start(&[]);
    for data in [json!([]), json!("x"), json!(1), json!(false), json!({"a": "x".repeat(16 * 1024)})] {
        assert_eq!(refused(&server, &with("location_data", data)).await, ["location_data"]);
    }
    let text = event().to_string();
    let deep = format!("{}{}{}", "{\"a\":".repeat(500), "1", "}".repeat(500));
    let body = text.replacen('{', &format!("{{\"location_data\":{deep},"), 1);
    assert_eq!(server.post_text("/v1/events", body).await.fields(), ["location_data"]);
    server.create(&with("location_data", json!({"a": "x".repeat(16 * 1024 - 8)}))).await;
    let nested = |levels: usize| -> Value {
        let json = format!("{}{{}}{}", "{\"a\":".repeat(levels - 1), "}".repeat(levels - 1));
        serde_json::from_str(&json).unwrap()
    };
    assert_eq!(refused(&server, &with("location_data", nested(101))).await, ["location_data"]);
    server.create(&with("location_data", nested(100))).await;
}

#[tokio::test]
async fn an_event_takes_at_most_500_shifts() {
    let server = Server::start(&[]);
    let shifts = |count| json!(vec![json!({"title": "A", "capacity": 1}); count]);
    assert_eq!(refused(&server, &with("shifts", shifts(501))).await, ["shifts"]);
    assert_eq!(server.count_events().await, 0);
    assert_eq!(server.create(&with("shifts", shifts(500))).await["slots"].as_array().unwrap().len(), 500);
    for not_a_list in [Value::Null, json!({}), json!("x"), json!(1)] {
        assert_eq!(refused(&server, &with("shifts", not_a_list)).await, ["shifts"]);
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_json_object_is_refused() {
    let server = Server::start(&[]);
    let nested = "[".repeat(100_000);
    let texts = [
        "",
        "{",
        "[]",
        "null",
        "1",
        "\"x\"",
        "{\"title\": \"\\ud800\"}",
        "{} {}",
        "\u{feff}{}",
        "title=x",
        &nested,
    ];
    for text in texts {
        let answer = server.post_text("/v1/events", text.to_owned()).await;
        assert_eq!(answer.fields(), ["body"], "{}", &text[..text.len().min(20)]);
    }
    assert_eq!(server.post_text("/v1/events", b"{\"title\": \"\xff\"}".to_vec()).await.fields(), ["body"]);
    let unknown_and_deep = format!("{{\"unknown\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = server.post_text("/v1/events", unknown_and_deep).await;
    assert_eq!(
        answer.fields(),
        ["title", "start_date", "timezone"],
        "an unknown field may be nested to any depth"
    );
    assert_eq!(server.count_events().await, 0);
}

/// Returns the body of a create in which every field has this JSON as its value, in the documented order. `shifts` has
/// two items: an object with every field set to the value, and the value itself.
fn create_of(value: &str) -> String {
    let members = |fields: &[&str]| {
        fields.iter().map(|field| format!("\"{field}\":{value}")).collect::<Vec<_>>().join(",")
    };
    let shift = members(&["title", "location", "start_time", "end_time", "capacity", "unknown"]);
    format!("{{{},\"unknown\":{value},\"shifts\":[{{{shift}}},{value}]}}", members(&CREATE_FIELDS))
}

const CREATE_FIELDS: [&str; 13] = [
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
];

/// Returns the fields that a refusal of [`create_of`] names if no field accepts the value.
fn all_create_fields() -> Vec<&'static str> {
    let shifts = [
        "shifts.0.title",
        "shifts.0.location",
        "shifts.0.start_time",
        "shifts.0.end_time",
        "shifts.0.capacity",
        "shifts.1",
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
        assert_eq!(server.post_text(&duplicate, copy).await.fields(), ["start_date"]);

        let patch = format!(
            "{{\"title\":{number},\"location\":{number},\"start_time\":{number},\"end_time\":{number},\
             \"capacity\":{number},\"notify_volunteers\":{number},\"unknown\":{number}}}"
        );
        let request = server.request("PATCH", &slot).bearer_auth(&server.token).body(patch);
        let fields = server.answer(request).await.fields();
        assert_eq!(fields, ["title", "location", "start_time", "end_time", "capacity", "notify_volunteers"]);
    }
    assert_eq!(server.count_events().await, 1);
    let with_unknown = event().to_string().replacen('{', "{\"unknown\":[1e400],", 1);
    assert_eq!(server.post_text("/v1/events", with_unknown).await.status, 201);
}

#[tokio::test]
async fn a_number_out_of_range_in_location_data_has_its_own_message() {
    let server = Server::start(&[]);
    let deepest = format!("{}-1e400{}", "{\"a\":".repeat(100), "}".repeat(100));
    for data in ["{\"a\":1e400}", "{\"a\":[0,{\"b\":1e400}]}", &deepest] {
        let body = event().to_string().replacen('{', &format!("{{\"theme\":1,\"location_data\":{data},"), 1);
        let answer = server.post_text("/v1/events", body).await;
        assert_eq!(answer.fields(), ["location_data", "theme"]);
        let message =
            "The location_data field must not contain a number out of range, beyond ±1.7976931348623157e308.";
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
        fields.splice(fields.len() - 1.., ["shifts.1.title", "shifts.1.capacity"]);
        assert_eq!(answer.fields(), fields, "{levels}");
        let message = "The location_data field must not be nested more than 100 levels deep.";
        assert_eq!(answer.json()["errors"]["location_data"], json!([message]));
    }
}

#[tokio::test]
async fn a_body_of_more_than_1_mib_is_too_large() {
    let server = Server::start(&[]);
    let most = 1024 * 1024;
    let padded = |length: usize| {
        let text = event().to_string();
        let spaces = " ".repeat(length - text.len());
        text + spaces.as_str()
    };
    assert_eq!(server.post_text("/v1/events", padded(most)).await.status, 201);
    let answer = server.post_text("/v1/events", padded(most + 1)).await;
    assert_eq!(answer.status, 413);
    assert!(answer.json()["message"].is_string());
    let parts = futures_util::stream::iter((0..17).map(|_| Ok::<_, std::io::Error>(" ".repeat(64 * 1024))));
    let chunked = server.post_text("/v1/events", reqwest::Body::wrap_stream(parts)).await;
    assert_eq!(chunked.status, 413, "a body of unknown length is counted while it is read");
    assert_eq!(server.count_events().await, 1);
}

#[tokio::test]
async fn every_wrong_parameter_of_the_list_is_named() {
    let server = Server::start(&[]);
    let answer = server.get("/v1/events?cursor=x&per_page=0&is_published=yes").await;
    assert_eq!(answer.fields(), ["is_published", "per_page", "cursor"]);
    for per_page in ["0", "-1", "1.5", "+5", "five", "1e2", "0x10", "%20", "000"] {
        assert_eq!(
            server.get(&format!("/v1/events?per_page={per_page}")).await.fields(),
            ["per_page"],
            "{per_page}"
        );
    }
}
