//! Faults as a program reads them: paths, kinds with their bounds, and the order of the fields.

use serde_json::{Value, json};
use signup_core::*;

use crate::scene::Scene;

fn faults(error: Error) -> Vec<(String, FaultKind)> {
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    faults.into_iter().map(|fault| (fault.path.to_string(), fault.kind)).collect()
}

/// Returns the faults of an event in JSON, on the free plan.
fn event_faults(json: &str) -> Vec<(String, FaultKind)> {
    let limits = PlanTable::default().free;
    faults_of(Input::from_json(json.as_bytes()).and_then(|input| NewEvent::from_input(input, limits)))
}

#[test]
fn every_fault_of_an_event_has_a_path_and_a_kind_with_its_bounds() {
    let json = r#"{
        "description": 5, "location": "a\u0000b", "is_virtual": null, "location_lat": 91, "location_lng": "west",
        "location_data": {"a": "\u0000"}, "start_date": "2027-06-05", "end_date": "2027-06-12", "timezone": "Mars/Base",
        "theme": "neon", "shifts": [{"title": "A", "start_time": "9:00", "capacity": "3"},
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
        ("theme", "neon".parse::<Theme>().unwrap_err().into()),
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

#[test]
fn the_faults_of_a_list_query_have_kinds_with_their_bounds() {
    let query = Input::from_texts([
        ("is_published", "yes"),
        ("is_cancelled", "no"),
        ("from", "2027-6-5"),
        ("to", "2027-02-29"),
        ("external_id", "night shift"),
        ("order", "Latest"),
        ("per_page", "0"),
        ("cursor", "abc"),
    ]);
    let expected = [
        ("is_published", FaultKind::WrongType { expected: ValueType::FlagText }),
        ("is_cancelled", FaultKind::WrongType { expected: ValueType::FlagText }),
        ("from", TimeError::Date.into()),
        ("to", TimeError::Date.into()),
        ("order", ValueError::NotOneOf { names: &["latest", "soonest"] }.into()),
        ("per_page", ValueError::WholeNumber { min: 1, max: None }.into()),
        ("cursor", "abc".parse::<Position<SignupId>>().unwrap_err().into()),
    ];
    let found = faults_of(EventQuery::from_input(query));
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn a_period_ends_on_or_after_the_day_on_which_it_begins() {
    let period = |from: &'static str, to: &'static str| {
        let input = || Input::from_texts([("from", from), ("to", to)]);
        let both =
            [faults_of(EventQuery::from_input(input())), faults_of(CoverageQuery::from_input(input()))];
        assert_eq!(both[0], both[1]);
        both[0].clone()
    };
    for (from, to) in [("2027-06-05", "2027-06-05"), ("2027-06-05", ""), ("", "2027-06-05"), ("", "")] {
        assert_eq!(period(from, to), [], "{from} to {to}");
    }
    let reversed = [("to".to_owned(), TimeError::DayOrder.into())];
    assert_eq!(period("2027-06-06", "2027-06-05"), reversed);
    // A wrong first day says nothing about the order.
    assert_eq!(period("2027-06-31", "2027-06-05"), [("from".to_owned(), TimeError::Date.into())]);
}

#[test]
fn a_cursor_of_another_order_is_a_fault_and_goes_with_any_other_filter() {
    let key = |order| EventKey { order, starts_at: Timestamp::UNIX_EPOCH, id: EventId::NONE };
    let query = |cursor: EventOrder, order: &'static str| {
        let cursor = Position { key: key(cursor), side: Side::Below }.to_string();
        EventQuery::from_input(Input::from_texts([
            ("is_cancelled", "0"),
            ("from", "2027-06-05"),
            ("order", order),
            ("cursor", &cursor),
        ]))
    };
    for (cursor, order) in
        [(EventOrder::Latest, ""), (EventOrder::Latest, "latest"), (EventOrder::Soonest, "soonest")]
    {
        let query = query(cursor, order).unwrap();
        assert_eq!((query.order, query.position.map(|at| at.key)), (cursor, Some(key(cursor))));
    }
    for (cursor, order) in
        [(EventOrder::Soonest, ""), (EventOrder::Soonest, "latest"), (EventOrder::Latest, "soonest")]
    {
        let found = faults_of(query(cursor, order));
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["cursor"], "{order}");
    }
    assert_eq!(faults_of(query(EventOrder::Soonest, "x"))[0].0, "order", "a wrong order is the only fault");
}

#[test]
fn a_page_length_is_a_whole_number_in_digits() {
    for per_page in ["0", "-1", "1.5", "+5", "five", "1e2", "0x10", " ", "000"] {
        let found = faults_of(EventQuery::from_input(Input::from_texts([("per_page", per_page)])));
        let expected = ValueError::WholeNumber { min: 1, max: None };
        assert_eq!(found, [("per_page".to_owned(), expected.into())], "{per_page}");
    }
}

#[test]
fn a_list_of_activity_has_every_fault_of_its_query() {
    let query = |text: &'static str| {
        ActivityQuery::from_input(Input::from_texts(["type", "per_page", "cursor"].map(|name| (name, text))))
    };
    let paths = faults_of(query("x")).into_iter().map(|(path, _)| path);
    assert_eq!(paths.collect::<Vec<_>>(), ["type", "per_page", "cursor"]);
    assert_eq!(query(""), Ok(ActivityQuery::new()), "an empty text counts as omitted");
    let above = ActivityQuery::from_input(Input::from_texts([("per_page", "101")])).unwrap();
    assert_eq!(above.limit, ActivityQuery::MAX_LIMIT);
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
    let nullable = [
        "description",
        "location",
        "location_lat",
        "location_lng",
        "location_data",
        "end_date",
        "theme",
        "badge_label",
    ];
    let others = ["title", "is_virtual", "start_date", "timezone", "is_published", "notify_volunteers"];
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
        ("is_published", json!(1)),
        ("theme", json!("Midnight")),
        ("badge_label", json!(7)),
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

#[test]
fn a_shift_has_the_same_faults_in_a_create_an_addition_and_a_patch() {
    for (field, value, is_taken) in [
        ("title", json!("😀".repeat(256)), false),
        ("title", json!("a\0b"), false),
        ("title", json!(5), false),
        ("description", json!("😀".repeat(2_001)), false),
        ("description", json!("two\nlines"), true),
        ("location", json!("😀".repeat(256)), false),
        ("location", json!(["Dock"]), false),
        ("start_time", json!("9:00"), false),
        ("start_time", json!("24:00"), false),
        ("start_time", json!(900), false),
        ("start_time", json!("2027-06-05T13:00:00+00:00"), false),
        ("start_time", json!("23:59"), true),
        ("end_time", json!("12:60"), false),
        ("end_time", json!("24:01"), false),
        ("end_time", json!("24:00"), true),
        ("day", json!(0), false),
        ("day", json!(-1), false),
        ("day", json!(1.5), false),
        ("day", json!("1"), false),
        ("day", json!(""), false),
        ("day", json!(null), false),
        ("day", json!(1.0), true),
        ("ends_next_day", json!("true"), false),
        ("ends_next_day", json!(null), false),
        ("ends_next_day", json!(false), true),
        ("capacity", json!(0), true),
        ("capacity", json!(-1), false),
        ("capacity", json!(1_000_001), false),
        ("capacity", json!(1.5), false),
        ("capacity", json!(1e300), false),
        ("capacity", json!("3"), false),
        ("capacity", json!(true), false),
        ("capacity", json!(1), true),
        ("capacity", json!(1_000_000), true),
        ("capacity", json!(3.0), true),
        ("minimum", json!(0), false),
        ("minimum", json!(1_000_001), false),
        ("minimum", json!(2.5), false),
        ("minimum", json!("3"), false),
        ("minimum", json!(1), true),
        ("minimum", json!(1_000_000), true),
    ] {
        let mut shift = json!({"title": "A", "capacity": 1});
        shift[field] = value.clone();
        let added = json!({"shifts": [shift]}).to_string();
        let added =
            Input::from_json(added.as_bytes()).and_then(|input| NewShift::list_from_input(input, None));
        let added = faults_of(added);
        let paths: Vec<_> = added.iter().map(|(path, _)| path.clone()).collect();
        let expected = if is_taken { vec![] } else { vec![format!("shifts[0].{field}")] };
        assert_eq!(paths, expected, "{field} {value}");
        let create = json!({"title": "A", "start_date": "2027-06-05", "timezone": "UTC", "shifts": [shift]});
        assert_eq!(event_faults(&create.to_string()), added, "{field} {value}");
        let patch = json!({field: value}).to_string();
        let patch = Input::from_json(patch.as_bytes()).and_then(ShiftPatch::from_input);
        let alone = |(path, kind): (String, FaultKind)| (path.replace("shifts[0].", ""), kind);
        assert_eq!(faults_of(patch), added.into_iter().map(alone).collect::<Vec<_>>(), "{field} {value}");
    }
}

#[test]
fn the_end_of_a_new_shift_fits_its_start_and_its_day() {
    let end = |kind: FaultKind| Some(("shifts[0].end_time", kind));
    for (hours, expected) in [
        (json!({"start_time": "22:00", "end_time": "06:00", "ends_next_day": true}), None),
        (json!({"start_time": "10:00", "end_time": "10:00", "ends_next_day": true}), None),
        (json!({"end_time": "00:00", "ends_next_day": true}), None),
        (json!({"start_time": "22:00", "end_time": "24:00"}), None),
        (json!({"end_time": "00:00"}), end(TimeError::Order.into())),
        (json!({"start_time": "22:00", "end_time": "06:00"}), end(TimeError::Order.into())),
        (
            json!({"start_time": "22:00", "end_time": "22:01", "ends_next_day": true}),
            end(TimeError::NextDay.into()),
        ),
        (
            json!({"start_time": "22:00", "end_time": "24:00", "ends_next_day": true}),
            end(TimeError::NextDay.into()),
        ),
        (json!({"start_time": "22:00", "ends_next_day": true}), end(FaultKind::Required)),
        (json!({"end_time": null, "ends_next_day": true}), end(FaultKind::Required)),
        (
            json!({"start_time": "22:00", "end_time": "06:00", "ends_next_day": 1}),
            Some(("shifts[0].ends_next_day", ValueType::Flag.into())),
        ),
        (json!({"day": 0, "start_time": "22:00"}), Some(("shifts[0].day", DAY.into()))),
    ] {
        let mut shift = json!({"title": "A", "capacity": 1});
        shift.as_object_mut().unwrap().extend(hours.as_object().unwrap().clone());
        let create = json!({"title": "A", "start_date": "2027-06-05", "timezone": "UTC", "shifts": [shift]});
        let expected: Vec<_> = expected.into_iter().map(|(path, kind)| (path.to_owned(), kind)).collect();
        assert_eq!(event_faults(&create.to_string()), expected, "{hours}");
    }
}

const DAY: ValueError = ValueError::WholeNumber { min: 1, max: None };

/// A wrong date leaves the number of days unknown.
#[test]
fn the_day_of_a_new_shift_is_one_of_the_event_unless_a_date_is_wrong() {
    let day = |index: usize| format!("shifts[{index}].day");
    let no_such_day = FaultKind::NoSuchDay { days: 3 };
    let one = FaultKind::NoSuchDay { days: 1 };
    for (dates, expected) in [
        (json!({"end_date": "2027-06-07"}), vec![(day(3), no_such_day)]),
        (json!({"end_date": null}), [2, 3].map(|index| (day(index), one.clone())).to_vec()),
        (json!({"end_date": "2027-06-04"}), vec![("end_date".to_owned(), TimeError::DayOrder.into())]),
        (json!({"end_date": "2027-07-04"}), vec![("end_date".to_owned(), FaultKind::TooManyDays { max: 7 })]),
        (json!({"start_date": "2027-6-5"}), vec![("start_date".to_owned(), TimeError::Date.into())]),
    ] {
        let days = [json!(1), json!(0), json!(3), json!(1e10)];
        let shifts = days.map(|day| json!({"title": "A", "capacity": 1, "day": day}));
        let mut create =
            json!({"title": "A", "start_date": "2027-06-05", "timezone": "UTC", "shifts": shifts});
        create.as_object_mut().unwrap().extend(dates.as_object().unwrap().clone());
        let mut expected = expected;
        let at = expected.iter().take_while(|(path, _)| !path.starts_with("shifts")).count();
        expected.insert(at, (day(1), DAY.into()));
        assert_eq!(event_faults(&create.to_string()), expected, "{dates}");
    }
}

/// Otherwise the stored shift decides whether the end is on the next day.
#[test]
fn a_patch_with_both_times_and_the_next_day_is_wrong_by_itself() {
    let order = || vec![("end_time".to_owned(), TimeError::Order.into())];
    for (ends_next_day, expected) in [
        (json!(false), order()),
        (json!(true), vec![]),
        (json!(7), vec![("ends_next_day".to_owned(), ValueType::Flag.into())]),
    ] {
        let patch = json!({"start_time": "09:00", "end_time": "08:00", "ends_next_day": ends_next_day});
        let patch = patch.to_string();
        let patch = Input::from_json(patch.as_bytes()).and_then(ShiftPatch::from_input);
        assert_eq!(faults_of(patch), expected, "{ends_next_day}");
    }
    let without = br#"{"start_time": "09:00", "end_time": "08:00"}"#;
    let without = Input::from_json(without).and_then(ShiftPatch::from_input);
    assert_eq!(faults_of(without), []);
}

#[test]
fn a_patch_with_a_blank_time_says_how_a_time_is_written() {
    for (field, fault) in [("start_time", TimeError::WallTime), ("end_time", TimeError::EndTime)] {
        for value in [json!(""), json!("  "), json!(null)] {
            let patch = json!({field: value}).to_string();
            let patch = Input::from_json(patch.as_bytes()).and_then(ShiftPatch::from_input);
            assert_eq!(faults_of(patch), [(field.to_owned(), fault.into())], "{value}");
        }
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

#[test]
fn the_filters_of_a_list_of_sign_ups_that_are_no_status_and_no_address_are_named() {
    let query = |status: &'static str, email: &'static str| {
        SignupQuery::from_input(Input::from_texts([("status", status), ("email", email)]))
    };
    for (status, email) in
        [("Confirmed", "ada"), ("confirmed ", "@example.org"), ("all", "a@b@c"), ("waiting", "%")]
    {
        let paths: Vec<_> = faults_of(query(status, email)).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["status", "email"], "{status} {email}");
    }
    assert_eq!(query("", ""), Ok(SignupQuery::new()), "an empty text counts as omitted");
}
