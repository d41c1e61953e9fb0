//! Dates and times of day as they are written: `YYYY-MM-DD` and `HH:MM`, each in one exact format.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{self, Date, Time};

use super::{MINUTES_OF_A_DAY, TimeError};
use crate::text_form::text_form;

/// A date of the Gregorian calendar from 1970-01-01 to 9998-12-31. In this range, each instant of a day can be
/// represented in every zone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventDate(Date);

impl EventDate {
    /// The first day: 1970-01-01.
    pub const MIN: Self = Self(civil::date(1970, 1, 1));
    /// The last day: 9998-12-31.
    pub const MAX: Self = Self(civil::date(9998, 12, 31));

    /// Returns the date as a civil date.
    pub const fn date(self) -> Date {
        self.0
    }

    /// Returns the date `days` later, or `None` if the result is out of range. A negative number gives an earlier date.
    pub fn plus_days(self, days: i64) -> Option<Self> {
        let date = self.0.checked_add(SignedDuration::from_hours(days.checked_mul(24)?)).ok()?;
        Self::try_from(date).ok()
    }

    /// Returns the number of days from this date to `last`, both included; 1 if `last` is earlier.
    pub fn days_through(self, last: Self) -> u32 {
        u32::try_from(last.days_since(self) + 1).map_or(1, |days| days.max(1))
    }

    /// Returns the number of days from `earlier` to this date; negative if `earlier` is later.
    pub fn days_since(self, earlier: Self) -> i64 {
        self.0.duration_since(earlier.0).as_hours() / 24
    }
}

impl TryFrom<Date> for EventDate {
    type Error = TimeError;

    fn try_from(date: Date) -> Result<Self, TimeError> {
        (Self::MIN.0..=Self::MAX.0).contains(&date).then_some(Self(date)).ok_or(TimeError::Date)
    }
}

impl FromStr for EventDate {
    type Err = TimeError;

    /// Parses exactly ten characters, `YYYY-MM-DD`.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        // jiff's own parser accepts more formats than the API's contract.
        let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
            return Err(TimeError::Date);
        };
        let (year, month, day) = (number(&[y1, y2, y3, y4]), number(&[m1, m2]), number(&[d1, d2]));
        let (Some(year), Some(month), Some(day)) = (year, month, day) else { return Err(TimeError::Date) };
        let date = Date::new(year, i8::try_from(month).unwrap_or(0), i8::try_from(day).unwrap_or(0));
        date.map_err(|_| TimeError::Date)?.try_into()
    }
}

impl fmt::Display for EventDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for EventDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

text_form!(EventDate, WallTime, LocalDateTime);

/// A time of day on a 24-hour clock, to the minute: 00:00 to 23:59.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallTime(pub(super) u16);

impl WallTime {
    /// 10:00.
    pub(crate) const TEN: Self = Self(10 * 60);

    /// Creates the time `hour`:`minute`.
    ///
    /// # Errors
    /// Returns [`TimeError::WallTime`] unless `hour` is at most 23 and `minute` at most 59.
    pub fn new(hour: u8, minute: u8) -> Result<Self, TimeError> {
        let is_time = hour < 24 && minute < 60;
        is_time.then_some(Self(u16::from(hour) * 60 + u16::from(minute))).ok_or(TimeError::WallTime)
    }

    /// Creates the time `minutes` after midnight, or `None` from 1440 on.
    pub fn from_minutes(minutes: u16) -> Option<Self> {
        (minutes < MINUTES_OF_A_DAY).then_some(Self(minutes))
    }

    /// Returns the minutes since midnight by the wall clock: 0 to 1439.
    pub const fn minutes(self) -> u16 {
        self.0
    }
}

impl TryFrom<Time> for WallTime {
    type Error = TimeError;

    /// Converts a time without seconds.
    ///
    /// # Errors
    /// Returns [`TimeError::Seconds`] if the time has seconds or a fraction of a second.
    fn try_from(time: Time) -> Result<Self, TimeError> {
        let is_to_the_minute = time.second() == 0 && time.subsec_nanosecond() == 0;
        let minutes = i16::from(time.hour()) * 60 + i16::from(time.minute());
        is_to_the_minute.then_some(Self(minutes.unsigned_abs())).ok_or(TimeError::Seconds)
    }
}

impl FromStr for WallTime {
    type Err = TimeError;

    /// Parses exactly five characters, `HH:MM`.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let &[h1, h2, b':', m1, m2] = text.as_bytes() else { return Err(TimeError::WallTime) };
        match (number(&[h1, h2]), number(&[m1, m2])) {
            (Some(hour @ 0..24), Some(minute @ 0..60)) => Ok(Self((hour * 60 + minute).unsigned_abs())),
            _ => Err(TimeError::WallTime),
        }
    }
}

impl fmt::Display for WallTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl fmt::Debug for WallTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A date and a time of day of an event's wall clock, to the minute, written `YYYY-MM-DDTHH:MM`.
///
/// ```
/// use signup_core::LocalDateTime;
///
/// let opens: LocalDateTime = "2027-03-01T18:00".parse()?;
/// assert_eq!((opens.date().to_string(), opens.time().to_string()), ("2027-03-01".into(), "18:00".into()));
/// assert_eq!(opens.plus_days(7), "2027-03-08T18:00".parse().ok());
/// assert!("2027-03-01T18:00:00".parse::<LocalDateTime>().is_err());
/// # Ok::<(), signup_core::TimeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalDateTime {
    date: EventDate,
    time: WallTime,
}

impl LocalDateTime {
    /// Creates the time of day on a date.
    pub const fn new(date: EventDate, time: WallTime) -> Self {
        Self { date, time }
    }

    /// Returns the date.
    pub const fn date(self) -> EventDate {
        self.date
    }

    /// Returns the time of day.
    pub const fn time(self) -> WallTime {
        self.time
    }

    /// Returns the time from `earlier` to this time by the wall clock.
    pub(crate) fn since(self, earlier: Self) -> SignedDuration {
        let minutes = i64::from(self.time.minutes()) - i64::from(earlier.time.minutes());
        SignedDuration::from_mins(self.date.days_since(earlier.date) * 24 * 60 + minutes)
    }

    /// Returns the same time of day, `days` later. Returns `None` if the date is out of range.
    pub fn plus_days(self, days: i64) -> Option<Self> {
        Some(Self { date: self.date.plus_days(days)?, ..self })
    }
}

impl FromStr for LocalDateTime {
    type Err = TimeError;

    /// Parses exactly 16 characters, `YYYY-MM-DDTHH:MM`.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let (date, time) = text.split_once('T').ok_or(TimeError::LocalDateTime)?;
        match (date.parse(), time.parse()) {
            (Ok(date), Ok(time)) => Ok(Self { date, time }),
            _ => Err(TimeError::LocalDateTime),
        }
    }
}

impl fmt::Display for LocalDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}

impl fmt::Debug for LocalDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parses a decimal number of ASCII digits.
fn number(digits: &[u8]) -> Option<i16> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i16::from(digit - b'0')))
}
