//! The picture of a day: its shifts as bars over the hours.
//!
//! Positions follow from instants and not from times of day. So a bar is as long as its shift lasts, also over midnight and when
//! the clocks change. The labels of the hours are times of day.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use signup_core::{Interval, Occupancy, Zone};

use crate::page::times::{self, Moment};
use crate::texts::Texts;

/// The largest number of hours with a label, so that the labels fit on a phone.
const MAX_LABELS: i64 = 6;
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// A part of the width of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}%", self.0)
    }
}

/// The hours that the picture of a day shows: from the full hour before the first start to the full hour after the last end.
#[derive(Debug)]
pub(super) struct Timeline {
    start: Timestamp,
    end: Timestamp,
    pub(super) labels: Vec<HourLabel>,
    /// The present moment with its time of day and offset, such as `09:00 EST`, if the picture shows it.
    pub(super) now: Option<(Percent, String)>,
}

/// A line at a full hour, with its time of day.
#[derive(Debug, PartialEq)]
pub(super) struct HourLabel {
    pub(super) at: Percent,
    pub(super) clock: String,
    /// Which part of the label is at the line: its `start`, its `middle` or its `end`. A label at the edge stays inside the
    /// picture.
    pub(super) anchor: &'static str,
}

/// The bar of a shift. Its filled part shows how many of its places are taken.
#[derive(Debug, PartialEq)]
pub(super) struct ShiftBar {
    pub(super) x: Percent,
    pub(super) width: Percent,
    pub(super) filled: Percent,
    /// Whether more people have signed up than there are places.
    pub(super) is_over_full: bool,
}

impl Timeline {
    /// Returns the hours of shifts that begin on one day. `None` if there is no shift.
    pub(super) fn of(
        shifts: impl Iterator<Item = Interval> + Clone,
        zone: &Zone,
        texts: Texts,
        now: Timestamp,
    ) -> Option<Self> {
        let start = full_hour(shifts.clone().map(|shift| shift.start).min()?, zone);
        let last = shifts.map(|shift| shift.end).max()?;
        let before_end = full_hour(last, zone);
        let end = if before_end == last && last > start { last } else { before_end + HOUR };
        let mut timeline = Self { start, end, labels: vec![], now: None };
        let Moment { clock, offset, .. } = Moment::of(now, zone, texts);
        timeline.now = (start <= now && now <= end).then(|| (timeline.at(now), format!("{clock} {offset}")));
        timeline.labels = timeline.labels(zone, texts);
        Some(timeline)
    }

    fn at(&self, instant: Timestamp) -> Percent {
        let whole = self.end.duration_since(self.start).as_secs_f64();
        Percent(instant.duration_since(self.start).as_secs_f64() / whole * 100.0)
    }

    fn labels(&self, zone: &Zone, texts: Texts) -> Vec<HourLabel> {
        let hours = self.end.duration_since(self.start).as_hours();
        let step = [1, 2, 3, 4, 6, 12].into_iter().find(|step| hours / step <= MAX_LABELS).unwrap_or(24);
        let instants = (0..=hours).map(|hour| self.start + HOUR * i32::try_from(hour).unwrap_or(0));
        let labelled = instants.filter(|at| i64::from(times::wall(*at, zone).hour()) % step == 0);
        // `9 AM` is as long as `09:00`.
        let hour = |clock: String| clock.replace(":00 ", " ");
        let label = |at| {
            let Percent(share) = self.at(at);
            let anchor = match share {
                ..3.0 => "start",
                97.0.. => "end",
                _ => "middle",
            };
            HourLabel { at: Percent(share), clock: hour(times::clock(times::wall(at, zone), texts)), anchor }
        };
        labelled.map(label).collect()
    }

    /// Returns the bar of one of the shifts.
    pub(super) fn bar(&self, shift: Interval, occupancy: Occupancy) -> ShiftBar {
        let (x, end) = (self.at(shift.start), self.at(shift.end));
        let (filled, capacity) = (f64::from(occupancy.filled), f64::from(occupancy.capacity.volunteers()));
        let width = end.0 - x.0;
        let share = if capacity > 0.0 { (filled / capacity).min(1.0) } else { 0.0 };
        ShiftBar {
            x,
            width: Percent(width),
            filled: Percent(width * share),
            is_over_full: occupancy.is_over_full(),
        }
    }
}

/// Returns the last instant, not after this one, at which the clocks of the zone show a full hour.
fn full_hour(at: Timestamp, zone: &Zone) -> Timestamp {
    let wall = times::wall(at, zone);
    at - SignedDuration::new(
        i64::from(wall.minute()) * 60 + i64::from(wall.second()),
        wall.subsec_nanosecond(),
    )
}

#[cfg(test)]
mod tests {
    use signup_core::Capacity;

    use super::*;

    fn timeline(zone: &str, shifts: &[[&str; 2]]) -> (Timeline, Vec<Interval>) {
        let instant = |text: &str| text.parse::<Timestamp>().unwrap();
        let shifts: Vec<_> =
            shifts.iter().map(|[start, end]| Interval { start: instant(start), end: instant(end) }).collect();
        let zone = zone.parse().unwrap();
        let timeline = Timeline::of(shifts.iter().copied(), &zone, Texts::ENGLISH, Timestamp::UNIX_EPOCH);
        (timeline.unwrap(), shifts)
    }

    fn occupancy(filled: u32, capacity: u32) -> Occupancy {
        Occupancy { filled, ..Occupancy::empty(Capacity::new(capacity).unwrap()) }
    }

    /// Returns the labels, the bars and the filled parts, rounded to percent.
    fn shown(zone: &str, shifts: &[[&str; 2]]) -> String {
        let (timeline, shifts) = timeline(zone, shifts);
        let mut text = String::new();
        for label in &timeline.labels {
            text += &format!("{} {:.0} ", label.clock, label.at.0);
        }
        for shift in shifts {
            let ShiftBar { x, width, .. } = timeline.bar(shift, occupancy(0, 1));
            text += &format!("| {:.0} to {:.0} ", x.0, x.0 + width.0);
        }
        text.trim_end().to_owned()
    }

    #[test]
    fn the_hours_begin_before_the_first_shift_and_end_after_the_last_one() {
        let day = [
            ["2027-01-05T07:30:00Z", "2027-01-05T09:00:00Z"],
            ["2027-01-05T09:00:00Z", "2027-01-05T10:15:00Z"],
        ];
        assert_eq!(shown("UTC", &day), "07:00 0 08:00 25 09:00 50 10:00 75 11:00 100 | 12 to 50 | 50 to 81");
        assert_eq!(
            shown("UTC", &[["2027-01-05T09:00:00Z", "2027-01-05T09:15:00Z"]]),
            "09:00 0 10:00 100 | 0 to 25"
        );
    }

    #[test]
    fn a_shift_over_midnight_and_a_whole_day_have_few_labels() {
        let night = [["2027-01-05T20:00:00Z", "2027-01-06T06:00:00Z"]];
        assert_eq!(shown("UTC", &night), "20:00 0 22:00 20 00:00 40 02:00 60 04:00 80 06:00 100 | 0 to 100");
        let day = [["2027-01-05T00:00:00Z", "2027-01-06T00:00:00Z"]];
        assert_eq!(
            shown("UTC", &day),
            "00:00 0 04:00 17 08:00 33 12:00 50 16:00 67 20:00 83 00:00 100 | 0 to 100"
        );
        let two_days = [
            ["2027-01-05T00:00:00Z", "2027-01-05T01:00:00Z"],
            ["2027-01-05T23:00:00Z", "2027-01-06T22:00:00Z"],
        ];
        assert!(timeline("UTC", &two_days).0.labels.len() <= 7);
    }

    /// The clocks of Berlin skip 02:00, and show 02:00 twice in autumn. Those of Lord Howe move by half an hour.
    #[test]
    fn the_labels_are_those_that_the_clocks_show_when_they_change() {
        let spring = [["2027-03-28T00:00:00Z", "2027-03-28T03:00:00Z"]];
        assert_eq!(shown("Europe/Berlin", &spring), "01:00 0 03:00 33 04:00 67 05:00 100 | 0 to 100");
        let autumn = [["2027-10-30T23:00:00Z", "2027-10-31T02:00:00Z"]];
        assert_eq!(shown("Europe/Berlin", &autumn), "01:00 0 02:00 33 02:00 67 03:00 100 | 0 to 100");
        let half = [["2027-10-02T14:00:00Z", "2027-10-02T17:00:00Z"]];
        let lord_howe = "00:00 0 01:00 29 02:30 57 03:30 86 | 14 to 100";
        assert_eq!(shown("Australia/Lord_Howe", &half), lord_howe);
    }

    #[test]
    fn the_present_moment_is_shown_from_the_first_hour_to_the_last() {
        let day = ["09:15", "10:45"].map(|time| format!("2027-01-05T{time}:00Z").parse().unwrap());
        let day = Interval { start: day[0], end: day[1] };
        let now = |time: &str| {
            let now = format!("2027-01-05T{time}Z").parse().unwrap();
            let timeline = Timeline::of([day].into_iter(), &"UTC".parse().unwrap(), Texts::ENGLISH, now);
            timeline.unwrap().now.map(|(at, clock)| format!("{clock} at {at}"))
        };
        let shown = ["09:00:00", "09:30:00", "11:00:00"].map(now);
        assert_eq!(
            shown,
            ["09:00 UTC at 0.00%", "09:30 UTC at 25.00%", "11:00 UTC at 100.00%"]
                .map(|at| Some(at.to_owned()))
        );
        assert_eq!(["08:59:59", "11:00:01"].map(now), [None, None]);
    }

    #[test]
    fn the_filled_part_is_the_share_of_the_places_and_never_longer_than_the_bar() {
        let (timeline, shifts) = timeline("UTC", &[["2027-01-05T09:00:00Z", "2027-01-05T10:00:00Z"]]);
        let bar = |filled, capacity| {
            let bar = timeline.bar(shifts[0], occupancy(filled, capacity));
            (bar.filled.to_string(), bar.is_over_full)
        };
        assert_eq!(bar(0, 4), ("0.00%".to_owned(), false));
        assert_eq!(bar(1, 4), ("25.00%".to_owned(), false));
        assert_eq!(bar(5, 4), ("100.00%".to_owned(), true));
        assert_eq!(bar(1, 0), ("0.00%".to_owned(), true), "no place, and one volunteer");
    }
}
