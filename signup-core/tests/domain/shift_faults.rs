//! The faults of a shift in a new event, in an addition and in a patch.

use serde_json::json;
use signup_core::*;

use crate::faults::{event_faults, faults_of};

const DAY: ValueError = ValueError::WholeNumber { min: 1, max: None };

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
        ("day", json!(4_294_967_296.5), false),
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
