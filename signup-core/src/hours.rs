//! Shift hours: the wall-clock times that an organizer wrote, and the instants they name.
//!
//! A shift stores its wall-clock [`Hours`]. Instants are derived from the event's date and [`Zone`] on demand. So a
//! copy that lands on a clock change keeps its time of day, and a copy moved back equals the original.
//!
//! **Invariant:** no other module turns a clock time into an instant.

mod written;

use std::fmt;

use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

pub use self::written::{EventDate, WallTime};
pub use crate::time_error::TimeError;
use crate::zone::Zone;

const MINUTES_OF_A_DAY: u16 = 24 * 60;
/// The length of a day without a clock change.
const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// The wall-clock times of a shift, as the organizer wrote them. The end is after the start, and on the same day.
///
/// On a day with a clock change, a time can be skipped or come twice. [`Day`] defines the instants that it then names.
///
/// ```
/// use signup_core::Hours;
///
/// let morning = Hours::parse(Some("09:00"), Some("12:30"))?;
/// assert_eq!(morning.minutes(), 210);
/// let all_day = Hours::parse(None, None)?;
/// assert_eq!(all_day.to_string(), "00:00–24:00");
/// assert!(Hours::parse(Some("12:30"), Some("12:30")).is_err());
/// # Ok::<(), signup_core::TimeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "(u16, u16)", into = "(u16, u16)")]
pub struct Hours {
    start: u16,
    end: u16,
}

impl Hours {
    /// The whole day, from 00:00 to 24:00.
    pub const ALL_DAY: Self = Self { start: 0, end: MINUTES_OF_A_DAY };

    /// Creates hours from `start` to `end`. A missing start is 00:00, a missing end is 24:00.
    ///
    /// # Errors
    /// Returns [`TimeError::Order`] unless the end is after the start.
    pub fn new(start: Option<WallTime>, end: Option<WallTime>) -> Result<Self, TimeError> {
        Self::try_from((start.map_or(0, WallTime::minutes), end.map_or(MINUTES_OF_A_DAY, WallTime::minutes)))
    }

    /// Creates hours from `start` to `end`, both to the minute. For an end at 24:00, use [`new`](Self::new).
    ///
    /// # Errors
    /// Returns [`TimeError::Seconds`] if a time has seconds, and [`TimeError::Order`] unless the end is after the
    /// start.
    pub fn between(start: Time, end: Time) -> Result<Self, TimeError> {
        Self::new(Some(start.try_into()?), Some(end.try_into()?))
    }

    /// Parses texts written `HH:MM`. A missing start is 00:00, a missing end is 24:00.
    ///
    /// # Errors
    /// Returns [`TimeError::WallTime`] if a text is not a time, and [`TimeError::Order`] unless the end is after the
    /// start.
    pub fn parse(start: Option<&str>, end: Option<&str>) -> Result<Self, TimeError> {
        Self::new(start.map(str::parse).transpose()?, end.map(str::parse).transpose()?)
    }

    /// Returns the start.
    pub const fn start(self) -> WallTime {
        WallTime(self.start)
    }

    /// Returns the end, or `None` for midnight at the end of the day.
    pub fn end(self) -> Option<WallTime> {
        WallTime::from_minutes(self.end)
    }

    /// Returns the length by the wall clock, in minutes: 1 to 1440.
    pub const fn minutes(self) -> u16 {
        self.end - self.start
    }

    /// Splits the hours into parts of `minutes` each, in order. Returns `None` unless the parts fill the hours exactly.
    ///
    /// ```
    /// use signup_core::Hours;
    ///
    /// let morning = Hours::parse(Some("09:00"), Some("11:00"))?;
    /// let parts = morning.parts(60).unwrap_or_default();
    /// assert_eq!(parts.iter().map(Hours::to_string).collect::<Vec<_>>(), ["09:00–10:00", "10:00–11:00"]);
    /// assert_eq!(morning.parts(50), None);
    /// # Ok::<(), signup_core::TimeError>(())
    /// ```
    pub fn parts(self, minutes: u16) -> Option<Vec<Self>> {
        if minutes == 0 || !self.minutes().is_multiple_of(minutes) {
            return None;
        }
        let starts = (self.start..self.end).step_by(minutes.into());
        Some(starts.map(|start| Self { start, end: start + minutes }).collect())
    }
}

impl TryFrom<(u16, u16)> for Hours {
    type Error = TimeError;

    /// Converts minutes since midnight, where 1440 is the end of the day.
    ///
    /// # Errors
    /// Returns [`TimeError::Order`] unless the end is after the start and at most 1440.
    fn try_from((start, end): (u16, u16)) -> Result<Self, TimeError> {
        (start < end && end <= MINUTES_OF_A_DAY).then_some(Self { start, end }).ok_or(TimeError::Order)
    }
}

impl From<Hours> for (u16, u16) {
    fn from(hours: Hours) -> Self {
        (hours.start, hours.end)
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}–{:02}:{:02}", self.start(), self.end / 60, self.end % 60)
    }
}

impl fmt::Debug for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The instants from `start` up to but not including `end`. The start is before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// The first instant.
    pub start: Timestamp,
    /// The first instant after the interval.
    pub end: Timestamp,
}

impl Interval {
    /// Returns whether the interval has ended at `now`.
    pub fn is_over(self, now: Timestamp) -> bool {
        self.end <= now
    }
}

/// A date in a zone. Turns hours into instants.
///
/// The zone's clock changes are looked up once, when the day is created. On a day without a clock change, an instant is
/// computed by addition.
///
/// Around a clock change, a wall time becomes an instant as follows:
///
/// - A time in a *gap* (skipped by the clocks) moves forward by the length of the gap: New York, 2026-03-08, 02:30 is
///   the instant at which clocks show 03:30.
/// - A time in a *fold* (shown twice by the clocks) is the first of its two instants.
/// - A start at 00:00 is the first instant of the day, and an end at 24:00 is the first instant of the next day, even
///   if midnight is in a gap.
/// - If a shift would then end at or before its start, its end is its start plus its wall-clock length.
///
/// So the start is before the end for every zone, date and hours. The zone data is compiled in and the host's is never
/// read, so all processes of one version agree.
///
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "DateAndZone", into = "DateAndZone")]
pub struct Day {
    date: EventDate,
    zone: Zone,
    /// The first instant, if the whole day has one offset from UTC.
    steady_from: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct DateAndZone {
    date: EventDate,
    zone: Zone,
}

impl From<DateAndZone> for Day {
    fn from(DateAndZone { date, zone }: DateAndZone) -> Self {
        Self::new(date, zone)
    }
}

impl From<Day> for DateAndZone {
    fn from(Day { date, zone, .. }: Day) -> Self {
        Self { date, zone }
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Day({:?} {})", self.date, self.zone)
    }
}

impl Day {
    /// Creates the day `date` in `zone`.
    pub fn new(date: EventDate, zone: Zone) -> Self {
        let steady_from = steady_midnight(date.date(), zone.rules());
        Self { date, zone, steady_from }
    }

    /// Returns the date by the wall clock.
    pub const fn date(&self) -> EventDate {
        self.date
    }

    /// Returns the zone.
    pub const fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Returns the first instant of the day. For a day that its zone skipped, returns the instant of the skip.
    pub fn first_instant(&self) -> Timestamp {
        self.steady_from.unwrap_or_else(|| first_instant(self.date.date(), self.zone.rules()))
    }

    /// Returns the first instant after the day.
    pub fn end(&self) -> Timestamp {
        match self.steady_from {
            Some(midnight) => midnight + A_DAY,
            None => first_instant(day_after(self.date), self.zone.rules()),
        }
    }

    /// Returns the instants that `hours` name on this day, by the [rules](Self) around a clock change.
    pub fn interval(&self, hours: Hours) -> Interval {
        let start = if hours.start == 0 { self.first_instant() } else { self.instant(hours.start) };
        let end = if hours.end == MINUTES_OF_A_DAY { self.end() } else { self.instant(hours.end) };
        let end =
            if start < end { end } else { start + SignedDuration::from_mins(i64::from(hours.minutes())) };
        Interval { start, end }
    }

    fn instant(&self, minutes: u16) -> Timestamp {
        if let Some(midnight) = self.steady_from {
            return midnight + SignedDuration::from_mins(i64::from(minutes));
        }
        let (hour, minute) = ((minutes / 60).cast_signed(), (minutes % 60).cast_signed());
        #[expect(clippy::cast_possible_truncation, reason = "hours are below 24, minutes below 60")]
        let wall = self.date.date().at(hour as i8, minute as i8, 0, 0);
        in_range(self.zone.rules().to_ambiguous_timestamp(wall).compatible())
    }
}

/// Returns the first instant of the date, if the zone has no change from that instant to 24 hours later, both included.
///
/// Every wall time of such a date has the offset of midnight:
///
/// - If midnight is in a fold, the first instant is the first of the two midnights. The change comes later, and is
///   found.
/// - A fold before midnight is over at the first instant, so it does not affect the date.
/// - If midnight is in a gap, the change is the first instant itself, and is found.
fn steady_midnight(date: Date, zone: &TimeZone) -> Option<Timestamp> {
    let first = first_instant(date, zone);
    let change = next_change(zone, first);
    change.is_none_or(|change| change > first + A_DAY).then_some(first)
}

fn day_after(date: EventDate) -> Date {
    #[expect(clippy::expect_used, reason = "an event's date ends a year before the calendar does")]
    date.date().tomorrow().expect("9999-01-01 is a date")
}

fn first_instant(date: Date, zone: &TimeZone) -> Timestamp {
    let midnight = zone.to_ambiguous_timestamp(date.at(0, 0, 0, 0));
    let AmbiguousOffset::Gap { before, after } = midnight.offset() else {
        return in_range(midnight.compatible());
    };
    // The clocks jumped over midnight, and the jump is the first instant of the day. With the offset before the jump,
    // midnight is at or after the jump; with the offset after the jump, midnight is before it.
    let [read_before, read_after] =
        [before, after].map(|offset| in_range(offset.to_timestamp(date.at(0, 0, 0, 0))));
    next_change(zone, read_after).filter(|jump| *jump <= read_before).unwrap_or(read_before)
}

/// Returns the first change of the zone at `instant` or later.
///
/// Searches forward, because jiff 0.2's `preceding` omits some changes, such as that of America/Metlakatla on
/// 2019-01-20.
fn next_change(zone: &TimeZone, instant: Timestamp) -> Option<Timestamp> {
    zone.following(instant - SignedDuration::from_secs(1)).next().map(|change| change.timestamp())
}

fn in_range(instant: Result<Timestamp, jiff::Error>) -> Timestamp {
    #[expect(
        clippy::expect_used,
        reason = "jiff's range reaches past 9999-01-01 and before 1970 in every zone"
    )]
    instant.expect("every instant of an event's date is in range")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No zone has such a gap since 1970, but later zone data may have one.
    #[test]
    fn a_day_begins_at_the_change_even_if_its_gap_begins_before_midnight() {
        let toronto: Zone = "America/Toronto".parse().unwrap();
        // 1919-03-30: at 23:30 the clocks go forward to 00:30.
        let first = first_instant(jiff::civil::date(1919, 3, 31), toronto.rules());
        assert_eq!(first.to_string(), "1919-03-31T04:30:00Z");
    }
}
