//! The day and the times of a shift to create or to change.

use std::str::FromStr;

use super::fields::{Fields, whole};
use super::{Change, check_day};
use crate::fault::FaultKind;
use crate::hours::{Hours, TimeError, WallTime};
use crate::value_error::ValueError;

const DAY: ValueError = ValueError::WholeNumber { min: 1, max: None };

/// Checks the number of a day. Whether the event has the day is not checked. A number above `u32::MAX` counts as `u32::MAX`: no
/// event has so many days.
fn day(number: f64) -> Result<u32, ValueError> {
    let is_whole = number.trunc() == number;
    whole(number.min(u32::MAX.into())).filter(|day| is_whole && *day > 0).ok_or(DAY)
}

/// The end of a shift. `None` is 24:00.
struct End(Option<WallTime>);

impl FromStr for End {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        match text {
            "24:00" => Ok(Self(None)),
            _ => text.parse().map(|end| Self(Some(end))).map_err(|_| TimeError::EndTime),
        }
    }
}

const EACH_MINUTES: ValueError =
    ValueError::WholeNumber { min: 1, max: Some(Hours::ALL_DAY.minutes() as u32) };

/// Takes the hours of a new shift. Omitted times are those of a whole day.
pub(super) fn new_hours(fields: &mut Fields<'_>, days: Option<u32>) -> Option<Hours> {
    let on_day = fields.number("day").mistyped_is(DAY).check(|number| {
        let hours = Hours::ALL_DAY.on_day(day(number)?)?;
        days.map_or(Ok(hours), |days| check_day(hours, days).map(|()| hours))
    });
    let on_day = on_day.optional().unwrap_or(Hours::ALL_DAY);
    let before = fields.fault_count();
    let start = fields.text("start_time").mistyped_is(TimeError::WallTime).nullable();
    let end = fields.text("end_time").mistyped_is(TimeError::EndTime).nullable();
    let ends_next_day = fields.flag("ends_next_day").optional();
    let are_valid = fields.fault_count() == before;
    let end = end.map(|End(end)| end.into());
    let times = HoursPatch { day: None, start, end, ends_next_day };
    if are_valid { fields.checked("end_time", times.apply(on_day)) } else { None }
}

/// Takes the hours of the parts of a shift.
pub(super) fn parts(fields: &mut Fields<'_>, hours: Option<Hours>, days: Option<u32>) -> Option<Vec<Hours>> {
    let minutes = fields.whole_number("each_minutes", EACH_MINUTES, |minutes| {
        let minutes = minutes.and_then(|minutes| u16::try_from(minutes).ok());
        minutes.filter(|minutes| (1..=Hours::ALL_DAY.minutes()).contains(minutes)).ok_or(EACH_MINUTES)
    });
    let of_all = |hours: Hours, minutes| {
        let parts = hours.parts(minutes).ok_or(FaultKind::Remainder { minutes: hours.minutes() })?;
        // A part after midnight is on the next day.
        let last = parts.last().zip(days).map_or(Ok(()), |(last, days)| check_day(*last, days));
        last.map(|()| parts)
    };
    minutes.check(|minutes| hours.map(|hours| of_all(hours, minutes)).transpose()).nullable().flatten()
}

/// A change of some parts of [`Hours`], or of none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HoursPatch {
    /// The new day of the event, from 1.
    pub day: Option<u32>,
    /// The new start.
    pub start: Option<WallTime>,
    /// The new end. [`Change::Clear`] is 24:00.
    pub end: Option<Change<WallTime>>,
    /// Whether the new end is a time of the next day.
    pub ends_next_day: Option<bool>,
}

impl HoursPatch {
    pub(super) fn take(fields: &mut Fields<'_>) -> Self {
        let day = fields.number("day").mistyped_is(DAY).check(day).optional();
        let before = fields.fault_count();
        let start = fields.text("start_time").mistyped_is(TimeError::WallTime).optional();
        let end = fields.text("end_time").mistyped_is(TimeError::EndTime).optional();
        let ends_next_day = fields.flag("ends_next_day").optional();
        let hours = Self { day, start, end: end.map(|End(end)| end.into()), ends_next_day };
        let has_all = hours.start.is_some() && hours.end.is_some() && ends_next_day.is_some();
        if has_all && fields.fault_count() == before {
            let _valid = fields.checked("end_time", hours.apply(Hours::ALL_DAY));
        }
        hours
    }

    /// Returns the hours after the change. The end that stays or is set must fit the start and the day that stay or are set.
    ///
    /// # Errors
    /// - [`FaultKind::Required`] if only the end on the next day is missing: the present end is 24:00, and stays.
    /// - [`FaultKind::Time`] with the errors of [`Hours`] otherwise.
    pub fn apply(self, present: Hours) -> Result<Hours, FaultKind> {
        let end = self.end.map_or(present.end(), Change::into_value);
        let ends_next_day = self.ends_next_day.unwrap_or(present.ends_next_day());
        if ends_next_day && end.is_none() && self.end.is_none() {
            return Err(FaultKind::Required);
        }
        let start = self.start.unwrap_or(present.start());
        let hours = Hours::on_first_day(Some(start), end, ends_next_day)?;
        Ok(hours.on_day(self.day.unwrap_or(present.day()))?)
    }
}
