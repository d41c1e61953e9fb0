//! Checks untyped input in one pass, in the order in which the input declares its fields.

use std::collections::HashSet;

use super::given::{Given, Mistyped};
use super::{
    Change, DuplicateEvent, DuplicateInput, EmptyInput, EventInput, HoursPatch, NewEvent, NewShift,
    NotifyInput, Object, ShiftInput, ShiftPatch, ShiftPatchInput,
};
use crate::caller_key::ExternalId;
use crate::event::{Event, Latitude, Longitude, Theme};
use crate::fault::{FaultKind, FaultPath, Faults, ValueType};
use crate::hours::{EventDate, Hours, TimeError, WallTime};
use crate::occupancy::{Capacity, Minimum};
use crate::plan::PlanLimits;
use crate::text::{
    BadgeLabel, Description, EventLocation, LocationData, ShiftDescription, ShiftLocation, Title,
};
use crate::value_error::ValueError;

pub(super) const TEXT: ValueType = ValueType::Text;
pub(super) const NUMBER: ValueType = ValueType::Number;

/// Checks fields one by one and collects the faults. The path of a field is built only if the field has a fault.
pub(super) struct Fields<'f> {
    pub(super) faults: &'f mut Faults,
    /// The index of the shift that has the fields; `None` for fields of the input itself.
    shift: Option<usize>,
}

impl<'f> Fields<'f> {
    /// The fields of the input itself.
    pub(super) const fn new(faults: &'f mut Faults) -> Self {
        Self { faults, shift: None }
    }

    /// Takes a change of a nullable field. Null and blank clear the field.
    pub(super) fn change<'v, T, R, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        given: &'v Given<T>,
        mistyped: impl Into<FaultKind>,
        check: impl FnOnce(&'v T) -> Result<R, E>,
    ) -> Option<Change<R>> {
        match given {
            Given::Omitted => None,
            given => Some(self.nullable(field, given, mistyped, check).into()),
        }
    }

    pub(super) fn fault(&mut self, field: &'static str, kind: impl Into<FaultKind>) {
        match self.shift {
            Some(index) => self.faults.add(shift_path(index).field(field), kind),
            None => self.faults.add(field, kind),
        }
    }

    pub(super) fn checked<T, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        checked: Result<T, E>,
    ) -> Option<T> {
        checked.map_err(|error| self.fault(field, error)).ok()
    }

    /// Checks a required field. `mistyped` is the fault of a value of another type.
    pub(super) fn required<'v, T, R, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        given: &'v Given<T>,
        mistyped: impl Into<FaultKind>,
        check: impl FnOnce(&'v T) -> Result<R, E>,
    ) -> Option<R> {
        let given = given.nullable();
        if matches!(given, Ok(None)) {
            self.fault(field, FaultKind::Required);
        }
        self.take(field, given, mistyped, check)
    }

    /// Checks a change of a required field: it may be omitted, but null and blank are the fault of a missing value.
    pub(super) fn kept<'v, T, R, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        given: &'v Given<T>,
        mistyped: impl Into<FaultKind>,
        check: impl FnOnce(&'v T) -> Result<R, E>,
    ) -> Option<R> {
        match given {
            Given::Omitted => None,
            given => self.required(field, given, mistyped, check),
        }
    }

    /// Checks a field that may be omitted, null or blank.
    pub(super) fn nullable<'v, T, R, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        given: &'v Given<T>,
        mistyped: impl Into<FaultKind>,
        check: impl FnOnce(&'v T) -> Result<R, E>,
    ) -> Option<R> {
        self.take(field, given.nullable(), mistyped, check)
    }

    /// Checks a field that may be omitted, but is neither null nor blank.
    pub(super) fn optional<'v, T, R, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        given: &'v Given<T>,
        mistyped: impl Into<FaultKind>,
        check: impl FnOnce(&'v T) -> Result<R, E>,
    ) -> Option<R> {
        self.take(field, given.optional(), mistyped, check)
    }

    fn take<'v, T, R, E: Into<FaultKind>>(
        &mut self,
        field: &'static str,
        given: Result<Option<&'v T>, Mistyped>,
        mistyped: impl Into<FaultKind>,
        check: impl FnOnce(&'v T) -> Result<R, E>,
    ) -> Option<R> {
        match given {
            Ok(value) => self.checked(field, check(value?)),
            Err(Mistyped) => self.checked(field, Err(mistyped.into())),
        }
    }

    /// Takes a flag that may be omitted.
    pub(super) fn optional_flag(&mut self, field: &'static str, given: &Given<bool>) -> Option<bool> {
        self.optional(field, given, ValueType::Flag, |&flag| Ok::<_, FaultKind>(flag))
    }

    pub(super) fn flag(&mut self, field: &'static str, given: &Given<bool>, default: bool) -> bool {
        self.optional_flag(field, given).unwrap_or(default)
    }
}

fn shift_path(index: usize) -> FaultPath {
    FaultPath::new().field("shifts").index(index)
}

/// Checks that the last day of an event is not before the first. A first day with a fault is not compared.
pub(super) fn check_order_of_days(first: Option<EventDate>, last: EventDate) -> Result<EventDate, TimeError> {
    if first.is_some_and(|first| last < first) { Err(TimeError::DayOrder) } else { Ok(last) }
}

/// Checks the last day of an event: it is not before the first, and the plan allows as many days. A first day with a fault
/// is not compared.
pub(crate) fn check_last_day(
    first: Option<EventDate>,
    last: EventDate,
    limits: PlanLimits,
) -> Result<EventDate, FaultKind> {
    check_order_of_days(first, last)?;
    let max = limits.event_days;
    match first {
        Some(first) if last.days_since(first) + 1 > max.into() => Err(FaultKind::TooManyDays { max }),
        _ => Ok(last),
    }
}

/// Checks that an event is created with at most [`Event::MAX_NEW_SHIFTS`] shifts.
pub(crate) const fn check_shift_count(count: usize) -> Result<(), FaultKind> {
    let max = Event::MAX_NEW_SHIFTS;
    if count > max {
        Err(FaultKind::TooMany { items: "shifts in one request", max, present: 0 })
    } else {
        Ok(())
    }
}

/// Checks that 1 to [`Event::MAX_NEW_SHIFTS`] shifts are added to an event.
pub(crate) const fn check_added_shifts(count: usize) -> Result<(), FaultKind> {
    if count == 0 { Err(FaultKind::Required) } else { check_shift_count(count) }
}

/// Checks that an event of as many days has the day of the hours.
pub(crate) const fn check_day(hours: Hours, days: u32) -> Result<(), FaultKind> {
    if hours.day() > days { Err(FaultKind::NoSuchDay { days }) } else { Ok(()) }
}

/// Adds a fault for each new shift whose day an event of as many days does not have.
pub(crate) fn check_shift_days(faults: &mut Faults, shifts: &[NewShift], days: u32) {
    for (index, shift) in shifts.iter().enumerate() {
        faults.check(shift_path(index).field("day"), check_day(shift.hours, days));
    }
}

const DAY: ValueError = ValueError::WholeNumber { min: 1, max: None };

/// Takes the number of a day. Whether the event has the day is not checked. A number above `u32::MAX` counts as `u32::MAX`: no
/// event has so many days.
fn day(number: &f64) -> Result<u32, ValueError> {
    whole(number.min(u32::MAX.into())).filter(|day| *day > 0).ok_or(DAY)
}

/// Adds a fault of each new shift that has the external id of an earlier one.
pub(crate) fn check_external_ids(faults: &mut Faults, shifts: &[NewShift]) {
    let mut seen = HashSet::new();
    for (index, shift) in shifts.iter().enumerate() {
        if shift.external_id.as_ref().is_some_and(|id| !seen.insert(id)) {
            faults.add(shift_path(index).field("external_id"), FaultKind::Repeated);
        }
    }
}

const EACH_MINUTES: ValueError =
    ValueError::WholeNumber { min: 1, max: Some(Hours::ALL_DAY.minutes() as u32) };

/// Checks a number of volunteers. `T` refuses `i64::MAX`, which stands for every number that is not whole.
fn volunteers<T: TryFrom<i64, Error = ValueError>>(number: &f64) -> Result<T, ValueError> {
    whole(*number).map_or(i64::MAX, i64::from).try_into()
}

/// Returns the number if it is whole and in the range of a `u32`.
pub(super) fn whole(number: f64) -> Option<u32> {
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and in the range of a u32"
    )]
    is_whole.then_some(number as u32)
}

pub(super) fn date(text: &str) -> Result<EventDate, TimeError> {
    text.parse()
}

fn wall_time(text: &str) -> Result<WallTime, TimeError> {
    text.parse()
}

/// Parses an end. `None` is 24:00.
fn end_time(text: &str) -> Result<Option<WallTime>, TimeError> {
    if text == "24:00" { Ok(None) } else { text.parse().map(Some).map_err(|_| TimeError::EndTime) }
}

impl EventInput<'_> {
    /// Checks every field. `limits` are those of the organization's plan.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self, limits: PlanLimits) -> Result<NewEvent, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let title = fields.required("title", &self.title, TEXT, |text| Title::new(text));
        let description =
            fields.nullable("description", &self.description, TEXT, |text| Description::new(text));
        let location = fields.nullable("location", &self.location, TEXT, |text| EventLocation::new(text));
        let is_virtual = fields.flag("is_virtual", &self.is_virtual, false);
        let latitude =
            fields.nullable("location_lat", &self.location_lat, NUMBER, |&degrees| Latitude::new(degrees));
        let longitude =
            fields.nullable("location_lng", &self.location_lng, NUMBER, |&degrees| Longitude::new(degrees));
        let location_data =
            fields.nullable("location_data", &self.location_data, ValueType::Object, |Object(json)| {
                json.parse::<LocationData>()
            });
        let before = fields.faults.len();
        let first = fields.required("start_date", &self.start_date, TEXT, |text| date(text));
        let last = fields.nullable("end_date", &self.end_date, TEXT, |text| {
            date(text).map_err(Into::into).and_then(|last| check_last_day(first, last, limits))
        });
        let are_valid_days = fields.faults.len() == before;
        let days = first.filter(|_| are_valid_days).map(|first| first.days_through(last.unwrap_or(first)));
        let zone = fields.required("timezone", &self.timezone, TEXT, |text| text.parse());
        let is_published = fields.flag("is_published", &self.is_published, false);
        let theme = fields.nullable("theme", &self.theme, TEXT, |text| text.parse::<Theme>());
        let badge_label =
            fields.nullable("badge_label", &self.badge_label, TEXT, |text| BadgeLabel::new(text));
        let external_id = fields.nullable("external_id", &self.external_id, TEXT, |text| text.parse());
        let shifts = fields.optional("shifts", &self.shifts, ValueType::ObjectList, |shifts| {
            check_shift_count(shifts.len()).map(|()| shifts)
        });
        let shifts = check_shifts(&mut fields, shifts, days);
        let event = title.zip(first).zip(zone).map(|((title, first), zone)| NewEvent {
            end_date: last.map(EventDate::date),
            description,
            location,
            is_virtual,
            latitude,
            longitude,
            location_data,
            is_published,
            theme,
            badge_label,
            external_id,
            shifts,
            ..NewEvent::new(title, first.date(), zone)
        });
        faults.add_unknown(&self.unknown);
        faults.into_result(event)
    }
}

/// Checks a list of shifts that was given as `shifts`, for an event of as many `days`, if they are known.
pub(super) fn check_shifts(
    fields: &mut Fields<'_>,
    shifts: Option<&Vec<Given<ShiftInput<'_>>>>,
    days: Option<u32>,
) -> Vec<NewShift> {
    let (mut checked, mut external_ids) = (Vec::new(), HashSet::new());
    for (index, shift) in shifts.into_iter().flatten().enumerate() {
        match shift {
            Given::Value(shift) => {
                let mut fields = Fields { faults: fields.faults, shift: Some(index) };
                checked.extend(shift.check(&mut fields, days, &mut external_ids));
            }
            _ => fields.faults.add(shift_path(index), ValueType::Object),
        }
    }
    fields.checked("shifts", check_shift_count(checked.len()));
    checked
}

impl ShiftInput<'_> {
    /// Returns the shifts of the input: one, or several of equal length. Returns none if the input has a fault. `external_ids` are
    /// those of the shifts before.
    fn check(
        &self,
        fields: &mut Fields<'_>,
        days: Option<u32>,
        external_ids: &mut HashSet<ExternalId>,
    ) -> Vec<NewShift> {
        let title = fields.required("title", &self.title, TEXT, |text| Title::new(text));
        let description =
            fields.nullable("description", &self.description, TEXT, |text| ShiftDescription::new(text));
        let location = fields.nullable("location", &self.location, TEXT, |text| ShiftLocation::new(text));
        let on_day = fields.optional("day", &self.day, DAY, |number| {
            let hours = Hours::ALL_DAY.on_day(day(number)?)?;
            days.map_or(Ok(hours), |days| check_day(hours, days).map(|()| hours))
        });
        let on_day = on_day.unwrap_or(Hours::ALL_DAY);
        let before = fields.faults.len();
        let start =
            fields.nullable("start_time", &self.start_time, TimeError::WallTime, |text| wall_time(text));
        let end = fields.nullable("end_time", &self.end_time, TimeError::EndTime, |text| end_time(text));
        let ends_next_day = fields.flag("ends_next_day", &self.ends_next_day, false);
        let are_valid_times = fields.faults.len() == before;
        let times =
            HoursPatch { day: None, start, end: end.map(Change::from), ends_next_day: Some(ends_next_day) };
        let hours = if are_valid_times { fields.checked("end_time", times.apply(on_day)) } else { None };
        let capacity = fields.required("capacity", &self.capacity, Capacity::OUT_OF_RANGE, volunteers);
        let minimum = fields.nullable("minimum", &self.minimum, Minimum::OUT_OF_RANGE, volunteers);
        let external_id = fields.nullable("external_id", &self.external_id, TEXT, |text| {
            let id: ExternalId = text.parse()?;
            if external_ids.insert(id.clone()) { Ok(id) } else { Err(FaultKind::Repeated) }
        });
        let parts = fields.nullable("each_minutes", &self.each_minutes, EACH_MINUTES, |&minutes| {
            let minutes = whole(minutes).and_then(|minutes| u16::try_from(minutes).ok());
            let minutes = minutes.filter(|minutes| (1..=Hours::ALL_DAY.minutes()).contains(minutes));
            let minutes = minutes.ok_or(FaultKind::Value(EACH_MINUTES))?;
            let of_all = |hours: Hours| {
                let parts = hours.parts(minutes).ok_or(FaultKind::Remainder { minutes: hours.minutes() })?;
                // A part after midnight is on the next day.
                let last = parts.last().zip(days).map_or(Ok(()), |(last, days)| check_day(*last, days));
                last.map(|()| parts)
            };
            hours.map(of_all).transpose()
        });
        let (Some(title), Some(capacity)) = (title, capacity) else { return vec![] };
        let parts = parts.flatten().unwrap_or_else(|| hours.into_iter().collect());
        let shift =
            NewShift { description, location, minimum, external_id, ..NewShift::new(title, capacity) };
        parts.into_iter().map(|hours| shift.clone().hours(hours)).collect()
    }
}

impl DuplicateInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault.
    pub fn check(&self) -> Result<DuplicateEvent, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let start_date = fields.required("start_date", &self.start_date, TEXT, |text| date(text));
        let title = fields.kept("title", &self.title, TEXT, |text| Title::new(text));
        faults.add_unknown(&self.unknown);
        faults
            .into_result(start_date.map(|start_date| DuplicateEvent { start_date: start_date.date(), title }))
    }
}

impl NotifyInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<(), Faults> {
        let mut faults = Faults::new();
        Fields::new(&mut faults).optional_flag("notify_volunteers", &self.notify_volunteers);
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(()))
    }
}

impl EmptyInput<'_> {
    /// Checks that the input has no members.
    ///
    /// # Errors
    /// Returns a fault for each member.
    pub fn check(&self) -> Result<(), Faults> {
        let mut faults = Faults::new();
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(()))
    }
}

impl ShiftPatchInput<'_> {
    /// Checks every field. Whether the end fits depends on the shift, unless the patch has the start, the end and its day.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<ShiftPatch, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let title = fields.kept("title", &self.title, TEXT, |text| Title::new(text));
        let description =
            fields.change("description", &self.description, TEXT, |text| ShiftDescription::new(text));
        let location = fields.change("location", &self.location, TEXT, |text| ShiftLocation::new(text));
        let day = fields.optional("day", &self.day, DAY, day);
        let before = fields.faults.len();
        let start =
            fields.optional("start_time", &self.start_time, TimeError::WallTime, |text| wall_time(text));
        let end = fields.optional("end_time", &self.end_time, TimeError::EndTime, |text| end_time(text));
        let ends_next_day = fields.optional_flag("ends_next_day", &self.ends_next_day);
        let hours = HoursPatch { day, start, end: end.map(Change::from), ends_next_day };
        let has_all = start.is_some() && end.is_some() && ends_next_day.is_some();
        if has_all && fields.faults.len() == before {
            fields.checked("end_time", hours.apply(Hours::ALL_DAY));
        }
        let capacity = fields.kept("capacity", &self.capacity, Capacity::OUT_OF_RANGE, volunteers);
        let minimum = fields.change("minimum", &self.minimum, Minimum::OUT_OF_RANGE, volunteers);
        let external_id = fields.change("external_id", &self.external_id, TEXT, |text| text.parse());
        let notify_volunteers = fields.flag("notify_volunteers", &self.notify_volunteers, true);
        let patch = ShiftPatch {
            title,
            description,
            location,
            hours,
            capacity,
            minimum,
            external_id,
            notify_volunteers,
            read: None,
        };
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(patch))
    }
}
