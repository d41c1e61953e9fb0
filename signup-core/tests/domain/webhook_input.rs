//! Untyped input of webhooks, and untyped queries of the list of deliveries.

use signup_core::*;

use crate::faults::faults_of;

/// Reads a new webhook in JSON.
fn new(json: &str, allowed: &Networks) -> std::result::Result<NewWebhook, Faults> {
    NewWebhook::from_input(Input::from_json(json.as_bytes()).unwrap(), allowed)
}

/// Reads a change of a webhook in JSON.
fn patch(json: &str, allowed: &Networks) -> std::result::Result<WebhookPatch, Faults> {
    WebhookPatch::from_input(Input::from_json(json.as_bytes()).unwrap(), allowed)
}

/// Returns the faults of a new webhook, and of a change with the same fields.
fn faults(json: &str) -> [Vec<(String, FaultKind)>; 2] {
    let allowed = Networks::default();
    [faults_of(new(json, &allowed)), faults_of(patch(json, &allowed))]
}

fn expected<const N: usize>(faults: [(&str, FaultKind); N]) -> Vec<(String, FaultKind)> {
    faults.map(|(path, kind)| (path.to_owned(), kind)).into()
}

fn wrong_type(expected: ValueType) -> FaultKind {
    FaultKind::WrongType { expected }
}

#[test]
fn a_new_webhook_needs_only_its_address() {
    let allowed = Networks::default();
    let short = new(r#"{"url": "https://example.org/hooks"}"#, &allowed).unwrap();
    assert_eq!(short, NewWebhook::new("https://example.org/hooks".parse().unwrap()));
    let full = r#"{"url": " https://example.org ", "description": "Roster", "types": ["signup.*", "*"], "is_enabled": false}"#;
    let expected = NewWebhook::new("https://example.org".parse().unwrap())
        .description("Roster".parse().unwrap())
        .types(vec!["signup.*".parse().unwrap(), TypeFilter::every()])
        .disabled();
    assert_eq!(new(full, &allowed), Ok(expected));
    let blank = new(r#"{"url": "https://example.org/hooks", "description": " "}"#, &allowed);
    assert_eq!(blank, Ok(short));
}

#[test]
fn a_change_of_a_webhook_has_the_fields_that_are_given() {
    let allowed = Networks::default();
    let patch = |json: &str| patch(json, &allowed).unwrap();
    assert_eq!(patch("{}"), WebhookPatch::new());
    assert_eq!(patch(r#"{"description": null}"#), WebhookPatch::new().clear_description());
    let full =
        r#"{"url": "https://example.org", "description": "Roster", "types": ["*"], "is_enabled": true}"#;
    let expected = WebhookPatch::new()
        .url("https://example.org".parse().unwrap())
        .description("Roster".parse().unwrap())
        .types(vec![TypeFilter::every()])
        .enabled(true);
    assert_eq!(patch(full), expected);
}

#[test]
fn every_fault_of_a_webhook_is_found_in_the_order_of_its_fields() {
    let malformed = FaultKind::from("x".parse::<TypeFilter>().unwrap_err());
    let json = r#"{"is_enabled": "yes", "types": ["signup.*", "signup.renamed", "", 5, null, "signup", "signup.*"], "secret": "a",
        "description": 5, "url": "http://example.org/"}"#;
    let all = expected([
        ("url", WebhookUrlError::NotHttps.into()),
        ("description", wrong_type(ValueType::Text)),
        ("types[1]", malformed.clone()),
        ("types[2]", malformed.clone()),
        ("types[3]", wrong_type(ValueType::Text)),
        ("types[4]", wrong_type(ValueType::Text)),
        ("types[5]", malformed),
        ("types[6]", FaultKind::Repeated),
        ("is_enabled", wrong_type(ValueType::Flag)),
        ("secret", FaultKind::UNKNOWN),
    ]);
    assert_eq!(faults(json), [all.clone(), all]);
    let nulls = expected([
        ("url", FaultKind::Required),
        ("types", wrong_type(ValueType::TextList)),
        ("is_enabled", wrong_type(ValueType::Flag)),
    ]);
    let json = r#"{"url": null, "description": null, "types": null, "is_enabled": null}"#;
    assert_eq!(faults(json), [nulls.clone(), nulls]);
    assert_eq!(faults("{}"), [expected([("url", FaultKind::Required)]), vec![]]);
    let long = format!(r#"{{"url": "https://example.org", "description": "{}"}}"#, "é".repeat(256));
    let long = faults(&long);
    assert_eq!(long[0], expected([("description", TextError::TooLong { max: 255 }.into())]));
}

#[test]
fn the_types_of_a_webhook_are_1_to_50_different_ones() {
    let types = |types: &[&str]| {
        let json = format!(r#"{{"url": "https://example.org", "types": {types:?}}}"#);
        let [new, patch] = faults(&json);
        assert_eq!(new, patch, "{json}");
        new
    };
    assert_eq!(types(&[]), expected([("types", FaultKind::Required)]));
    for count in [51, 101, 1000] {
        let many = vec!["*"; count];
        assert_eq!(
            types(&many),
            expected([("types", FaultKind::TooMany { items: "types", max: 50, present: 0 })])
        );
    }
    // There are fewer than 50 types and groups, so 50 items are never all different.
    let twice = types(&["event.*", "signup.*", "event.*", "*", "event.*"]);
    assert_eq!(twice, expected([("types[2]", FaultKind::Repeated), ("types[4]", FaultKind::Repeated)]));
}

#[test]
fn an_address_is_checked_with_the_networks_that_the_operator_allows() {
    let json = r#"{"url": "http://127.0.0.1:9000/hooks"}"#;
    assert!(new(json, &"127.0.0.0/8".parse().unwrap()).is_ok());
    let other = faults_of(patch(json, &"10.0.0.0/8".parse().unwrap()));
    assert_eq!(other, expected([("url", WebhookUrlError::NotPublic.into())]));
}

#[test]
fn a_query_of_deliveries_has_a_state_a_length_and_a_cursor() {
    let query = |state: &str, per_page: &str, cursor: &str| {
        DeliveryQuery::from_input(Input::from_texts([
            ("state", state),
            ("per_page", per_page),
            ("cursor", cursor),
        ]))
    };
    let faults = [
        ("state", ValueError::NotOneOf { names: &["pending", "delivered", "failed"] }.into()),
        ("per_page", ValueError::WholeNumber { min: 1, max: None }.into()),
        ("cursor", "abc".parse::<Position<DeliveryId>>().unwrap_err().into()),
    ];
    assert_eq!(faults_of(query("sent", "0", "abc")), expected(faults));
    assert_eq!(query("", "", ""), Ok(DeliveryQuery::new()));
    let position = Position { key: DeliveryId::NONE, side: Side::Below };
    let expected_query = DeliveryQuery::new().status(DeliveryStatus::Failed).limit(100).at(position);
    assert_eq!(query("failed", "101", &position.to_string()), Ok(expected_query));
    let of_signups = Position { key: SignupId::NONE, side: Side::Below }.to_string();
    assert_eq!(faults_of(query("", "", &of_signups))[0].0, "cursor", "a cursor of another list");
}
