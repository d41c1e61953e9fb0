//! Shift hours: the wall-clock times that an organizer wrote, and the instants they name.
//!
//! A shift stores its wall-clock [`Hours`]. Instants are derived from the first day of the event, a [`Day`], on demand. So a
//! copy that lands on a clock change keeps its time of day, and a copy moved back equals the original.
//!
//! **Invariant:** no other module turns a clock time into an instant.

mod written;

use std::fmt;

use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

pub use self::written::{EventDate, LocalDateTime, WallTime};
pub use crate::time_error::TimeError;
use crate::zone::Zone;

const MINUTES_OF_A_DAY: u16 = 24 * 60;
/// The length of a day without a clock change.
const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// The day of a shift and its wall-clock times, as the organizer wrote them.
///
/// Days are numbered from 1, the first day of the event. So hours keep their meaning if the event moves to another date.
/// The end is on the same day, after the start; or it is on the next day, at the time of day of the start or before. So
/// hours last at most 24 hours by the wall clock.
///
/// On a day with a clock change, a time can be skipped or come twice. [`Day`] defines the instants that it then names.
///
/// ```
/// use signup_core::Hours;
///
/// let morning = Hours::parse(Some("09:00"), Some("12:30"))?;
/// assert_eq!((morning.day(), morning.minutes()), (1, 210));
/// let night = Hours::overnight("22:00".parse()?, "06:00".parse()?)?.on_day(2)?;
/// assert_eq!((night.day(), night.minutes(), night.ends_next_day()), (2, 480, true));
/// let all_day = Hours::parse(None, None)?;
/// assert_eq!(all_day.to_string(), "00:00–24:00");
/// assert!(Hours::parse(Some("12:30"), Some("12:30")).is_err());
/// # Ok::<(), signup_core::TimeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "(u32, u16, u16, bool)", into = "(u32, u16, u16, bool)")]
pub struct Hours {
    day: u32,
    start: u16,
    /// The minutes since midnight of the day on which the shift ends.
    end: u16,
    ends_next_day: bool,
}

impl Hours {
    /// The whole first day, from 00:00 to 24:00.
    pub const ALL_DAY: Self = Self { day: 1, start: 0, end: MINUTES_OF_A_DAY, ends_next_day: false };

    /// Creates hours on the first day, from `start` to `end`. A missing start is 00:00, a missing end is 24:00.
    ///
    /// # Errors
    /// Returns [`TimeError::Order`] unless the end is after the start.
    pub fn new(start: Option<WallTime>, end: Option<WallTime>) -> Result<Self, TimeError> {
        Self::on_first_day(start, end, false)
    }

    /// Creates hours that begin on the first day at `start` and end on the next day at `end`.
    ///
    /// # Errors
    /// Returns [`TimeError::NextDay`] if `end` is a later time of day than `start`.
    pub fn overnight(start: WallTime, end: WallTime) -> Result<Self, TimeError> {
        Self::on_first_day(Some(start), Some(end), true)
    }

    pub(crate) fn on_first_day(
        start: Option<WallTime>,
        end: Option<WallTime>,
        ends_next_day: bool,
    ) -> Result<Self, TimeError> {
        let minutes = |time: Option<WallTime>, missing| time.map_or(missing, WallTime::minutes);
        (1, minutes(start, 0), minutes(end, MINUTES_OF_A_DAY), ends_next_day).try_into()
    }

    /// Creates hours on the first day from `start` to `end`, both to the minute. For an end at 24:00, use
    /// [`new`](Self::new).
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

    /// Returns the same times on another day of the event. The first day is 1.
    ///
    /// # Errors
    /// Returns [`TimeError::DayNumber`] if `day` is 0.
    pub fn on_day(self, day: u32) -> Result<Self, TimeError> {
        if day == 0 { Err(TimeError::DayNumber) } else { Ok(Self { day, ..self }) }
    }

    /// Returns the number of the day of the event on which the shift begins, from 1.
    pub const fn day(self) -> u32 {
        self.day
    }

    /// Returns the date of the day, in an event whose first day is `first`. A day after the last date of the calendar
    /// counts as that date.
    pub fn date(self, first: EventDate) -> EventDate {
        first.plus_days(i64::from(self.day) - 1).unwrap_or(EventDate::MAX)
    }

    /// Returns the start.
    pub const fn start(self) -> WallTime {
        WallTime(self.start)
    }

    /// Returns the end, or `None` for midnight at the end of the day. The end is a time of the next day if
    /// [`ends_next_day`](Self::ends_next_day).
    pub fn end(self) -> Option<WallTime> {
        WallTime::from_minutes(self.end)
    }

    /// Returns whether the end is a time of the day after the start.
    pub const fn ends_next_day(self) -> bool {
        self.ends_next_day
    }

    /// Returns the length by the wall clock, in minutes: 1 to 1440.
    pub const fn minutes(self) -> u16 {
        let end = if self.ends_next_day { self.end + MINUTES_OF_A_DAY } else { self.end };
        end - self.start
    }

    /// Splits the hours into parts of `minutes` each, in order. A part that begins after midnight is on the next day.
    /// Returns `None` unless the parts fill the hours exactly.
    ///
    /// ```
    /// use signup_core::Hours;
    ///
    /// let night = Hours::overnight("23:00".parse()?, "02:00".parse()?)?;
    /// let parts = night.parts(90).unwrap_or_default();
    /// let parts: Vec<_> = parts.iter().map(Hours::to_string).collect();
    /// assert_eq!(parts, ["23:00–00:30 (next day)", "day 2, 00:30–02:00"]);
    /// assert_eq!(night.parts(50), None);
    /// # Ok::<(), signup_core::TimeError>(())
    /// ```
    pub fn parts(self, minutes: u16) -> Option<Vec<Self>> {
        if minutes == 0 || !self.minutes().is_multiple_of(minutes) {
            return None;
        }
        let part = |start: u16| {
            let (days, start) = (start / MINUTES_OF_A_DAY, start % MINUTES_OF_A_DAY);
            let end = start + minutes;
            let ends_next_day = end > MINUTES_OF_A_DAY;
            let end = if ends_next_day { end - MINUTES_OF_A_DAY } else { end };
            Self { day: self.day.saturating_add(days.into()), start, end, ends_next_day }
        };
        Some((self.start..self.start + self.minutes()).step_by(minutes.into()).map(part).collect())
    }
}

impl TryFrom<(u16, u16)> for Hours {
    type Error = TimeError;

    /// Converts minutes since midnight of the first day, where 1440 is the end of the day.
    ///
    /// # Errors
    /// Returns [`TimeError::Order`] unless the end is after the start and at most 1440.
    fn try_from((start, end): (u16, u16)) -> Result<Self, TimeError> {
        (1, start, end, false).try_into()
    }
}

impl TryFrom<(u32, u16, u16, bool)> for Hours {
    type Error = TimeError;

    /// Converts the number of the day from 1, the minutes from midnight to the start and to the end, each on its own
    /// day, and whether the end is on the next day.
    ///
    /// # Errors
    /// - [`TimeError::DayNumber`] if the day is 0.
    /// - [`TimeError::Order`] unless the end on the same day is after the start and at most 1440.
    /// - [`TimeError::NextDay`] unless the end on the next day is at most the start, and the start below 1440.
    fn try_from((day, start, end, ends_next_day): (u32, u16, u16, bool)) -> Result<Self, TimeError> {
        let hours = Self { day: 1, start, end, ends_next_day };
        if ends_next_day && (end > start || start >= MINUTES_OF_A_DAY) {
            return Err(TimeError::NextDay);
        }
        if !ends_next_day && (start >= end || end > MINUTES_OF_A_DAY) {
            return Err(TimeError::Order);
        }
        hours.on_day(day)
    }
}

impl From<Hours> for (u32, u16, u16, bool) {
    /// Converts back. See `TryFrom`.
    fn from(Hours { day, start, end, ends_next_day }: Hours) -> Self {
        (day, start, end, ends_next_day)
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.day > 1 {
            write!(f, "day {}, ", self.day)?;
        }
        write!(f, "{}–{:02}:{:02}", self.start(), self.end / 60, self.end % 60)?;
        f.write_str(if self.ends_next_day { " (next day)" } else { "" })
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

    /// Returns whether both intervals have an instant in common.
    ///
    /// ```
    /// let at = |second| signup_core::Timestamp::from_second(second).unwrap_or_default();
    /// let interval = |start, end| signup_core::Interval { start: at(start), end: at(end) };
    /// assert!(interval(0, 10).overlaps(interval(9, 20)) && !interval(0, 10).overlaps(interval(10, 20)));
    /// ```
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// A date in a zone. As the first day of an event, turns hours into instants.
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
/// - The start and the end of a night are each resolved on their own day.
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

    /// Returns the instants that `hours` name if this is the first day of the event, by the [rules](Self) around a clock
    /// change. A day after the last date of the calendar counts as that date.
    pub fn interval(&self, hours: Hours) -> Interval {
        if hours.day > 1 {
            let day = Self::new(hours.date(self.date), self.zone.clone());
            return day.interval(Hours { day: 1, ..hours });
        }
        let start = self.instant(hours.start);
        let end = if hours.ends_next_day {
            instant(day_after(self.date), hours.end, self.zone.rules())
        } else if hours.end == MINUTES_OF_A_DAY {
            self.end()
        } else {
            self.instant(hours.end)
        };
        let length = SignedDuration::from_mins(i64::from(hours.minutes()));
        Interval { start, end: if start < end { end } else { start + length } }
    }

    fn instant(&self, minutes: u16) -> Timestamp {
        match self.steady_from {
            Some(midnight) => midnight + SignedDuration::from_mins(i64::from(minutes)),
            None => instant(self.date.date(), minutes, self.zone.rules()),
        }
    }
}

impl LocalDateTime {
    /// Returns the instant at which the clocks of the zone show this time, by the [rules](Day) around a clock change.
    pub fn instant(self, zone: &Zone) -> Timestamp {
        instant(self.date().date(), self.time().0, zone.rules())
    }

    /// Returns what the clocks of the zone show at `now`, without the seconds. A time before 1970 or after 9998 counts as the first
    /// or the last date of an event.
    pub fn shown_at(now: Timestamp, zone: &Zone) -> Self {
        let shown = zone.rules().to_datetime(now);
        let date = shown.date().clamp(EventDate::MIN.date(), EventDate::MAX.date());
        let minutes = i16::from(shown.hour()) * 60 + i16::from(shown.minute());
        Self::new(EventDate::try_from(date).unwrap_or(EventDate::MIN), WallTime(minutes.unsigned_abs()))
    }
}

/// Returns the instant of a wall time, in minutes since midnight. At 0, returns the first instant of the date.
fn instant(date: Date, minutes: u16, zone: &TimeZone) -> Timestamp {
    if minutes == 0 {
        return first_instant(date, zone);
    }
    let (hour, minute) = ((minutes / 60).cast_signed(), (minutes % 60).cast_signed());
    #[expect(clippy::cast_possible_truncation, reason = "hours are below 24, minutes below 60")]
    let wall = date.at(hour as i8, minute as i8, 0, 0);
    in_range(zone.to_ambiguous_timestamp(wall).compatible())
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
