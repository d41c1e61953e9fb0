//! Input after the checks that need neither a plan nor a record.
//!
//! A rule adds the faults that depend on the plan or the stored record, so that one error names all faults.

use super::check::{check_order_of_days, check_shift_count};
use super::{NewEvent, ShiftPatch};
use crate::fault::Faults;
use crate::hours::EventDate;

/// An event to create, and the faults of its fields. Comes from a [`NewEvent`] or an [`EventInput`](super::EventInput).
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedEvent {
    /// The event; `None` if the title, the first day or the zone of an untyped input has a fault.
    pub(crate) event: Option<NewEvent>,
    /// The first day; `None` if it has a fault.
    pub(crate) first: Option<EventDate>,
    /// The last day; `None` if it is not given or has a fault.
    pub(crate) last: Option<EventDate>,
    /// The faults, in the order of the fields.
    pub(crate) faults: Faults,
}

impl CheckedEvent {
    /// Returns how many shifts the event is created with.
    pub(crate) fn shift_count(&self) -> usize {
        self.event.as_ref().map_or(0, |event| event.shifts.len())
    }
}

impl From<NewEvent> for CheckedEvent {
    /// Checks what the types of the fields leave open: the dates, and the number of shifts.
    fn from(event: NewEvent) -> Self {
        let mut faults = Faults::new();
        let first = faults.check("start_date", EventDate::try_from(event.start_date));
        let last = event.end_date.and_then(|last| {
            let last = EventDate::try_from(last).map_err(Into::into);
            faults.check("end_date", last.and_then(|last| check_order_of_days(first, last)))
        });
        faults.check("shifts", check_shift_count(event.shifts.len()));
        Self { event: Some(event), first, last, faults }
    }
}

/// Changes to a shift, and the faults of their fields. Comes from a [`ShiftPatch`] or a
/// [`ShiftPatchInput`](super::ShiftPatchInput).
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedPatch {
    /// The changes. A field with a fault is omitted or cleared, so the changes are usable only if there is no fault.
    pub(crate) patch: ShiftPatch,
    /// The faults, in the order of the fields.
    pub(crate) faults: Faults,
}

impl From<ShiftPatch> for CheckedPatch {
    fn from(patch: ShiftPatch) -> Self {
        Self { patch, faults: Faults::new() }
    }
}
