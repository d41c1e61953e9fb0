//! Tests of times in words.

use signup_core::{Day, Hours};

use super::*;

fn times(zone: &str, date: &str, start: Option<&str>, end: Option<&str>) -> Times {
    let zone: Zone = zone.parse().unwrap();
    let day = Day::new(date.parse().unwrap(), zone.clone());
    Times::of(day.interval(Hours::parse(start, end).unwrap()), &zone, Texts::ENGLISH)
}

fn shown(zone: &str, date: &str, start: Option<&str>, end: Option<&str>) -> String {
    times(zone, date, start, end).to_string()
}

#[test]
fn times_are_shown_in_the_zone_of_the_event() {
    assert_eq!(
        shown("America/New_York", "2027-03-06", Some("09:00"), Some("12:30")),
        "Saturday 6 March 2027, 09:00–12:30 EST (New York time)"
    );
    assert_eq!(shown("Asia/Dubai", "2027-03-06", None, None), "Saturday 6 March 2027, all day (Dubai time)");
}

#[test]
fn a_clock_change_is_shown_in_times_and_offsets() {
    // Clocks jump from 02:00 to 03:00, so 02:30 does not exist.
    assert_eq!(
        shown("America/New_York", "2027-03-14", Some("02:30"), Some("05:00")),
        "Sunday 14 March 2027, 03:30–05:00 EDT (New York time)"
    );
    assert_eq!(
        shown("America/New_York", "2027-03-14", Some("01:00"), Some("05:00")),
        "Sunday 14 March 2027, 01:00 EST–05:00 EDT (New York time)"
    );
    assert_eq!(
        shown("America/New_York", "2027-11-07", Some("00:30"), None),
        "Sunday 7 November 2027, 00:30 EDT–24:00 EST (New York time)"
    );
}

#[test]
fn a_whole_day_is_all_day_whatever_the_clocks_do() {
    for (zone, date, start, end, is_whole_day) in [
        ("UTC", "2027-03-14", None, None, true),
        ("UTC", "2027-03-14", Some("00:00"), Some("23:59"), false),
        ("UTC", "2027-03-14", Some("00:01"), None, false),
        // A day of 23 hours, one of 25 hours, and one whose clocks began at 01:00.
        ("America/New_York", "2027-03-14", None, None, true),
        ("America/New_York", "2027-11-07", None, None, true),
        ("America/Sao_Paulo", "2018-11-04", None, None, true),
    ] {
        assert_eq!(times(zone, date, start, end).is_whole_day, is_whole_day, "{zone}, {date}");
    }
}

#[test]
fn a_list_of_the_console_has_short_times() {
    for (date, start, end, words) in [
        ("2027-03-06", Some("09:00"), Some("12:30"), "Sat 6 Mar, 09:00–12:30"),
        ("2027-03-06", None, None, "Sat 6 Mar, all day"),
        ("2027-03-14", Some("01:00"), Some("05:00"), "Sun 14 Mar, 01:00 EST–05:00 EDT"),
    ] {
        assert_eq!(times("America/New_York", date, start, end).short(), words);
    }
    let zone: Zone = "UTC".parse().unwrap();
    let american = Texts::of(Language::EnUs);
    let day = Day::new("2027-03-06".parse().unwrap(), zone.clone())
        .interval(Hours::parse(Some("09:00"), None).unwrap());
    assert_eq!(Times::of(day, &zone, american).short(), "Sat, Mar 6, 9:00 AM–midnight");
    assert_eq!(short_moment(day.start, &zone, american), "Mar 6, 2027, 9:00 AM");
    assert_eq!(short_moment(day.start, &zone, Texts::ENGLISH), "6 Mar 2027, 09:00");
    let night = Interval {
        start: "2027-03-06T22:00:00Z".parse().unwrap(),
        end: "2027-03-07T06:00:00Z".parse().unwrap(),
    };
    assert_eq!(Times::of(night, &zone, Texts::ENGLISH).clocks(), "22:00–06:00 (Sun)");
}

#[test]
fn the_days_of_an_event_share_what_they_have_in_common() {
    for (first, last, words) in [
        ("2026-12-05", None, "Saturday 5 December 2026"),
        ("2026-12-05", Some("2026-12-05"), "Saturday 5 December 2026"),
        ("2026-12-18", Some("2026-12-20"), "Friday 18 to Sunday 20 December 2026"),
        ("2026-11-30", Some("2026-12-01"), "Monday 30 November to Tuesday 1 December 2026"),
        ("2026-12-31", Some("2027-01-01"), "Thursday 31 December 2026 to Friday 1 January 2027"),
    ] {
        let last = last.map(|last| last.parse().unwrap());
        assert_eq!(range(first.parse().unwrap(), last, Texts::ENGLISH), words);
    }
}

#[test]
fn a_zone_is_a_place_in_words() {
    for (zone, words) in [
        ("America/New_York", "New York time"),
        ("America/Argentina/Buenos_Aires", "Buenos Aires time"),
        ("UTC", "UTC"),
        ("Etc/GMT+5", "Etc/GMT+5"),
    ] {
        assert_eq!(zone_in_words(&zone.parse().unwrap(), Texts::ENGLISH), words);
    }
}

#[test]
fn an_end_with_its_day_is_at_24_00_at_whatever_time_the_next_day_begins() {
    // The clocks of Havana jump from 00:00 to 01:00. Samoa skipped 30 December 2011.
    for (zone, date, words) in [
        ("America/Havana", "2026-03-07", "Saturday 7 March 2026, 20:00 CST–24:00 CDT (Havana time)"),
        ("Pacific/Apia", "2011-12-29", "Thursday 29 December 2011, 20:00 UTC-10–24:00 UTC+14 (Apia time)"),
    ] {
        assert_eq!(shown(zone, date, Some("20:00"), None), words);
    }
}

#[test]
fn an_end_on_another_day_shows_its_date() {
    // The clocks jump from 23:00 to 00:00.
    let times = times("America/Nuuk", "2027-03-27", Some("20:00"), Some("23:30"));
    assert_eq!(
        times.to_string(),
        "27 to 28 March 2027, Saturday 20:00 UTC-02 to Sunday 00:30 UTC-01 (Nuuk time)"
    );
    assert_eq!((times.end.clock.as_str(), times.end_day().as_deref()), ("00:30", Some("Sunday")));
}

#[test]
fn a_night_says_its_morning() {
    for (zone, date, start, end, words) in [
        ("UTC", "2027-03-06", "22:00", "06:00", "6 to 7 March 2027, Saturday 22:00 to Sunday 06:00 UTC"),
        (
            "America/New_York",
            "2027-03-13",
            "22:00",
            "06:00",
            "13 to 14 March 2027, Saturday 22:00 EST to Sunday 06:00 EDT (New York time)",
        ),
        (
            "UTC",
            "2026-12-31",
            "10:00",
            "10:00",
            "31 December 2026 to 1 January 2027, Thursday 10:00 to Friday 10:00 UTC",
        ),
        ("UTC", "2027-03-31", "20:00", "00:00", "Wednesday 31 March 2027, 20:00–24:00 UTC"),
    ] {
        let zone: Zone = zone.parse().unwrap();
        let night = Hours::overnight(start.parse().unwrap(), end.parse().unwrap()).unwrap();
        let interval = Day::new(date.parse().unwrap(), zone.clone()).interval(night);
        assert_eq!(Times::of(interval, &zone, Texts::ENGLISH).to_string(), words);
    }
}

#[test]
fn an_opening_names_its_year_only_if_the_event_is_in_another() {
    let (id, organization) = (signup_core::EventId::NONE, signup_core::OrganizationId::NONE);
    let first = Day::new("2027-03-20".parse().unwrap(), "America/New_York".parse().unwrap());
    let dates = signup_core::EventDates { first, last: None };
    let title = "Food drive".parse().unwrap();
    let event = Event::new(id, organization, title, "food-drive".to_owned(), dates, Timestamp::UNIX_EPOCH);
    for (at, words) in [
        ("2027-03-01T23:00:00Z", "Monday 1 March at 18:00"),
        ("2026-12-31T23:00:00Z", "Thursday 31 December 2026 at 18:00"),
        // In the gap of the clock change, 02:30 is 03:30.
        ("2027-03-14T07:30:00Z", "Sunday 14 March at 03:30"),
    ] {
        assert_eq!(opening(at.parse().unwrap(), &event), words);
    }
}

/// The first of a month, because French writes it in another way.
#[test]
fn each_language_has_its_own_dates_and_its_own_clock() {
    for (language, expected) in [
        (
            Language::EnUs,
            [
                "Monday, March 1, 2027, 9:00 AM–12:30 PM EST (New York time)",
                "Monday, March 1, 2027, 8:00 PM–midnight EST (New York time)",
                "March 1 to March 2, 2027, Monday 10:00 PM to Tuesday 6:00 AM EST (New York time)",
                "Monday, March 1, 2027, all day (New York time)",
                "Monday, March 1 to Tuesday, March 2, 2027",
                "March 1, 2027, 12:00 AM EST",
                "Monday, March 1, 2027 at 6:05 PM",
            ],
        ),
        (
            Language::De,
            [
                "Montag, 1. März 2027, 09:00–12:30 EST (Ortszeit New York)",
                "Montag, 1. März 2027, 20:00–24:00 EST (Ortszeit New York)",
                "1. bis 2. März 2027, Montag 22:00 bis Dienstag 06:00 EST (Ortszeit New York)",
                "Montag, 1. März 2027, ganztägig (Ortszeit New York)",
                "Montag, 1. bis Dienstag, 2. März 2027",
                "1. März 2027, 00:00 Uhr EST",
                "Montag, 1. März 2027, um 18:05 Uhr",
            ],
        ),
        (
            Language::Fr,
            [
                "lundi 1er mars 2027, 09:00–12:30 EST (heure locale à New York)",
                "lundi 1er mars 2027, 20:00–24:00 EST (heure locale à New York)",
                "du 1er au 2 mars 2027, de lundi 22:00 à mardi 06:00 EST (heure locale à New York)",
                "lundi 1er mars 2027, toute la journée (heure locale à New York)",
                "du lundi 1er au mardi 2 mars 2027",
                "1er mars 2027, 00:00 EST",
                "lundi 1er mars 2027 à 18:05",
            ],
        ),
        (
            Language::Es,
            [
                "lunes 1 de marzo de 2027, 09:00–12:30 EST (hora de New York)",
                "lunes 1 de marzo de 2027, 20:00–24:00 EST (hora de New York)",
                "del 1 al 2 de marzo de 2027, de lunes 22:00 a martes 06:00 EST (hora de New York)",
                "lunes 1 de marzo de 2027, todo el día (hora de New York)",
                "del lunes 1 al martes 2 de marzo de 2027",
                "1 de marzo de 2027, 00:00 EST",
                "lunes 1 de marzo de 2027 a las 18:05",
            ],
        ),
    ] {
        let (texts, zone) = (Texts::of(language), "America/New_York".parse::<Zone>().unwrap());
        let date = "2027-03-01".parse().unwrap();
        let shown = |hours| {
            let interval = Day::new(date, zone.clone()).interval(hours);
            Times::of(interval, &zone, texts).to_string()
        };
        let hours = |start, end| Hours::parse(start, end).unwrap();
        let night = Hours::overnight("22:00".parse().unwrap(), "06:00".parse().unwrap()).unwrap();
        let midnight = Day::new(date, zone.clone()).first_instant();
        let found = [
            shown(hours(Some("09:00"), Some("12:30"))),
            shown(hours(Some("20:00"), None)),
            shown(night),
            shown(hours(None, None)),
            range(date.date(), date.date().tomorrow().ok(), texts),
            moment(midnight, &zone, texts),
            local("2027-03-01T18:05".parse().unwrap(), texts),
        ];
        assert_eq!(found, expected);
    }
}
