//! Shifts to create and to change.

use std::collections::HashSet;

use super::change::{FieldChange, changes, fields_of, merge, set_value, setters, without_mail};
use super::fields::{Fields, ObjectElement};
use super::shift_hours::{HoursPatch, new_hours, parts};
use super::{Change, Input, check_added_shifts, check_shift_count};
use crate::caller_key::ExternalId;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::hours::{Hours, WallTime};
use crate::occupancy::{Capacity, Minimum};
use crate::shift::Shift;
use crate::text::{ShiftDescription, ShiftLocation, Title};
use crate::value_error::ValueError;

/// Takes the fields that a new shift and a patch share, in the order of their faults. `hours` takes those of the day and the times.
fn take_fields<H>(fields: &mut Fields<'_>, hours: impl FnOnce(&mut Fields<'_>) -> H) -> (ShiftPatch, H) {
    let mut shift = ShiftPatch::new();
    shift.title = fields.text("title").required();
    shift.description = fields.text("description").change();
    shift.location = fields.text("location").change();
    let hours = hours(fields);
    shift.capacity = fields.whole_number("capacity", Capacity::OUT_OF_RANGE, volunteers).required();
    shift.minimum = fields.whole_number("minimum", Minimum::OUT_OF_RANGE, volunteers).change();
    shift.external_id = fields.text("external_id").change();
    (shift, hours)
}

fields_of! {
    ShiftPatch of shift: Shift {
        "title": title;
        "description": description;
        "location": location;
        "day": hours.day = Some(shift.hours.day());
        "start_time": hours.start = Some(shift.hours.start());
        "end_time": hours.end = Some(shift.hours.end().into());
        "ends_next_day": hours.ends_next_day = Some(shift.hours.ends_next_day());
        "capacity": capacity = Some(shift.occupancy.capacity);
        "minimum": minimum;
        "external_id": external_id;
    }
}

/// Checks a number of volunteers. `T` refuses `i64::MAX`, which stands for every number that is not whole.
fn volunteers<T: TryFrom<i64, Error = ValueError>>(number: Option<u32>) -> Result<T, ValueError> {
    number.map_or(i64::MAX, i64::from).try_into()
}

/// Takes the shifts of the elements of `shifts`, for an event of as many `days`, if they are known.
pub(super) fn new_shifts<'a>(
    fields: &mut Fields<'a>,
    elements: Option<Vec<ObjectElement<'a>>>,
    days: Option<u32>,
) -> Vec<NewShift> {
    let mut external_ids = HashSet::new();
    // One more than allowed is a fault, and no more are made: a part is a copy of the texts of its shift.
    let mut room = Event::MAX_NEW_SHIFTS + 1;
    let shifts = fields.each_shift(elements, |fields| {
        let mut shifts = new_shifts_of(fields, days, &mut external_ids);
        shifts.truncate(room);
        room -= shifts.len();
        shifts
    });
    fields.checked("shifts", check_shift_count(shifts.len()));
    shifts
}

/// Takes the shifts of one element: one, or several of equal length. Returns none if the element has a fault. `external_ids` are
/// those of the elements before.
fn new_shifts_of(
    fields: &mut Fields<'_>,
    days: Option<u32>,
    external_ids: &mut HashSet<ExternalId>,
) -> Vec<NewShift> {
    let (shift, hours) = take_fields(fields, |fields| new_hours(fields, days));
    let external_id = set_value(shift.external_id);
    if external_id.as_ref().is_some_and(|id: &ExternalId| !external_ids.insert(id.clone())) {
        fields.fault("external_id", FaultKind::Repeated);
    }
    let parts = if fields.has_lengths() { parts(fields, hours, days) } else { None };
    let (Some(title), Some(capacity)) = (shift.title, shift.capacity) else { return vec![] };
    let parts = parts.unwrap_or_else(|| hours.into_iter().collect());
    let shift = NewShift {
        description: set_value(shift.description),
        location: set_value(shift.location),
        minimum: set_value(shift.minimum),
        external_id,
        ..NewShift::new(title, capacity)
    };
    parts.into_iter().map(|hours| shift.clone().hours(hours)).collect()
}

/// A shift of an event to create.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewShift {
    /// The title.
    pub title: Title,
    /// What volunteers do on the shift, bring and must be able to do.
    pub description: Option<ShiftDescription>,
    /// The shift's own location, if it has one. The event's location is not inherited.
    pub location: Option<ShiftLocation>,
    /// The day of the event and the wall-clock times. [`Day`](crate::Day) defines their instants if the clocks change on
    /// that day.
    pub hours: Hours,
    /// The number of volunteers that the shift needs.
    pub capacity: Capacity,
    /// How many volunteers the shift needs to run at all.
    pub minimum: Option<Minimum>,
    /// The id in the organizer's own system. No other shift of the event has it.
    pub external_id: Option<ExternalId>,
}

impl NewShift {
    /// Makes the shifts of an untyped input with the list `shifts`: 1 to [`Event::MAX_NEW_SHIFTS`](crate::Event::MAX_NEW_SHIFTS)
    /// objects. `days` is the number of days of the event, if it is known.
    ///
    /// Also takes `notify_volunteers`, as every write does, without an effect: no mail is sent.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn list_from_input(input: Input<'_>, days: Option<u32>) -> Result<Vec<Self>, Faults> {
        let mut fields = Fields::new(input);
        let shifts =
            fields.shifts().check(|shifts| check_added_shifts(shifts.len()).map(|()| shifts)).required();
        let shifts = new_shifts(&mut fields, shifts, days);
        let _no_mail = fields.without_mail();
        fields.finish(Some(shifts))
    }

    /// Returns the record with the fields of the shift, of which it has the title and the capacity already.
    pub(crate) fn fill(self, shift: Shift) -> Shift {
        Shift {
            description: self.description,
            location: self.location,
            hours: self.hours,
            minimum: self.minimum,
            external_id: self.external_id,
            ..shift
        }
    }

    /// Creates the input for a shift that lasts all of the first day.
    pub const fn new(title: Title, capacity: Capacity) -> Self {
        Self {
            title,
            description: None,
            location: None,
            hours: Hours::ALL_DAY,
            capacity,
            minimum: None,
            external_id: None,
        }
    }

    /// Sets the day of the event and the wall-clock times. [`Day`](crate::Day) defines their instants if the clocks change
    /// on that day.
    #[must_use]
    pub fn hours(self, hours: Hours) -> Self {
        Self { hours, ..self }
    }

    setters! {
        /// Sets the description.
        description: ShiftDescription;
        /// Sets the shift's own location.
        location: ShiftLocation;
        /// Sets how many volunteers the shift needs to run at all.
        minimum: Minimum;
        /// Sets the id in the organizer's own system.
        external_id: ExternalId;
    }
}

/// Changes to a shift. A field that is not set stays as it is.
///
/// ```
/// use signup_core::{Capacity, ShiftPatch};
///
/// let patch = ShiftPatch::new().capacity(Capacity::new(5)?).clear_location().without_mail();
/// # Ok::<(), signup_core::ValueError>(())
/// ```
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ShiftPatch {
    /// The new title.
    pub title: Option<Title>,
    /// The new description, or its removal.
    pub description: Option<Change<ShiftDescription>>,
    /// The new location, or its removal.
    pub location: Option<Change<ShiftLocation>>,
    /// The new day, start and end.
    pub hours: HoursPatch,
    /// The new capacity. A capacity below the number of sign-ups removes none of them: the shift becomes over-full.
    pub capacity: Option<Capacity>,
    /// The new minimum, or its removal.
    pub minimum: Option<Change<Minimum>>,
    /// The new id in the organizer's own system, or its removal.
    pub external_id: Option<Change<ExternalId>>,
    /// Whether the volunteers get no mail if the time or the location changes; false by default.
    pub without_mail: bool,
    /// The values that the caller read before. See [`read`](Self::read).
    pub read: Option<Box<Self>>,
}

impl ShiftPatch {
    /// Makes a patch of an untyped input. The fields have the names of the members in JSON, such as `start_time`.
    ///
    /// An omitted field stays as it is. Null and blank clear a field that may be empty, and are faults of every other field.
    /// Whether the end fits depends on the shift, unless the patch has the start, the end and its day.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::of_change(input);
        let (shift, hours) = take_fields(&mut fields, HoursPatch::take);
        let without_mail = fields.without_mail();
        fields.finish(Some(Self { hours, without_mail, ..shift }))
    }

    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the title.
        title: Title;
        /// Sets the capacity.
        capacity: Capacity;
    }

    changes! {
        description, clear_description: ShiftDescription, "the description";
        location, clear_location: ShiftLocation, "the shift's own location";
        minimum, clear_minimum: Minimum, "how many volunteers the shift needs to run at all";
        external_id, clear_external_id: ExternalId, "the id in the organizer's own system";
    }

    /// Sets the day, the start and the end.
    #[must_use]
    pub fn hours(self, hours: Hours) -> Self {
        let hours = HoursPatch {
            day: Some(hours.day()),
            start: Some(hours.start()),
            end: Some(hours.end().into()),
            ends_next_day: Some(hours.ends_next_day()),
        };
        Self { hours, ..self }
    }

    /// Sets the day of the event, from 1. The start and the end stay as they are unless the patch sets them, too.
    #[must_use]
    pub fn day(self, day: u32) -> Self {
        Self { hours: HoursPatch { day: Some(day), ..self.hours }, ..self }
    }

    /// Sets the start. The end stays as it is unless the patch sets it, too.
    #[must_use]
    pub fn start_time(self, start: WallTime) -> Self {
        Self { hours: HoursPatch { start: Some(start), ..self.hours }, ..self }
    }

    /// Sets the end. The start stays as it is unless the patch sets it, too.
    #[must_use]
    pub fn end_time(self, end: WallTime) -> Self {
        Self { hours: HoursPatch { end: Some(Change::Set(end)), ..self.hours }, ..self }
    }

    /// Sets whether the end is a time of the next day.
    #[must_use]
    pub fn ends_next_day(self, ends_next_day: bool) -> Self {
        Self { hours: HoursPatch { ends_next_day: Some(ends_next_day), ..self.hours }, ..self }
    }

    without_mail!();
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fault::FaultPath;
    use crate::hours::TimeError;

    fn row(title: &str, end: &str, each_minutes: f64) -> Value {
        json!({"title": title, "start_time": "09:00", "end_time": end, "capacity": 2, "each_minutes": each_minutes})
    }

    /// Returns the shifts of the rows of a form, for an event of as many days.
    fn shifts(rows: &[Value], days: Option<u32>) -> Result<Vec<NewShift>, Faults> {
        let json = json!({ "shifts": rows }).to_string();
        NewShift::list_from_input(Input::from_json(json.as_bytes()).unwrap().with_lengths(), days)
    }

    #[test]
    fn a_row_with_a_length_makes_a_shift_for_each_part_of_its_hours() {
        let shifts = shifts(&[row("Till", "11:00", 60.0), row("Door", "", 900.0)], None).unwrap();
        let shown: Vec<_> = shifts.iter().map(|shift| format!("{} {}", shift.title, shift.hours)).collect();
        assert_eq!(shown, ["Till 09:00–10:00", "Till 10:00–11:00", "Door 09:00–24:00"]);
    }

    #[test]
    fn the_parts_of_a_night_are_on_the_days_of_the_event() {
        let mut night = row("Watch", "01:00", 60.0);
        (night["start_time"], night["ends_next_day"]) = (json!("22:00"), json!(true));
        let shown = shifts(&[night.clone()], Some(2)).unwrap();
        let shown: Vec<_> = shown.iter().map(|shift| shift.hours.to_string()).collect();
        assert_eq!(shown, ["22:00–23:00", "23:00–24:00", "day 2, 00:00–01:00"]);
        let path = FaultPath::new().field("shifts").index(0).field("each_minutes");
        assert_eq!(shifts(&[night], Some(1)), Err(Faults::one(path, FaultKind::NoSuchDay { days: 1 })));
    }

    #[test]
    fn a_length_that_leaves_a_remainder_is_a_fault_and_so_are_too_many_shifts() {
        let whole = ValueError::WholeNumber { min: 1, max: Some(1440) };
        let rows = [
            row("A", "11:00", 50.0),
            row("B", "11:00", 0.5),
            row("", "11:00", 1441.0),
            row("D", "08:00", 7.0),
        ];
        let faults = shifts(&rows, None).unwrap_err();
        let found: Vec<_> = faults.iter().map(|fault| (fault.path.to_string(), fault.kind.clone())).collect();
        let expected = [
            ("shifts[0].each_minutes", FaultKind::Remainder { minutes: 120 }),
            ("shifts[1].each_minutes", whole.into()),
            ("shifts[2].title", FaultKind::Required),
            ("shifts[2].each_minutes", whole.into()),
            ("shifts[3].end_time", TimeError::Order.into()),
        ];
        assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
        let too_many = FaultKind::TooMany { items: "shifts in one request", max: 500, present: 0 };
        assert_eq!(shifts(&[row("A", "", 1.0)], None), Err(Faults::one("shifts", too_many)));
    }
}
