//! Faults as a program reads them: paths, kinds with their bounds, and the order of the fields.

use serde_json::{Value, json};
use signup_core::*;

use crate::scene::Scene;

fn faults(error: Error) -> Vec<(String, FaultKind)> {
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    faults.into_iter().map(|fault| (fault.path.to_string(), fault.kind)).collect()
}

/// Returns the faults of an event in JSON, on the free plan.
pub(crate) fn event_faults(json: &str) -> Vec<(String, FaultKind)> {
    let limits = PlanTable::default().free;
    faults_of(Input::from_json(json.as_bytes()).and_then(|input| NewEvent::from_input(input, limits)))
}

#[test]
fn every_fault_of_an_event_has_a_path_and_a_kind_with_its_bounds() {
    let json = r#"{
        "description": 5, "location": "a\u0000b", "is_virtual": null, "location_lat": 91, "location_lng": "west",
        "location_data": {"a": "\u0000"}, "start_date": "2027-06-05", "end_date": "2027-06-12", "timezone": "Mars/Base",
        "language": "nl", "theme": "neon", "signups_open_at": "2027-06-04T12:00", "signups_close_at": "2027-06-04T12:00", "shifts": [{"title": "A", "start_time": "9:00", "capacity": "3"},
        {"title": "B", "start_time": "12:00", "end_time": "09:00", "capacity": -1}, 7]
    }"#;
    let wrong_type = |expected| FaultKind::WrongType { expected };
    let capacity = FaultKind::from(ValueError::WholeNumber { min: 0, max: Some(Capacity::MAX) });
    let expected = [
        ("title", FaultKind::Required),
        ("description", wrong_type(ValueType::Text)),
        ("location", TextError::Control { character: '\0' }.into()),
        ("is_virtual", wrong_type(ValueType::Flag)),
        ("location_lat", ValueError::Degrees { min: -90.0, max: 90.0 }.into()),
        ("location_lng", wrong_type(ValueType::Number)),
        ("location_data", LocationDataError::Nul.into()),
        ("end_date", FaultKind::TooManyDays { max: 7 }),
        ("timezone", TimeError::Zone.into()),
        ("language", "nl".parse::<Language>().unwrap_err().into()),
        ("theme", "neon".parse::<Theme>().unwrap_err().into()),
        ("signups_close_at", TimeError::ClosesFirst.into()),
        ("shifts[0].start_time", TimeError::WallTime.into()),
        ("shifts[0].capacity", capacity.clone()),
        ("shifts[1].end_time", TimeError::Order.into()),
        ("shifts[1].capacity", capacity),
        ("shifts[2]", wrong_type(ValueType::Object)),
    ];
    assert_eq!(event_faults(json), expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn the_number_of_shifts_and_the_order_of_the_days_are_bounded() {
    let shifts = vec![r#"{"title": "A", "capacity": 1}"#; 501].join(",");
    let json = format!(
        r#"{{"title": "A", "start_date": "2027-06-05", "end_date": "2027-06-04", "timezone": "UTC", "shifts": [{shifts}]}}"#
    );
    assert_eq!(
        event_faults(&json),
        [
            ("end_date".to_owned(), TimeError::DayOrder.into()),
            (
                "shifts".to_owned(),
                FaultKind::TooMany { items: "shifts in one request", max: 500, present: 0 }
            )
        ]
    );
}

#[test]
fn an_input_that_is_not_a_json_object_has_a_fault_of_the_whole_input() {
    assert_eq!(event_faults("[]"), [(String::new(), ValueType::Object.into())]);
    assert_eq!(event_faults(""), [(String::new(), FaultKind::Required)]);
    let not_json = |line, column| [(String::new(), FaultKind::NotJson { line, column })];
    assert_eq!(event_faults("{\"title\":"), not_json(1, 9));
    assert_eq!(event_faults("{\n \"title\": nul}"), not_json(2, 14));
    let not_utf8 = Input::from_json(b"{\n \"title\": \"\xff\"}").unwrap_err();
    assert_eq!(not_utf8, Faults::one(FaultPath::new(), FaultKind::NotJson { line: 2, column: 12 }));
    assert!(FaultPath::new().is_whole_input());
}

/// Wherever the half stands: also in a value that no field takes, or that a later member of the same name replaces.
#[test]
fn half_of_a_surrogate_pair_is_a_fault_of_the_whole_input() {
    for json in [
        r#"{"title": "\ud800"}"#,
        r#"{"titel": "\udc00\ud83d"}"#,
        r#"{"location_data": {"a": ["\ud83d\u0041"]}}"#,
        r#"{"shifts": [{"title": "\uDBFF"}], "shifts": []}"#,
    ] {
        let column = json.find("\\u").unwrap() + 6;
        assert_eq!(event_faults(json), [(String::new(), FaultKind::NotJson { line: 1, column })], "{json}");
    }
    let pair = r#"{"subject": "\ud83d\ude00 \\ud800", "text": "Gloves"}"#;
    let message = Input::from_json(pair.as_bytes()).and_then(NewMessage::from_input).unwrap();
    assert_eq!(message.subject.as_str(), "\u{1f600} \\ud800");
}

#[test]
fn a_number_out_of_range_or_a_deep_value_is_a_fault_beside_all_others() {
    let digits = format!("1{}", "0".repeat(400));
    let lists = [200, 2_000].map(|levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    let objects = [200, 2_000].map(|levels| format!("{}0{}", "{\"a\":".repeat(levels), "}".repeat(levels)));
    for value in ["1e400", "-1e400", "1.5E+99999999999999999999", &digits]
        .into_iter()
        .chain(lists.iter().chain(&objects).map(String::as_str))
    {
        let json = format!(
            r#"{{"title": {value}, "location_lat": {value}, "location_data": {value}, "start_date": "2027-06-05", "end_date": {value},
                "timezone": {value}, "is_published": {value}, "theme": {value}, "external_id": {value}, "signups_open_at": {value},
                "shifts": [{{"title": "A", "start_time": {value}, "end_time": {value}, "capacity": {value}, "unknown": {value}}}, "x"],
                "unknown": {value}}}"#
        );
        let faults = event_faults(&json);
        let paths: Vec<_> = faults.iter().map(|(path, _)| path.as_str()).collect();
        let expected = [
            "title",
            "location_lat",
            "location_data",
            "end_date",
            "timezone",
            "is_published",
            "theme",
            "external_id",
            "signups_open_at",
            "shifts[0].start_time",
            "shifts[0].end_time",
            "shifts[0].capacity",
            "shifts[1]",
            "shifts[0].unknown",
            "unknown",
        ];
        assert_eq!(paths, expected, "{value}");
    }
}

/// Returns the faults of the checked JSON.
pub(crate) fn faults_of<T>(checked: std::result::Result<T, Faults>) -> Vec<(String, FaultKind)> {
    checked.err().map_or_else(Vec::new, |found| faults(found.into()))
}

fn patch_faults(json: &Value) -> Vec<(String, FaultKind)> {
    let json = json.to_string();
    faults_of(Input::from_json(json.as_bytes()).and_then(EventPatch::from_input))
}

#[test]
fn null_and_blank_clear_the_fields_of_a_patch_that_can_be_cleared_and_are_faults_of_the_others() {
    let fields = |names: &[&str], value: &Value| {
        Value::from_iter(names.iter().map(|name| ((*name).to_owned(), value.clone()))).to_string()
    };
    let cleared = EventPatch::new().clear_description().clear_location().clear_latitude().clear_longitude();
    let cleared = cleared.clear_location_data().clear_end_date().clear_theme().clear_badge_label();
    let cleared = cleared.clear_instructions().clear_signups_open_at().clear_signups_close_at();
    let nullable = [
        "description",
        "instructions",
        "location",
        "location_lat",
        "location_lng",
        "location_data",
        "end_date",
        "theme",
        "badge_label",
        "signups_open_at",
        "signups_close_at",
    ];
    let others = [
        "title",
        "is_virtual",
        "start_date",
        "timezone",
        "language",
        "is_published",
        "reminders_enabled",
        "waitlist_enabled",
        "notify_volunteers",
    ];
    for empty in [Value::Null, json!(" \t")] {
        let json = fields(&nullable, &empty);
        assert_eq!(Input::from_json(json.as_bytes()).and_then(EventPatch::from_input).unwrap(), cleared);
        let json: Value = serde_json::from_str(&fields(&others, &empty)).unwrap();
        let (paths, kinds): (Vec<_>, Vec<_>) = patch_faults(&json).into_iter().unzip();
        assert_eq!(paths, others, "{empty}");
        let is_required = |field| matches!(field, "title" | "start_date" | "timezone");
        for (field, kind) in others.into_iter().zip(kinds) {
            assert_eq!(kind == FaultKind::Required, is_required(field), "{field}, as in a create");
        }
    }
}

#[test]
fn a_patch_of_an_event_has_the_faults_of_a_create() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(101), "}".repeat(101));
    let deep: Value = serde_json::from_str(&deep).unwrap();
    for (field, value) in [
        ("title", json!("x".repeat(256))),
        ("title", json!("a\0b")),
        ("description", json!("x".repeat(65_536))),
        ("location", json!(["Hall"])),
        ("is_virtual", json!("yes")),
        ("location_lat", json!(90.1)),
        ("location_lng", json!("west")),
        ("location_data", json!({"a": "x".repeat(16 * 1024)})),
        ("location_data", deep),
        ("location_data", json!({"a": "\0"})),
        ("start_date", json!("2027-6-5")),
        ("start_date", json!("9999-01-01")),
        ("start_date", json!("2027-06-05T13:00:00+00:00")),
        ("end_date", json!("1969-12-31")),
        ("end_date", json!("2027-06-05T17:00:00Z")),
        ("timezone", json!("EST5EDT4")),
        ("language", json!("En")),
        ("language", json!(null)),
        ("is_published", json!(1)),
        ("reminders_enabled", json!("no")),
        ("theme", json!("Midnight")),
        ("badge_label", json!(7)),
        ("instructions", json!("a".repeat(5001))),
        ("signups_open_at", json!("2027-03-01T18:00:00+00:00")),
        ("signups_close_at", json!("2027-03-01")),
    ] {
        let mut create = json!({"title": "A", "start_date": "2027-06-05", "timezone": "UTC"});
        create[field] = value.clone();
        let found = patch_faults(&json!({field: value}));
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), [field]);
        assert_eq!(event_faults(&create.to_string()), found, "{field}");
    }
}

/// The title of a copy may be omitted, as in a patch.
#[test]
fn the_title_of_a_duplicate_has_the_faults_of_a_patch() {
    let copy = |json: &Value| {
        let json = json.to_string();
        Input::from_json(json.as_bytes()).and_then(DuplicateEvent::from_input)
    };
    let on = DuplicateEvent::on(date(2027, 7, 3));
    assert_eq!(copy(&json!({"start_date": "2027-07-03"})), Ok(on.clone()));
    let winter = json!({"start_date": "2027-07-03", "title": "  Winter drive\n"});
    assert_eq!(copy(&winter), Ok(on.title("Winter drive".parse().unwrap())));
    for title in [Value::Null, json!(""), json!(" \t"), json!("x".repeat(256)), json!("a\0b"), json!(5)] {
        let found = faults_of(copy(&json!({"start_date": "2027-07-03", "title": title})));
        assert_eq!(found.len(), 1, "{title}");
        assert_eq!(found, patch_faults(&json!({"title": title})), "{title}");
    }
}

#[tokio::test]
async fn the_faults_of_a_token_have_their_bounds() {
    let Scene { service, session, .. } = Scene::start().await;
    for days in [0, 366] {
        let token = NewToken::new("import".parse().unwrap(), Scopes::default()).expires_in_days(days);
        let error = service.admin().create_token(session.organization_id(), token).await.unwrap_err();
        let life = ValueError::WholeNumber { min: 1, max: Some(365) };
        let expected = [("scopes", FaultKind::Required), ("expires_in_days", life.into())];
        assert_eq!(faults(error), expected.map(|(path, kind)| (path.to_owned(), kind)));
    }
}

/// A comparison of each name with each other one would take minutes here.
#[test]
fn every_unknown_name_of_a_long_body_counts_once() {
    let names: String = (0..70_000).map(|number| format!(r#","{number:x}":0,"{number:x}":0"#)).collect();
    // Each list replaces the one before it, with the unknown members inside.
    let lists = r#","shifts":[{"b":0}]"#.repeat(20_000);
    let json = format!(r#"{{"a":0{names}{lists},"shifts":[{{"c":0}}],"z":0}}"#);
    let input = Input::from_json(json.as_bytes()).unwrap();
    let faults = NewEvent::from_input(input, PlanTable::default().free).unwrap_err();
    let unknown: Vec<_> = faults.iter().filter(|fault| fault.kind == FaultKind::UNKNOWN).collect();
    assert_eq!(unknown.len(), Faults::MAX_UNKNOWN);
    let others = faults.iter().count() - unknown.len();
    assert_eq!(faults.len() - others, 70_000 + 2, "a is a number in the list, too");
}

#[test]
fn unknown_names_have_the_order_of_the_text() {
    let found = event_faults(r#"{"y":0,"shifts":[{"b":0}],"x":0,"shifts":[{},{"c":0}],"\u007a":0}"#);
    let unknown: Vec<_> =
        found.iter().filter(|(_, kind)| *kind == FaultKind::UNKNOWN).map(|(path, _)| path).collect();
    assert_eq!(unknown, ["y", "x", "shifts[1].c", "z"]);
}
