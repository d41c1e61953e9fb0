//! Every checked value and every id has the same conversions from and to text.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use signup_core::{
    AnswerText, BadgeLabel, CancellationReason, Capacity, Day, Description, Digest, EmailAddress, EventDate,
    EventId, EventKey, EventLocation, ExternalId, Hours, IdempotencyKey, Instructions, Label, Latitude,
    LocalDateTime, LocationData, Longitude, MessageSubject, MessageText, Name, NoticeId, Occupancy,
    Operation, OrganizationId, PersonName, Plan, Position, QuestionId, QuestionKind, Scope, Scopes,
    SearchText, Secret, ShiftId, ShiftLocation, SignupId, SignupStatus, TextError, Theme, TimeError, Title,
    TokenId, TokenText, WallTime, WebAddress, WebhookDescription, Zone, time,
};

const ID: &str = "01920000-0000-7000-8000-000000000001";
const CURSOR: &str = "AQEAAAAAAGtJ0gABkgAAAABwAIAAAAAAAAAB91mEmVwTU57V_opRI-bipw";
const DIGITS: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const SECRET: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const TOKEN: &str = "signup_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Checks that `text` is read by `FromStr` and by both `TryFrom`, and that `wrong` is refused with a reason.
fn assert_reads<T>(text: &str, wrong: &str) -> T
where
    T: FromStr<Err: Display + Debug> + PartialEq + Debug,
    T: for<'a> TryFrom<&'a str, Error: Debug> + TryFrom<String, Error: Debug>,
{
    let value: T = text.parse().unwrap();
    assert_eq!(T::try_from(text).unwrap(), value);
    assert_eq!(T::try_from(text.to_owned()).unwrap(), value);
    assert!(T::try_from(wrong).is_err() && T::try_from(wrong.to_owned()).is_err(), "{wrong}");
    let reason = wrong.parse::<T>().unwrap_err().to_string();
    assert!(reason.contains("must") || reason.contains("use"), "{reason}");
    value
}

/// Checks that a value is written as `text`, and that its serialized form reads back.
fn assert_writes<T: Display + Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, text: &str) {
    assert_eq!(value.to_string(), text);
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), *value, "{json}");
}

macro_rules! values {
    ($($type:ty: $text:expr, not $wrong:expr;)*) => {
        #[test]
        fn every_value_is_read_from_its_text_and_written_as_the_same_text() {
            $(assert_writes(&assert_reads::<$type>($text, $wrong), $text);)*
        }
    };
}

/// The serialized form of these types is a string, which is their text.
macro_rules! serialized_as_text {
    ($($type:ty: $text:expr;)*) => {
        #[test]
        fn a_value_is_serialized_as_its_text() {
            $(
                let value: $type = $text.parse().unwrap();
                assert_eq!(serde_json::to_value(&value).unwrap(), $text);
                assert!(serde_json::from_str::<$type>("\"\\u0000\"").is_err(), stringify!($type));
            )*
        }
    };
}

values! {
    AnswerText: "Yes", not " ";
    BadgeLabel: "New", not " ";
    Capacity: "8", not "+8";
    Description: "Two\nlines", not "";
    Digest: DIGITS, not &DIGITS[1..];
    EmailAddress: "ada@example.org", not "ada";
    EventDate: "2027-06-05", not "2027-6-5";
    LocalDateTime: "2027-06-05T09:30", not "2027-06-05 09:30";
    EventId: ID, not "1";
    EventLocation: "1 Main St", not "";
    Instructions: "Two\nlines", not "";
    ExternalId: "!~", not "night shift";
    IdempotencyKey: "key-1", not "key 1";
    Label: "T-shirt size", not "";
    Latitude: "-40.7128", not "90.5";
    LocationData: r#"{"floor":3}"#, not "[]";
    Longitude: "180", not "east";
    Name: "Riverside", not "";
    NoticeId: ID, not "1";
    Operation: "create-event", not "create-event/";
    OrganizationId: ID, not "1";
    PersonName: "Ada", not "Ada\nBob";
    Plan: "free", not "Free";
    Position<EventKey>: CURSOR, not &CURSOR[1..];
    QuestionId: ID, not "1";
    QuestionKind: "checkbox", not "radio";
    Scope: "slots:read", not "slots";
    Scopes: "events:read,slots:write", not "events:read,slots";
    ShiftId: ID, not "1";
    ShiftLocation: "Hall B", not "";
    SignupId: ID, not "1";
    SignupStatus: "cancelled", not "canceled";
    Theme: "golden-hour", not "golden";
    Title: "Food drive", not "";
    TokenId: ID, not "1";
    WallTime: "09:30", not "9:30";
    WebAddress: "https://example.org", not "example.org";
    Zone: "America/New_York", not "+02:00";
}

serialized_as_text! {
    EmailAddress: "ada@example.org";
    EventDate: "2027-06-05";
    LocalDateTime: "2027-06-05T09:30";
    EventId: ID;
    ExternalId: "roster/2027#17";
    IdempotencyKey: "key-1";
    Plan: "free";
    Position<EventKey>: CURSOR;
    QuestionKind: "checkbox";
    Scope: "slots:read";
    Scopes: "events:read,slots:write";
    SignupStatus: "cancelled";
    Theme: "golden-hour";
    Title: "Food drive";
    WallTime: "09:30";
    Zone: "America/New_York";
}

#[test]
fn every_operation_reads_back_from_its_text() {
    for operation in ["create-event".to_owned(), format!("duplicate-event/{ID}"), format!("patch-shift/{ID}")]
    {
        assert_eq!(operation.parse::<Operation>().unwrap().to_string(), operation);
    }
    for wrong in ["", "duplicate-event", "patch-shift/1", &format!("create-event/{ID}")] {
        assert!(wrong.parse::<Operation>().is_err(), "{wrong}");
    }
}

#[test]
fn every_name_reads_back_from_its_text() {
    assert!(Plan::ALL.iter().all(|plan| plan.name().parse() == Ok(*plan)));
    assert!(QuestionKind::ALL.iter().all(|kind| kind.name().parse() == Ok(*kind)));
    assert!(Scope::ALL.iter().all(|scope| scope.name().parse() == Ok(*scope)));
    assert!(SignupStatus::ALL.iter().all(|status| status.name().parse() == Ok(*status)));
    assert!(Theme::ALL.iter().all(|theme| theme.name().parse() == Ok(*theme)));
}

#[test]
fn a_secret_is_read_from_its_text_and_only_reveal_returns_it() {
    let secret: Secret = assert_reads(SECRET, &SECRET[1..]);
    let token: TokenText = assert_reads(TOKEN, SECRET);
    assert_eq!((secret.reveal(), token.reveal()), (SECRET, TOKEN));
    assert_eq!(format!("{secret:?} {token:?}"), "Secret(…) TokenText(signup_…)");
}

#[test]
fn a_serialized_secret_is_checked_and_no_error_contains_it() {
    assert_eq!(serde_json::to_value(SECRET.parse::<Secret>().unwrap()).unwrap(), SECRET);
    assert_eq!(serde_json::from_str::<Secret>(&format!("\"{SECRET}\"")).unwrap().reveal(), SECRET);
    assert_eq!(serde_json::from_str::<TokenText>(&format!("\"{TOKEN}\"")).unwrap().reveal(), TOKEN);
    let wrong = format!("\"{SECRET}B\"");
    for error in [
        serde_json::from_str::<Secret>(&wrong).unwrap_err(),
        serde_json::from_str::<TokenText>(&wrong).unwrap_err(),
    ] {
        assert!(!error.to_string().contains("AAAA"), "{error}");
    }
}

#[test]
fn a_wall_time_is_to_the_minute_and_before_24_00() {
    for (hour, minute, minutes) in
        [(0, 0, Some(0)), (9, 5, Some(545)), (23, 59, Some(1439)), (24, 0, None), (9, 60, None)]
    {
        assert_eq!(WallTime::new(hour, minute).ok().map(WallTime::minutes), minutes, "{hour}:{minute}");
    }
    assert_eq!(WallTime::from_minutes(1439), WallTime::new(23, 59).ok());
    assert_eq!(WallTime::from_minutes(1440), None);
    assert_eq!(WallTime::try_from(time(9, 5, 0, 0)), WallTime::new(9, 5));
    assert_eq!(WallTime::try_from(time(9, 5, 1, 0)), Err(TimeError::Seconds));
    assert_eq!(WallTime::try_from(time(9, 5, 0, 1)), Err(TimeError::Seconds));
}

#[test]
fn hours_end_after_their_start_and_at_most_at_24_00() {
    assert_eq!(Hours::between(time(12, 0, 0, 0), time(12, 0, 0, 0)), Err(TimeError::Order));
    for (start, end, length, written_end, text) in
        [(1380, 1439, 59, WallTime::new(23, 59).ok(), "23:00–23:59"), (1439, 1440, 1, None, "23:59–24:00")]
    {
        let hours = Hours::try_from((start, end)).unwrap();
        assert_eq!((hours.minutes(), hours.end(), hours.to_string().as_str()), (length, written_end, text));
    }
    assert_eq!(Hours::try_from((1439, 1441)), Err(TimeError::Order));
}

#[test]
fn a_night_ends_on_the_next_day_after_at_most_24_hours() {
    for (start, end, length, text) in [
        (1320, 360, 480, "22:00–06:00 (next day)"),
        (600, 600, 1440, "10:00–10:00 (next day)"),
        (1439, 0, 1, "23:59–00:00 (next day)"),
        (0, 0, 1440, "00:00–00:00 (next day)"),
    ] {
        let night = Hours::try_from((1, start, end, true)).unwrap();
        let (begins, ends) = (night.start(), night.end().unwrap());
        assert_eq!((night.minutes(), night.to_string().as_str()), (length, text));
        assert_eq!((begins.minutes(), ends.minutes(), night.ends_next_day()), (start, end, true));
        assert_eq!(Hours::overnight(begins, ends), Ok(night));
    }
    for (start, end) in [(600, 601), (0, 1440), (1439, 1440), (1440, 0)] {
        assert_eq!(Hours::try_from((1, start, end, true)), Err(TimeError::NextDay), "{start} to {end}");
    }
    let late = Hours::try_from((1380, 1440)).unwrap();
    assert_ne!(late, Hours::try_from((1, 1380, 0, true)).unwrap(), "as they were written");
}

#[test]
fn a_day_of_hours_is_counted_from_1() {
    let morning = Hours::try_from((540, 720)).unwrap();
    assert_eq!((morning.day(), morning.on_day(1)), (1, Ok(morning)));
    let third = morning.on_day(3).unwrap();
    assert_eq!((third.day(), third.to_string().as_str()), (3, "day 3, 09:00–12:00"));
    assert_eq!(morning.on_day(0), Err(TimeError::DayNumber));
    for (first, number, date) in [
        ("2027-02-27", 1, "2027-02-27"),
        ("2027-02-27", 3, "2027-03-01"),
        ("9998-12-31", 2, "9998-12-31"),
        ("1970-01-01", u32::MAX, "9998-12-31"),
    ] {
        let hours = Hours::ALL_DAY.on_day(number).unwrap();
        assert_eq!(hours.date(first.parse().unwrap()).to_string(), date);
        // A day out of range counts as the last date of the calendar.
        let day = Day::new(first.parse().unwrap(), "UTC".parse().unwrap());
        assert!(day.interval(hours).start < day.interval(hours).end);
    }
}

#[test]
fn hours_and_days_read_back_from_their_serialized_form() {
    let hours = Hours::parse(Some("09:30"), None).unwrap();
    assert_eq!(serde_json::to_string(&hours).unwrap(), "[1,570,1440,false]");
    assert_eq!(serde_json::from_str::<Hours>("[1,570,1440,false]").unwrap(), hours);
    for wrong in ["[1,570,570,false]", "[0,570,1440,false]", "[1,570,1440,true]"] {
        assert!(serde_json::from_str::<Hours>(wrong).is_err(), "{wrong}");
    }
    let day = Day::new("2026-03-08".parse().unwrap(), "America/New_York".parse().unwrap());
    let json = serde_json::to_string(&day).unwrap();
    assert_eq!(json, r#"{"date":"2026-03-08","zone":"America/New_York"}"#);
    assert_eq!(serde_json::from_str::<Day>(&json).unwrap(), day);
}

#[test]
fn the_debug_output_of_a_time_is_what_was_written() {
    let hours = Hours::parse(Some("09:30"), None).unwrap();
    assert_eq!(format!("{hours:?} {:?}", hours.start()), "09:30–24:00 09:30");
    let day = Day::new("2026-03-08".parse().unwrap(), "America/New_York".parse().unwrap());
    assert_eq!(format!("{day:?} {:?}", day.date()), "Day(2026-03-08 America/New_York) 2026-03-08");
}

/// Checks that a text of `max` characters is taken. Checks that one more character, a control character, and a text without a
/// visible character are refused. Only a text of several lines takes line breaks and tabs.
fn assert_bounded<T: FromStr<Err = TextError> + Debug + PartialEq>(max: usize, has_lines: bool) {
    let refused = |text: &str| text.parse::<T>().err();
    assert_eq!(refused(&"é".repeat(max)), None);
    assert_eq!(refused(&"😀".repeat(max + 1)), Some(TextError::TooLong { max }));
    for character in ['\0', '\u{1b}', '\u{7f}', '\u{9b}'] {
        assert_eq!(refused(&format!("a{character}b")), Some(TextError::Control { character }));
    }
    assert_eq!(refused("\u{3164}"), Some(TextError::Invisible));
    assert_eq!(refused("a\nb"), (!has_lines).then_some(TextError::LineBreak));
    assert_eq!(refused("a\tb"), (!has_lines).then_some(TextError::Control { character: '\t' }));
}

#[test]
fn every_text_is_bounded_and_visible_and_has_no_control_characters() {
    assert_bounded::<BadgeLabel>(255, false);
    assert_bounded::<EventLocation>(2_048, false);
    assert_bounded::<Label>(255, false);
    assert_bounded::<MessageSubject>(150, false);
    assert_bounded::<Name>(255, false);
    assert_bounded::<PersonName>(255, false);
    assert_bounded::<SearchText>(255, false);
    assert_bounded::<ShiftLocation>(255, false);
    assert_bounded::<Title>(255, false);
    assert_bounded::<AnswerText>(2_048, true);
    assert_bounded::<CancellationReason>(1_000, true);
    assert_bounded::<Description>(65_535, true);
    assert_bounded::<Instructions>(5_000, true);
    assert_bounded::<MessageText>(5_000, true);
    assert_bounded::<WebhookDescription>(255, true);
    let address = |length: usize| {
        let labels = ["a".repeat(63), "b".repeat(63), "c".repeat(length - 197), "org".to_owned()];
        format!("{}@{}", "x".repeat(64), labels.join("."))
    };
    assert!(address(254).len() == 254 && EmailAddress::new(&address(254)).is_ok());
    assert!(EmailAddress::new(&address(255)).is_err());
}

#[test]
fn the_bounds_of_coordinates_are_exact() {
    for good in [90.0, -90.0] {
        assert!(Latitude::new(good).is_ok() && Longitude::new(2.0 * good).is_ok(), "{good}");
    }
    for bad in [90.000_001, -90.000_001] {
        assert!(Latitude::new(bad).is_err() && Longitude::new(2.0 * bad).is_err(), "{bad}");
    }
}

proptest! {
    /// `remaining` is the capacity minus `filled`, at least 0. A shift is over-full exactly if `filled` is above the
    /// capacity.
    #[test]
    fn remaining_and_over_full_follow_from_the_counts(capacity in 0..=Capacity::MAX, filled in 0..=2 * Capacity::MAX) {
        let occupancy = Occupancy { filled, ..Occupancy::empty(Capacity::new(capacity).unwrap()) };
        prop_assert_eq!(i64::from(occupancy.remaining()), (i64::from(capacity) - i64::from(filled)).max(0));
        prop_assert_eq!(occupancy.is_over_full(), filled > capacity);
        prop_assert_eq!(occupancy.has_room(), filled < capacity);
    }
}
