//! Generators of zones, days and hours for property tests. They lean towards clock changes.

use jiff::Timestamp;
use proptest::prelude::*;
use signup_core::{Day, EventDate, Hours, Zone};

/// Generates any zone of the database.
pub(crate) fn zones() -> impl Strategy<Value = Zone> {
    let all: Vec<Zone> = Zone::all().collect();
    prop::sample::select(all)
}

/// Generates any date in half of the cases. Else generates the day of a clock change of the zone, or the day before or
/// after.
pub(crate) fn days() -> impl Strategy<Value = Day> {
    let any_date = (0..2_932_532_i64).prop_map(|days| EventDate::MIN.plus_days(days).unwrap());
    (zones(), any_date, 0..2_000_000_000_i64, -1..=1_i64, any::<bool>()).prop_map(
        |(zone, date, second, near, is_change)| {
            let after = Timestamp::from_second(second).unwrap();
            let change = zone.rules().following(after).next().map(|change| zone.date_at(change.timestamp()));
            let changing =
                change.and_then(|date| EventDate::try_from(date).ok()).and_then(|date| date.plus_days(near));
            let date = changing.filter(|_| is_change).unwrap_or(date);
            Day::new(date, zone)
        },
    )
}

/// Generates any pair of wall times, on the first day or over midnight, and often one before 04:00, where most clock
/// changes are.
pub(crate) fn hours() -> impl Strategy<Value = Hours> {
    let pair = |most: u16| (0..most, 1..=most).prop_filter_map("in order", |pair| Hours::try_from(pair).ok());
    let night = |from: u16, until: u16| {
        (from..1440_u16, 0..until)
            .prop_map(|(start, end)| Hours::try_from((1, start, end.min(start), true)).unwrap())
    };
    prop_oneof![
        pair(1440),
        pair(240),
        night(0, 1440),
        night(1200, 240),
        Just(Hours::ALL_DAY),
        (0..1440_u16).prop_map(|start| Hours::try_from((start, start + 1)).unwrap())
    ]
}
