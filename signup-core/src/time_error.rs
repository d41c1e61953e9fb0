//! The error of dates, times and zones. [`hours`](crate::hours) and [`zone`](crate::zone) return this error.

use thiserror::Error;

/// The reason why a date, a time, a zone or a pair of times is refused. The message is the predicate of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TimeError {
    /// Not `YYYY-MM-DD`, not a day of the calendar, or out of range.
    #[error("must be a calendar date written YYYY-MM-DD, from 1970-01-01 to 9998-12-31")]
    Date,
    /// Not `HH:MM`.
    #[error("must be a 24-hour time written HH:MM, from 00:00 to 23:59")]
    WallTime,
    /// Not `HH:MM` and not `24:00`, in a field that takes the end of a day.
    #[error("must be a 24-hour time written HH:MM, from 00:00 to 24:00")]
    EndTime,
    /// A time with seconds or a part of a second.
    #[error("must be to the minute")]
    Seconds,
    /// Not the name of a zone in the IANA time zone database.
    #[error("must be the name of an IANA time zone, such as America/New_York")]
    Zone,
    /// The end is not after the start.
    #[error("must be after the start, on the same day")]
    Order,
    /// The end on the next day is later than the start's time of day, so the hours would be longer than 24 hours.
    #[error("must be a time of the next day, at the time of day of the start or before")]
    NextDay,
    /// The number of a day is 0.
    #[error("must be a day of the event, from 1")]
    DayNumber,
    /// Not `YYYY-MM-DDTHH:MM`, not a day of the calendar, or out of range.
    #[error("must be a date and a time of the event's time zone, written YYYY-MM-DDTHH:MM")]
    LocalDateTime,
    /// Sign-ups close when they open or before.
    #[error("must be after the opening of sign-ups")]
    ClosesFirst,
    /// The last day of an event is before its first day.
    #[error("must not be before the first day")]
    DayOrder,
    /// The new first day of a copy or of a moved event would move its last day out of the range of dates.
    #[error("moves the last day out of range: each day {}", Self::Date)]
    LastDay,
    /// The new first day would move the opening or the closing of sign-ups out of the range of dates.
    #[error("moves the opening or the closing of sign-ups out of range: each day {}", Self::Date)]
    SignupDay,
}
