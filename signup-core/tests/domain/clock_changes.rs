//! From hours to instants: known clock changes by name, and properties that hold on every day in every zone.

use std::collections::HashSet;

use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use signup_core::{Day, EventDate, EventDates, Hours, LocalDateTime, Zone};

use crate::generators::{days, hours};

fn day(date: &str, zone: &str) -> Day {
    Day::new(date.parse().unwrap(), zone.parse().unwrap())
}

/// Returns the instants of a shift, as `start/end` in UTC.
fn instants(date: &str, zone: &str, start: Option<&str>, end: Option<&str>) -> String {
    let interval = day(date, zone).interval(Hours::parse(start, end).unwrap());
    format!("{}/{}", interval.start, interval.end)
}

#[test]
fn a_shift_inside_the_gap_of_new_york_keeps_its_length() {
    let shift = instants("2026-03-08", "America/New_York", Some("02:30"), Some("03:00"));
    assert_eq!(shift, "2026-03-08T07:30:00Z/2026-03-08T08:00:00Z");
}

#[test]
fn a_shift_that_would_end_before_its_start_keeps_its_length() {
    let shift = instants("2026-03-08", "America/New_York", Some("02:30"), Some("03:15"));
    assert_eq!(shift, "2026-03-08T07:30:00Z/2026-03-08T08:15:00Z");
    let shift = instants("2026-03-08", "America/New_York", Some("02:30"), Some("03:30"));
    assert_eq!(shift, "2026-03-08T07:30:00Z/2026-03-08T08:30:00Z");
}

#[test]
fn a_time_in_a_fold_is_its_first_instant() {
    let shift = instants("2026-11-01", "America/New_York", Some("01:30"), Some("02:00"));
    assert_eq!(shift, "2026-11-01T05:30:00Z/2026-11-01T07:00:00Z");
    let shift = instants("2026-11-01", "America/New_York", Some("01:15"), Some("01:45"));
    assert_eq!(shift, "2026-11-01T05:15:00Z/2026-11-01T05:45:00Z");
}

#[test]
fn a_gap_and_a_fold_of_half_an_hour_follow_the_same_rules() {
    let shift = instants("2026-10-04", "Australia/Lord_Howe", Some("02:15"), Some("03:00"));
    assert_eq!(shift, "2026-10-03T15:45:00Z/2026-10-03T16:00:00Z");
    let shift = instants("2026-04-05", "Australia/Lord_Howe", Some("01:45"), Some("02:00"));
    assert_eq!(shift, "2026-04-04T14:45:00Z/2026-04-04T15:30:00Z");
}

#[test]
fn the_shifts_of_a_skipped_day_move_to_the_next_day() {
    let morning = instants("2011-12-30", "Pacific/Apia", Some("09:00"), Some("12:00"));
    assert_eq!(morning, "2011-12-30T19:00:00Z/2011-12-30T22:00:00Z");
    let all_day = instants("2011-12-30", "Pacific/Apia", None, None);
    assert_eq!(all_day, "2011-12-30T10:00:00Z/2011-12-31T10:00:00Z");
    let evening = instants("2011-12-30", "Pacific/Apia", Some("18:00"), None);
    assert_eq!(evening, "2011-12-31T04:00:00Z/2011-12-31T10:00:00Z");
    let first = day("2011-12-30", "Pacific/Apia").first_instant();
    assert_eq!(first, day("2011-12-31", "Pacific/Apia").first_instant());
}

#[test]
fn a_day_with_its_midnight_in_a_gap_begins_at_the_change() {
    for (date, zone, first) in [
        ("2026-03-29", "Asia/Beirut", "2026-03-28T22:00:00Z"),
        ("2024-04-26", "Africa/Cairo", "2024-04-25T22:00:00Z"),
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
        ("2026-03-08", "America/Havana", "2026-03-08T05:00:00Z"),
        ("1972-01-07", "Africa/Monrovia", "1972-01-07T00:44:30Z"),
    ] {
        let day = day(date, zone);
        assert_eq!(day.first_instant().to_string(), first, "{zone}");
        let all_day = day.interval(Hours::ALL_DAY);
        assert_eq!((all_day.start, all_day.end), (day.first_instant(), day.end()), "{zone}");
        let before = day.zone().date_at(day.first_instant() - SignedDuration::from_secs(1));
        assert!(before < day.date().date(), "{zone}: a second before it is the day before");
    }
}

#[test]
fn a_day_with_its_midnight_in_a_fold_begins_at_the_first_midnight() {
    // Havana, 2025-11-02: at 01:00 the clocks go back to 00:00.
    assert_eq!(day("2025-11-02", "America/Havana").first_instant().to_string(), "2025-11-02T04:00:00Z");
    let shift = instants("2025-11-02", "America/Havana", Some("00:30"), Some("01:00"));
    assert_eq!(shift, "2025-11-02T04:30:00Z/2025-11-02T06:00:00Z");
}

#[test]
fn a_day_whose_clocks_go_back_at_its_end_has_25_hours() {
    // São Paulo, 2018-02-17: at 24:00 the clocks go back to 23:00.
    let all_day = instants("2018-02-17", "America/Sao_Paulo", None, None);
    assert_eq!(all_day, "2018-02-17T02:00:00Z/2018-02-18T03:00:00Z");
    let night = instants("2018-02-17", "America/Sao_Paulo", Some("23:30"), None);
    assert_eq!(night, "2018-02-18T01:30:00Z/2018-02-18T03:00:00Z");
}

/// Returns the instants of a night, as `start/end` in UTC.
fn night(date: &str, zone: &str, start: &str, end: &str) -> String {
    let night = Hours::overnight(start.parse().unwrap(), end.parse().unwrap()).unwrap();
    let interval = day(date, zone).interval(night);
    format!("{}/{}", interval.start, interval.end)
}

#[test]
fn a_night_is_an_hour_shorter_or_longer_where_the_clocks_change() {
    let short = night("2026-03-07", "America/New_York", "22:00", "06:00");
    assert_eq!(short, "2026-03-08T03:00:00Z/2026-03-08T10:00:00Z");
    let long = night("2026-10-31", "America/New_York", "22:00", "06:00");
    assert_eq!(long, "2026-11-01T02:00:00Z/2026-11-01T11:00:00Z");
}

#[test]
fn each_end_of_a_night_in_a_gap_or_a_fold_is_resolved_on_its_own_day() {
    let gap = night("2026-03-07", "America/New_York", "22:00", "02:30");
    assert_eq!(gap, "2026-03-08T03:00:00Z/2026-03-08T07:30:00Z");
    let fold = night("2026-10-31", "America/New_York", "22:00", "01:30");
    assert_eq!(fold, "2026-11-01T02:00:00Z/2026-11-01T05:30:00Z");
    // The next day begins at 01:00.
    let midnight = night("2018-11-03", "America/Sao_Paulo", "22:00", "00:00");
    assert_eq!(midnight, "2018-11-04T01:00:00Z/2018-11-04T03:00:00Z");
    // The next day is skipped.
    let skipped = night("2011-12-29", "Pacific/Apia", "22:00", "06:00");
    assert_eq!(skipped, "2011-12-30T08:00:00Z/2011-12-30T16:00:00Z");
    // The day itself is skipped.
    let from_skipped = night("2011-12-30", "Pacific/Apia", "22:00", "06:00");
    assert_eq!(from_skipped, "2011-12-31T08:00:00Z/2011-12-31T16:00:00Z");
}

#[test]
fn a_copy_of_a_shift_in_a_gap_keeps_the_written_hours() {
    let dates = EventDates { first: day("2026-03-08", "America/New_York"), last: None };
    let hours = Hours::parse(Some("02:30"), Some("03:00")).unwrap();
    let copied = dates.moved_to("2026-03-15".parse().unwrap()).unwrap().first.interval(hours);
    assert_eq!(copied.start.to_string(), "2026-03-15T06:30:00Z");
    assert_eq!(copied.end.to_string(), "2026-03-15T07:00:00Z");
}

#[test]
fn the_last_day_of_the_calendar_has_24_hours() {
    for zone in ["Pacific/Kiritimati", "Etc/GMT+12", "America/New_York", "UTC"] {
        let day = day("9998-12-31", zone);
        let all_day = day.interval(Hours::ALL_DAY);
        assert_eq!(all_day.end.duration_since(all_day.start), SignedDuration::from_hours(24), "{zone}");
        let dates = EventDates { first: day, last: None };
        assert!(dates.ends_at() > dates.starts_at());
        assert_eq!(dates.first.date().plus_days(1), None);
    }
}

#[test]
fn a_zone_is_found_in_any_case_and_returns_the_spelling_of_the_database() {
    for (given, name) in [
        ("america/new_york", "America/New_York"),
        ("UTC", "UTC"),
        ("utc", "UTC"),
        ("us/eastern", "US/Eastern"),
        ("etc/gmt+12", "Etc/GMT+12"),
        ("EUROPE/KYIV", "Europe/Kyiv"),
    ] {
        assert_eq!(given.parse::<Zone>().unwrap().name(), name);
    }
}

#[test]
fn a_name_outside_of_the_database_is_not_a_zone() {
    for name in [
        "",
        " ",
        "Local",
        "localtime",
        "LOCALTIME",
        "posixrules",
        "Factory",
        "Etc/Unknown",
        "etc/unknown",
        "+02:00",
        "-05",
        "EST5EDT4,M3.2.0,M11.1.0",
        "GMT+25",
        "America/New York",
        " UTC",
        "UTC ",
        "America/Nowhere",
        "../UTC",
        "Z",
        "null",
    ] {
        assert!(name.parse::<Zone>().is_err(), "{name:?}");
    }
}

#[test]
fn dates_and_times_are_accepted_only_in_the_exact_format() {
    for date in ["1970-01-01", "9998-12-31", "2024-02-29"] {
        assert_eq!(date.parse::<EventDate>().unwrap().to_string(), date);
    }
    for date in [
        "1969-12-31",
        "9999-01-01",
        "2026-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-1-1",
        "20260912",
        "2026-09-12T00:00",
        " 2026-09-12",
        "2026-09-12 ",
        "+2026-09-12",
        "2026/09/12",
        "٢٠٢٦-٠٩-١٢",
        "",
    ] {
        assert!(date.parse::<EventDate>().is_err(), "{date:?}");
    }
    for time in ["00:00", "23:59", "09:05"] {
        assert!(
            Hours::parse(None, Some("23:59")).is_ok() && time.parse::<signup_core::WallTime>().is_ok(),
            "{time}"
        );
    }
    for time in [
        "24:00",
        "9:00",
        "09",
        "0900",
        "09:60",
        "T09:30",
        "09:30:00",
        "09:30+02:00",
        " 09:30",
        "-1:30",
        "+9:30",
    ] {
        assert!(time.parse::<signup_core::WallTime>().is_err(), "{time:?}");
    }
}

/// Every gap since 1970 that skips midnight begins at midnight. So an omitted start and `00:00` name the same instant.
#[test]
fn a_gap_over_midnight_begins_at_midnight() {
    let (from, to): (Timestamp, Timestamp) =
        ("1970-01-02T00:00Z".parse().unwrap(), "2040-01-01T00:00Z".parse().unwrap());
    for zone in Zone::all() {
        for change in zone.rules().following(from).take_while(|change| change.timestamp() < to) {
            let at = change.timestamp();
            let before = zone.rules().to_datetime(at - SignedDuration::from_nanos(1));
            let after = zone.rules().to_datetime(at);
            let skips_midnight =
                after.date() > before.date() && after > before.date().tomorrow().unwrap().at(0, 0, 0, 0);
            if skips_midnight {
                let is_at_midnight = (before.hour(), before.minute(), before.second()) == (23, 59, 59);
                assert!(is_at_midnight, "{} at {at}: {before} to {after}", zone.name());
            }
        }
    }
}

/// On most days an instant is computed by addition. The result must equal that of the zone's rules.
#[test]
fn each_wall_time_around_every_change_follows_the_rules_of_its_zone() {
    let since = "1970-01-03T00:00:00Z".parse().unwrap();
    let until = "2040-01-01T00:00:00Z".parse().unwrap();
    for zone in Zone::all() {
        let changes = zone.rules().following(since).map(|change| change.timestamp());
        for change in changes.take_while(|change| *change < until) {
            let date = EventDate::try_from(zone.date_at(change)).unwrap();
            for near in -1..=1 {
                let day = Day::new(date.plus_days(near).unwrap(), zone.clone());
                for quarter in 1..96_i8 {
                    let wall = day.date().date().at(quarter / 4, quarter % 4 * 15, 0, 0);
                    let by_rules = zone.rules().to_ambiguous_timestamp(wall).compatible().unwrap();
                    let minutes = u16::from(quarter.unsigned_abs()) * 15;
                    let interval = day.interval(Hours::try_from((minutes, 1440)).unwrap());
                    assert_eq!(interval.start, by_rules, "{wall} in {zone}");
                }
            }
        }
    }
}

/// Returns wall times, in minutes, that lean towards a change: its two sides, between them, and the ends of the day.
fn wall_times_around(change: Timestamp, zone: &Zone) -> Vec<u16> {
    let minute = |at: Timestamp| {
        let time = zone.rules().to_datetime(at).time();
        u16::from(time.hour().unsigned_abs()) * 60 + u16::from(time.minute().unsigned_abs())
    };
    let (before, after) = (minute(change - SignedDuration::from_secs(1)), minute(change));
    let mut times = vec![0, 1439, before, (before + 1).min(1439), after.saturating_sub(1), after];
    times.push(u16::midpoint(before, after));
    times.sort_unstable();
    times.dedup();
    times
}

/// On the day of a change and on the night before: each end is resolved on its own day. An end that is then not after the start
/// is the start plus the wall-clock length.
#[test]
fn each_end_around_every_change_is_resolved_on_its_own_day() {
    let since: Timestamp = "1970-01-03T00:00:00Z".parse().unwrap();
    let until = "2038-01-01T00:00:00Z".parse().unwrap();
    let mut known = HashSet::new();
    for zone in Zone::all() {
        let changes = zone.rules().following(since).map(|change| (change.timestamp(), change.offset()));
        let changes: Vec<_> = changes.take_while(|(change, _)| *change < until).collect();
        if !known.insert((zone.rules().to_offset(since), changes.clone())) {
            continue;
        }
        for (change, _) in changes {
            let times = wall_times_around(change, &zone);
            let date = EventDate::try_from(zone.date_at(change - SignedDuration::from_secs(1))).unwrap();
            let first = Day::new(date.plus_days(-1).unwrap(), zone.clone());
            let by_rules = |day: i64| {
                let day = Day::new(first.date().plus_days(day - 1).unwrap(), zone.clone());
                let midnight = day.date().date().to_datetime(Time::midnight());
                let at = |minutes: u16| match minutes {
                    0 => day.first_instant(),
                    _ => {
                        let wall = midnight + SignedDuration::from_mins(minutes.into());
                        zone.rules().to_ambiguous_timestamp(wall).compatible().unwrap()
                    }
                };
                times.iter().map(|minutes| at(*minutes)).collect::<Vec<_>>()
            };
            let instants = [1, 2, 3].map(by_rules);
            for (day, start, end) in (1..=2).flat_map(|day: u8| {
                let pairs = (0..times.len()).flat_map(|start| (0..times.len()).map(move |end| (start, end)));
                pairs.map(move |(start, end)| (usize::from(day), start, end))
            }) {
                let is_night = end <= start;
                let number = u32::try_from(day).unwrap();
                let hours = Hours::try_from((number, times[start], times[end], is_night)).unwrap();
                let (start, end) = (instants[day - 1][start], instants[day - 1 + usize::from(is_night)][end]);
                let length = SignedDuration::from_mins(hours.minutes().into());
                let end = if start < end { end } else { start + length };
                let found = first.interval(hours);
                assert_eq!((found.start, found.end), (start, end), "{hours} from {first:?}");
                assert!(start < end, "{hours} from {first:?}");
            }
        }
    }
}

/// Returns whether the clocks do not change from the day before to the day after.
fn is_ordinary(day: &Day) -> bool {
    let margin = SignedDuration::from_hours(36);
    let next = day.zone().rules().following(day.first_instant() - margin).next();
    next.is_none_or(|change| change.timestamp() > day.end() + margin)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// The start is before the end in every zone, on every date, for every pair of wall times.
    #[test]
    fn the_start_is_before_the_end(day in days(), hours in hours()) {
        let interval = day.interval(hours);
        prop_assert!(interval.start < interval.end);
    }

    /// Outside of gaps and folds, the start shows the written wall time, and the length is that of the wall clock.
    #[test]
    fn hours_outside_of_clock_changes_keep_their_wall_times(day in days(), hours in hours()) {
        prop_assume!(is_ordinary(&day));
        let interval = day.interval(hours);
        let start = day.zone().rules().to_datetime(interval.start);
        prop_assert_eq!(start.date(), day.date().date());
        prop_assert_eq!(start.time().to_string(), format!("{}:00", hours.start()));
        let length = interval.end.duration_since(interval.start);
        prop_assert_eq!(length, SignedDuration::from_mins(i64::from(hours.minutes())));
    }

    /// The first instant of a day is on that day, or on the next if the zone skipped the day. A second earlier is
    /// before the day.
    #[test]
    fn no_earlier_instant_is_on_the_day(day in days()) {
        let first = day.first_instant();
        prop_assert!(day.zone().date_at(first) >= day.date().date());
        prop_assert!(day.zone().date_at(first - SignedDuration::from_secs(1)) < day.date().date());
    }

    /// A day ends when the next one begins.
    #[test]
    fn a_day_ends_at_the_first_instant_of_the_next(day in days()) {
        let Some(date) = day.date().plus_days(1) else { return Ok(()) };
        prop_assert_eq!(day.end(), Day::new(date, day.zone().clone()).first_instant());
    }

    /// A shift lies within its day, or ends on the next, unless a gap or a skipped day moves it.
    #[test]
    fn a_shift_lies_within_its_day(day in days(), hours in hours()) {
        prop_assume!(is_ordinary(&day));
        let interval = day.interval(hours);
        prop_assert!(day.first_instant() <= interval.start);
        let last = if hours.ends_next_day() { day.date().plus_days(1) } else { Some(day.date()) };
        let Some(last) = last else { return Ok(()) };
        prop_assert!(interval.end <= Day::new(last, day.zone().clone()).end());
    }

    /// On a later day, hours name the instants that they name on that date.
    #[test]
    fn the_days_of_hours_are_counted_from_the_first(day in days(), hours in hours(), number in 1..400_u32) {
        let Some(date) = day.date().plus_days(i64::from(number) - 1) else { return Ok(()) };
        let there = hours.on_day(number).unwrap();
        prop_assert_eq!(day.interval(there), Day::new(date, day.zone().clone()).interval(hours));
        prop_assert_eq!(there.date(day.date()), date);
    }

    /// A copy to any date and back has the dates and the instants of the original.
    #[test]
    fn a_copy_moved_back_equals_the_original(
        day in days(), other in days(), length in 0..400_i64, hours in hours(), number in 1..400_u32,
    ) {
        let last = day.date().plus_days(length);
        let hours = hours.on_day(number).unwrap();
        let dates = EventDates { first: day.clone(), last };
        let Some(moved) = dates.moved_to(other.date()) else { return Ok(()) };
        prop_assert_eq!(moved.days(), dates.days());
        let back = moved.moved_to(day.date()).unwrap();
        prop_assert_eq!(&back, &dates);
        prop_assert_eq!(back.first.interval(hours), day.interval(hours));
        prop_assert_eq!(back.ends_at(), dates.ends_at());
    }
}

#[test]
fn the_clocks_show_a_minute_without_its_seconds_also_the_second_time() {
    let zone: Zone = "America/New_York".parse().unwrap();
    for (now, shown) in [
        ("2027-06-04T12:00:59Z", "2027-06-04T08:00"),
        // In the fold: the instant of the time is the first one.
        ("2027-11-07T05:30:00Z", "2027-11-07T01:30"),
        ("2027-11-07T06:30:00Z", "2027-11-07T01:30"),
        ("1970-01-01T00:00:00Z", "1970-01-01T19:00"),
    ] {
        let now: Timestamp = now.parse().unwrap();
        let local = LocalDateTime::shown_at(now, &zone);
        assert_eq!(local.to_string(), shown);
        assert!(shown.starts_with("1970") || local.instant(&zone) <= now);
    }
}
